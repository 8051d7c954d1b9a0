// A configuration file for mkfs.xfs -c options=FILE. Source: mkfs.xfs(8) of xfsprogs 6.1, CONFIGURATION FILE
// FORMAT.
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "output/emit/emit_parts.h"

namespace fsadvise {
namespace {

std::string_view section_of(std::string_view flag) {
    struct Section {
        std::string_view flag, name;
    };
    constexpr Section kSections[] = {{"-b", "block"},    {"-m", "metadata"}, {"-d", "data"},
                                     {"-i", "inode"},    {"-l", "log"},      {"-n", "naming"},
                                     {"-r", "realtime"}, {"-s", "sector"}};
    for (const Section& section : kSections)
        if (section.flag == flag) return section.name;
    return {};
}

}  // namespace

Result<Emitted> emit_xfs_config(const EmitPlan& plan) {
    if (plan.filesystem != "xfs")
        return fail(ErrorCode::kUnavailable,
                    fmt::format("mkfs.xfs makes no {}, which is advised here", plan.filesystem), "xfs-config",
                    "--fs xfs asks for XFS");
    Emitted emitted;
    std::map<std::string, std::string> sections;
    for (const MkfsOption& option : mkfs_pairs(plan)) {
        const auto section = section_of(option.flag);
        if (section.empty() || option.value.empty()) {
            emitted.lost.push_back(fmt::format("the file has no section for {} {}: add it to the command",
                                               option.flag, option.value));
            continue;
        }
        for (const std::string& pair : split(option.value, ','))
            sections[std::string(section)] += pair + "\n";
    }
    if (!plan.mount_options.empty())
        emitted.lost.push_back(
            fmt::format("mount options ({}): give them to mount", join(plan.mount_options, ",")));
    lose_settings(plan, "the file", emitted.lost);
    std::string text =
        head_comment(plan,
                     "mkfs.xfs -c options=THIS-FILE DEVICE. An option stands in the file or on the command "
                     "line, never in both. mkfs.xfs refuses a disk with a filesystem.",
                     emitted.lost, false);
    for (const auto& [section, lines] : sections) text += fmt::format("[{}]\n{}", section, lines);
    emitted.files.push_back({"mkfs.xfs.conf", std::move(text)});
    return emitted;
}

}  // namespace fsadvise
