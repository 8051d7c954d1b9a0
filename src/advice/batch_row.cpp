// Reads the rows of a batch; their format is described in docs/batch.md.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "advice/batch.h"
#include "base/text.h"
#include "base/units.h"
#include "space/fact_table.h"

namespace fsadvise {
namespace {

using nlohmann::json;

// What a recorded trial may hold besides the command: its outcome, which is not looked at.
constexpr auto kOutcomeKeys = std::to_array<std::string_view>({"id",
                                                               "note",
                                                               "mkfs_ok",
                                                               "mkfs_error",
                                                               "mount_ok",
                                                               "mount_error",
                                                               "effective",
                                                               "remount_ok",
                                                               "remount_error",
                                                               "before",
                                                               "after",
                                                               "changed",
                                                               "ok",
                                                               "error",
                                                               "layout",
                                                               "probe",
                                                               "result",
                                                               "cause",
                                                               "selected",
                                                               "verdict_differs",
                                                               "listing_differs",
                                                               "new",
                                                               "old",
                                                               "kernel_old",
                                                               "beyond",
                                                               "source"});

constexpr std::uint64_t kPlainSector = 512;

// A release with another suffix ("6.18.44-cloud") is the same kernel: what it was built with is known.
bool same_release(std::string_view stated, std::string_view running) {
    return stated == running || stated == running.substr(0, running.find('-'));
}

// Keeps the first complaint.
class RowReader {
  public:
    RowReader(const Knowledge& knowledge, const json& document)
        : knowledge_(knowledge), document_(document) {}

    Result<BatchRow> run(const Host& base) {
        if (!document_.is_object())
            return fail(ErrorCode::kBadInput, "a row is a JSON object", "", "see docs/batch.md");
        row_.host = base;
        row_.host.device = base.device.value_or(BlockDevice{});
        read_filesystem();
        read_commands();
        read_host();
        read_device();
        list_ignored();
        if (error_) return tl::unexpected(*error_);
        return std::move(row_);
    }

  private:
    void complain(std::string message, std::string hint = {}) {
        if (!error_) error_ = Error{ErrorCode::kBadInput, std::move(message), "", std::move(hint)};
    }

    const json* take(const json& object, const std::string& key) {
        if (&object == &document_) known_.push_back(key);
        const auto found = object.find(key);
        return found == object.end() || found->is_null() ? nullptr : &*found;
    }
    std::string text(const json& object, const std::string& key) {
        const json* found = take(object, key);
        if (found == nullptr) return {};
        if (found->is_string()) return found->get<std::string>();
        complain(fmt::format("'{}' must be a string", key));
        return {};
    }
    void size(const json& object, const std::string& key, std::uint64_t unit,
              std::optional<std::uint64_t>& out) {
        const json* found = take(object, key);
        if (found == nullptr) return;
        constexpr std::uint64_t kLargest = 1ull << 63;
        if (found->is_number_unsigned() && found->get<std::uint64_t>() <= kLargest / unit) {
            out = found->get<std::uint64_t>() * unit;
            return;
        }
        const auto parsed = parse_size(found->is_string() ? found->get<std::string>() : std::string());
        if (parsed)
            out = *parsed;
        else
            complain(fmt::format("'{}' is no size: {}", key, found->dump()));
    }
    void flag(const json& object, const std::string& key, std::optional<bool>& out) {
        const json* found = take(object, key);
        if (found == nullptr) return;
        if (found->is_boolean())
            out = found->get<bool>();
        else
            complain(fmt::format("'{}' must be true or false", key));
    }
    std::vector<std::string> words(const std::string& key, bool& given) {
        const json* found = take(document_, key);
        given = found != nullptr;
        std::vector<std::string> result;
        if (!given) return result;
        if (found->is_string()) {
            for (const std::string& word : split(found->get<std::string>(), ' '))
                if (!word.empty()) result.push_back(word);
            return result;
        }
        if (!found->is_array()) {
            complain(fmt::format("'{}' must be a list of words", key));
            return result;
        }
        for (const json& word : *found) {
            if (!word.is_string()) {
                complain(fmt::format("'{}' must be a list of words", key));
                return result;
            }
            result.push_back(word.get<std::string>());
        }
        return result;
    }

    void read_filesystem() {
        row_.filesystem = text(document_, "fs");
        std::vector<std::string> names;
        for (const Filesystem& filesystem : knowledge_.filesystems()) names.push_back(filesystem.id);
        if (row_.filesystem.empty())
            complain("'fs' is missing", "one of " + fmt::format("{}", fmt::join(names, ", ")));
        else if (knowledge_.filesystem(row_.filesystem) == nullptr)
            complain(fmt::format("'{}' is no known filesystem", row_.filesystem),
                     did_you_mean(row_.filesystem, names));
    }

