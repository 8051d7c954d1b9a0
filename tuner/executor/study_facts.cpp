#include "tuner/executor/study_facts.h"

#include <nlohmann/json.hpp>

namespace fsadvise::tuner {

Result<void> write_facts(Study& study, const StudyFacts& facts) {
    const TuneOptions& options = facts.options;
    const nlohmann::json target = {{"scratch_file", options.target.scratch_file},
                                   {"size_bytes", options.target.size_bytes},
                                   {"device", options.target.device},
                                   {"overwrite_signature", options.target.overwrite_signature},
                                   {"work_directory", options.target.work_directory},
                                   {"stands_for", facts.stands_for},
                                   {"medium", facts.medium}};
    const nlohmann::json plan = {{"budget_ns", options.budget_ns},
                                 {"trials", options.trials},
                                 {"trial_seconds", facts.trial_seconds},
                                 {"confirm_replicates", options.confirm_replicates},
                                 {"seed", options.seed},
                                 {"cores", options.cores},
                                 {"scale", facts.scale},
                                 {"goal", goal_text(options.goal)}};
    FSADVISE_TRY(study.set("request", to_json(facts.request).dump()));
    FSADVISE_TRY(study.set("target", target.dump()));
    FSADVISE_TRY(study.set("plan", plan.dump()));
    FSADVISE_TRY(study.set("anchor", to_json(facts.anchor).dump()));
    FSADVISE_TRY(study.set("knowledge_digest", facts.knowledge_digest));
    FSADVISE_TRY(study.set("load", facts.load));
    if (!options.workload_document.empty()) FSADVISE_TRY(study.set("workload", options.workload_document));
    return write_elapsed(study, facts.elapsed_ns);
}

Result<void> write_elapsed(Study& study, std::int64_t elapsed_ns) {
    return study.set("elapsed_ns", std::to_string(elapsed_ns));
}

Result<StudyFacts> read_facts(const Study& study, const Knowledge& knowledge) {
    const auto text = [&](const char* key) -> Result<std::string> {
        auto value = study.get(key);
        if (!value) {
            return fail(
                ErrorCode::kBadInput, std::string("the study has no '") + key + "' entry", study.path(),
                "it was not made by 'fsadvise tune', or its first seconds were cut off: start a new one");
        }
        return *value;
    };
    StudyFacts facts;
    FSADVISE_ASSIGN(const std::string request, text("request"));
    FSADVISE_ASSIGN(const std::string target, text("target"));
    FSADVISE_ASSIGN(const std::string plan, text("plan"));
    FSADVISE_ASSIGN(const std::string anchor, text("anchor"));
    FSADVISE_ASSIGN(facts.knowledge_digest, text("knowledge_digest"));
    FSADVISE_ASSIGN(facts.load, text("load"));
    FSADVISE_ASSIGN(const std::string elapsed, text("elapsed_ns"));
    try {
        facts.elapsed_ns = std::stoll(elapsed);
        FSADVISE_ASSIGN(facts.request,
                        request_from_json(nlohmann::json::parse(request), study.path() + "#request"));
        FSADVISE_ASSIGN(facts.anchor, configuration_from_json(nlohmann::json::parse(anchor), knowledge));
        const auto where = nlohmann::json::parse(target);
        facts.options.target.scratch_file = where.at("scratch_file").get<std::string>();
        facts.options.target.size_bytes = where.at("size_bytes").get<std::uint64_t>();
        facts.options.target.device = where.at("device").get<std::string>();
        facts.options.target.overwrite_signature = where.at("overwrite_signature").get<bool>();
        facts.options.target.work_directory = where.at("work_directory").get<std::string>();
        facts.stands_for = where.at("stands_for").get<std::string>();
        facts.medium = where.at("medium").get<std::string>();
        const auto how = nlohmann::json::parse(plan);
        facts.options.budget_ns = how.at("budget_ns").get<std::int64_t>();
        facts.options.trials = how.at("trials").get<int>();
        facts.options.confirm_replicates = how.at("confirm_replicates").get<int>();
        facts.options.seed = how.at("seed").get<std::uint64_t>();
        facts.options.cores = how.at("cores").get<int>();
        facts.trial_seconds = how.at("trial_seconds").get<double>();
        facts.scale = how.at("scale").get<double>();
        // Studies from before there were goals have none.
        FSADVISE_ASSIGN(facts.options.goal, goal_from_text(how.value("goal", ""), study.path()));
    } catch (const std::exception& error) {
        return fail(ErrorCode::kBadInput, std::string("a damaged entry: ") + error.what(), study.path(),
                    "start a new study");
    }
    facts.options.trial_seconds = facts.trial_seconds;
    facts.options.study_path = study.path();
    return facts;
}

}  // namespace fsadvise::tuner
