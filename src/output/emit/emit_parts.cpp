#include "output/emit/emit_parts.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace fsadvise {

std::string comment_lines(std::string_view text, std::string_view mark) {
    constexpr std::size_t kWidth = 100;
    return wrap(text, kWidth, mark, std::string(mark) + "  ") + "\n";
}

std::string head_comment(const EmitPlan& plan, std::string_view existing,
                         const std::vector<std::string>& lost, bool names_device) {
    std::string text = comment_lines(fmt::format("{}, by {}.", plan.title, plan.made_by));
    text += comment_lines(existing);
    if (names_device && !plan.device_known)
        text += comment_lines(fmt::format("{} stands for the disk: put its name there first.", plan.device));
    for (const EmitReason& reason : plan.reasons)
        text += comment_lines(fmt::format("why {}: {}{}", reason.option, reason.why,
                                          reason.rule.empty() ? "" : " [" + reason.rule + "]"));
    for (const std::string& warning : plan.warnings) text += comment_lines("warning: " + warning);
    for (const std::string& item : lost) text += comment_lines("not carried: " + item);
    return text;
}

std::string json_quoted(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_list(const std::vector<std::string>& words) {
    std::vector<std::string> items;
    for (const std::string& word : words) items.push_back(json_quoted(word));
    return "[" + join(items, ", ") + "]";
}

std::string mkfs_line(const EmitPlan& plan) {
    return shell_join(plan.mkfs) + " " + shell_quote(plan.device);
}

void lose_mkfs(const EmitPlan& plan, std::string_view target, std::vector<std::string>& lost) {
    if (plan.mkfs_options.empty()) return;
    lost.push_back(fmt::format("{} takes no mkfs options ({}): format the disk first with {}", target,
                               shell_join(plan.mkfs_options), mkfs_line(plan)));
}

void lose_settings(const EmitPlan& plan, std::string_view target, std::vector<std::string>& lost) {
    for (const BlockSetting& setting : plan.settings)
        lost.push_back(fmt::format("{} has no place for '{}' ({})", target, setting.line, setting.goes_to));
}

SettingsParts settings_parts(const EmitPlan& plan) {
    SettingsParts parts;
    for (const BlockSetting& setting : plan.settings) {
        if (!setting.goes_to.starts_with('/')) {
            parts.commands.push_back(setting.line);
            continue;
        }
        auto file = std::ranges::find(parts.files, setting.goes_to, &SettingsFile::path);
        if (file == parts.files.end()) {
            parts.files.push_back(
                {setting.goes_to, comment_lines(plan.title + ", by " + plan.made_by + ".")});
            file = parts.files.end() - 1;
        }
        file->content += comment_lines(setting.why + (setting.rule.empty() ? "" : " [" + setting.rule + "]"));
        file->content += setting.line + "\n";
    }
    return parts;
}

std::vector<MkfsOption> mkfs_pairs(const EmitPlan& plan) {
    std::vector<MkfsOption> pairs;
    const auto& words = plan.mkfs_options;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool valued = i + 1 < words.size() && !words[i + 1].starts_with('-');
        pairs.push_back({words[i], valued ? words[i + 1] : ""});
        if (valued) ++i;
    }
    return pairs;
}

std::string unit_name(std::string_view directory) {
    std::string name;
    for (std::size_t i = 0; i < directory.size(); ++i) {
        const char c = directory[i];
        if (c == '/') {
            if (!name.empty() && i + 1 < directory.size() && directory[i + 1] != '/') name += '-';
        } else if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == ':' || c == '_' ||
                   (c == '.' && !name.empty())) {
            name += c;
        } else {
            name += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        }
    }
    return (name.empty() ? "-" : name) + ".mount";
}

}  // namespace fsadvise
