// Domains, version windows, conditions, durability and constraints.
#include <algorithm>

#include "space/validity.h"

#include "space_fixture.h"

using namespace fsadvise;
using namespace fsadvise::testing;

namespace {

Value number(std::int64_t value) {
    return value;
}
Value word(const char* text) {
    return std::string(text);
}

struct Verdict {
    std::vector<Violation> found;
    [[nodiscard]] const Violation* find(const std::string& id) const {
        const auto place =
            std::find_if(found.begin(), found.end(), [&](const Violation& v) { return v.id == id; });
        return place == found.end() ? nullptr : &*place;
    }
};

Verdict judge(const Request& request, const Configuration& configuration, bool uncertain = false) {
    const Knowledge knowledge = small_knowledge();
    return {violations(Context(knowledge, request, configuration), uncertain)};
}

bool valid(const Request& request, const Configuration& configuration) {
    const Knowledge knowledge = small_knowledge();
    return is_valid(Context(knowledge, request, configuration));
}

}  // namespace

TEST_CASE("the default configuration of every filesystem is valid") {
    for (const char* filesystem : {"ext4", "xfs", "btrfs"}) {
        CAPTURE(filesystem);
        CHECK(judge(small_request(), {filesystem, {}}).found.empty());
        CHECK(valid(small_request(), {filesystem, {}}));
    }
}

TEST_CASE("domain: range, power of two, multiple, enumeration, type, special values") {
    const Request request = small_request();
    const auto broken = [&](const char* filesystem, const char* id, const Value& value) {
        const Verdict verdict = judge(request, {filesystem, {{id, value}}});
        return verdict.find(std::string(id) + ".domain") != nullptr;
    };
    CHECK(broken("ext4", "ext4.mkfs.block_size", number(512)));
    CHECK(broken("ext4", "ext4.mkfs.block_size", number(131072)));
    CHECK(broken("ext4", "ext4.mkfs.block_size", number(3000)));
    CHECK_FALSE(broken("ext4", "ext4.mkfs.block_size", number(2048)));
    CHECK(broken("ext4", "ext4.mkfs.block_size", word("big")));
    CHECK(broken("ext4", "ext4.mount.data", word("fast")));
    CHECK_FALSE(broken("ext4", "ext4.mount.data", word("journal")));
    CHECK(broken("xfs", "xfs.mkfs.su", number(5000)));
    CHECK_FALSE(broken("xfs", "xfs.mkfs.su", number(65536)));
    CHECK(broken("xfs", "xfs.mount.logbsize", number(8192)));
    CHECK_FALSE(broken("xfs", "xfs.mount.logbsize", number(0)));
    CHECK(broken("xfs", "xfs.mkfs.reflink", number(1)));
    CHECK(broken("xfs", "ext4.mount.data", word("journal")));
    CHECK(broken("xfs", "xfs.mkfs.no_such", number(1)));
}

TEST_CASE("a bound that depends on the device is judged only if the device is known") {
    Request request = small_request();
    const Configuration many{"xfs", {{"xfs.mkfs.agcount", number(100000)}}};
    const Verdict known = judge(request, many);
    REQUIRE(known.find("xfs.mkfs.agcount.domain"));
    CHECK(known.find("xfs.mkfs.agcount.domain")->effect == Effect::kMkfsRefuses);
    CHECK(known.find("xfs.mkfs.agcount.domain")->says.find("6400") != std::string::npos);
    request.host.device.reset();
    CHECK(judge(request, many).found.empty());
    const Verdict uncertain = judge(request, many, true);
    REQUIRE(uncertain.find("xfs.mkfs.agcount.domain"));
    CHECK_FALSE(uncertain.find("xfs.mkfs.agcount.domain")->certain);
}

TEST_CASE("versions: removed, introduced, unknown, and a distribution's override") {
    Request request = small_request();
    request.requirements.durability = "scratch";
    const Configuration nobarrier{"xfs", {{"xfs.mount.barrier", false}}};
    const std::string id = "xfs.mount.barrier.version";
    request.host.kernel = "4.18.0";
    CHECK_FALSE(judge(request, nobarrier).find(id));
    request.host.kernel = "4.19";
    const Verdict removed = judge(request, nobarrier);
    REQUIRE(removed.find(id));
    CHECK(removed.find(id)->effect == Effect::kMountRefuses);
    CHECK(removed.find(id)->says.find("4.19") != std::string::npos);
    request.host.kernel.clear();
    CHECK_FALSE(judge(request, nobarrier).find(id));
    CHECK(judge(request, nobarrier, true).find(id));

    request.host.distribution = "rhel";
    request.host.distribution_version = "8.9";
    request.host.kernel = "4.18.0-513.el8";
    CHECK(judge(request, nobarrier).find(id));
    request.host.distribution_version = "7";
    CHECK_FALSE(judge(request, nobarrier).find(id));
}

