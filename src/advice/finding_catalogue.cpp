#include "advice/finding_catalogue.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace fsadvise {
namespace {

// In the order of their ids, which a test checks.
constexpr FindingKind kKinds[] = {
    {"chattr-no-cow", "warning", "chattr +C on Btrfs gives up checksums and compression", false},
    {"chattr-no-cow-elsewhere", "error", "chattr +C on a filesystem without that attribute", false},
    {"default-value", "info", "an option that states the default", false},
    {"durability-lowered:", "warning", "an option that can lose acknowledged data in a crash", false},
    {"filesystem-unavailable", "error", "the target's kernel has no such filesystem", false},
    {"fstab-duplicate-directory", "warning", "two lines mount at the same directory", false},
    {"fstab-fields", "error", "an fstab line with too few or too many fields", false},
    {"fstab-ordering-cycle", "warning", "a mount that waits for a service which waits for the mounts", false},
    {"fstab-pass", "info", "a check at boot that never happens for this filesystem", true},
    {"fstab-unstable-device-name", "warning", "a device name that depends on the order of discovery", false},
    {"mkfs-option-bad-value", "error", "an option of mkfs with a value it does not accept", false},
    {"mkfs-option-deprecated", "warning", "an option of mkfs that will be removed", false},
    {"mkfs-option-foreign", "error", "an option of another filesystem's mkfs", true},
    {"mkfs-option-removed", "error", "an option that the target's tool no longer knows", true},
    {"mkfs-option-too-new", "error", "an option that the target's tool or kernel does not know yet", true},
    {"mkfs-option-unknown", "error", "an option that this mkfs does not know", true},
    {"mkfs-option-unreliable", "warning", "a feature that is not reliable in the target's version", false},
    {"mkfs-refuses:", "error", "a combination that mkfs refuses", false},
    {"mkfs-usage", "error", "a mkfs command that cannot be parsed", false},
    {"mount-option-bad-value", "error", "a mount option with a value it does not accept", false},
    {"mount-option-deprecated", "warning", "a mount option that will be removed", false},
    {"mount-option-foreign", "error", "a mount option of another filesystem", true},
    {"mount-option-removed", "error", "a mount option that the target's kernel no longer knows", true},
    {"mount-option-too-new", "error", "a mount option that the target's kernel does not know yet", true},
    {"mount-option-unknown", "error", "a mount option that this filesystem does not know", true},
    {"mount-option-unreliable", "warning", "an option that is not reliable in the target's version", false},
    {"mount-refuses:", "error", "a combination that the kernel refuses to mount", false},
    {"mount-wrong-type", "error", "mounted as another filesystem than it was formatted as", false},
    {"no-effect:", "info", "accepted and without effect", true},
    {"queue-setting", "info", "a setting of the block layer that does not fit the device or the mount",
     false},
    {"redundant-nodiratime", "info", "nodiratime beside noatime", true},
    {"shared-superblock-options", "warning", "several mounts of one filesystem with different options",
     false},
    {"silent:", "warning", "the command succeeds and gives something else than asked", false},
    {"suppression-unused", "info", "an ignore comment that suppresses nothing", false},
    {"unsafe:", "warning", "works, and can lose data", false},
    {"unwise:", "warning", "works, at a cost in speed or space", false},
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
