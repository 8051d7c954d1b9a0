// --backing, --cloud, --raid, --disks, --chunk, --device-count: facts that a described disk cannot be asked
// for.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>

#include <CLI/CLI.hpp>

#include "base/text.h"
#include "cli/command.h"

namespace fsadvise::cli {
namespace {

const std::vector<std::string> kBackings = {"ceph-rbd", "dm-thin",        "drbd",  "emmc", "fibre-channel",
                                            "lvm",      "hardware-raid",  "iscsi", "nbd",  "nvme-of",
                                            "sd-card",  "instance-store", "vdo"};
const std::vector<std::string> kClouds = {"alibaba", "aws",       "azure",  "digitalocean", "gcp",
                                          "hetzner", "openstack", "oracle", "vmware"};
const std::vector<std::string> kRaidLevels = {"raid0", "raid1", "raid4", "raid5", "raid6", "raid10"};

Result<void> take(std::string& fact, const std::string& option, const std::string& word,
                  const std::vector<std::string>& known) {
    if (word.empty()) return {};
    if (std::find(known.begin(), known.end(), word) == known.end()) {
        return fail(ErrorCode::kUsage, "unknown word '" + word + "'" + did_you_mean(word, known), option,
                    "known: " + join(known, ", "));
    }
    fact = word;
    return {};
}

// "6" means raid6.
std::string raid_name(const std::string& text) {
    const bool bare = !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0;
    return bare ? "raid" + text : lower(text);
}

// md(4), mdadm(8): a chunk is a multiple of 4 KiB.
constexpr std::uint64_t kChunkStep = 4096;

// What would leave no disk for data was dropped without a word before.
Result<void> check_disks(const BlockDevice& device) {
    // Source: mdadm(8), --raid-devices and --level.
    static const std::map<std::string, int> kFewest = {{"raid0", 1}, {"raid1", 1}, {"raid4", 2},
                                                       {"raid5", 2}, {"raid6", 4}, {"raid10", 2}};
    const auto fewest = kFewest.find(device.raid_level);
    if (!device.raid_disks || fewest == kFewest.end() || *device.raid_disks >= fewest->second) return {};
    return fail(ErrorCode::kUsage,
                device.raid_level + " has at least " + std::to_string(fewest->second) + " disks, not " +
                    std::to_string(*device.raid_disks),
                "--disks", "count all disks of the array, parity included");
}

}  // namespace

void add_fact_options(CLI::App& command, FactOptions& options) {
    command.add_option("--backing", options.backing, "what is below it: " + join(kBackings, ", "))
        ->type_name("KIND");
    command.add_option("--cloud", options.cloud, "whose virtual machine it is: " + join(kClouds, ", "))
        ->type_name("NAME");
    command.add_option("--raid", options.raid_level, "level of the array below it: 0, 1, 4, 5, 6 or 10")
        ->type_name("LEVEL");
    command.add_option("--disks", options.raid_disks, "disks of that array, parity included, spares not")
        ->check(CLI::Range(1, 4096))
        ->type_name("N");
    command.add_option("--chunk", options.chunk, "chunk of that array, if it does not report it, e.g. 64k")
        ->type_name("SIZE");
    command.add_option("--device-count", options.device_count, "separate disks to be used side by side")
        ->check(CLI::Range(1, 4096))
        ->type_name("N");
}

Result<void> describe_facts(Host& host, const FactOptions& options) {
    FSADVISE_TRY(take(host.cloud, "--cloud", options.cloud, kClouds));
    BlockDevice device = host.device.value_or(BlockDevice{});
    FSADVISE_TRY(take(device.backing, "--backing", options.backing, kBackings));
    FSADVISE_TRY(take(device.raid_level, "--raid", raid_name(options.raid_level), kRaidLevels));
    if (options.raid_disks) device.raid_disks = options.raid_disks;
    if (options.device_count) device.count = options.device_count;
    if (!options.chunk.empty()) {
        const auto chunk = parse_size(options.chunk);
        if (!chunk || *chunk == 0) {
            return fail(ErrorCode::kUsage, chunk ? "a chunk of zero" : chunk.error().message, "--chunk",
                        "write for example 64k");
        }
        if (*chunk % kChunkStep != 0) {
            return fail(ErrorCode::kUsage, "'" + options.chunk + "' is no chunk of an array", "--chunk",
                        "chunks are multiples of 4 KiB, for example 64k or 512k");
        }
        device.raid_chunk_bytes = *chunk;
    }
    FSADVISE_TRY(check_disks(device));
    const bool told = !options.backing.empty() || !options.raid_level.empty() || options.raid_disks ||
                      options.device_count || !options.chunk.empty();
    if (told) host.device = std::move(device);
    return {};
}

}  // namespace fsadvise::cli