    void read_commands() {
        bool given = false;
        row_.mkfs = words("mkfs", given);
        const Filesystem* filesystem = knowledge_.filesystem(row_.filesystem);
        if (!given && filesystem != nullptr) row_.mkfs = {filesystem->mkfs};
        if (given && row_.mkfs.empty()) complain("'mkfs' names no program");
        const auto mount = document_.find("mount");
        const bool unmounted = mount != document_.end() && mount->is_null();
        const std::string options = text(document_, "mount");
        if (!unmounted) row_.mount = options;
        row_.absent = words("absent", given);
        row_.gone = words("gone", given);
        if (take(document_, "remount") != nullptr) row_.remount = text(document_, "remount");
    }

    void read_host() {
        Host& host = row_.host;
        std::string kernel = text(document_, "kernel");
        if (kernel.empty()) kernel = text(document_, "kernel_new");
        known_.push_back("kernel_new");
        // "6.1.176 UML": the word after the version says how the kernel was built.
        const std::string build = kernel.find(' ') < kernel.size() ? kernel.substr(kernel.find(' ') + 1) : "";
        kernel = kernel.substr(0, kernel.find(' '));
        const std::string distribution = text(document_, "distribution");
        const std::string version = text(document_, "distribution_version");
        if (!distribution.empty()) {
            const auto device = host.device;
            host = Host{};
            host.distribution = distribution;
            host.distribution_version = version;
            host.device = device;
        }
        if (!kernel.empty() && !same_release(kernel, host.kernel)) {
            host.kernel = kernel;
            host.filesystems.reset();
            host.kernel_features.clear();
        }
        read_build(build);
        if (const json* tools = take(document_, "tools")) {
            if (!tools->is_object()) return complain("'tools' must be an object");
            for (const auto& [tool, value] : tools->items()) {
                if (!value.is_string())
                    return complain(fmt::format("the version of '{}' must be a string", tool));
                host.tools[tool] = value.get<std::string>();
            }
        }
        size(document_, "page_size", 1, host.page_size_bytes);
        features("lacks", false);
        features("has", true);
    }

    void read_build(const std::string& build) {
        const FactTable* builds = knowledge_.table("kernel-builds");
        if (build.empty() || builds == nullptr) return;
        for (const FactRow& row : builds->rows)
            if (row["build"] == build) row_.host.kernel_features[std::string(row["lacks"])] = false;
    }

    void features(const std::string& key, bool has) {
        bool given = false;
        const std::vector<std::string> known(std::begin(kKernelFeatures), std::end(kKernelFeatures));
        for (const std::string& word : words(key, given)) {
            if (std::find(known.begin(), known.end(), word) == known.end())
                complain(fmt::format("'{}' in '{}' is no known kernel feature", word, key),
                         fmt::format("one of {}", fmt::join(known, ", ")));
            row_.host.kernel_features[word] = has;
        }
    }

    void read_device() {
        BlockDevice& device = *row_.host.device;
        size(document_, "size_mib", kMiB, device.size_bytes);
        size(document_, "size", 1, device.size_bytes);
        facts(document_, device);
        if (const json* described = take(document_, "device")) {
            if (!described->is_object()) return complain("'device' must be an object");
            facts(*described, device);
        }
        assume_scratch_file(device);
    }

    // What neither the row nor the host states is that of the device such rows are tried on: without it a
    // formula of sectors would stay undecided, and a refusal would go unsaid.
    static void assume_scratch_file(BlockDevice& device) {
        if (device.media.empty()) device.media = "loop";
        if (!device.logical_sector_bytes) device.logical_sector_bytes = kPlainSector;
        if (!device.physical_sector_bytes) device.physical_sector_bytes = device.logical_sector_bytes;
        if (!device.dax) device.dax = device.media == "pmem";
        if (!device.discard && device.media == "loop") device.discard = true;
    }

    void facts(const json& object, BlockDevice& device) {
        if (const std::string media = text(object, "media"); !media.empty()) device.media = media;
        flag(object, "rotational", device.rotational);
        flag(object, "discard", device.discard);
        flag(object, "dax", device.dax);
        flag(object, "write_cache", device.write_cache);
        size(object, "logical_sector", 1, device.logical_sector_bytes);
        size(object, "physical_sector", 1, device.physical_sector_bytes);
        size(object, "minimum_io", 1, device.minimum_io_bytes);
        size(object, "optimal_io", 1, device.optimal_io_bytes);
        if (const std::string level = text(object, "raid_level"); !level.empty()) device.raid_level = level;
        std::optional<std::uint64_t> disks;
        size(object, "raid_disks", 1, disks);
        if (disks && *disks <= 1'000'000) device.raid_disks = static_cast<int>(*disks);
    }

    void list_ignored() {
        for (const auto& [key, value] : document_.items()) {
            if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
            if (std::find(kOutcomeKeys.begin(), kOutcomeKeys.end(), key) != kOutcomeKeys.end()) continue;
            row_.ignored_keys.push_back(key);
        }
    }

    const Knowledge& knowledge_;
    const json& document_;
    std::vector<std::string> known_;
    BatchRow row_;
    std::optional<Error> error_;
};

}  // namespace

Result<BatchRow> batch_row(const Knowledge& knowledge, const Host& base, const json& document) {
    return RowReader(knowledge, document).run(base);
}

}  // namespace fsadvise
