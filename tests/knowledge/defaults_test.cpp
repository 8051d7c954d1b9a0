// The default geometry that the knowledge states, against what the tools of Debian 12 chose on volumes of
// many sizes.
//
// Data: data/defaults_ext4.jsonl, one volume a line: size_mib and the expected values by parameter id, read
// with dumpe2fs after a mkfs without options.
#include <cmath>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/units.h"
#include "space/context.h"
#include "space/spelling.h"

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

namespace {

// A figure of a tool's printed layout and the parameter it belongs to.
struct Figure {
    const char* key;
    const char* parameter;
};
constexpr Figure kFigures[] = {{"Inode count", "ext4.mkfs.inode_count"},
                               {"Block size", "ext4.mkfs.block_size"},
                               {"Inode size", "ext4.mkfs.inode_size"},
                               {"Total journal size", "ext4.mkfs.journal_size"},
                               {"isize", "xfs.mkfs.inode_size"},
                               {"agcount", "xfs.mkfs.agcount"},
                               {"bsize", "xfs.mkfs.block_size"},
                               {"imaxpct", "xfs.mkfs.maxpct"},
                               {"log-bytes", "xfs.mkfs.log_size"},
                               {"dir-bsize", "xfs.mkfs.directory_block_size"},
                               {"Node size", "btrfs.mkfs.nodesize"},
                               {"Sector size", "btrfs.mkfs.sectorsize"},
                               {"Overprovision ratio", "f2fs.mkfs.overprovision_percent"}};

}  // namespace

TEST_CASE("default geometry agrees with the layout that the tools printed") {
    const auto directory = read_knowledge_directory(FSADVISE_SOURCE_DIR "/knowledge");
    REQUIRE(directory);
    const auto files = directory->view();
    const auto knowledge = Knowledge::load(files);
    REQUIRE(knowledge);
    std::ifstream file(FSADVISE_SOURCE_DIR "/tests/knowledge/data/oracle_defaults.jsonl");
    std::size_t figures = 0, wrong = 0;
    for (std::string line; std::getline(file, line);) {
        const auto row = nlohmann::json::parse(line);
        const std::string filesystem = row.at("fs"), layout = row.at("layout");
        Request request = volume(row.at("size_mib").get<std::uint64_t>() * kMiB);
        request.host.tools.clear();  // those of the distribution
        const auto mkfs = parse_mkfs(*knowledge, row.at("mkfs").get<std::vector<std::string>>());
        const Context context(*knowledge, request, configuration_of(filesystem, mkfs.words, {}));
        for (const std::string& part : split(layout, ';')) {
            const auto equals = part.find('=');
            if (equals == std::string::npos) continue;
            const std::string_view key = trim(std::string_view(part).substr(0, equals));
            for (const Figure& figure : kFigures) {
                const Parameter* parameter = knowledge->parameter(figure.parameter);
                // The printed journal includes the area of fast commits.
                if (key == "Total journal size" && layout.find("Fast commit") != std::string::npos) continue;
                if (key != trim(figure.key) || parameter == nullptr || parameter->filesystem != filesystem)
                    continue;
                std::string text(trim(std::string_view(part).substr(equals + 1)));
                if (text.ends_with('%')) text.pop_back();
                const auto size = parse_size(text);
                const double expected = size ? static_cast<double>(*size) : std::stod(text);
                const auto stated = context.lookup(figure.parameter);
                if (!stated) continue;
                ++figures;
                if (close(expected, *stated)) continue;
                ++wrong;
                MESSAGE(fmt::format("{}: {} is {}, the knowledge says {}", line.substr(0, 120),
                                    figure.parameter, text, to_text(*stated)));
            }
        }
    }
    MESSAGE(figures << " figures");
    CHECK(figures >= 60);
    // XFS rounds the volume down to whole stripes first, which tells just at a limit.
    CHECK(wrong * 50 <= figures);
}
