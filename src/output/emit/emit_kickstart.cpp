// Kickstart: `part` with --mkfsoptions and --fsoptions. Source: the kickstart documentation of pykickstart.
#include <fmt/format.h>

#include "base/text.h"
#include "output/emit/emit_parts.h"

namespace fsadvise {

Result<Emitted> emit_kickstart(const EmitPlan& plan) {
    if (plan.filesystem == "f2fs")
        return fail(ErrorCode::kUnavailable, "the installer makes no f2fs", "kickstart",
                    "format after the installation, with --format shell");
    Emitted emitted;
    const auto [files, commands] = settings_parts(plan);
    std::string disk = plan.device;
    if (disk.starts_with("/dev/")) disk.erase(0, 5);
    std::string text = head_comment(plan,
                                    "The installer makes a new partition in free space of the disk and "
                                    "formats that one; without free space it stops.",
                                    emitted.lost);
    const auto in_quotes = [](const std::string& words) { return "\"" + words + "\""; };
    text += fmt::format("part {} --fstype={} --ondisk={} --label={} --size=1024 --grow",
                        shell_quote(plan.directory), plan.filesystem, shell_quote(disk), plan.label);
    text += " --fsoptions=" + in_quotes(plan.options_text());
    if (!plan.mkfs_options.empty()) text += " --mkfsoptions=" + in_quotes(join(plan.mkfs_options, " "));
    text += "\n";
    if (!files.empty() || !commands.empty()) text += "%post\n";
    for (const SettingsFile& file : files)
        text += fmt::format("cat > {} <<'END'\n{}END\n", file.path, file.content);
    for (const std::string& command : commands) text += command + "\n";
    if (!files.empty() || !commands.empty()) text += "%end\n";
    emitted.files.push_back({"fsadvise.ks", std::move(text)});
    return emitted;
}

}  // namespace fsadvise
