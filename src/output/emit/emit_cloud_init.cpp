// cloud-config for cloud-init: fs_setup, mounts, write_files. Source: cloud-init's module reference and its
// cc_disk_setup.
#include <fmt/format.h>

#include "base/text.h"
#include "output/emit/emit_parts.h"

namespace fsadvise {
namespace {

// It writes -L for every label, which mkfs of some filesystems does not know.
bool labels_by_itself(const EmitPlan& plan) {
    return plan.label_flag == "-L";
}

std::string block(const std::string& text, std::string_view indent) {
    std::string result;
    for (const std::string& line : split(text, '\n'))
        if (!line.empty()) result += std::string(indent) + line + "\n";
    return result;
}

}  // namespace

Result<Emitted> emit_cloud_init(const EmitPlan& plan) {
    Emitted emitted;
    const auto [files, commands] = settings_parts(plan);
    std::vector<std::string> options = plan.mkfs_options;
    if (!labels_by_itself(plan)) options.insert(options.begin(), {plan.label_flag, plan.label});
    std::string text = "#cloud-config\n";
    text += head_comment(
        plan,
        "A disk that carries a filesystem of this type and label is kept as it is, one with another "
        "filesystem is left alone, an empty one is formatted.",
        emitted.lost);
    text += comment_lines(fmt::format(
        "The image must hold {}: packages are installed later than disks are set up.", plan.tool));
    text += "fs_setup:\n";
    text += fmt::format("  - device: {}\n    partition: auto\n    filesystem: {}\n", json_quoted(plan.device),
                        plan.filesystem);
    if (labels_by_itself(plan)) text += fmt::format("    label: {}\n", json_quoted(plan.label));
    text += "    overwrite: false\n";
    // A string would be taken apart into its letters.
    if (!options.empty()) text += "    extra_opts: " + json_list(options) + "\n";
    text += "mounts:\n  - " +
            json_list({plan.spec(), plan.directory, plan.filesystem, plan.options_text(), "0",
                       std::to_string(plan.fstab_pass)}) +
            "\n";
    if (!files.empty()) text += "write_files:\n";
    for (const SettingsFile& file : files)
        text += fmt::format("  - path: {}\n    permissions: \"0644\"\n    content: |\n{}", file.path,
                            block(file.content, "      "));
    if (!files.empty() || !commands.empty()) text += "runcmd:\n";
    if (!files.empty())
        text +=
            "  - [udevadm, control, --reload]\n  - [udevadm, trigger, --subsystem-match=block]\n  - [sysctl, "
            "--system]\n";
    for (const std::string& command : commands) text += "  - " + json_quoted(command) + "\n";
    emitted.files.push_back({"cloud-config.yaml", std::move(text)});
    return emitted;
}

}  // namespace fsadvise
