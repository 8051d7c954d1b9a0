// Pieces that emitters share. Internal to src/output/emit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "output/emit/emit_plan.h"

namespace fsadvise {

// Comment lines: what it is, what made it, what happens to a filesystem that is there, why each option,
// warnings, and what is lost. `existing` is a sentence about the target.
// `names_device`: the device stands in what follows.
std::string head_comment(const EmitPlan& plan, std::string_view existing,
                         const std::vector<std::string>& lost, bool names_device = true);
std::string comment_lines(std::string_view text, std::string_view mark = "# ");
// A string of YAML and JSON alike.
std::string json_quoted(std::string_view text);
// ["a", "b"]
std::string json_list(const std::vector<std::string>& words);

// "mkfs.xfs -L data -m reflink=0 DEVICE", for sentences.
std::string mkfs_line(const EmitPlan& plan);
// One sentence each about mkfs options, or block settings, that the target has no place for; none if there
// are none.
void lose_mkfs(const EmitPlan& plan, std::string_view target, std::vector<std::string>& lost);
void lose_settings(const EmitPlan& plan, std::string_view target, std::vector<std::string>& lost);

// Files that make block settings last ("/etc/udev/rules.d/90-fsadvise.rules" and its lines), and the commands
// of those that are run once.
struct SettingsFile {
    std::string path;
    std::string content;
};
struct SettingsParts {
    std::vector<SettingsFile> files;
    std::vector<std::string> commands;  // for a shell
};
SettingsParts settings_parts(const EmitPlan& plan);

// Flag and value of each mkfs option: {"-m", "reflink=0"}; a flag alone has no value.
struct MkfsOption {
    std::string flag, value;
};
std::vector<MkfsOption> mkfs_pairs(const EmitPlan& plan);

// Name of the mount unit of a directory: systemd.unit(5), STRING ESCAPING FOR INCLUSION IN UNIT NAMES.
std::string unit_name(std::string_view directory);
std::string mount_unit(const EmitPlan& plan);

Result<Emitted> emit_fstab(const EmitPlan& plan);
Result<Emitted> emit_systemd(const EmitPlan& plan);
Result<Emitted> emit_cloud_init(const EmitPlan& plan);
Result<Emitted> emit_ansible(const EmitPlan& plan);
Result<Emitted> emit_kickstart(const EmitPlan& plan);
Result<Emitted> emit_ignition(const EmitPlan& plan);
Result<Emitted> emit_butane(const EmitPlan& plan);
Result<Emitted> emit_kubernetes(const EmitPlan& plan);
Result<Emitted> emit_terraform(const EmitPlan& plan);
Result<Emitted> emit_mke2fs(const EmitPlan& plan);
Result<Emitted> emit_xfs_config(const EmitPlan& plan);
Result<Emitted> emit_tuned(const EmitPlan& plan);

}  // namespace fsadvise
