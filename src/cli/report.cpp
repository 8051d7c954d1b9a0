#include <memory>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "cli/command.h"
#include "output/render.h"
#include "tuner/executor/tune.h"

namespace fsadvise::cli {
namespace {

struct ReportOptions {
    std::string study, format = "markdown";
};

Outcome report(const ReportOptions& options, const Common& common) {
    FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge_of_study(common, options.study));
    FSADVISE_ASSIGN(const auto study, tuner::Study::open(options.study));
    FSADVISE_ASSIGN(const Advice advice, tuner::advice_from_study(loaded.knowledge, loaded.network, *study));
    FSADVISE_ASSIGN(const auto trials, study->trials());
    std::string text;
    if (options.format == "json") {
        text = render_json(advice, loaded.knowledge);
    } else if (options.format == "text") {
        text = render_text(advice, loaded.knowledge,
                           {use_color(common, STDOUT_FILENO), terminal_width(STDOUT_FILENO)});
    } else if (options.format == "shell") {
        text = render_shell(advice, loaded.knowledge);
    } else {
        text = render_markdown(advice, loaded.knowledge, trials);
    }
    FSADVISE_TRY(emit(common, text));
    return 0;
}

}  // namespace

void add_report(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<ReportOptions>();
    CLI::App* command = app.add_subcommand("report", "what a study found, for a colleague or a customer");
    command->add_option("study", options->study, "study file of 'fsadvise tune'")
        ->required()
        ->type_name("STUDY");
    command->add_option("--format", options->format, "markdown, text, json or shell")
        ->check(CLI::IsMember({"markdown", "text", "json", "shell"}))
        ->type_name("F");
    add_common(*command, invocation.common);
    command->callback([options, &invocation] {
        invocation.action = [options, &invocation] { return report(*options, invocation.common); };
    });
}

}  // namespace fsadvise::cli
