// Host facts as JSON: a round trip keeps everything, and anything unexpected is named with its place.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "host/host.h"

using namespace fsadvise;
using nlohmann::json;

namespace {

Host full_host() {
    BlockDevice device;
    device.path = "/dev/md0";
    device.stable_path = "/dev/disk/by-id/md-name-host:0";
    device.media = "ssd";
    device.model = "Model";
    device.size_bytes = 1ull << 43;
    device.rotational = false;
    device.logical_sector_bytes = 512;
    device.physical_sector_bytes = 4096;
    device.minimum_io_bytes = 65536;
    device.optimal_io_bytes = 196608;
    device.discard = true;
    device.dax = false;
    device.write_cache = true;
    device.scheduler = "none";
    device.nr_requests = 256;
    device.read_ahead_kib = 4096;
    device.raid_level = "raid5";
    device.raid_disks = 4;
    device.backing_file = "/file";
    device.stack = {"md0 raid5", "sda"};
    Host host;
    host.kernel = "6.1.0";
    host.architecture = "x86_64";
    host.distribution = "debian";
    host.distribution_version = "12";
    host.cores = 8;
    host.memory_bytes = 16ull << 30;
    host.page_size_bytes = 4096;
    host.tools = {{"xfsprogs", "6.1.0"}};
    host.filesystems = std::set<std::string>{"ext4", "xfs"};
    host.device = device;
    host.source = "probed";
    return host;
}

Error refusal(const char* text) {
    const auto host = host_from_json(json::parse(text), "h.json");
    REQUIRE_FALSE(host);
    CHECK(host.error().code == ErrorCode::kBadInput);
    return host.error();
}

}  // namespace

TEST_CASE("every field survives the round trip") {
    const json document = to_json(full_host());
    CHECK(document["schema_version"] == 1);
    CHECK(document.size() == 12);
    CHECK(document["device"].size() == 20);
    const auto again = host_from_json(document, "");
    REQUIRE(again);
    CHECK(to_json(*again) == document);
    CHECK(again->device->raid_disks == 4);
    CHECK(again->source == "probed");
    CHECK(host_from_json(document, "h.json")->source == "h.json");
}

TEST_CASE("unknown facts are left out, and absent ones stay unknown") {
    CHECK(to_json(Host{}) == json{{"schema_version", 1}});
    CHECK(to_json(BlockDevice{}) == json::object());
    const auto host = host_from_json(json::parse(R"({"cores": null, "filesystems": []})"), "h");
    REQUIRE(host);
    CHECK_FALSE(host->cores);
    REQUIRE(host->filesystems);
    CHECK(host->filesystems->empty());
    CHECK_FALSE(host->device);
}

TEST_CASE("sizes may be written as people do") {
    const auto host =
        host_from_json(json::parse(R"({"memory_bytes": "16G", "device": {"size_bytes": "2TiB"}})"), "h");
    REQUIRE(host);
    CHECK(host->memory_bytes == 16ull << 30);
    CHECK(host->device->size_bytes == 2ull << 40);
}

TEST_CASE("mistakes are named with their place") {
    CHECK(refusal("[]").context == "h.json#");
    const Error typo = refusal(R"({"kernal": "6.1"})");
    CHECK(typo.context == "h.json#/kernal");
    CHECK(typo.message == "unknown key");
    CHECK(typo.hint.find("kernel") != std::string::npos);
    const Error inner = refusal(R"({"device": {"rotation": true}})");
    CHECK(inner.context == "h.json#/device/rotation");
    CHECK(refusal(R"({"kernel": 6.1})").context == "h.json#/kernel");
    CHECK(refusal(R"({"cores": 0})").context == "h.json#/cores");
    CHECK(refusal(R"({"cores": 2.5})").context == "h.json#/cores");
    CHECK(refusal(R"({"memory_bytes": -1})").context == "h.json#/memory_bytes");
    CHECK(refusal(R"({"memory_bytes": "plenty"})").context == "h.json#/memory_bytes");
    CHECK(refusal(R"({"device": []})").context == "h.json#/device");
    CHECK(refusal(R"({"device": {"discard": 1}})").context == "h.json#/device/discard");
    CHECK(refusal(R"({"device": {"stack": ["a", 1]}})").context == "h.json#/device/stack");
    CHECK(refusal(R"({"filesystems": "ext4"})").context == "h.json#/filesystems");
    CHECK(refusal(R"({"tools": {"xfsprogs": 6}})").context == "h.json#/tools");
    CHECK(refusal(R"({"schema_version": 2})").message == "is 2, this program reads 1");
}
