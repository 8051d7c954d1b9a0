// Identity and JSON form of configurations.
#include <nlohmann/json.hpp>

#include "space_fixture.h"

using namespace fsadvise;
using namespace fsadvise::testing;

namespace {
using Values = std::map<std::string, Value>;
}

TEST_CASE("canonical text is sorted and names the filesystem") {
    const Configuration configuration{
        "xfs", {{"xfs.mount.atime", std::string("noatime")}, {"xfs.mkfs.agcount", std::int64_t{8}}}};
    CHECK(canonical_text(configuration) == "xfs{xfs.mkfs.agcount=8,xfs.mount.atime=noatime}");
    CHECK(canonical_text({"ext4", {}}) == "ext4{}");
}

TEST_CASE("the short name differs for different configurations and is stable") {
    const Configuration a{"xfs", {{"xfs.mkfs.agcount", std::int64_t{8}}}};
    const Configuration b{"xfs", {{"xfs.mkfs.agcount", std::int64_t{16}}}};
    CHECK(configuration_id(a) == configuration_id(a));
    CHECK(configuration_id(a) != configuration_id(b));
    CHECK(configuration_id(a).size() == 16);
}

TEST_CASE("a configuration survives JSON") {
    const Knowledge knowledge = small_knowledge();
    const Configuration configuration{"ext4", Values{{"ext4.mkfs.has_journal", true},
                                                     {"ext4.mkfs.block_size", std::int64_t{4096}},
                                                     {"ext4.mount.data", std::string("journal")}}};
    const auto back = configuration_from_json(to_json(configuration), knowledge);
    REQUIRE(back);
    CHECK(*back == configuration);
}

TEST_CASE("whole reals become counts") {
    const Knowledge knowledge = small_knowledge();
    const auto read = configuration_from_json(
        {{"filesystem", "ext4"}, {"values", {{"ext4.mount.commit", 30.0}}}}, knowledge);
    REQUIRE(read);
    CHECK(read->values.at("ext4.mount.commit") == Value{std::int64_t{30}});
}

TEST_CASE("malformed documents are refused with a pointer and a suggestion") {
    const Knowledge knowledge = small_knowledge();
    const auto error = [&](const char* text) {
        const auto read = configuration_from_json(nlohmann::json::parse(text), knowledge);
        REQUIRE_FALSE(read);
        CHECK(read.error().code == ErrorCode::kBadInput);
        return to_text(read.error());
    };
    CHECK(error(R"({"filesystem": "exd4"})").find("ext4") != std::string::npos);
    CHECK(error(R"({"filesystem": "ext4", "values": {"ext4.mount.comit": 1}})").find("ext4.mount.commit") !=
          std::string::npos);
    CHECK(error(R"({"filesystem": "ext4", "values": {"xfs.mkfs.agcount": 1}})")
              .find("/values/xfs.mkfs.agcount") != std::string::npos);
    CHECK(error(R"({"filesystem": "ext4", "values": {"ext4.mount.commit": "often"}})").find("integer") !=
          std::string::npos);
    CHECK(error(R"({"filesystem": "ext4", "values": {"ext4.mount.commit": 1.5}})").find("integer") !=
          std::string::npos);
    CHECK(error(R"({"filesystem": "ext4", "values": {"ext4.mount.commit": [1]}})").find("/values/ext4") !=
          std::string::npos);
    CHECK(error(R"({"filesystem": "ext4", "valuse": {}})").find("values") != std::string::npos);
    CHECK(error(R"([])").find("object") != std::string::npos);
}
