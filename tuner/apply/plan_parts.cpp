#include "tuner/apply/plan_parts.h"

#include <algorithm>

#include <fmt/format.h>
#include <libmount/libmount.h>
#include <unistd.h>

#include "base/text.h"
#include "host/sysfs_block.h"
#include "space/parameter_value.h"
#include "space/spelling.h"
#include "tuner/apply/file_edit.h"

namespace fsadvise::tuner {

namespace {

constexpr const char* kSystemFstab = "/etc/fstab";

bool means_disk(const FileReader& files, const std::string& spec, const Wish& wish,
                const DiskIdentity& disk) {
    if (lower(spec) == "uuid=" + wish.uuid) return true;
    if (spec.starts_with("/dev/")) return block_name(files, spec) == disk.name;
    if (!spec.starts_with("LABEL=") && !spec.starts_with("PART")) return false;
    char* path = mnt_resolve_spec(spec.c_str(), nullptr);
    const bool same = path != nullptr && block_name(files, path) == disk.name;
    ::free(path);
    return same;
}

// A data disk that is missing must not stop the boot.
std::string lasting_options(const Commands& commands) {
    return (commands.mount_options.empty() ? "defaults" : commands.mount_options) + ",nofail";
}

std::string queue_file(const std::string& disk, const Parameter& parameter) {
    return "/sys/class/block/" + disk + "/queue/" + parameter.spelling.key;
}

}  // namespace

std::string merged_options(const Knowledge& knowledge, const Configuration& configuration,
                           const std::string& options) {
    std::vector<std::string> kept;
    for (const ParsedWord& word : parse_mount_options(knowledge, configuration.filesystem, options)) {
        const bool ours = !word.parameter.empty() && configuration.values.contains(word.parameter);
        if (!ours && !word.text.empty() && word.text != "defaults") kept.push_back(word.text);
    }
    for (const std::string& word : split(spell(knowledge, configuration).mount_options, ','))
        if (!word.empty() && std::find(kept.begin(), kept.end(), word) == kept.end()) kept.push_back(word);
    return kept.empty() ? "defaults" : join(kept, ",");
}

std::string chosen_word(const std::string& text) {
    const auto open = text.find('['), close = text.find(']');
    if (open == std::string::npos || close == std::string::npos || close < open)
        return std::string(trim(text));
    return text.substr(open + 1, close - open - 1);
}

Result<FstabEdit> fstab_after(const Machine& machine, const Wish& wish, const DiskIdentity& disk,
                              const std::string& text) {
    const Filesystem* filesystem = machine.knowledge.filesystem(wish.configuration.filesystem);
    const Commands commands = spell(machine.knowledge, wish.configuration);
    FstabWish line{"UUID=" + wish.uuid, wish.directory, wish.configuration.filesystem,
                   lasting_options(commands), filesystem->fstab_pass};
    for (const FstabEntry& entry : fstab_entries(text)) {
        if (plain_directory(entry.directory) != wish.directory) continue;
        if (wish.adopt) {
            line.options = entry.options;
            line.type = entry.type;
            break;
        }
        // Words of the user's own stay; a line that says all of it already is left as it is.
        const std::string merged = merged_options(machine.knowledge, wish.configuration, entry.options);
        auto there = split(entry.options, ','), wanted = split(merged, ',');
        std::sort(there.begin(), there.end());
        std::sort(wanted.begin(), wanted.end());
        line.options = there == wanted ? entry.options : merged;
        break;
    }
    return edit_fstab(text, line, wish.fstab,
                      [&](const std::string& spec) { return means_disk(machine.files, spec, wish, disk); });
}

Result<void> add_registration(const Machine& machine, Plan& plan) {
    const Wish& wish = plan.wish;
    FSADVISE_ASSIGN(const auto text, read_if_there(wish.fstab));
    FSADVISE_ASSIGN(const FstabEdit edit, fstab_after(machine, wish, plan.disk, text.value_or("")));
    if (!edit.changed) {
        plan.already.push_back(wish.fstab + " has it: " + edit.line);
        return {};
    }
    FSADVISE_TRY(check_writable(wish.fstab));
    plan.steps.push_back({PlanStepKind::kRegister,
                          edit.replaced.empty()
                              ? "add a line to " + wish.fstab
                              : fmt::format("change a line of {}: {}", wish.fstab, edit.replaced),
                          {},
                          wish.fstab,
                          edit.line,
                          {}});
    // systemd mounts what it has read.
    if (wish.fstab == kSystemFstab && ::access("/run/systemd/system", F_OK) == 0)
        plan.steps.push_back(
            {PlanStepKind::kReload, "let systemd read it", {"systemctl", "daemon-reload"}, {}, {}, {}});
    return {};
}

std::string rule_text(const Knowledge& knowledge, const Wish& wish) {
    std::string text = fmt::format("# queue settings of {}, advised for {}; made by fsadvise apply\n",
                                   wish.directory, wish.request.workload);
    text += fmt::format(R"(ACTION=="add|change", SUBSYSTEM=="block", ENV{{ID_FS_UUID}}=="{}")", wish.uuid);
    for (const auto& [id, value] : wish.queue) {
        const Parameter& parameter = *knowledge.parameter(id);
        text +=
            fmt::format(R"(, ATTR{{queue/{}}}="{}")", parameter.spelling.key, write_value(parameter, value));
    }
    return text + "\n";
}

Result<void> add_queue(const Machine& machine, Plan& plan) {
    const Wish& wish = plan.wish;
    if (wish.queue.empty()) return {};
    const std::string disk = whole_disk(machine.files, plan.disk.name);
    for (const auto& [id, value] : wish.queue) {
        const Parameter& parameter = *machine.knowledge.parameter(id);
        const std::string file = queue_file(disk, parameter), written = write_value(parameter, value);
        const auto now = machine.files.read(file);
        if (!now) {
            plan.notes.push_back(
                fmt::format("{} = {} cannot be set: {} has no such file", id, written, disk));
        } else if (chosen_word(*now) == written) {
            plan.already.push_back(fmt::format("{} is {}", file, written));
        } else if (::access(file.c_str(), W_OK) != 0) {
            plan.notes.push_back(
                fmt::format("{} = {} cannot be set: {} is read-only here", id, written, file));
        } else {
            plan.steps.push_back({PlanStepKind::kQueue,
                                  fmt::format("set it for the disk {} (now {})", disk, chosen_word(*now)),
                                  {},
                                  file,
                                  written,
                                  id});
        }
    }
    if (!wish.persist) {
        plan.notes.emplace_back(
            "the settings of the queue last until the next boot; --persist keeps them by a udev rule");
        return {};
    }
    if (disk != plan.disk.name) {
        plan.notes.push_back(
            fmt::format("no udev rule for {}: the queue belongs to the whole disk {}", plan.disk.name, disk));
        return {};
    }
    const std::string file =
        fmt::format("{}/61-fsadvise-{}.rules", wish.rules_folder, wish.uuid.substr(0, 8));
    const std::string text = rule_text(machine.knowledge, wish);
    FSADVISE_ASSIGN(const auto now, read_if_there(file));
    if (now == text) {
        plan.already.push_back(file + " has the settings of the queue");
        return {};
    }
    FSADVISE_TRY(check_writable(file));
    plan.steps.push_back(
        {PlanStepKind::kPersist, "keep the settings of the queue over a reboot", {}, file, text, {}});
    return {};
}

}  // namespace fsadvise::tuner
