#include "advice/explain.h"

#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/fd.h"
#include "base/text.h"
#include "cli/command.h"
#include "output/explain_text.h"
#include "space/request_json.h"

namespace fsadvise::cli {
namespace {

struct ExplainOptions {
    std::vector<std::string> words;
    HostOptions host;
    std::string workload, advice, durability = "strict";
    std::vector<std::string> needs;
    bool json = false;
};

Result<Request> request_of_advice(const std::string& file) {
    FSADVISE_ASSIGN(const std::string text, read_file(file));
    const auto document = nlohmann::json::parse(text, nullptr, false);
    if (document.is_discarded() || !document.is_object() || !document.contains("request"))
        return fail(ErrorCode::kBadInput, "is no advice in JSON", file,
                    "make one with: fsadvise recommend --json");
    return request_from_json(document["request"], file + "#/request");
}

Result<std::vector<Explanation>> find(const ExplainOptions& options, const LoadedKnowledge& loaded) {
    FSADVISE_ASSIGN(Host host, resolve_host(options.host, loaded.knowledge));
    const std::string decision = join(options.words, " ");
    if (!options.advice.empty()) {
        FSADVISE_ASSIGN(const Request request, request_of_advice(options.advice));
        return explain_decision(loaded.knowledge, loaded.network, request, decision);
    }
    if (!options.workload.empty()) {
        RequestOptions wanted;
        wanted.workload = options.workload;
        wanted.needs = options.needs;
        wanted.durability = options.durability;
        FSADVISE_ASSIGN(const Request request, resolve_request(wanted, loaded.knowledge, std::move(host)));
        return explain_decision(loaded.knowledge, loaded.network, request, decision);
    }
    if (options.words.empty())
        return fail(ErrorCode::kUsage, "nothing to explain is named", "explain",
                    "give an id or an option, for example: fsadvise explain xfs nobarrier");
    return explain(loaded.knowledge, host, options.words);
}

Outcome run(ExplainOptions options, const Common& common) {
    FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge(common, options.workload));
    FSADVISE_ASSIGN(const auto explanations, find(options, loaded));
    if (options.json) {
        FSADVISE_TRY(emit(common, to_json(explanations).dump(2) + "\n"));
        return 0;
    }
    const TextStyle style{use_color(common, STDOUT_FILENO), terminal_width(STDOUT_FILENO)};
    FSADVISE_TRY(emit(common, render_explain_text(explanations, loaded.knowledge, style)));
    return 0;
}

}  // namespace

void add_explain(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<ExplainOptions>();
    CLI::App* command = app.add_subcommand(
        "explain", "what a parameter, rule, workload, finding or option means, or why an advice chose it");
    command->footer(
        "Examples:\n"
        "  fsadvise explain xfs nobarrier\n"
        "  fsadvise explain -m reflink=0\n"
        "  fsadvise explain R-DB-001\n"
        "  fsadvise explain --workload postgres xfs\n"
        "  fsadvise explain --advice advice.json");
    command->add_option("--workload", options->workload, "explain the advice for this workload")
        ->type_name("NAME");
    command->add_option("--require", options->needs, "features that the advice must have")
        ->delimiter(',')
        ->type_name("LIST");
    command->add_option("--durability", options->durability, "strict, relaxed or scratch")
        ->type_name("CLASS");
    command->add_option("--advice", options->advice, "explain this advice (recommend --json)")
        ->type_name("FILE");
    command->add_flag("--json", options->json, "one JSON document");
    // Like add_common(), but no short options: "-o noatime" and "-m reflink=0" are things to explain.
    Common& common = invocation.common;
    command
        ->add_option("--knowledge", common.knowledge_directory,
                     "use this knowledge folder, not the built-in one")
        ->type_name("DIR");
    command->add_option("--output", common.output_path, "write the result to FILE (atomically)")
        ->type_name("FILE");
    command->add_option("--color", common.color, "auto, always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->type_name("WHEN");
    add_host_options(*command, options->host, true);
    command->allow_extras();
    command->callback([command, options, &invocation] {
        options->words = command->remaining();
        invocation.action = [options, &invocation] { return run(*options, invocation.common); };
    });
}

}  // namespace fsadvise::cli
