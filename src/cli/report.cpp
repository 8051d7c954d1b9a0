#include "output/report/report.h"

#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "advice/advise.h"
#include "base/text.h"
#include "cli/command.h"
#include "output/render.h"
#include "tuner/apply/advised.h"
#include "tuner/executor/tune.h"

namespace fsadvise::cli {
namespace {

struct ReportOptions {
    std::vector<std::string> sources;
    std::string format, customer, logo;
};

constexpr std::size_t kMostAdviceBytes = 64u << 20;
constexpr std::size_t kMostLogoBytes = 16u << 20;

bool names_advice(const std::string& file) {
    return file == "-" || file.ends_with(".json");
}

// An advice document is not believed: its request is, and the knowledge of today answers it.
Result<ReportedStudy> study_of_advice(const LoadedKnowledge& loaded, const std::string& file) {
    FSADVISE_ASSIGN(const std::string text, read_input(file, kMostAdviceBytes));
    FSADVISE_ASSIGN(const auto advised, tuner::advised_from_text(loaded.knowledge, text, file, 1));
    FSADVISE_ASSIGN(Advice advice, advise(loaded.knowledge, loaded.network, advised.request));
    if (advice.ranked.empty() || advice.ranked.front().configuration != advised.configuration)
        advice.notes.push_back(
            fmt::format("The document advised {}; the knowledge of today answers its request as shown.",
                        canonical_text(advised.configuration)));
    return ReportedStudy{"", std::move(advice), {}};
}

Result<ReportedStudy> study_of_file(const Common& common, const std::string& file) {
    FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge_of_study(common, file));
    FSADVISE_ASSIGN(const auto study, tuner::Study::open(file));
    FSADVISE_ASSIGN(Advice advice, tuner::advice_from_study(loaded.knowledge, loaded.network, *study));
    FSADVISE_ASSIGN(auto trials, study->trials());
    return ReportedStudy{file, std::move(advice), std::move(trials)};
}

std::string format_of(const ReportOptions& options, const Common& common) {
    if (!options.format.empty()) return options.format;
    const bool html = common.output_path.ends_with(".html") || common.output_path.ends_with(".htm");
    return html ? "html" : "markdown";
}

Outcome report(const ReportOptions& options, const Common& common) {
    const std::string format = format_of(options, common);
    if (format != "html" &&
        (options.sources.size() > 1 || !options.logo.empty() || !options.customer.empty()))
        return fail(ErrorCode::kUsage, "several studies, --customer and --logo go with --format html only",
                    "--format", "name the output *.html");
    FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge(common));
    ReportCover cover{options.customer, ""};
    if (!options.logo.empty()) {
        FSADVISE_ASSIGN(const std::string bytes, read_input(options.logo, kMostLogoBytes));
        FSADVISE_ASSIGN(cover.logo, logo_url(bytes, options.logo));
    }
    std::vector<ReportedStudy> studies;
    for (const std::string& file : options.sources) {
        FSADVISE_ASSIGN(auto study,
                        names_advice(file) ? study_of_advice(loaded, file) : study_of_file(common, file));
        studies.push_back(std::move(study));
    }
    const Advice& advice = studies.front().advice;
    std::string text;
    if (format == "html") {
        text = render_html(studies, loaded.knowledge, cover);
    } else if (format == "json") {
        text = render_json(advice, loaded.knowledge);
    } else if (format == "text") {
        text = render_text(advice, loaded.knowledge,
                           {use_color(common, STDOUT_FILENO), terminal_width(STDOUT_FILENO)});
    } else if (format == "shell") {
        if (advice.ranked.empty())
            return fail(ErrorCode::kUnavailable, "no filesystem fits: " + join(advice.excluded, "; "));
        text = render_shell(advice, loaded.knowledge);
    } else {
        text = render_markdown(advice, loaded.knowledge, studies.front().trials);
    }
    FSADVISE_TRY(emit(common, text));
    return 0;
}

}  // namespace

void add_report(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<ReportOptions>();
    CLI::App* command = app.add_subcommand("report", "what a study found, for a colleague or a customer");
    command
        ->add_option("study", options->sources,
                     "study files of 'fsadvise tune', or the JSON of an advice; several with html")
        ->required()
        ->type_name("STUDY|ADVICE.json");
    command
        ->add_option(
            "--format", options->format,
            "html, markdown, text, json or shell (default: by the name of the output, else markdown)")
        ->check(CLI::IsMember({"html", "markdown", "text", "json", "shell"}))
        ->type_name("F");
    command->add_option("--customer", options->customer, "whom the report is for")->type_name("NAME");
    command->add_option("--logo", options->logo, "image on the first page, at most 512 KiB")
        ->type_name("FILE");
    add_common(*command, invocation.common);
    command->callback([options, &invocation] {
        invocation.action = [options, &invocation] { return report(*options, invocation.common); };
    });
}

}  // namespace fsadvise::cli
