// A POSIX shell script for provisioning: refuses anything that is not an empty, idle block device.
#include <fmt/format.h>

#include "base/text.h"
#include "output/text_parts.h"

namespace fsadvise {
namespace {

// Comment lines must stay comments whatever a reason contains.
std::string comment(const std::string& text, std::string_view first = "# ") {
    std::string flat = text;
    for (char& c : flat) {
        if (c == '\n' || c == '\r') c = ' ';
    }
    return wrap(flat, 100, first, "#   ") + "\n";
}

}  // namespace

std::string render_shell(const Advice& advice, const Knowledge& knowledge) {
    const Recommendation& best = advice.ranked.front();
    const Filesystem* filesystem = knowledge.filesystem(best.configuration.filesystem);
    const std::string directory = mount_point_of(advice.request, knowledge);
    std::string out = "#!/bin/sh\n";
    out += comment(fmt::format("{} on {}, advised by fsadvise (knowledge {})", advice.workload_title,
                               filesystem_title(knowledge, best.configuration.filesystem),
                               advice.knowledge_digest));
    out += comment(
        "An existing filesystem, partition table or mount is never touched: the script stops instead.");
    out += "# usage: DEVICE=/dev/disk/by-id/... sh this-script\nset -eu\n\n";
    out += "DEVICE=${DEVICE:?name the empty disk or partition to format}\n";
    out += fmt::format("DIRECTORY=${{DIRECTORY:-{}}}\n\n", shell_quote(directory));
    out += "fail() { echo \"$0: $1\" >&2; exit 1; }\n";
    out += "[ -b \"$DEVICE\" ] || fail \"$DEVICE is not a block device\"\n";
    out += fmt::format("command -v {} >/dev/null || fail \"{} is missing: install {}\"\n",
                       best.commands.mkfs.front(), best.commands.mkfs.front(),
                       filesystem != nullptr ? filesystem->tool : "its package");
    out +=
        "signature=$(wipefs --no-act --parsable \"$DEVICE\") || fail \"cannot read $DEVICE (root is "
        "needed)\"\n";
    out += "[ -z \"$signature\" ] || fail \"$DEVICE carries a signature, nothing was touched: $signature\"\n";
    out += "if lsblk --noheadings --output MOUNTPOINTS \"$DEVICE\" | grep -q '[^[:space:]]'; then\n";
    out += "    fail \"$DEVICE is in use\"\nfi\n\n";
    for (const Choice& choice : best.choices) {
        if (choice.parameter == "filesystem") {
            out += comment("why: " + choice.why + (choice.rule.empty() ? "" : " [" + choice.rule + "]"));
        } else {
            out += comment(choice.spelled + ": " + choice.why +
                           (choice.rule.empty() ? "" : " [" + choice.rule + "]"));
        }
    }
    for (const std::string& warning : best.warnings) out += comment("warning: " + warning);
    std::string mkfs = shell_join(best.commands.mkfs);
    out += mkfs + " \"$DEVICE\"\n\n";
    out += "uuid=$(blkid -p -s UUID -o value \"$DEVICE\")\n";
    out += "[ -n \"$uuid\" ] || fail \"no UUID found on $DEVICE after formatting\"\n";
    out += "mkdir -p \"$DIRECTORY\"\n";
    const std::string options =
        best.commands.mount_options.empty() ? "defaults,nofail" : best.commands.mount_options + ",nofail";
    const int pass = filesystem != nullptr ? filesystem->fstab_pass : 0;
    out +=
        "if findmnt --fstab --target \"$DIRECTORY\" --output TARGET --noheadings | grep -qxF \"$DIRECTORY\"; "
        "then\n";
    out += "    fail \"$DIRECTORY is in fstab already; mount UUID=$uuid by hand\"\nfi\n";
    out += "# A last line without newline must not be glued to ours.\n";
    out += "if [ -n \"$(tail -c 1 /etc/fstab)\" ]; then echo >>/etc/fstab; fi\n";
    out += fmt::format("printf 'UUID=%s %s {} {} 0 {}\\n' \"$uuid\" \"$DIRECTORY\" >>/etc/fstab\n",
                       best.configuration.filesystem, options, pass);
    out += "mount \"$DIRECTORY\"\nfindmnt --target \"$DIRECTORY\" --output SOURCE,FSTYPE,OPTIONS\n";
    return out;
}

}  // namespace fsadvise
