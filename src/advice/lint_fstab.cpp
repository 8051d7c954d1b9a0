#include "advice/lint_fstab.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include <fmt/format.h>

#include "advice/lint_shell.h"
#include "base/fstab_field.h"
#include "base/text.h"
#include "space/mkfs_flags.h"

namespace fsadvise {
namespace {

struct FstabLine {
    int line = 0;
    std::vector<std::string> fields;  // \040 and friends decoded
    [[nodiscard]] std::string field(std::size_t index) const {
        return index < fields.size() ? fields[index] : std::string();
    }
    [[nodiscard]] const std::string& spec() const { return fields[0]; }
    [[nodiscard]] const std::string& directory() const { return fields[1]; }
    [[nodiscard]] const std::string& type() const { return fields[2]; }
    [[nodiscard]] std::string options() const { return field(3); }
    [[nodiscard]] bool has(std::string_view option) const {
        return std::ranges::find(words, option) != words.end();
    }
    std::vector<std::string> words;
};

std::vector<std::string> fields_of(std::string_view line) {
    std::vector<std::string> fields;
    std::size_t position = 0;
    while (true) {
        position = line.find_first_not_of(" \t\r", position);
        if (position == std::string_view::npos || line[position] == '#') return fields;
        const auto end = std::min(line.find_first_of(" \t\r", position), line.size());
        fields.push_back(unescape_fstab_field(line.substr(position, end - position)));
        position = end;
    }
}

std::string consequence(const FstabLine& line) {
    if (line.has("noauto")) return "mounting it fails when somebody asks for it";
    if (line.directory() == "/") {
        return "the root filesystem does not mount: the machine does not boot, or stays read-only";
    }
    if (line.has("nofail")) return "the mount fails; boot goes on without it";
    return "the mount fails and boot stops in emergency mode";
}

// Kernel names that depend on the order of discovery. Virtual disks are renamed less often.
std::optional<Severity> unstable_name(std::string_view spec) {
    constexpr std::string_view kDev = "/dev/";
    if (!spec.starts_with(kDev)) return std::nullopt;
    const auto name = spec.substr(kDev.size());
    const auto letter_at = [&](std::size_t index) {
        return index < name.size() && std::islower(static_cast<unsigned char>(name[index])) != 0;
    };
    if (name.starts_with("nvme") && name.size() > 4 &&
        std::isdigit(static_cast<unsigned char>(name[4])) != 0) {
        return Severity::kWarning;
    }
    if ((name.starts_with("sd") || name.starts_with("hd")) && letter_at(2)) return Severity::kWarning;
    if (name.starts_with("vd") && letter_at(2)) return Severity::kInfo;
    if (name.starts_with("xvd") && letter_at(3)) return Severity::kInfo;
    return std::nullopt;
}

void check_pass(const LintChecker& checker, const FstabLine& line, const Filesystem& filesystem,
                LintResult& result) {
    const auto pass = line.field(5);
    if (pass.empty() || pass == "0" || filesystem.fstab_pass != 0) return;
    auto item = checker.finding("fstab-pass", Severity::kInfo, line.line, pass);
    item.what = fmt::format("pass number {}: fsck.{} does nothing at boot", pass, filesystem.id);
    item.consequence = "none, but it suggests a check that never happens";
    item.fix = "write 0 as the last field";
    item.ignore_if = "a provisioning tool writes it";
    item.sources = {fmt::format("fsck.{}(8)", filesystem.id), "fstab(5), the sixth field"};
    result.findings.push_back(std::move(item));
}

bool check_fields(const LintChecker& checker, const FstabLine& line, LintResult& result) {
    const auto count = line.fields.size();
    for (std::size_t index = 4; index < std::min<std::size_t>(count, 6); ++index) {
        const auto& field = line.fields[index];
        if (has_placeholder(field) || field.find_first_not_of("0123456789") == std::string::npos || count > 6)
            continue;
        auto item = checker.finding("fstab-fields", Severity::kError, line.line, field);
        item.what = fmt::format("'{}' is no number, and the {} field must be one", field,
                                index == 4 ? "fifth (dump)" : "sixth (pass)");
        item.consequence = "mount(8) calls it a parse error and ignores the line: nothing is mounted";
        item.fix = "write 0, or the number that was meant";
        item.sources = {"fstab(5)"};
        result.findings.push_back(std::move(item));
    }
    if (count >= 3 && count <= 6) return true;
    auto item = checker.finding("fstab-fields", Severity::kError, line.line, line.fields.back());
    item.what =
        count < 3
            ? fmt::format("a line needs device, directory and type, and this one has {} field{}", count,
                          count == 1 ? "" : "s")
            : fmt::format("{} fields, and only six have a meaning; is there a blank in the options?", count);
    item.consequence = "the line is ignored or misread, and the filesystem is not mounted as meant";
    item.fix = "separate options by commas without blanks; write a blank in a path as \\040";
    item.sources = {"fstab(5)"};
    result.findings.push_back(std::move(item));
    return false;
}

// Disks that the cloud makes anew: nothing on them is worth a check at boot.
bool ephemeral(const LintChecker& checker, const FstabLine& line) {
    const auto& device = checker.request().host.device;
    return line.spec().find("azure_resource") != std::string::npos ||
           (device && device->backing == "instance-store");
}

void check_ephemeral(const LintChecker& checker, const FstabLine& line, LintResult& result) {
    const auto pass = line.field(5);
    if (pass.empty() || pass == "0" || !ephemeral(checker, line)) return;
    auto item = checker.finding("fstab-pass-ephemeral", Severity::kInfo, line.line, pass);
    item.what = fmt::format(
        "pass number {}: the disk is made anew with the machine, a check at boot is no use", pass);
    item.consequence = "boot waits for a check of data that may be lost anyway";
    item.fix = "write 0 as the last field";
    item.sources = {"fstab(5), the sixth field", "https://github.com/canonical/cloud-init/pull/1213"};
    result.findings.push_back(std::move(item));
}

// What the disk hangs on must be there before the mount.
void check_surroundings(const LintChecker& checker, const FstabLine& line, LintResult& result) {
    const auto& host = checker.request().host;
    static const std::set<std::string> kNetwork = {"iscsi",    "nbd",           "nvme-of",
                                                   "ceph-rbd", "fibre-channel", "drbd"};
    if (line.has("noauto") || line.directory() == "/") return;
    if (host.device && kNetwork.contains(host.device->backing) && !line.has("_netdev")) {
        auto item = checker.finding("fstab-no-netdev", Severity::kWarning, line.line, line.spec());
        item.what = fmt::format("the disk comes over the network ({}) and the line has no _netdev",
                                host.device->backing);
        item.consequence =
            "systemd mounts it before the network is up: boot stops in emergency mode, or shutdown hangs";
        item.fix = "add _netdev";
        item.ignore_if = "the initiator's unit is ordered before local-fs-pre.target";
        item.sources = {"systemd.mount(5), _netdev", "https://github.com/linux-nvme/nvme-cli/issues/1394"};
        result.findings.push_back(std::move(item));
    }
    if (!host.cloud.empty() && !line.has("nofail")) {
        auto item = checker.finding("fstab-no-nofail", Severity::kInfo, line.line, line.directory());
        item.what = "a cloud volume that is detached or late stops the boot";
        item.consequence = "the machine waits in emergency mode, where nobody can log in";
        item.fix = "add nofail, and RequiresMountsFor= in the services that need it";
        item.ignore_if = "the machine is useless without the volume";
        item.sources = {"systemd.mount(5), nofail"};
        result.findings.push_back(std::move(item));
    }
}

// A generation that the driver of a known filesystem mounts, a typing error, or none of our business.
void check_other_type(const LintChecker& checker, const FstabLine& line, const Place& place,
                      LintResult& result) {
    const auto& type = line.type();
    if (const auto* driver = filesystem_of_type(checker.knowledge(), type)) {
        ++result.checked;
        check_older_type(checker, type, line.options(), place, result);
        check_redundant_options(checker, driver->id, line.options(), line.line, result);
        check_device_name(checker, line.spec(), line.line, result);
        check_surroundings(checker, line, result);
        return;
    }
    check_type(checker, type, place, result);
}

// Quotas that the kernel switches on at the first mount only, which is not fstab's for the root filesystem.
void check_root_quota(const LintChecker& checker, const FstabLine& line, const std::vector<ParsedWord>& words,
                      LintResult& result) {
    if (line.directory() != "/") return;
    for (const auto& word : words) {
        const auto* parameter = checker.knowledge().parameter(word.parameter);
        if (parameter == nullptr || word.bad_value || line.type() != "xfs" ||
            !word.parameter.ends_with("_quota")) {
            continue;
        }
        auto item = checker.finding("fstab-root-quota", Severity::kWarning, line.line, word.text);
        item.what = fmt::format(
            "'{}' has no effect on / through fstab: a remount cannot switch quota accounting on", word.text);
        item.consequence = "there is no quota, and programs that need it say so";
        item.fix = fmt::format("add rootflags={} to the kernel command line", word.text);
        item.sources = {"xfs(5), quota options", "https://github.com/moby/moby/issues/46823"};
        result.findings.push_back(std::move(item));
    }
}

// x-systemd.requires= on something that waits for the network, in a mount that local-fs.target waits for.
void check_ordering(const LintChecker& checker, const FstabLine& line, LintResult& result) {
    constexpr std::string_view kRequires = "x-systemd.requires=";
    if (line.has("_netdev") || line.has("noauto")) return;
    for (const auto& word : line.words) {
        if (!word.starts_with(kRequires) || word.find("cloud-init") == std::string::npos) continue;
        auto item = checker.finding("fstab-ordering-cycle", Severity::kWarning, line.line, word);
        item.what = fmt::format(
            "_netdev is missing: the mount waits for {}, which starts after the local filesystems",
            word.substr(kRequires.size()));
        item.consequence =
            "systemd finds a circle and drops a unit of it: the mount or the service is missing after boot";
        item.fix = "add _netdev, so that the mount belongs to the remote filesystems";
        item.sources = {"systemd.mount(5), _netdev and x-systemd.requires=",
                        "https://github.com/canonical/cloud-init/pull/1213"};
        result.findings.push_back(std::move(item));
    }
}

void check_nodiratime(const LintChecker& checker, const std::vector<ParsedWord>& words, int line,
                      LintResult& result) {
    const auto find = [&](std::string_view text) {
        return std::ranges::find_if(words, [&](const ParsedWord& word) { return word.text == text; });
    };
    const auto directories = find("nodiratime");
    if (directories == words.end() || !directories->generic || find("noatime") == words.end()) return;
    auto item = checker.finding("redundant-nodiratime", Severity::kInfo, line, "nodiratime");
    item.what = "noatime covers directories too";
    item.consequence = "nothing: it is accepted and changes nothing";
    item.fix = "leave nodiratime out";
    item.ignore_if = "always harmless";
    item.sources = {"mount(8), noatime: applies to all inode types, so it implies nodiratime"};
    result.findings.push_back(std::move(item));
}

// Access times are kept a mount, everything else a superblock.
bool per_mount(const std::string& parameter) {
    return parameter.ends_with(".atime");
}

// Several lines for one device share one superblock: the first mount decides.
class SharedSuperblocks {
  public:
    void add(const LintChecker& checker, const FstabLine& line, const std::vector<ParsedWord>& words,
             LintResult& result) {
        const auto [first, is_new] = first_.try_emplace(line.spec() + '\n' + line.type());
        if (is_new) {
            first->second = {line.line, configuration_of(line.type(), {}, words)};
            return;
        }
        const auto& before = first->second.configuration;
        const Context context(checker.knowledge(), checker.request(), before);
        for (const auto& word : words) {
            if (word.parameter.empty() || word.bad_value || per_mount(word.parameter)) continue;
            const auto value = context.lookup(word.parameter);
            if (!value || equal(*value, word.value)) continue;
            auto item =
                checker.finding("shared-superblock-options", Severity::kWarning, line.line, word.text);
            item.what =
                fmt::format("'{}' concerns the whole filesystem, which line {} mounts with another value",
                            word.text, first->second.line);
            item.consequence =
                "the first mount decides: the option is ignored, or changes all the other mounts";
            item.fix =
                "write it on every line, or set a file attribute (chattr +C) or property on the directory "
                "instead";
            item.sources = {"btrfs(5), MOUNT OPTIONS: most options apply to the whole filesystem"};
            result.findings.push_back(std::move(item));
        }
    }

