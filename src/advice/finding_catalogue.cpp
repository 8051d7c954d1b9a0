#include "advice/finding_catalogue.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace fsadvise {
namespace {

// In the order of their ids, which a test checks.
constexpr FindingKind kKinds[] = {
    {"ansible-empty-field", "warning", "dump or passno left empty: Ansible writes null", false},
    {"ansible-force", "warning", "a task that formats whatever is on the device", false},
    {"ansible-quotes", "error", "quotes in opts, which is split at blanks only", false},
    {"ansible-state", "error", "a state that the mount module does not have", false},
    {"butane-no-mount-unit", "warning",
     "a filesystem with a path but without a mount unit: nothing mounts after the first boot", false},
    {"chattr-no-cow", "warning", "chattr +C on Btrfs gives up checksums and compression", false},
    {"chattr-no-cow-elsewhere", "error", "chattr +C on a filesystem without that attribute", false},
    {"cloud-init-cmd-ignores", "warning", "cmd makes cloud-init ignore extra_opts and overwrite", false},
    {"cloud-init-extra-opts-string", "error", "extra_opts as a string: cloud-init takes it letter by letter",
     false},
    {"cloud-init-f2fs-label", "error", "label with f2fs: cloud-init passes -L, mkfs.f2fs wants -l", false},
    {"cloud-init-formats-always", "warning", "partition: none formats at every first boot, whatever is there",
     false},
    {"cloud-init-incomplete", "error", "a cloud-init entry without a device or filesystem", false},
    {"cloud-init-joined-words", "warning", "several words in one item of extra_opts", false},
    {"cloud-init-key", "warning", "a key that cloud-init does not know here", false},
    {"cloud-init-mount-fields", "error", "a mounts entry with a wrong number or kind of fields", false},
    {"cloud-init-nested-mount", "warning",
     "a mount point inside another one that is made before it is mounted", false},
    {"cloud-init-not-list", "error", "a key that takes a list and has something else", false},
    {"cloud-init-overwrite", "warning", "overwrite: true erases what is on the device", false},
    {"cloud-init-replace-without-label", "info", "replace_fs has no effect without a label", false},
    {"default-value", "info", "an option that states the default", false},
    {"durability-lowered:", "warning", "an option that can lose acknowledged data in a crash", false},
    {"filesystem-below-minimum", "warning", "a filesystem smaller than its tool supports today", false},
    {"filesystem-nearly-full", "warning", "a filesystem that is nearly full", false},
    {"filesystem-unavailable", "error", "the target's kernel has no such filesystem", false},
    {"fio-depth-ignored", "warning", "iodepth with an engine that works one by one", false},
    {"fio-engine", "error", "an I/O engine that fio does not have", false},
    {"fio-include", "info", "an included job file, which is not followed", false},
    {"fio-measures", "info", "what a fio job really measures", false},
    {"fio-memory-filesystem", "warning", "a job on a folder that may be in memory", false},
    {"fio-page-cache", "warning", "a job that measures the page cache", false},
    {"fio-pattern", "error", "an access pattern that fio does not know", false},
    {"fio-short", "warning", "a run too short for a steady state", false},
    {"fio-small-set", "warning", "a data set that fits into caches", false},
    {"fio-unaligned", "error", "direct I/O in blocks that are no whole sectors", false},
    {"fio-writes-device", "error", "a job that writes to a block device", false},
    {"fstab-directory", "error", "a mount point that is no absolute path", false},
    {"fstab-duplicate-directory", "warning", "two lines mount at the same directory", false},
    {"fstab-fields", "error", "an fstab line with too few or too many fields", false},
    {"fstab-line-not-written", "error", "an fstab line that is sent to a command which does not write it",
     false},
    {"fstab-no-netdev", "warning", "a network volume without _netdev", false},
    {"fstab-no-nofail", "info", "a data volume that can stop the boot", false},
    {"fstab-order", "info", "a line that mounts above a directory of an earlier line", false},
    {"fstab-ordering-cycle", "warning", "a mount that waits for a service which waits for the mounts", false},
    {"fstab-pass", "info", "a check at boot that never happens for this filesystem", true},
    {"fstab-pass-ephemeral", "info", "a check at boot of a disk that is made anew", false},
    {"fstab-replaced", "error", "a command that replaces the whole fstab", false},
    {"fstab-root-quota", "warning", "quota options for / in fstab, where they come too late", false},
    {"fstab-two-types", "error", "one filesystem with two types", false},
    {"fstab-unknown-type", "error", "a misspelt filesystem type", false},
    {"fstab-unstable-device-name", "warning", "a device name that depends on the order of discovery", false},
    {"ignition-format", "error", "a format that Ignition cannot make", false},
    {"ignition-incomplete", "error", "a filesystem entry without device or format", false},
    {"ignition-joined-words", "error", "several words in one item of options", false},
    {"ignition-key", "error", "a key that Ignition or Butane does not know here", false},
    {"ignition-options-reused", "info", "options that a kept filesystem never gets", false},
    {"ignition-path", "error", "a path that is not absolute", false},
    {"ignition-wipe", "warning", "wipe_filesystem erases what is on the device", false},
    {"image-tool-missing", "warning", "a mkfs whose package the image does not carry", false},
    {"image-tools-too-new", "error", "an image whose mkfs makes what the nodes' kernel cannot mount", false},
    {"image-unknown", "info", "a base image whose tool versions are not known", false},
    {"k8s-block-mount-options", "warning", "mountOptions on a raw block volume", false},
    {"k8s-incomplete", "error", "a StorageClass or volume without its provisioner or driver", false},
    {"k8s-mount-options-joined", "error", "two mount options in one element of the list", false},
    {"k8s-mount-options-not-list", "error", "mountOptions that are no list", false},
    {"k8s-parameter-foreign", "error", "a parameter that does not apply to the chosen filesystem", false},
    {"k8s-parameter-not-string", "error", "a StorageClass parameter that is no string", false},
    {"k8s-parameter-unknown", "warning", "a parameter that the driver does not know", false},
    {"kickstart-deprecated", "warning", "a kickstart option that does nothing any more", false},
    {"kickstart-group-full", "error", "logical volumes larger than their group", false},
    {"kickstart-group-twice", "warning", "a volume group defined twice", false},
    {"kickstart-no-group", "error", "a logical volume in a group that is never made", false},
    {"kickstart-no-member", "error", "a volume group on a partition that is never made", false},
    {"kickstart-noformat-options", "warning", "mkfs options beside --noformat", false},
    {"label-cut", "warning", "a label that is longer than the filesystem keeps", false},
    {"mkfs-option-bad-value", "error", "an option of mkfs with a value it does not accept", false},
    {"mkfs-option-deprecated", "warning", "an option of mkfs that will be removed", false},
    {"mkfs-option-foreign", "error", "an option of another filesystem's mkfs", true},
    {"mkfs-option-overridden", "warning", "an option that a repetition of its flag replaces", false},
    {"mkfs-option-removed", "error", "an option that the target's tool no longer knows", true},
    {"mkfs-option-too-new", "error", "an option that the target's tool or kernel does not know yet", true},
    {"mkfs-option-unknown", "error", "an option that this mkfs does not know", true},
    {"mkfs-option-unreliable", "warning", "a feature that is not reliable in the target's version", false},
    {"mkfs-refuses:", "error", "a combination that mkfs refuses", false},
    {"mkfs-usage", "error", "a mkfs command that cannot be parsed", false},
    {"mount-option-bad-value", "error", "a mount option with a value it does not accept", false},
    {"mount-option-deprecated", "warning", "a mount option that will be removed", false},
    {"mount-option-foreign", "error", "a mount option of another filesystem", true},
    {"mount-option-overridden", "info", "a mount option that another one in the same list replaces", true},
    {"mount-option-removed", "error", "a mount option that the target's kernel no longer knows", true},
    {"mount-option-too-new", "error", "a mount option that the target's kernel does not know yet", true},
    {"mount-option-unknown", "error", "a mount option that this filesystem does not know", true},
    {"mount-option-unreliable", "warning", "an option that is not reliable in the target's version", false},
    {"mount-refuses:", "error", "a combination that the kernel refuses to mount", false},
    {"mount-subvolume-missing", "error", "a subvolume of a filesystem that was just formatted", false},
    {"mount-unit-fstab-option", "info", "an option that works in fstab only", false},
    {"mount-unit-incomplete", "error", "a mount unit without What= or Where=", false},
    {"mount-unit-key", "warning", "a key that a mount unit does not know", false},
    {"mount-unit-name", "error", "a unit file whose name does not match Where=", false},
    {"mount-unit-not-installed", "info", "a mount unit that nothing starts", false},
    {"mount-unit-ordering-cycle", "warning",
     "a mount unit that waits for a service which waits for the mounts", false},
    {"mount-unit-path", "error", "a Where= that is no absolute path", false},
    {"mount-unit-percent", "warning", "a single percent sign, which systemd expands", false},
    {"mount-wrong-type", "error", "mounted as another filesystem than it was formatted as", false},
    {"no-effect:", "info", "accepted and without effect", true},
    {"queue-setting", "info", "a setting of the block layer that does not fit the device or the mount",
     false},
    {"redundant-nodiratime", "info", "nodiratime beside noatime", true},
    {"remount-ignored", "warning", "an option that a remount accepts and does not change", false},
    {"remount-refused", "error", "an option that a remount cannot change", false},
    {"repart-bad-size", "error", "a size that is none, or a maximum below the minimum", false},
    {"repart-format", "error", "a Format= that systemd-repart cannot make", false},
    {"repart-incomplete", "error", "a repart.d file without Type=", false},
    {"repart-key", "warning", "a key that systemd-repart does not know", false},
    {"repart-size", "warning", "a partition too small for its filesystem", false},
    {"script-options-unknown", "info", "options in a variable whose value the script does not fix", false},
    {"script-unclosed-quote", "error", "a quote that is never closed", false},
    {"shared-superblock-options", "warning", "several mounts of one filesystem with different options",
     false},
    {"silent:", "warning", "the command succeeds and gives something else than asked", false},
    {"suppression-unused", "info", "an ignore comment that suppresses nothing", false},
    {"target-unknown", "info", "a pair judged without knowing the kernel and the tools of the target", false},
    {"thin-overcommit", "info", "thin volumes that promise more than the pool holds", false},
    {"tune-refused", "error", "a change that tune2fs or xfs_admin refuses", false},
    {"unattended-format", "warning", "a first-boot command that formats without looking", false},
    {"unsafe:", "warning", "works, and can lose data", false},
    {"unwise:", "warning", "works, at a cost in speed or space; information if the name begins with note-",
     false},
    {"xfs-v4", "warning", "an XFS filesystem in the old V4 format", false},
};

std::string cell(std::string text) {
    for (auto at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
        text.insert(at, "\\");
    return text;
}

}  // namespace

std::span<const FindingKind> finding_catalogue() {
    return kKinds;
}

const FindingKind* finding_kind(std::string_view id) {
    const auto colon = id.find(':');
    const std::string_view key = colon == std::string_view::npos ? id : id.substr(0, colon + 1);
    for (const FindingKind& kind : kKinds) {
        const std::string_view own = kind.id;
        if (own == key || (own.ends_with(':') && own.substr(0, own.size() - 1) == key)) return &kind;
    }
    return nullptr;
}

std::string render_findings_markdown(const Knowledge& knowledge) {
    std::string out =
        "# Findings of `fsadvise check`\n\n"
        "Ids are stable: they are never reused for something else. `# fsadvise: ignore ID[,ID] reason` on "
        "the line or the\n"
        "line above suppresses a finding; a family (`mkfs-refuses`) covers all its members. *Fix* marks what "
        "`--fix`\n"
        "corrects. `fsadvise explain ID` tells more. This page is generated from the program; a test "
        "compares them.\n\n"
        "| id | severity | fix | meaning |\n| --- | --- | --- | --- |\n";
    for (const FindingKind& kind : kKinds) {
        const std::string id = kind.id;
        out += fmt::format("| `{}` | {} | {} | {} |\n", id.ends_with(':') ? id + "ID" : id, kind.severity,
                           kind.fixable ? "yes" : "", cell(kind.meaning));
    }
    out +=
        "\n`ID` of a family is a constraint below, or a parameter with `.domain` (outside its range), "
        "`.version` (too old,\n"
        "too new), `.active` (exists only under a condition). See `fsadvise knowledge list parameters`.\n";
    for (const Filesystem& filesystem : knowledge.filesystems()) {
        out +=
            fmt::format("\n## {}\n\n| id | scope | what happens |\n| --- | --- | --- |\n", filesystem.title);
        std::vector<const Constraint*> constraints = knowledge.constraints_of(filesystem.id);
        std::ranges::sort(constraints, {},
                          [](const Constraint* item) { return std::pair(item->effect, item->id); });
        for (const Constraint* item : constraints) {
            out += fmt::format("| `{}:{}` | {} | {} |\n", to_text(item->effect), item->id,
                               to_text(item->scope), cell(item->says));
        }
    }
    return out;
}

}  // namespace fsadvise