TEST_CASE(
    "a mkfs feature: the tool refuses at mkfs, the kernel at mount, and switching it off needs neither "
    "kernel") {
    Request request = small_request();
    const std::string id = "ext4.mkfs.fast_commit.version";
    const Configuration on{"ext4", {{"ext4.mkfs.fast_commit", true}}};
    CHECK_FALSE(judge(request, on).find(id));
    request.host.tools["e2fsprogs"] = "1.45.5";
    REQUIRE(judge(request, on).find(id));
    CHECK(judge(request, on).find(id)->effect == Effect::kMkfsRefuses);
    request.host.tools["e2fsprogs"] = "1.47.0";
    request.host.kernel = "5.4";
    REQUIRE(judge(request, on).find(id));
    CHECK(judge(request, on).find(id)->effect == Effect::kMountRefuses);
    CHECK_FALSE(judge(request, {"ext4", {{"ext4.mkfs.fast_commit", false}}}).find(id));
}

TEST_CASE("a parameter that is not active here has no effect") {
    Request request = small_request();
    request.requirements.durability = "scratch";
    const Configuration configuration{"ext4",
                                      {{"ext4.mkfs.fast_commit", true}, {"ext4.mkfs.has_journal", false}}};
    const Verdict verdict = judge(request, configuration);
    REQUIRE(verdict.find("ext4.mkfs.fast_commit.active"));
    CHECK(verdict.find("ext4.mkfs.fast_commit.active")->effect == Effect::kNoEffect);
    CHECK_FALSE(valid(request, configuration));
    CHECK(valid(request, {"ext4", {{"ext4.mkfs.fast_commit", true}}}));
}

TEST_CASE("durability: a value below the asked class is unsafe") {
    Request request = small_request();
    const Configuration writeback{"ext4", {{"ext4.mount.data", word("writeback")}}};
    const Configuration no_journal{"ext4", {{"ext4.mkfs.has_journal", false}}};
    const Configuration slow_commit{"ext4", {{"ext4.mount.commit", number(30)}}};
    const Configuration same_commit{"ext4", {{"ext4.mount.commit", number(5)}}};
    CHECK(judge(request, writeback).find("ext4.mount.data.durability"));
    CHECK(judge(request, writeback).find("ext4.mount.data.durability")->effect == Effect::kUnsafe);
    CHECK_FALSE(valid(request, writeback));
    CHECK_FALSE(valid(request, no_journal));
    CHECK_FALSE(valid(request, slow_commit));
    CHECK(valid(request, same_commit));
    request.requirements.durability = "relaxed";
    CHECK(valid(request, writeback));
    CHECK(valid(request, slow_commit));
    CHECK_FALSE(valid(request, no_journal));
    request.requirements.durability = "scratch";
    CHECK(valid(request, no_journal));
}

TEST_CASE("constraints: violated, satisfied, undecided") {
    Request request = small_request();
    request.requirements.durability = "scratch";
    const Configuration contradiction{
        "ext4", {{"ext4.mkfs.has_journal", false}, {"ext4.mount.data", word("ordered")}}};
    const Verdict verdict = judge(request, contradiction);
    REQUIRE(verdict.find("ext4.data-needs-journal"));
    CHECK(verdict.find("ext4.data-needs-journal")->effect == Effect::kMountRefuses);
    CHECK(verdict.find("ext4.data-needs-journal")->fix == "drop data=");
    CHECK_FALSE(verdict.find("ext4.data-needs-journal")->parameter.empty());
    CHECK_FALSE(
        judge(request, {"ext4", {{"ext4.mount.data", word("ordered")}}}).find("ext4.data-needs-journal"));

    const Configuration large{"ext4", {{"ext4.mkfs.block_size", number(65536)}}};
    CHECK(judge(request, large).find("ext4.block-above-page"));
    request.host.page_size_bytes.reset();
    CHECK_FALSE(judge(request, large).find("ext4.block-above-page"));
    REQUIRE(judge(request, large, true).find("ext4.block-above-page"));
    CHECK_FALSE(judge(request, large, true).find("ext4.block-above-page")->certain);
    CHECK(judge(request, {"ext4", {}}, true).found.empty());  // undecided, but nothing of it was asked for
}