  private:
    struct First {
        int line = 0;
        Configuration configuration;
    };
    std::map<std::string, First> first_;
};

// A read-only look at a log that is not replayed, of a device that the file also mounts normally: a snapshot
// whose identity the origin holds already.
void check_shared_identity(const std::map<int, std::string>& devices, std::size_t first, LintResult& result) {
    for (std::size_t i = first; i < result.findings.size(); ++i) {
        auto& item = result.findings[i];
        const auto own = devices.find(item.line);
        if (!item.id.ends_with(".snapshot-needs-nouuid") || own == devices.end()) continue;
        for (const auto& [line, spec] : devices) {
            if (line == item.line || spec != own->second || spec.find('=') == std::string::npos) continue;
            item.severity = Severity::kError;
            item.what += fmt::format(" Line {} mounts {} too.", line, spec);
            item.consequence = "the second mount fails: duplicate UUID";
            break;
        }
    }
}

std::string without_last_slash(std::string directory) {
    while (directory.size() > 1 && directory.ends_with('/')) directory.pop_back();
    return directory;
}

// systemd orders mounts by their directories; mount -a and other init systems by the lines.
void hides_earlier(const LintChecker& checker, const FstabLine& line, const std::string& directory,
                   const std::map<std::string, int>& directories, LintResult& result) {
    const auto below = directory == "/" ? directory : directory + "/";
    // In order of names, what lies below a directory follows at once: no need to look at all lines for each
    // line.
    for (auto next = directories.lower_bound(below); next != directories.end(); ++next) {
        const auto& [earlier, number] = *next;
        if (!earlier.starts_with(below)) return;
        if (earlier == directory) continue;
        auto item = checker.finding("fstab-order", Severity::kInfo, line.line, line.directory());
        item.what =
            fmt::format("line {} mounts at {}, below this directory, and comes first", number, earlier);
        item.consequence =
            "mount -a and init systems other than systemd mount this one over it, and it is hidden";
        item.fix = fmt::format("write this line before line {}", number);
        item.ignore_if = "only systemd mounts these: it orders by directory";
        item.sources = {"fstab(5): the order of records is important",
                        "systemd.mount(5), implicit dependencies"};
        result.findings.push_back(std::move(item));
        return;
    }
}

void check_directory(const LintChecker& checker, const FstabLine& line, LintResult& result) {
    const auto& directory = line.directory();
    if (directory.starts_with('/') || directory == "none" || directory == "swap" || directory == "ignore" ||
        has_placeholder(directory))
        return;
    auto item = checker.finding("fstab-directory", Severity::kError, line.line, directory);
    item.what = fmt::format("the mount point {} is no absolute path", directory);
    item.consequence = "systemd ignores the line, and mount -a takes the path relative to where it is called";
    item.fix = fmt::format("write /{}", directory);
    item.sources = {"fstab(5), the second field", "systemd.mount(5), Where="};
    result.findings.push_back(std::move(item));
}

// One filesystem has one type, whatever the lines say.
void check_one_type(const LintChecker& checker, const FstabLine& line,
                    std::map<std::string, std::pair<int, std::string>>& types, LintResult& result) {
    const auto* driver = filesystem_of_type(checker.knowledge(), line.type());
    if (driver == nullptr || !(line.spec().starts_with("UUID=") || line.spec().starts_with("LABEL="))) return;
    const auto [entry, is_new] = types.try_emplace(line.spec(), line.line, driver->id);
    if (is_new || entry->second.second == driver->id) return;
    auto item = checker.finding("fstab-two-types", Severity::kError, line.line, line.spec());
    item.what = fmt::format("line {} says that {} is {}, and this line says {}", entry->second.first,
                            line.spec(), entry->second.second, line.type());
    item.consequence = "one of the two mounts fails: " + consequence(line);
    item.fix = "blkid tells which is right";
    item.sources = {"fstab(5), the third field"};
    result.findings.push_back(std::move(item));
}

void check_duplicates(const LintChecker& checker, const FstabLine& line,
                      std::map<std::string, int>& directories, LintResult& result) {
    if (!line.directory().starts_with('/')) return;
    const auto directory = without_last_slash(line.directory());
    const auto [entry, is_new] = directories.try_emplace(directory, line.line);
    if (is_new) {
        hides_earlier(checker, line, directory, directories, result);
        return;
    }
    auto item = checker.finding("fstab-duplicate-directory", Severity::kWarning, line.line, line.directory());
    item.what = fmt::format("line {} mounts at {} already", entry->second, line.directory());
    item.consequence = "the later mount hides the earlier one, or systemd uses only one of them";
    item.fix = "remove one of the two lines";
    item.sources = {"systemd-fstab-generator(8)"};
    result.findings.push_back(std::move(item));
}

}  // namespace

void check_device_name(const LintChecker& checker, const std::string& device, int line, LintResult& result) {
    const auto severity = unstable_name(device);
    if (!severity) return;
    auto item = checker.finding("fstab-unstable-device-name", *severity, line, device);
    item.what = fmt::format("{} depends on the order in which the kernel finds the disks", device);
    item.consequence = "after a change of hardware or kernel another disk can be mounted here, or none";
    item.fix = "use UUID=, LABEL= or a name below /dev/disk/by-id";
    item.ignore_if = "the machine has a single disk, or the disk is made anew at every boot";
    item.sources = {"fstab(5), the first field", "Linux kernel documentation: admin-guide/devices"};
    result.findings.push_back(std::move(item));
}

void check_redundant_options(const LintChecker& checker, const std::string& filesystem,
                             const std::string& options, int line, LintResult& result) {
    check_nodiratime(checker, parse_mount_options(checker.knowledge(), filesystem, options), line, result);
}

void check_fstab(const LintChecker& checker, std::string_view text, int first_line, LintResult& result) {
    SharedSuperblocks superblocks;
    std::map<std::string, int> directories;
    std::map<int, std::string> devices;
    std::map<std::string, std::pair<int, std::string>> types;
    const auto first_finding = result.findings.size();
    int number = first_line - 1;
    for (const auto& raw : split(text, '\n')) {
        ++number;
        FstabLine line{number, fields_of(raw), {}};
        if (line.fields.empty()) continue;
        if (line.fields.size() >= 3 && line.type() == "swap") continue;
        if (!check_fields(checker, line, result)) continue;
        line.words = split(line.options(), ',');
        check_ordering(checker, line, result);
        check_directory(checker, line, result);
        check_duplicates(checker, line, directories, result);
        check_one_type(checker, line, types, result);
        check_ephemeral(checker, line, result);
        const Place place{number, consequence(line), line.directory()};
        const auto* filesystem = checker.knowledge().filesystem(line.type());
        if (filesystem == nullptr) {
            check_other_type(checker, line, place, result);
            continue;
        }
        ++result.checked;
        devices.emplace(number, line.spec());
        const auto words = parse_mount_options(checker.knowledge(), line.type(), line.options());
        checker.check_mount(line.type(), nullptr, words, place, result);
        check_nodiratime(checker, words, number, result);
        check_device_name(checker, line.spec(), number, result);
        check_pass(checker, line, *filesystem, result);
        check_surroundings(checker, line, result);
        check_root_quota(checker, line, words, result);
        superblocks.add(checker, line, words, result);
    }
    check_shared_identity(devices, first_finding, result);
}

Result<LintResult> lint_fstab(const Knowledge& knowledge, const LintTarget& target, std::string_view text,
                              const std::string& file) {
    FSADVISE_TRY(check_bounds(text, file));
    LintResult result;
    result.lines =
        static_cast<int>(std::ranges::count(text, '\n')) + (text.empty() || text.ends_with('\n') ? 0 : 1);
    check_fstab(LintChecker(knowledge, target, file), text, 1, result);
    tidy(result);
    return result;
}

}  // namespace fsadvise
