// systemd-repart definitions (repart.d/*.conf); keys and formats are in the knowledge: repart-keys,
// repart-formats.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "advice/lint_format.h"
#include "advice/lint_ini.h"
#include "base/text.h"
#include "base/units.h"

namespace fsadvise {
namespace {

class Partition {
  public:
    Partition(const LintInput& input, const IniSection& section, LintResult& result)
        : input_(input), checker_(input.checker()), section_(section), result_(result) {}

    void run() {
        ++result_.checked;
        if (section_.find("Type") == nullptr) {
            auto& item = add("repart-incomplete", Severity::kError, section_.line, "Type");
            item.what = "[Partition] has no Type=";
            item.consequence = "systemd-repart stops with an error";
            item.fix = "add Type=, for example linux-generic";
        }
        for (const auto& entry : section_.entries) key(entry);
        sizes();
        format();
        mount_point();
    }

  private:
    Finding& add(std::string id, Severity severity, int line, std::string subject) {
        result_.findings.push_back(checker_.finding(std::move(id), severity, line, std::move(subject)));
        result_.findings.back().sources = {"repart.d(5)"};
        return result_.findings.back();
    }

    void key(const IniEntry& entry) {
        const auto known = table_words(input_.knowledge, "repart-keys");
        if (std::ranges::find(known, entry.key) != known.end()) return;
        auto& item = add("repart-key", Severity::kWarning, entry.line, entry.key);
        const auto word = lower(entry.key);
        const bool flags =
            word.find("mkfs") != std::string::npos || word.find("makefilesystem") != std::string::npos;
        item.what =
            fmt::format("repart.d has no key '{}'{}", entry.key, flags ? "" : did_you_mean(entry.key, known));
        item.consequence = "it is ignored with a message: the filesystem gets the tool's defaults";
        item.fix = flags ? fmt::format(
                               "set SYSTEMD_REPART_MKFS_OPTIONS_{} in the environment of systemd-repart "
                               "(systemd 254 or later)",
                               upper(section_.value("Format")))
                         : "correct or remove the key";
        if (flags)
            item.sources = {
                "systemd ENVIRONMENT documentation: SYSTEMD_REPART_MKFS_OPTIONS_<FSTYPE>, since 254"};
    }

    static std::string upper(std::string text) {
        for (auto& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        return text.empty() ? "EXT4" : text;
    }

    void sizes() {
        std::optional<std::uint64_t> least, most;
        for (const std::string_view key : {"SizeMinBytes", "SizeMaxBytes"}) {
            const auto* entry = section_.find(key);
            if (entry == nullptr || entry->value.empty()) continue;
            const auto size = parse_size(entry->value);
            if (size) {
                (key == "SizeMinBytes" ? least : most) = *size;
                continue;
            }
            auto& item = add("repart-bad-size", Severity::kError, entry->line, entry->value);
            item.what = fmt::format("{}={} is no size", key, entry->value);
            item.consequence = "systemd-repart ignores the line: the partition gets another size";
            item.fix = "write bytes, or a number with K, M, G or T";
        }
        if (!least || !most || *least <= *most) return;
        auto& item = add("repart-bad-size", Severity::kError, section_.find("SizeMaxBytes")->line,
                         section_.find("SizeMaxBytes")->value);
        item.what = "SizeMaxBytes= is below SizeMinBytes=";
        item.consequence = "systemd-repart rejects the file";
        item.fix = "exchange the two";
    }

    void format() {
        const auto* format = section_.find("Format");
        if (format == nullptr || format->value.empty()) return;
        const auto known = table_words(input_.knowledge, "repart-formats");
        if (std::ranges::find(known, format->value) == known.end()) {
            auto& item = add("repart-format", Severity::kError, format->line, format->value);
            item.what = fmt::format("systemd-repart does not document Format={}{}", format->value,
                                    did_you_mean(format->value, known));
            item.consequence = "systemd-repart may stop with an error";
            item.fix = "use one of: " + join(known, ", ");
            return;
        }
        const auto* filesystem = checker_.knowledge().filesystem(format->value);
        if (filesystem == nullptr) return;
        const auto* most = section_.find("SizeMaxBytes");
        const auto* least = section_.find("SizeMinBytes");
        const auto* bound = most != nullptr ? most : least;
        const auto size = bound != nullptr ? parse_size(bound->value) : Result<std::uint64_t>(0);
        const auto checker = size && *size > 0 && most != nullptr ? input_.checker_for_size(*size) : checker_;
        const auto command = parse_mkfs(input_.knowledge, {filesystem->mkfs, "PARTITION"});
        checker.check_mkfs(command, {format->line, "the mount fails"}, result_);
        small_minimum(*filesystem, least, most);
    }

    // Only SizeMinBytes below the smallest filesystem: the partition may end up too small.
    void small_minimum(const Filesystem& filesystem, const IniEntry* least, const IniEntry* most) {
        if (least == nullptr || most != nullptr || filesystem.minimum_bytes == 0) return;
        const auto size = parse_size(least->value);
        if (!size || *size >= filesystem.minimum_bytes) return;
        auto& item = add("repart-size", Severity::kWarning, least->line, least->value);
        item.what = fmt::format("the partition may be smaller than the smallest {} ({} MiB)",
                                filesystem.title, filesystem.minimum_bytes >> 20);
        item.consequence = "on a small disk mkfs stops with an error";
        item.fix = "raise SizeMinBytes=";
    }

    // MountPoint=/path:options
    void mount_point() {
        const auto* entry = section_.find("MountPoint");
        const auto type = section_.value("Format");
        if (entry == nullptr || checker_.knowledge().filesystem(type) == nullptr) return;
        const auto colon = entry->value.find(':');
        if (colon == std::string::npos) return;
        const auto options = entry->value.substr(colon + 1);
        checker_.check_mount(type, nullptr, parse_mount_options(checker_.knowledge(), type, options),
                             {entry->line, "the mount fails and boot stops in emergency mode"}, result_);
    }

    const LintInput& input_;
    LintChecker checker_;
    const IniSection& section_;
    LintResult& result_;
};

bool recognises(std::string_view name, std::string_view text) {
    return has_line_starting(text, "[Partition]") && (name.ends_with(".conf") || !name.ends_with(".fio"));
}

Result<void> check(const LintInput& input, LintResult& result) {
    for (const auto& section : split_ini(input.text, 1, true)) {
        if (section.name == "Partition") Partition(input, section, result).run();
    }
    return {};
}

}  // namespace

LintFormat repart_format() {
    return {"repart.d", recognises, check};
}

}  // namespace fsadvise
