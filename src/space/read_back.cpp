#include "space/read_back.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include "base/text.h"
#include "host/mount_table.h"
#include "space/context.h"
#include "space/dumps.h"
#include "space/parameter_value.h"
#include "space/spelling.h"

namespace fsadvise {
namespace {

// Sources that are the output of a program about a device.
struct DumpSource {
    std::string_view name;
    DumpFields (*fields)(std::string_view);
};
constexpr std::array kDumpSources = std::to_array<DumpSource>({{"dumpe2fs", fields_of_dumpe2fs},
                                                               {"xfs_info", fields_of_xfs_info},
                                                               {"btrfs-super", fields_of_btrfs},
                                                               {"dump.f2fs", fields_of_dump_f2fs}});
// Sources that list mount options. The later one wins; it also has the options of the VFS.
constexpr std::array kListings = std::to_array<std::string_view>({"ext4-options", "mountinfo"});

// The tools round these up to what fits their tables (the journal by its fast commit area, a small volume
// with few inodes by up to 7 %), so nearly equal is as asked.
constexpr std::array kRoundedKeys = std::to_array<std::string_view>(
    {"bytes-per-inode", "inode count", "reserved-percent", "total journal size"});
constexpr double kRoundingTolerance = 0.08;

bool is_listing(std::string_view source) {
    return std::find(kListings.begin(), kListings.end(), source) != kListings.end();
}

// The text of a field as a value: through the map, else by type; a number without a suffix counts units.
std::optional<Value> value_of_field(const Parameter& parameter, const std::string& text) {
    const ReadBack& read_back = *parameter.read_back;
    if (const auto mapped = read_back.map.find(text); mapped != read_back.map.end())
        return value_of_text(parameter, mapped->second);
    if (parameter.type == ValueType::kInteger || parameter.type == ValueType::kSize) {
        Parameter plain;
        plain.type = ValueType::kSize;
        auto value = read_written(plain, text).value;
        const bool bare = text.find_first_not_of("0123456789") == std::string::npos;
        std::int64_t product = 0;
        if (!value ||
            (bare && __builtin_mul_overflow(std::get<std::int64_t>(*value), read_back.unit_bytes, &product)))
            return std::nullopt;
        return bare ? Value{product} : value;
    }
    if (parameter.type == ValueType::kEnum) {
        const auto value = value_of_text(parameter, text);
        const auto& known = parameter.domain.values;
        const bool fits = value && std::find(known.begin(), known.end(), *value) != known.end();
        return fits ? value : std::nullopt;  // "1" of a flag says nothing about a word
    }
    return value_of_text(parameter, text);
}

// Options whose listing differs from their spelling.
std::optional<Value> value_in_listing(const Parameter& parameter, const std::vector<std::string>& words) {
    const ReadBack& read_back = *parameter.read_back;
    std::optional<Value> result;
    for (const std::string& word : words) {
        if (const auto mapped = read_back.map.find(word); mapped != read_back.map.end()) {
            result = value_of_text(parameter, mapped->second);
            continue;
        }
        const auto equals = word.find('=');
        if (read_back.key.empty() || word.substr(0, equals) != read_back.key) continue;
        if (equals != std::string::npos)
            result = value_of_field(parameter, word.substr(equals + 1));
        else if (parameter.type == ValueType::kBool)
            result = true;
    }
    return result;
}

void add_listing(const Knowledge& knowledge, const std::string& filesystem, std::string_view source,
                 std::string listing, std::map<std::string, Value>& effective) {
    std::replace(listing.begin(), listing.end(), '\n', ',');
    const auto parsed = parse_mount_options(knowledge, filesystem, listing);
    for (const auto& [id, value] : configuration_of(filesystem, {}, parsed).values) effective[id] = value;
    const std::vector<std::string> words = split(listing, ',');
    // The kernel lists strict access times by listing no other policy. Source: fs/proc_namespace.c.
    const std::string atime = filesystem + ".mount.atime";
    if (source == "mountinfo" && knowledge.parameter(atime) != nullptr && effective.count(atime) == 0)
        effective[atime] = "strictatime";
    for (const Parameter* parameter : knowledge.parameters_of(filesystem, Layer::kMount))
        if (parameter->read_back && parameter->read_back->source == source)
            if (const auto value = value_in_listing(*parameter, words)) effective[parameter->id] = *value;
}

bool as_asked(const Parameter& parameter, const Value& asked, const Value& effective) {
    if (equal(asked, effective)) return true;
    if (!parameter.read_back) return false;
    const std::string key = lower(parameter.read_back->key);
    if (std::find(kRoundedKeys.begin(), kRoundedKeys.end(), key) == kRoundedKeys.end()) return false;
    const auto number = [](const Value& value) {
        if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
        const auto* real = std::get_if<double>(&value);
        return real != nullptr ? *real : std::nan("");
    };
    // Inodes fill whole blocks in each group: mke2fs gives more of them than asked where that leaves a rest.
    const double ratio = number(effective) / number(asked);
    if (key == "inode count" && ratio >= 1 && (ratio <= 2 || number(effective) <= 1024)) return true;
    if (key == "bytes-per-inode" && ratio <= 1 && ratio >= 0.5) return true;
    return std::abs(number(asked) - number(effective)) <= kRoundingTolerance * std::abs(number(asked));
}

// Listings leave defaults out and some options are never listed, so absence counts only where the knowledge
// says that the option is listed, for a value that is not the default and is not "off".
bool expected_in_listing(const Parameter& parameter, const Value& asked, const Context& context) {
    if (parameter.layer != Layer::kMount || !parameter.read_back || !is_listing(parameter.read_back->source))
        return false;
    if (equal(asked, false)) return false;
    const auto usual = default_value(parameter, context);
    return usual && !equal(*usual, asked);
}

std::vector<std::string> compare(const Knowledge& knowledge, const Configuration& asked, bool mounted,
                                 const std::map<std::string, Value>& effective) {
    std::vector<std::string> mismatches;
    const Request nothing_known;
    const Context context(knowledge, nothing_known, {asked.filesystem, {}});
    for (const auto& [id, value] : asked.values) {
        const Parameter* parameter = knowledge.parameter(id);
        if (parameter == nullptr || parameter->layer == Layer::kBlock) continue;
        if (parameter->layer == Layer::kMount && !mounted) continue;
        const auto& special = parameter->domain.special;
        if (std::any_of(special.begin(), special.end(),
                        [&asked_value = value](const Value& other) { return equal(other, asked_value); }))
            continue;  // "let the tool choose" has no value of its own to find again
        const auto got = effective.find(id);
        if (got == effective.end()) {
            if (expected_in_listing(*parameter, value, context))
                mismatches.push_back(
                    fmt::format("{}: asked {}, not listed by the kernel", id, to_text(value)));
        } else if (!as_asked(*parameter, value, got->second)) {
            mismatches.push_back(
                fmt::format("{}: asked {}, got {}", id, to_text(value), to_text(got->second)));
        }
    }
    return mismatches;
}

Result<std::string> run_dump(std::string_view source, const std::string& device, const std::string& directory,
                             ProcessRunner& runner) {
    std::vector<std::string> argv;
    if (source == "dumpe2fs") argv = {"dumpe2fs", "-h", device};
    if (source == "dump.f2fs") argv = {"dump.f2fs", "-d", "1", device};
    if (source == "btrfs-super") argv = {"btrfs", "inspect-internal", "dump-super", device};
    // xfs_info wants a mount point for a mounted filesystem, and wraps xfs_db for others.
    if (source == "xfs_info" && directory.empty()) argv = {"xfs_db", "-r", "-c", "info", device};
    if (source == "xfs_info" && !directory.empty()) argv = {"xfs_info", directory};
    FSADVISE_ASSIGN(const ProcessResult dump, run_checked(runner, {argv, {}}));
    std::string text = dump.output;
    if (source == "btrfs-super") {
        // Profiles are in the chunk tree only; without it the rest still holds.
        const auto chunks =
            runner.run({{"btrfs", "inspect-internal", "dump-tree", "-t", "chunk", device}, {}});
        if (chunks && chunks->ok()) text += "\n" + chunks->output;
    }
    return text;
}

std::string base_name(const std::string& path) {
    return path.substr(path.find_last_of('/') + 1);
}

// The kernel's own name of a block device: "dm-0" for /dev/mapper/data.
std::string kernel_name(const MountEntry& mount, const FileReader& files) {
    const auto link = files.link(fmt::format("/sys/dev/block/{}:{}", gnu_dev_major(mount.device_number),
                                             gnu_dev_minor(mount.device_number)));
    return base_name(link ? *link : mount.source);
}

}  // namespace

std::optional<std::string> field(const DumpFields& fields, std::string_view key) {
    const std::string name = lower(key);
    if (const auto entry = fields.find(name); entry != fields.end()) return entry->second;
    const bool feature = name.starts_with(kFeaturePrefix);
    if (feature && fields.count(std::string(kFeaturesListed)) > 0) return "0";
    return std::nullopt;
}

std::map<std::string, Value> parse_dumps(const Knowledge& knowledge, const std::string& filesystem,
                                         const std::map<std::string, std::string>& dumps) {
    std::map<std::string, Value> effective;
    for (const DumpSource& source : kDumpSources) {
        const auto dump = dumps.find(std::string(source.name));
        if (dump == dumps.end()) continue;
        const DumpFields fields = source.fields(dump->second);
        for (const Parameter* parameter : knowledge.parameters_of(filesystem)) {
            if (!parameter->read_back || parameter->read_back->source != source.name) continue;
            const auto text = field(fields, parameter->read_back->key);
            if (!text) continue;
            if (const auto value = value_of_field(*parameter, *text)) effective[parameter->id] = *value;
        }
    }
    for (const std::string_view source : kListings)
        if (const auto dump = dumps.find(std::string(source)); dump != dumps.end())
            add_listing(knowledge, filesystem, source, dump->second, effective);
    return effective;
}

Result<ReadBackResult> read_back(const Knowledge& knowledge, const Configuration& asked,
                                 const std::string& device, const std::string& directory,
                                 ProcessRunner& runner, const FileReader& files) {
    std::set<std::string> sources;
    for (const Parameter* parameter : knowledge.parameters_of(asked.filesystem))
        if (parameter->read_back && !is_listing(parameter->read_back->source))
            sources.insert(parameter->read_back->source);

    std::map<std::string, std::string> dumps;
    for (const DumpSource& source : kDumpSources) {
        if (sources.count(std::string(source.name)) == 0) continue;
        FSADVISE_ASSIGN(dumps[std::string(source.name)], run_dump(source.name, device, directory, runner));
    }

    ReadBackResult result;
    if (!directory.empty()) {
        const auto entries = parse_mountinfo(files.read("/proc/self/mountinfo").value_or(""));
        const MountEntry* mount = mount_of(entries, directory);
        if (mount == nullptr || mount->directory != directory)
            return fail(ErrorCode::kRunFailed, "nothing is mounted there", directory);
        if (mount->filesystem != asked.filesystem)
            result.mismatches.push_back(
                fmt::format("filesystem: asked {}, mounted {}", asked.filesystem, mount->filesystem));
        result.mount_options = mount->options;
        dumps["mountinfo"] = mount->options;
        const std::string path =
            fmt::format("/proc/fs/{}/{}/options", asked.filesystem, kernel_name(*mount, files));
        if (auto listing = files.read(path)) dumps["ext4-options"] = std::move(*listing);
        struct statvfs space = {};
        if (::statvfs(directory.c_str(), &space) == 0) {
            result.total_bytes = std::uint64_t{space.f_blocks} * space.f_frsize;
            result.free_bytes = std::uint64_t{space.f_bavail} * space.f_frsize;
        }
    }
    result.effective = parse_dumps(knowledge, asked.filesystem, dumps);
    for (std::string& mismatch : compare(knowledge, asked, !directory.empty(), result.effective))
        result.mismatches.push_back(std::move(mismatch));
    return result;
}

}  // namespace fsadvise
