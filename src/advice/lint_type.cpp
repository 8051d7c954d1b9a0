// Names of filesystem types: known, somebody else's, or misspelt.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "advice/lint_fstab.h"
#include "advice/lint_shell.h"
#include "base/text.h"
#include "space/mkfs_flags.h"

namespace fsadvise {
namespace {

// Types that the kernel or a mount helper knows and of which this program knows nothing else.
// Source: /proc/filesystems of Linux 6.18 with all modules, mount(8), and the helpers /sbin/mount.TYPE of
// Debian 12.
constexpr auto kOtherTypes = std::to_array<std::string_view>(
    {"9p",       "adfs",      "aufs",    "axfs",     "cxfs",     "gpfs",       "vxfs",     "affs",
     "afs",      "apfs",      "auto",    "autofs",   "bcachefs", "befs",       "bfs",      "bind",
     "bpf",      "ceph",      "cgroup",  "cgroup2",  "cifs",     "coda",       "configfs", "cramfs",
     "davfs",    "debugfs",   "devpts",  "devtmpfs", "ecryptfs", "efivarfs",   "efs",      "erofs",
     "exfat",    "fuse",      "fuseblk", "gfs",      "gfs2",     "glusterfs",  "hfs",      "hfsplus",
     "hpfs",     "hugetlbfs", "ignore",  "iso9660",  "jffs2",    "jfs",        "lustre",   "minix",
     "mqueue",   "msdos",     "ncpfs",   "nfs",      "nfs4",     "nilfs2",     "none",     "ntfs",
     "ntfs-3g",  "ntfs3",     "ocfs2",   "omfs",     "orangefs", "overlay",    "proc",     "pstore",
     "qnx4",     "qnx6",      "ramfs",   "reiserfs", "romfs",    "securityfs", "smb3",     "smbfs",
     "squashfs", "sshfs",     "swap",    "sysfs",    "sysv",     "tmpfs",      "tracefs",  "ubifs",
     "udf",      "ufs",       "usbfs",   "vboxsf",   "vfat",     "virtiofs",   "vmhgfs",   "xenfs",
     "zfs",      "zonefs"});

}  // namespace

void check_type(const LintChecker& checker, const std::string& type, const Place& place, LintResult& result) {
    // "ext4,xfs" is a list of types; "fuse.sshfs" names a helper.
    if (has_placeholder(type) || type.find_first_of(".,") != std::string::npos) return;
    if (filesystem_of_type(checker.knowledge(), type) != nullptr) return;
    if (std::ranges::find(kOtherTypes, type) != kOtherTypes.end()) return;
    std::vector<std::string> known;
    for (const auto& filesystem : checker.knowledge().filesystems()) known.push_back(filesystem.id);
    const auto meant = nearest(lower(type), known);
    if (!meant) return;
    ++result.checked;
    auto item = checker.finding("fstab-unknown-type", Severity::kError, place.line, type);
    item.what = fmt::format("no kernel knows the filesystem type {} (did you mean '{}'?)", type, *meant);
    item.consequence = place.consequence_of_refusal;
    item.fix = fmt::format("write {}", *meant);
    item.ignore_if = "a module from outside the kernel or a helper mount." + type + " provides the type";
    item.sources = {"fstab(5), the third field", "/proc/filesystems"};
    result.findings.push_back(std::move(item));
}

}  // namespace fsadvise
