// Plans as documents.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "space/request_json.h"
#include "tuner/apply/advised.h"
#include "tuner/apply/plan.h"

namespace fsadvise::tuner {

namespace {

using Json = nlohmann::json;

constexpr PlanStepKind kKinds[] = {PlanStepKind::kFormat,   PlanStepKind::kDirectory, PlanStepKind::kMount,
                                   PlanStepKind::kReadBack, PlanStepKind::kRegister,  PlanStepKind::kReload,
                                   PlanStepKind::kQueue,    PlanStepKind::kPersist,   PlanStepKind::kChange};

Result<PlanStepKind> kind_of(const std::string& word, const std::string& name) {
    for (const PlanStepKind kind : kKinds)
        if (to_text(kind) == word) return kind;
    return fail(ErrorCode::kBadInput, "unknown step '" + printable(word) + "'", name);
}

Result<PlanStep> step_from_json(const Json& item, const std::string& name) {
    PlanStep step;
    FSADVISE_ASSIGN(step.kind, kind_of(item.at("step").get<std::string>(), name));
    item.at("does").get_to(step.does);
    step.argv = item.value("command", std::vector<std::string>{});
    step.path = item.value("file", "");
    step.text = item.value("text", "");
    step.parameter = item.value("parameter", "");
    return step;
}

Json queue_json(const std::map<std::string, Value>& queue) {
    auto result = Json::object();
    for (const auto& [id, value] : queue) result[id] = fsadvise::to_json(value);
    return result;
}

}  // namespace

std::string to_text(PlanStepKind kind) {
    switch (kind) {
        case PlanStepKind::kFormat:
            return "format";
        case PlanStepKind::kDirectory:
            return "make-directory";
        case PlanStepKind::kMount:
            return "mount";
        case PlanStepKind::kReadBack:
            return "read-back";
        case PlanStepKind::kRegister:
            return "register";
        case PlanStepKind::kReload:
            return "reload";
        case PlanStepKind::kQueue:
            return "set-queue";
        case PlanStepKind::kPersist:
            return "persist-queue";
        case PlanStepKind::kChange:
            return "change";
    }
    return {};
}

Json to_json(const PlanStep& step) {
    Json item = {{"step", to_text(step.kind)}, {"does", step.does}};
    if (!step.argv.empty()) item["command"] = step.argv;
    if (!step.path.empty()) item["file"] = step.path;
    if (!step.text.empty()) item["text"] = step.text;
    if (!step.parameter.empty()) item["parameter"] = step.parameter;
    return item;
}

Json to_json(const Plan& plan) {
    auto steps = Json::array();
    for (const PlanStep& step : plan.steps) steps.push_back(to_json(step));
    const Wish& wish = plan.wish;
    return {{"schema_version", kPlanSchemaVersion},
            {"kind", "apply-plan"},
            {"advice", {{"digest", wish.advice_digest}, {"rank", wish.rank}}},
            {"request", to_json(wish.request)},
            {"configuration", to_json(wish.configuration)},
            {"queue", queue_json(wish.queue)},
            {"device", wish.device},
            {"disk", to_json(plan.disk)},
            {"situation", plan.situation},
            {"mount_point", wish.directory},
            {"label", wish.label},
            {"uuid", wish.uuid},
            {"fstab", wish.fstab},
            {"rules_folder", wish.rules_folder},
            {"persist", wish.persist},
            {"adopt", wish.adopt},
            {"steps", steps},
            {"already", plan.already},
            {"notes", plan.notes}};
}

Result<StoredPlan> stored_plan_from_json(const Knowledge& knowledge, const Json& document,
                                         const std::string& name) {
    constexpr const char* kAnew = "make it anew: fsadvise apply ADVICE.json --device ... --plan FILE";
    try {
        if (!document.is_object() || document.value("kind", "") != "apply-plan")
            return fail(ErrorCode::kBadInput, "is no plan of fsadvise apply", name, kAnew);
        if (const int version = document.at("schema_version").get<int>(); version != kPlanSchemaVersion) {
            return fail(
                ErrorCode::kBadInput,
                fmt::format("is of schema version {}, this program reads {}", version, kPlanSchemaVersion),
                name, kAnew);
        }
        StoredPlan stored;
        Wish& wish = stored.wish;
        FSADVISE_ASSIGN(wish.request, request_from_json(document.at("request"), name + "#/request"));
        auto configuration = configuration_from_json(document.at("configuration"), knowledge);
        if (!configuration) {
            Error error = configuration.error();
            error.context = name + "#/configuration" + error.context;
            error.hint = kAnew;
            return tl::unexpected(std::move(error));
        }
        wish.configuration = std::move(*configuration);
        FSADVISE_ASSIGN(wish.queue,
                        queue_settings_from_json(knowledge, document.at("queue"), name + "#/queue"));
        document.at("device").get_to(wish.device);
        document.at("mount_point").get_to(wish.directory);
        document.at("label").get_to(wish.label);
        document.at("uuid").get_to(wish.uuid);
        document.at("fstab").get_to(wish.fstab);
        document.at("rules_folder").get_to(wish.rules_folder);
        document.at("persist").get_to(wish.persist);
        document.at("adopt").get_to(wish.adopt);
        document.at("situation").get_to(stored.situation);
        document.at("advice").at("digest").get_to(wish.advice_digest);
        document.at("advice").at("rank").get_to(wish.rank);
        FSADVISE_ASSIGN(stored.disk, disk_identity_from_json(document.at("disk"), name + "#/disk"));
        for (const Json& item : document.at("steps")) {
            FSADVISE_ASSIGN(PlanStep step, step_from_json(item, name + "#/steps"));
            stored.steps.push_back(std::move(step));
        }
        if (document.contains("progress")) {
            const Json& progress = document.at("progress");
            stored.format_begun =
                progress.at("step") == to_text(PlanStepKind::kFormat) && progress.at("state") == "begun";
        }
        return stored;
    } catch (const Json::exception& error) {
        return fail(ErrorCode::kBadInput, error.what(), name, kAnew);
    }
}

Result<Plan> confirm_plan(const Machine& machine, const StoredPlan& stored, Host host,
                          const std::string& name) {
    Wish wish = stored.wish;
    wish.request.host = std::move(host);
    FSADVISE_ASSIGN(const DiskIdentity now, identify_disk(wish.device, machine.files));
    if (const std::string changed = difference(stored.disk, now); !changed.empty()) {
        return fail(ErrorCode::kUnavailable, "is not the disk that the plan was made for: " + changed,
                    wish.device, "nothing was changed; make the plan anew for the disk that is there");
    }
    wish.format_begun = stored.format_begun;
    FSADVISE_TRY(check_possible(machine.knowledge, wish.request, wish.configuration, machine.runner, name));
    FSADVISE_ASSIGN(Plan plan, make_plan(machine, std::move(wish)));
    // A plan that was carried out, wholly or in part, has fewer steps left: each of them must be in the file.
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const PlanStep& step = plan.steps[i];
        if (std::find(stored.steps.begin(), stored.steps.end(), step) != stored.steps.end()) continue;
        const auto same_kind = std::find_if(stored.steps.begin(), stored.steps.end(),
                                            [&](const PlanStep& other) { return other.kind == step.kind; });
        const std::string there =
            same_kind == stored.steps.end() ? "nothing" : printable(to_json(*same_kind).dump());
        return fail(
            ErrorCode::kBadInput,
            fmt::format("step '{}' is not what its configuration gives now: the plan says {}, now it is {}",
                        to_text(step.kind), there, to_json(step).dump()),
            name, "a plan is not edited: change the advice and make the plan anew");
    }
    for (const PlanStep& step : stored.steps) {
        // What the machine has by now needs no step any more.
        const bool may_be_done = step.kind != PlanStepKind::kFormat && step.kind != PlanStepKind::kMount &&
                                 step.kind != PlanStepKind::kReadBack && step.kind != PlanStepKind::kChange;
        if (may_be_done) continue;
        const bool known = std::any_of(plan.steps.begin(), plan.steps.end(),
                                       [&](const PlanStep& other) { return other == step; });
        if (known || stored.situation != plan.situation) continue;
        return fail(ErrorCode::kBadInput,
                    "has a step that its configuration does not give: " + printable(to_json(step).dump()),
                    name, "a plan is not edited: change the advice and make the plan anew");
    }
    return plan;
}

}  // namespace fsadvise::tuner
