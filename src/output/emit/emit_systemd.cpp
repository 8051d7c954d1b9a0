// systemd.mount(5) and repart.d(5). A unit has no place for mkfs options; systemd-repart takes them from its
// environment since version 254.
#include <cctype>

#include <fmt/format.h>

#include "base/text.h"
#include "output/emit/emit_parts.h"

namespace fsadvise {
namespace {

// Filesystems that systemd-repart makes. Source: repart.d(5) of systemd 252, Format=.
bool repart_makes(std::string_view filesystem) {
    return filesystem == "ext4" || filesystem == "btrfs" || filesystem == "xfs";
}

// A percent sign begins a specifier.
std::string literal(std::string_view text) {
    std::string result;
    for (const char c : text) result += c == '%' ? std::string("%%") : std::string(1, c);
    return result;
}

std::string in_capitals(std::string text) {
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

std::string repart_file(const EmitPlan& plan) {
    std::string text = head_comment(
        plan,
        "systemd-repart adds the partition where a GPT has room for it, and never changes one that is there.",
        {});
    return text + fmt::format("[Partition]\nType=linux-generic\nLabel={}\nFormat={}\n", literal(plan.label),
                              plan.filesystem);
}

// systemd splits it at blanks; a word with one cannot be written.
std::string repart_environment(const EmitPlan& plan) {
    const std::string variable = "SYSTEMD_REPART_MKFS_OPTIONS_" + in_capitals(plan.filesystem);
    return comment_lines(
               "Read since systemd 254; an older systemd-repart formats with the defaults of mkfs.") +
           fmt::format("[Service]\nEnvironment=\"{}={}\"\n", variable, literal(join(plan.mkfs_options, " ")));
}

}  // namespace

// WantedBy, not RequiredBy, is what nofail is in fstab: the boot goes on without the disk.
std::string mount_unit(const EmitPlan& plan) {
    return fmt::format(
        "[Unit]\nDescription={}\n\n[Mount]\nWhat=/dev/disk/by-label/{}\nWhere={}\nType={}\nOptions={}\n\n"
        "[Install]\nWantedBy=local-fs.target\n",
        literal(plan.title), literal(plan.label), literal(plan.directory), plan.filesystem,
        literal(plan.mount_options.empty() ? "defaults" : join(plan.mount_options, ",")));
}

Result<Emitted> emit_systemd(const EmitPlan& plan) {
    Emitted emitted;
    lose_settings(plan, "a mount unit", emitted.lost);
    const bool repart = repart_makes(plan.filesystem);
    if (!repart) {
        emitted.lost.push_back(fmt::format("systemd-repart makes no {}: format the disk first with {}",
                                           plan.filesystem, mkfs_line(plan)));
    } else if (!plan.mkfs_options.empty()) {
        emitted.lost.push_back(
            fmt::format("systemd-repart before version 254 takes no mkfs options ({}): there format the disk "
                        "first with {}",
                        shell_join(plan.mkfs_options), mkfs_line(plan)));
    }
    std::string unit = head_comment(
        plan,
        "Mounts what carries this label; nothing is formatted. Services that need it say RequiresMountsFor=.",
        emitted.lost);
    emitted.files.push_back({"etc/systemd/system/" + unit_name(plan.directory), unit + mount_unit(plan)});
    if (repart) {
        emitted.files.push_back({fmt::format("etc/repart.d/50-{}.conf", plan.label), repart_file(plan)});
        if (!plan.mkfs_options.empty())
            emitted.files.push_back(
                {"etc/systemd/system/systemd-repart.service.d/50-fsadvise.conf", repart_environment(plan)});
    }
    return emitted;
}

}  // namespace fsadvise
