// The default geometry that the knowledge states, against what mke2fs 1.47.0 chose on volumes of many sizes.
//
// Data: data/defaults_ext4.jsonl, one volume a line: size_mib and the expected values by parameter id, read
// with dumpe2fs after a mkfs without options.
#include <cmath>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "space/context.h"

namespace {

using namespace fsadvise;

// mke2fs rounds the inode count to whole inode table blocks of every group.
constexpr double kTolerance = 0.005;

bool close(const nlohmann::json& expected, const Value& stated) {
    if (const auto* flag = std::get_if<bool>(&stated)) return expected == *flag;
    const auto* whole = std::get_if<std::int64_t>(&stated);
    const auto* real = std::get_if<double>(&stated);
    if ((whole == nullptr && real == nullptr) || !expected.is_number()) return false;
    const double number = whole != nullptr ? static_cast<double>(*whole) : *real;
    return std::abs(number - expected.get<double>()) <= kTolerance * expected.get<double>();
}

Request volume(std::uint64_t size_bytes) {
    Request request;
    request.host.kernel = "6.18.44";
    request.host.distribution = "debian";
    request.host.distribution_version = "12";
    request.host.page_size_bytes = 4096;
    request.host.tools = {{"e2fsprogs", "1.47.0"}};
    BlockDevice device;
    device.size_bytes = size_bytes;
    device.logical_sector_bytes = 512;
    request.host.device = device;
    return request;
}

}  // namespace

TEST_CASE("ext4 default geometry follows the volume size") {
    const auto directory = read_knowledge_directory(FSADVISE_SOURCE_DIR "/knowledge");
    REQUIRE(directory);
    const auto files = directory->view();
    const auto knowledge = Knowledge::load(files);
    REQUIRE_MESSAGE(knowledge, (knowledge ? "" : to_text(knowledge.error())));

    std::ifstream file(FSADVISE_SOURCE_DIR "/tests/knowledge/data/defaults_ext4.jsonl");
    std::size_t volumes = 0;
    for (std::string line; std::getline(file, line); ++volumes) {
        const auto row = nlohmann::json::parse(line);
        const Request request = volume(row.at("size_mib").get<std::uint64_t>() * kMiB);
        const Context context(*knowledge, request, {"ext4", {}});
        for (const auto& [id, expected] : row.at("expect").items()) {
            const auto stated = context.lookup(id);
            CHECK_MESSAGE((stated && close(expected, *stated)),
                          fmt::format("{} MiB: {} is {}, the knowledge says {}", row.at("size_mib").dump(),
                                      id, expected.dump(), stated ? to_text(*stated) : "nothing"));
        }
    }
    CHECK(volumes >= 20);
}
