// The measured tables that are shipped: whole, decodable by the knowledge of today, and without traces of a
// machine.
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "space/configuration.h"
#include "space/knowledge.h"
#include "space/knowledge_files.h"

using namespace fsadvise;
using nlohmann::json;

TEST_CASE("shipped tables are whole, and their configurations are known") {
    const auto knowledge = Knowledge::load(embedded_knowledge());
    REQUIRE(knowledge.has_value());
    const std::filesystem::path folder = std::filesystem::path(FSADVISE_SOURCE_DIR) / "models/shipped/tables";
    std::set<std::string> workloads, filesystems, media;
    std::size_t configurations = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".jsonl") continue;
        CAPTURE(entry.path().filename().string());
        std::ifstream stream(entry.path());
        std::string line;
        REQUIRE(std::getline(stream, line));
        const json header = json::parse(line).at("replay_table");
        CHECK(header.at("schema_version") == 1);
        const auto workload = header.at("workload").get<std::string>();
        CHECK(knowledge->workload(workload) != nullptr);
        CHECK(workloads.insert(workload).second);
        media.insert(header.at("media").get<std::string>());
        CHECK_FALSE(header.at("host").at("kernel").get<std::string>().empty());
        REQUIRE(configuration_from_json(header.at("anchor"), *knowledge).has_value());

        std::map<std::string, std::set<int>> repeats;
        bool anchor_measured = false;
        for (int number = 2; std::getline(stream, line); ++number) {
            CAPTURE(number);
            for (const char* trace : {"/dev/", "/tmp", "/home", "/run/", "/work", "/mnt"})
                CHECK(line.find(trace) == std::string::npos);
            const json row = json::parse(line);
            const auto configuration = configuration_from_json(row.at("configuration"), *knowledge);
            REQUIRE_MESSAGE(configuration.has_value(),
                            (configuration ? std::string() : to_text(configuration.error())));
            if (row.at("state") == "failed") {
                CHECK_FALSE(row.at("reason").get<std::string>().empty());
                continue;
            }
            CHECK(repeats[canonical_text(*configuration)].insert(row.at("repeat").get<int>()).second);
            filesystems.insert(configuration->filesystem);
            anchor_measured = anchor_measured || row.at("configuration") == header.at("anchor");
            for (const auto& [name, value] : row.at("metrics").items()) {
                CAPTURE(name);
                CHECK(value.is_number());
                CHECK(header.at("metrics").contains(name));
            }
        }
        CHECK(anchor_measured);
        for (const auto& [configuration, measured] : repeats) {
            CAPTURE(configuration);
            CHECK(measured.size() >= 3);
        }
        configurations += repeats.size();
    }
    MESSAGE(workloads.size(), " tables, ", configurations, " configurations");
    CHECK(workloads.size() >= 6);
    CHECK(configurations >= 250);
    CHECK(filesystems.size() >= 3);
    CHECK(media.size() >= 2);
}
