#include <algorithm>
#include <iterator>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "advice/lint.h"
#include "advice/lint_fix.h"
#include "advice/lint_mounted.h"
#include "advice/lint_suppress.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/check_parts.h"
#include "cli/command.h"
#include "output/prometheus.h"
#include "output/render.h"
#include "output/sarif.h"

namespace fsadvise::cli {
namespace {

constexpr std::size_t kInputLimit = 16u << 20;

struct CheckOptions {
    std::vector<std::string> files;
    HostOptions host;
    std::vector<std::string> tools;
    std::string batch, workload, fail_on = "error", format = "text", upgrade_to;
    bool json = false, fix = false, mounted = false;
};

// All findings, and those that comments suppress.
struct Checked {
    LintResult result;
    std::vector<Finding> suppressed;
};

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

Result<Checked> check_text(const Knowledge& knowledge, const LintTarget& target, const std::string& text,
                           const std::string& file) {
    Checked checked;
    FSADVISE_ASSIGN(checked.result, lint(knowledge, target, text, file));
    checked.suppressed = apply_suppressions(text, file, checked.result);
    return checked;
}

template <class T>
void append(std::vector<T>& all, std::vector<T>&& more) {
    std::move(more.begin(), more.end(), std::back_inserter(all));
}

struct Input {
    std::string name, text;
};

Result<Checked> check_all(const Knowledge& knowledge, const LintTarget& target,
                          const std::vector<Input>& inputs, const std::vector<MountedFilesystem>& mounts) {
    Checked all;
    for (const Input& input : inputs) {
        FSADVISE_ASSIGN(Checked checked, check_text(knowledge, target, input.text, input.name));
        all.result.lines += checked.result.lines;
        all.result.checked += checked.result.checked;
        append(all.result.findings, std::move(checked.result.findings));
        append(all.result.pairs, std::move(checked.result.pairs));
        append(all.suppressed, std::move(checked.suppressed));
    }
    LintResult live = lint_mounted(knowledge, target, mounts);
    all.result.lines += live.lines;
    all.result.checked += live.checked;
    append(all.result.findings, std::move(live.findings));
    return all;
}

// "xfsprogs-6.6" or "xfsprogs=6.6": the tool that formats on the target.
Result<void> use_tools(Host& host, const std::vector<std::string>& tools) {
    static const std::vector<std::string> kKnown = {"e2fsprogs", "xfsprogs", "btrfs-progs", "f2fs-tools",
                                                    "util-linux"};
    for (const std::string& text : tools) {
        const auto end = text.find_last_of("-=");
        const std::string name = text.substr(0, end);
        const std::string version = end == std::string::npos ? "" : text.substr(end + 1);
        if (std::find(kKnown.begin(), kKnown.end(), name) == kKnown.end() || !Version::parse(version).known())
            return fail(ErrorCode::kUsage,
                        "'" + text + "' is no tool with its version" + did_you_mean(name, kKnown), "--tools",
                        "write for example xfsprogs-6.6; known: " + join(kKnown, ", "));
        host.tools[name] = version;
    }
    return {};
}

// "6.18" is a kernel, everything else a distribution.
Result<LintTarget> upgraded(const CheckOptions& options, const Knowledge& knowledge) {
    HostOptions host = options.host;
    host.host_file.clear();
    const bool kernel =
        !options.upgrade_to.empty() && options.upgrade_to.front() >= '0' && options.upgrade_to.front() <= '9';
    (kernel ? host.kernel : host.distribution) = options.upgrade_to;
    if (!kernel) host.kernel.clear();
    LintTarget target;
    FSADVISE_ASSIGN(target.host, resolve_host(host, knowledge));
    FSADVISE_TRY(use_tools(target.host, options.tools));
    return target;
}

Outcome fix(const CheckOptions& options, const Knowledge& knowledge, const LintTarget& target,
            const Input& input, const Common& common) {
    FSADVISE_ASSIGN(const Checked before, check_text(knowledge, target, input.text, input.name));
    const FixedText fixed = fix_text(input.text, before.result.findings);
    FSADVISE_ASSIGN(const Checked after, check_text(knowledge, target, fixed.text, input.name));
    FSADVISE_TRY(emit(common, fixed.text));
    for (const Finding& finding : fixed.fixed)
        log_info("{}:{}: fixed {} [{}]", finding.file, finding.line, finding.subject, finding.id);
    for (const Finding& finding : after.result.findings) {
        if (finding.severity == Severity::kInfo) continue;
        log_warning("{}:{}: left to you: {} [{}]", finding.file, finding.line, finding.what, finding.id);
    }
    return reaches(after.result, options.fail_on) ? 1 : 0;
}

Result<void> print(const CheckOptions& options, const Knowledge& knowledge, const Checked& checked,
                   const Common& common) {
    const std::string format = options.json ? "json" : options.format;
    if (format == "prometheus")
        return emit(common, render_prometheus(checked.result, knowledge, FSADVISE_VERSION));
    if (format == "sarif")
        return emit(common, render_sarif(checked.result, checked.suppressed, FSADVISE_VERSION));
    if (format == "json") {
        auto document = to_json(checked.result);
        LintResult suppressed;
        suppressed.findings = checked.suppressed;
        document["suppressed"] = to_json(suppressed)["findings"];
        return emit(common, document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    }
    const TextStyle style{use_color(common, STDOUT_FILENO), terminal_width(STDOUT_FILENO)};
    std::string text = render_lint_text(checked.result, style);
    if (!checked.suppressed.empty())
        text += std::to_string(checked.suppressed.size()) + " suppressed by comments\n";
    return emit(common, text);
}

Result<void> check_usage(const CheckOptions& options) {
    if (options.files.empty() && !options.mounted)
        return fail(ErrorCode::kUsage, "nothing to check is named", "check",
                    "name files, - for standard input, or --mounted");
    if (options.fix && (options.files.size() != 1 || options.mounted || !options.upgrade_to.empty()))
        return fail(ErrorCode::kUsage, "--fix corrects one file at a time", "check",
                    "name one file, without --mounted and --upgrade-to");
    return {};
}

Outcome check(const CheckOptions& options, const Common& common) {
    if (!options.batch.empty()) {
        if (options.files.empty() && !options.mounted && !options.fix && options.upgrade_to.empty())
            return check_batch(options.batch, options.host, common);
        return fail(ErrorCode::kUsage, "--batch takes one file of rows and nothing else to check", "check",
                    "see docs/batch.md");
    }
    FSADVISE_TRY(check_usage(options));
    std::string workload = options.workload;
    FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge(common, workload));
    LintTarget target;
    FSADVISE_ASSIGN(target.host, resolve_host(options.host, loaded.knowledge));
    FSADVISE_TRY(use_tools(target.host, options.tools));
    target.workload = workload;
    std::vector<Input> inputs;
    for (const std::string& file : options.files) {
        FSADVISE_ASSIGN(std::string text, read_input(file, kInputLimit));
        inputs.push_back({file == "-" ? "<stdin>" : file, std::move(text)});
    }
    if (options.fix) return fix(options, loaded.knowledge, target, inputs.front(), common);
    std::vector<MountedFilesystem> mounts;
    SystemProcessRunner runner;
    if (options.mounted) mounts = mounted_filesystems(loaded.knowledge, runner);
    FSADVISE_ASSIGN(Checked checked, check_all(loaded.knowledge, target, inputs, mounts));
    if (!options.upgrade_to.empty()) {
        FSADVISE_ASSIGN(LintTarget later, upgraded(options, loaded.knowledge));
        later.workload = workload;
        FSADVISE_ASSIGN(Checked then, check_all(loaded.knowledge, later, inputs, mounts));
        then.result = added_findings(checked.result, then.result);
        checked = std::move(then);
    }
    FSADVISE_TRY(print(options, loaded.knowledge, checked, common));
    return reaches(checked.result, options.fail_on) ? 1 : 0;
}

}  // namespace

void add_check(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<CheckOptions>();
    CLI::App* command = app.add_subcommand("check", "find options that fail, do nothing or endanger data");
    command->add_option("files", options->files, "fstab files or shell scripts, - for standard input")
        ->type_name("FILE");
    command
        ->add_option("--batch", options->batch,
                     "predict mkfs, mount and remount for JSON rows (docs/batch.md), - for standard input")
        ->type_name("ROWS");
    command->add_flag("--mounted", options->mounted,
                      "check what is mounted on this machine now (only reads)");
    command->add_flag("--fix", options->fix,
                      "print the corrected file instead of findings (-o FILE writes it)");
    command
        ->add_option("--upgrade-to", options->upgrade_to,
                     "list what this distribution or kernel would break, compared with the target")
        ->type_name("TARGET");
    add_host_options(*command, options->host, true);
    command->add_option("--tools", options->tools, "versions of the tools on the target, e.g. xfsprogs-6.6")
        ->delimiter(',')
        ->type_name("LIST");
    command->add_option("--workload,--role", options->workload, "what the filesystems serve")
        ->type_name("NAME");
    command
        ->add_option("--fail-on", options->fail_on,
                     "exit 1 from this severity on: error, warning, info or never")
        ->check(CLI::IsMember({"error", "warning", "info", "never"}))
        ->type_name("SEVERITY");
    command->add_option("--format", options->format, "text, json, sarif or prometheus")
        ->check(CLI::IsMember({"text", "json", "sarif", "prometheus"}))
        ->type_name("F");
    command->add_flag("--json", options->json, "the same as --format json");
    add_common(*command, invocation.common);
    command->callback([options, &invocation] {
        invocation.action = [options, &invocation] { return check(*options, invocation.common); };
    });
}

}  // namespace fsadvise::cli
