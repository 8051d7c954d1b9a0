// Findings of check, in the compiler style that editors understand: file:line: severity: text [id].
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "output/text_parts.h"

namespace fsadvise {
namespace {

std::string painted(const Palette& paint, Severity severity) {
    const std::string word = to_text(severity);
    if (severity == Severity::kError) return paint.red(word);
    if (severity == Severity::kWarning) return paint.yellow(word);
    return paint.dim(word);
}

}  // namespace

std::string render_lint_text(const LintResult& result, const TextStyle& style) {
    const Palette paint(style.color);
    std::string out;
    int errors = 0, warnings = 0, infos = 0;
    for (const Finding& finding : result.findings) {
        errors += finding.severity == Severity::kError ? 1 : 0;
        warnings += finding.severity == Severity::kWarning ? 1 : 0;
        infos += finding.severity == Severity::kInfo ? 1 : 0;
        out += fmt::format("{}{}: {}: {}{} [{}]\n", finding.file,
                           finding.line > 0 ? fmt::format(":{}", finding.line) : "",
                           painted(paint, finding.severity),
                           finding.subject.empty() ? "" : paint.bold(printable(finding.subject)) + ": ",
                           printable(finding.what), finding.id);
        const auto detail = [&](std::string_view label, const std::string& text) {
            if (text.empty()) return;
            out += wrap(printable(text), style.width, fmt::format("    {}: ", label), "        ") + "\n";
        };
        detail("consequence", finding.consequence);
        detail("fix", finding.fix);
        detail("ignore if", finding.ignore_if);
        if (!finding.sources.empty()) detail("source", join(finding.sources, "; "));
    }
    for (const LintPair& pair : result.pairs) {
        const bool uncertain = std::ranges::any_of(result.findings, [&](const Finding& finding) {
            return finding.id == "target-unknown" && finding.line == pair.mount_line;
        });
        const std::string verdict = !pair.formats  ? paint.red("does not format")
                                    : !pair.mounts ? paint.red("formats, does not mount")
                                    : uncertain
                                        ? paint.yellow("uncertain: versions of kernel and tools not known")
                                        : paint.green("formats and mounts");
        out += fmt::format("line {}{}: {} + mount -o {}: {}\n", pair.mkfs_line,
                           pair.mount_line > 0 ? fmt::format("-{}", pair.mount_line) : "",
                           shell_join(pair.mkfs_argv),
                           pair.mount_options.empty() ? "defaults" : pair.mount_options, verdict);
    }
    out += fmt::format("{} of {} lines speak of filesystems: {} error{}, {} warning{}, {} note{}\n",
                       result.checked, result.lines, errors, errors == 1 ? "" : "s", warnings,
                       warnings == 1 ? "" : "s", infos, infos == 1 ? "" : "s");
    return out;
}

}  // namespace fsadvise
