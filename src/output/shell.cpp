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
    // Everything that can be refused is refused before mkfs.
    out += R"sh(case $DIRECTORY in /*) ;; *) fail "DIRECTORY must be an absolute path" ;; esac
while [ "$DIRECTORY" != / ] && [ "$DIRECTORY" != "${DIRECTORY%/}" ]; do DIRECTORY=${DIRECTORY%/}; done
if [ -d "$DIRECTORY" ] && [ -n "$(ls -A "$DIRECTORY")" ]; then
    fail "$DIRECTORY is not empty: a mount would hide its files; move them away first"
fi
# fstab writes blanks and backslashes in octal.
field=$(printf '%s' "$DIRECTORY" | sed 's/\\/\\134/g; s/ /\\040/g; s/	/\\011/g')
touch /etc/fstab
if sed 's/#.*//; s/^[[:space:]]*//' /etc/fstab | tr -s '[:blank:]' ' ' | cut -d ' ' -f 2 | sed 's,/*$,,' |
    grep -qxF -e "$field"; then
    fail "$DIRECTORY is in /etc/fstab already"
fi
signature=$(wipefs --no-act --parsable "$DEVICE") || fail "cannot read $DEVICE (root is needed)"
[ -z "$signature" ] || fail "$DEVICE carries a signature, nothing was touched: $signature"
if lsblk --noheadings --output MOUNTPOINTS "$DEVICE" | grep -q '[^[:space:]]'; then
    fail "$DEVICE is in use"
fi

)sh";
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
    out += "# A last line without newline must not be glued to ours.\n";
    out += "if [ -n \"$(tail -c 1 /etc/fstab)\" ]; then echo >>/etc/fstab; fi\n";
    out += fmt::format("printf 'UUID=%s %s {} {} 0 {}\\n' \"$uuid\" \"$field\" >>/etc/fstab\n",
                       best.configuration.filesystem, options, pass);
    out += "mount \"$DIRECTORY\"\nfindmnt --target \"$DIRECTORY\" --output SOURCE,FSTYPE,OPTIONS\n";
    return out;
}

}  // namespace fsadvise
