#include "tuner/apply/plan.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/text.h"
#include "host/mount_table.h"
#include "host/sysfs_block.h"
#include "space/spelling.h"
#include "tuner/apply/file_edit.h"
#include "tuner/apply/plan_parts.h"
#include "tuner/target/device_use.h"

namespace fsadvise::tuner {

namespace fs = std::filesystem;

namespace {

Result<std::string> usable_directory(const std::string& given) {
    if (given.empty() || given.front() != '/' || !is_plain_text(given))
        return fail(ErrorCode::kUsage, "the mount point must be an absolute path of plain characters",
                    "--mount-point", "for example /srv/data");
    std::error_code error;
    const fs::path real = fs::weakly_canonical(given, error);
    if (error) return fail(ErrorCode::kUnavailable, error.message(), given);
    std::string directory = plain_directory(real.string());
    if (directory == "/")
        return fail(ErrorCode::kUsage, "the root is no place for a data disk", "--mount-point");
    return directory;
}

Result<void> check_uuid(const std::string& uuid) {
    static const std::string kForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    bool fits = uuid.size() == kForm.size();
    for (std::size_t i = 0; fits && i < kForm.size(); ++i)
        fits = kForm[i] == '-' ? uuid[i] == '-'
                               : std::string_view("0123456789abcdef").find(uuid[i]) != std::string_view::npos;
    if (fits) return {};
    return fail(ErrorCode::kBadInput, "'" + printable(uuid) + "' is no UUID in lower case", "uuid");
}

// With the names that apply gives, as far as the filesystem takes them at mkfs.
Result<Configuration> named(const Knowledge& knowledge, const Wish& wish) {
    Configuration configuration = wish.configuration;
    const std::map<std::string, std::string> names = {{"label", wish.label}, {"uuid", wish.uuid}};
    for (const auto& [what, name] : names) {
        const std::string id = configuration.filesystem + ".mkfs." + what;
        if (knowledge.parameter(id) == nullptr)
            return fail(ErrorCode::kUnavailable, "the knowledge has no parameter " + id, wish.device,
                        "apply needs to give the filesystem a name that fstab can use");
        configuration.values[id] = name;
    }
    return configuration;
}

Result<void> check_empty_directory(const std::string& directory) {
    std::error_code error;
    if (!fs::exists(directory, error)) return {};
    if (!fs::is_directory(directory, error))
        return fail(ErrorCode::kUnavailable, "is no directory", directory, "choose another --mount-point");
    if (!fs::is_empty(directory, error) || error) {
        return fail(ErrorCode::kUnavailable,
                    error ? error.message() : "is not empty: a mount would hide its files", directory,
                    "move them away first, or choose another --mount-point");
    }
    return {};
}

Error refusal(const DiskState& state) {
    Error error{ErrorCode::kUnavailable, state.occupied_by(), state.path, {}};
    if (!state.in_use.empty()) {
        error.hint = "no option overrides this; name a disk that nothing uses";
    } else if (!state.signatures.empty()) {
        error.hint = "nothing was touched; if its data may be destroyed: wipefs --all " + state.path +
                     ", then zero it (blkdiscard -z) and run this again";
    } else {
        error.hint =
            "nothing was touched; if its data may be destroyed, zero it first: blkdiscard -z " + state.path;
    }
    return error;
}

Result<void> check_uuid_is_free(const Machine& machine, const Plan& plan) {
    for (const std::string& name : disks_with_uuid(machine.files, plan.wish.uuid)) {
        if (name == plan.disk.name) continue;
        return fail(
            ErrorCode::kUnavailable,
            fmt::format("the filesystem on {} has the UUID {} already: one disk may be a copy of the other",
                        name, plan.wish.uuid),
            plan.wish.device, "detach one of them, or name another --uuid");
    }
    return {};
}

// Formatting, the directory, the mount and the proof of both.
Result<void> add_making(const Machine& machine, const DiskState& state, bool format, Plan& plan) {
    const Wish& wish = plan.wish;
    FSADVISE_TRY(check_empty_directory(wish.directory));
    FSADVISE_ASSIGN(const Configuration configuration, named(machine.knowledge, wish));
    const Commands commands = spell(machine.knowledge, configuration);
    if (format) {
        FSADVISE_TRY(check_uuid_is_free(machine, plan));
        plan.steps.push_back(
            {PlanStepKind::kFormat,
             fmt::format("make {} on {} ({})", configuration.filesystem, wish.device, state.identity.text()),
             commands.mkfs_argv(wish.device),
             {},
             {},
             {}});
    } else {
        plan.already.push_back(fmt::format("{} was formatted so ({}, UUID {})", wish.device,
                                           configuration.filesystem, wish.uuid));
    }
    if (!fs::exists(wish.directory))
        plan.steps.push_back({PlanStepKind::kDirectory, "make the mount point", {}, wish.directory, {}, {}});
    plan.steps.push_back(
        {PlanStepKind::kMount, "mount it", commands.mount_argv(wish.device, wish.directory), {}, {}, {}});
    plan.steps.push_back({PlanStepKind::kReadBack,
                          "read back what mkfs and mount gave, and compare it with the advice",
                          {},
                          {},
                          {},
                          {}});
    return {};
}

// The table shows anonymous numbers for some filesystems, so the source is compared too.
bool is_of(const FileReader& files, const MountEntry& entry, const std::string& name) {
    const std::string by_number =
        block_name_of_number(files, major(entry.device_number), minor(entry.device_number));
    return by_number == name || block_name(files, entry.source) == name;
}

}  // namespace

Result<Plan> make_plan(const Machine& machine, Wish wish) {
    FSADVISE_TRY(check_label(wish.label));
    FSADVISE_ASSIGN(wish.directory, usable_directory(wish.directory));
    FSADVISE_ASSIGN(const DiskState state, look_at_disk(wish.device, machine.files));
    if (wish.uuid.empty()) {
        const std::string machine_id = machine.files.read("/etc/machine-id").value_or("");
        wish.uuid = derived_uuid(machine_id, state.identity, wish);
    }
    FSADVISE_TRY(check_uuid(wish.uuid));
    Plan plan;
    plan.disk = state.identity;
    plan.wish = std::move(wish);

    const auto mounts = parse_mountinfo(machine.files.read("/proc/self/mountinfo").value_or(""));
    const MountEntry* here = mount_of(mounts, plan.wish.directory);
    const Signature* filesystem = state.filesystem();
    const bool has_filesystem = state.in_use.empty() && filesystem != nullptr &&
                                filesystem->uuid == plan.wish.uuid &&
                                filesystem->type == plan.wish.configuration.filesystem;
    if (here != nullptr && here->directory == plan.wish.directory) {
        if (!is_of(machine.files, *here, state.identity.name)) {
            return fail(ErrorCode::kUnavailable, fmt::format("{} is mounted there", here->source),
                        plan.wish.directory, "choose another --mount-point");
        }
        plan.situation = "mounted";
        if (filesystem == nullptr) {
            return fail(ErrorCode::kUnavailable, "does not show one filesystem with a UUID", plan.wish.device,
                        "wipefs " + plan.wish.device + " lists its signatures; an fstab line needs the UUID");
        }
        plan.wish.uuid = filesystem->uuid;
        FSADVISE_TRY(add_changes(machine, plan));
    } else if (has_filesystem) {
        plan.situation = "ours";
        FSADVISE_TRY(add_making(machine, state, false, plan));
    } else if (!plan.wish.adopt && (state.is_empty() || (plan.wish.format_begun && state.in_use.empty() &&
                                                         state.signatures.empty()))) {
        plan.situation = "empty";
        FSADVISE_TRY(add_making(machine, state, true, plan));
    } else {
        return tl::unexpected(refusal(state));
    }
    FSADVISE_TRY(add_registration(machine, plan));
    FSADVISE_TRY(add_queue(machine, plan));
    return plan;
}

}  // namespace fsadvise::tuner
