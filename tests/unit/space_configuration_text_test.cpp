// Configurations as typed on a command line.
#include "space/configuration_text.h"

#include "space_fixture.h"

using namespace fsadvise;
using namespace fsadvise::testing;

namespace {

std::string problem(const std::string& text) {
    const auto result = configuration_from_text(small_knowledge(), {}, text);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::kUsage);
    return to_text(result.error());
}

}  // namespace

TEST_CASE("filesystem, mkfs options and mount options, the later parts optional") {
    const Knowledge knowledge = small_knowledge();
    const auto plain = configuration_from_text(knowledge, {}, "ext4");
    REQUIRE(plain);
    CHECK(plain->values.empty());
    const auto mkfs = configuration_from_text(knowledge, {}, "xfs:-d agcount=8  -m reflink=0");
    REQUIRE(mkfs);
    CHECK(canonical_text(*mkfs) ==
          canonical_text({"xfs", {{"xfs.mkfs.agcount", std::int64_t{8}}, {"xfs.mkfs.reflink", false}}}));
    const auto both = configuration_from_text(knowledge, {}, "xfs:-d agcount=8:logbsize=256k");
    REQUIRE(both);
    CHECK(both->values.at("xfs.mount.logbsize") == Value(std::int64_t{262144}));
    const auto mount = configuration_from_text(knowledge, {}, "xfs::logbsize=256k");
    REQUIRE(mount);
    CHECK(mount->values.size() == 1);
}

TEST_CASE("what is not understood or would fail is refused by name") {
    CHECK(problem("xsf").find("did you mean 'xfs'") != std::string::npos);
    CHECK(problem("").find("unknown filesystem") != std::string::npos);
    CHECK(problem("xfs:-m reflinc=0").find("reflinc") != std::string::npos);
    CHECK(problem("xfs::logbsize=many").find("logbsize=many") != std::string::npos);
    CHECK(problem("xfs:-d").find("-d") != std::string::npos);
}
