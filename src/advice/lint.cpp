#include "advice/lint.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "advice/lint_format.h"
#include "advice/lint_shell.h"
#include "base/text.h"

namespace fsadvise {
namespace {

constexpr int kLintSchemaVersion = 1;

// A line of an fstab: a device or pseudo file system, a directory and a type, no command.
bool looks_like_fstab_line(std::string_view line) {
    const auto text = trim(line);
    if (text.empty() || text.starts_with('#')) return false;
    std::vector<std::string> fields;
    std::string field;
    for (const char c : text) {
        if (c != ' ' && c != '\t') {
            field += c;
        } else if (!field.empty()) {
            fields.push_back(std::move(field));
            field.clear();
        }
    }
    if (!field.empty()) fields.push_back(std::move(field));
    if (fields.size() < 3) return false;
    const auto& directory = fields[1];
    return !fields[0].starts_with('-') &&
           (directory.starts_with('/') || directory == "none" || directory == "swap") &&
           !fields[2].starts_with('-') && !fields[2].starts_with('/');
}

bool looks_like_fstab(std::string_view text, const std::string& file) {
    const auto name = std::string_view(file).substr(file.rfind('/') + 1);
    if (name.ends_with("fstab")) return true;
    if (name.ends_with(".sh") || name.ends_with(".bash") || text.starts_with("#!")) return false;
    int fstab = 0, other = 0;
    for (const auto& line : split(text, '\n')) {
        const auto content = trim(line);
        if (content.empty() || content.starts_with('#')) continue;
        ++(looks_like_fstab_line(content) ? fstab : other);
    }
    return fstab > other;
}

bool looks_like_script(std::string_view name, std::string_view text) {
    if (name.ends_with(".sh") || name.ends_with(".bash") || text.starts_with("#!")) return true;
    // Comments alone are empty in every format.
    bool any = false;
    for (const auto& command : split_shell(text)) {
        for (const auto& word : strip_prefixes(command.words)) {
            const auto program = word.substr(word.rfind('/') + 1);
            if (program.starts_with("mkfs") || program == "mke2fs" || program == "mount" ||
                program == "umount" || program == "tune2fs" || program == "xfs_admin" || program == "btrfs" ||
                program == "lvcreate" || program == "chattr")
                return true;
            break;
        }
        any = true;
    }
    return !any;
}

// In prose an apostrophe is all that the shell's grammar finds.
bool only_quotes(const LintResult& result) {
    return result.checked <= static_cast<int>(result.findings.size()) &&
           std::ranges::all_of(result.findings,
                               [](const Finding& item) { return item.id == "script-unclosed-quote"; });
}

int count_lines(std::string_view text) {
    return static_cast<int>(std::ranges::count(text, '\n')) + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

}  // namespace

std::string to_text(Severity severity) {
    switch (severity) {
        case Severity::kInfo:
            return "info";
        case Severity::kWarning:
            return "warning";
        case Severity::kError:
            break;
    }
    return "error";
}

Result<LintResult> lint(const Knowledge& knowledge, const LintTarget& target, std::string_view text,
                        const std::string& file) {
    FSADVISE_TRY(check_text(text, file));
    const auto name = std::string_view(file).substr(file.rfind('/') + 1);
    const bool named_fstab = name.ends_with("fstab");
    for (const auto& format : lint_formats()) {
        if (named_fstab || !format.recognises(name, text)) continue;
        LintResult result;
        result.lines = count_lines(text);
        FSADVISE_TRY(format.check({knowledge, target, file, name, text}, result));
        tidy(result);
        return result;
    }
    if (looks_like_fstab(text, file)) return lint_fstab(knowledge, target, text, file);
    FSADVISE_ASSIGN(auto result, lint_script(knowledge, target, text, file));
    if (only_quotes(result) && !trim(text).empty() && !looks_like_script(name, text)) {
        return fail(
            ErrorCode::kBadInput, "is in no format that is known here, and names no filesystem", file,
            "see the list of formats in docs/check.md; a shell script is known by its name (.sh) or its "
            "first line (#!/bin/sh)");
    }
    return result;
}

nlohmann::json to_json(const LintResult& result) {
    auto findings = nlohmann::json::array();
    for (const auto& item : result.findings) {
        findings.push_back({{"id", item.id},
                            {"severity", to_text(item.severity)},
                            {"file", item.file},
                            {"line", item.line},
                            {"subject", item.subject},
                            {"what", item.what},
                            {"consequence", item.consequence},
                            {"fix", item.fix},
                            {"ignore_if", item.ignore_if},
                            {"sources", item.sources}});
    }
    auto pairs = nlohmann::json::array();
    for (const auto& pair : result.pairs) {
        pairs.push_back({{"mkfs_line", pair.mkfs_line},
                         {"mount_line", pair.mount_line},
                         {"mkfs", pair.mkfs_argv},
                         {"filesystem", pair.filesystem},
                         {"mount_options", pair.mount_options},
                         {"device", pair.device},
                         {"formats", pair.formats},
                         {"mounts", pair.mounts}});
    }
    return {{"schema_version", kLintSchemaVersion},
            {"findings", std::move(findings)},
            {"pairs", std::move(pairs)},
            {"lines", result.lines},
            {"checked", result.checked}};
}

}  // namespace fsadvise
