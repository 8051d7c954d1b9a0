#include <iterator>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "advice/lint.h"
#include "base/fd.h"
#include "cli/command.h"
#include "output/render.h"

namespace fsadvise::cli {
namespace {

constexpr std::size_t kInputLimit = 16u << 20;

struct CheckOptions {
    std::vector<std::string> files;
    HostOptions host;
    std::string workload, fail_on = "error";
    bool json = false;
};

Result<std::string> read_input(const std::string& file) {
    if (file != "-") return read_file(file, kInputLimit);
    std::string text;
    char buffer[1 << 16];
    while (true) {
        const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
        if (count < 0)
            return fail(ErrorCode::kBadInput, "cannot read: " + errno_text(errno), "standard input");
        if (count == 0) return text;
        text.append(buffer, static_cast<std::size_t>(count));
        if (text.size() > kInputLimit)
            return fail(ErrorCode::kBadInput, "is larger than 16 MiB", "standard input");
    }
}

bool reaches(const LintResult& result, const std::string& fail_on) {
    if (fail_on == "never") return false;
    const Severity least = fail_on == "info"      ? Severity::kInfo
                           : fail_on == "warning" ? Severity::kWarning
                                                  : Severity::kError;
    for (const Finding& finding : result.findings) {
        if (finding.severity >= least) return true;
    }
    return false;
}

Outcome check(const CheckOptions& options, const Common& common) {
    FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge(common));
    LintTarget target;
    FSADVISE_ASSIGN(target.host, resolve_host(options.host, loaded.knowledge));
    target.workload = options.workload;
    LintResult all;
    for (const std::string& file : options.files) {
        FSADVISE_ASSIGN(const std::string text, read_input(file));
        FSADVISE_ASSIGN(LintResult result,
                        lint(loaded.knowledge, target, text, file == "-" ? "<stdin>" : file));
        all.lines += result.lines;
        all.checked += result.checked;
        std::move(result.findings.begin(), result.findings.end(), std::back_inserter(all.findings));
        std::move(result.pairs.begin(), result.pairs.end(), std::back_inserter(all.pairs));
    }
    if (options.json) {
        FSADVISE_TRY(emit(common, to_json(all).dump(2) + "\n"));
    } else {
        const TextStyle style{use_color(common, STDOUT_FILENO), terminal_width(STDOUT_FILENO)};
        FSADVISE_TRY(emit(common, render_lint_text(all, style)));
    }
    return reaches(all, options.fail_on) ? 1 : 0;
}

}  // namespace

void add_check(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<CheckOptions>();
    CLI::App* command = app.add_subcommand("check", "find options that fail, do nothing or endanger data");
    command->add_option("files", options->files, "fstab files or shell scripts, - for standard input")
        ->required()
        ->type_name("FILE");
    add_host_options(*command, options->host, false);
    command->add_option("--workload", options->workload, "what the filesystems serve")->type_name("NAME");
    command
        ->add_option("--fail-on", options->fail_on,
                     "exit 1 from this severity on: error, warning, info or never")
        ->check(CLI::IsMember({"error", "warning", "info", "never"}))
        ->type_name("SEVERITY");
    command->add_flag("--json", options->json, "findings as one JSON document");
    add_common(*command, invocation.common);
    command->callback([options, &invocation] {
        invocation.action = [options, &invocation] { return check(*options, invocation.common); };
    });
}

}  // namespace fsadvise::cli
