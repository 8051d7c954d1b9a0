// Dimensions, samples and the choice of usable filesystems.
#include "space/space.h"

#include <algorithm>
#include <set>

#include "space_fixture.h"

using namespace fsadvise;
using namespace fsadvise::testing;

namespace {

const Dimension* dimension(const Space& space, const std::string& id) {
    for (const Dimension& candidate : space.dimensions())
        if (candidate.parameter == id) return &candidate;
    return nullptr;
}

std::vector<std::string> usable(const Request& request, std::vector<std::string>* excluded = nullptr) {
    const Knowledge knowledge = small_knowledge();
    return usable_filesystems(knowledge, request, excluded);
}

}  // namespace

TEST_CASE("dimensions start with the default and leave out impossible and repeated values") {
    const Knowledge knowledge = small_knowledge();
    const Request request = small_request();
    const Space space(knowledge, request, "ext4");
    const Dimension* block = dimension(space, "ext4.mkfs.block_size");
    REQUIRE(block);
    CHECK(block->values ==
          std::vector<Value>{std::int64_t{4096}, std::int64_t{1024}});  // 128 KiB is out of range
    CHECK_FALSE(dimension(space, "ext4.mkfs.has_journal"));             // needs scratch
    CHECK_FALSE(dimension(space, "ext4.mount.data"));                   // needs relaxed
    CHECK_FALSE(dimension(space, "ext4.mount.commit"));                 // has no search list
    CHECK(dimension(space, "ext4.mkfs.fast_commit"));
    const Dimension* journal = dimension(space, "ext4.mkfs.journal_size");
    REQUIRE(journal);
    CHECK(journal->values.size() == 3);
    CHECK(journal->values[0] == Value{std::string()});  // the tool's default is not known
    const Space xfs(knowledge, request, "xfs");
    REQUIRE(dimension(xfs, "xfs.mkfs.agcount"));
    CHECK(dimension(xfs, "xfs.mkfs.agcount")->values ==
          std::vector<Value>{std::int64_t{4}, std::int64_t{8}, std::int64_t{16}});
}

TEST_CASE("the durability class and the kernel open and close dimensions") {
    const Knowledge knowledge = small_knowledge();
    Request request = small_request();
    request.requirements.durability = "scratch";
    CHECK(dimension(Space(knowledge, request, "ext4"), "ext4.mkfs.has_journal"));
    request.host.kernel = "5.4";
    CHECK_FALSE(dimension(Space(knowledge, request, "ext4"), "ext4.mkfs.fast_commit"));
}

TEST_CASE("indices and configurations are inverse, and index 0 leaves the parameter unset") {
    const Knowledge knowledge = small_knowledge();
    const Request request = small_request();
    const Space space(knowledge, request, "xfs");
    std::vector<std::size_t> none(space.dimensions().size(), 0);
    CHECK(space.configuration(none) == Configuration{"xfs", {}});
    for (std::size_t i = 0; i < none.size(); ++i) {
        auto one = none;
        one[i] = space.dimensions()[i].values.size() - 1;
        CHECK(space.configuration(one).values.size() == 1);
        CHECK(space.indices(space.configuration(one)) == one);
    }
    // An explicit default is index 0 as well.
    CHECK(space.indices({"xfs", {{"xfs.mkfs.agcount", std::int64_t{4}}}}) == none);
}

TEST_CASE("samples are valid, repeatable, differ in as many places as asked, and reach every value") {
    const Knowledge knowledge = small_knowledge();
    Request request = small_request();
    request.requirements.durability = "scratch";
    const Space space(knowledge, request, "ext4");
    std::mt19937_64 random(7), same(7);
    std::set<std::string> seen;
    for (int i = 0; i < 300; ++i) {
        const auto sample = space.sample(random);
        REQUIRE(sample);
        CHECK(space.valid(*sample));
        CHECK_FALSE(sample->values.empty());
        CHECK(sample == space.sample(same));
        for (const auto& [id, value] : sample->values) seen.insert(id + "=" + to_text(value));
    }
    std::size_t values = 0;
    for (const Dimension& candidate : space.dimensions()) values += candidate.values.size() - 1;
    CHECK(seen.size() == values);
    for (const std::size_t changes : {std::size_t{1}, std::size_t{2}, std::size_t{3}})
        for (int i = 0; i < 50; ++i) {
            const auto sample = space.sample(random, changes);
            REQUIRE(sample);
            CHECK(sample->values.size() == changes);
        }
    CHECK_FALSE(space.sample(random, 99));
    CHECK_FALSE(Space(knowledge, request, "btrfs").sample(random));  // nothing to search
}

TEST_CASE("contradictions are never sampled") {
    const Knowledge knowledge = small_knowledge();
    Request request = small_request();
    request.requirements.durability = "scratch";
    const Space space(knowledge, request, "ext4");
    CHECK_FALSE(space.valid(
        {"ext4", {{"ext4.mkfs.has_journal", false}, {"ext4.mount.data", std::string("writeback")}}}));
    CHECK_FALSE(space.valid({"xfs", {}}));
    std::mt19937_64 random(1);
    for (int i = 0; i < 300; ++i) {
        const auto sample = space.sample(random);
        REQUIRE(sample);
        CHECK_FALSE((sample->values.count("ext4.mkfs.has_journal") > 0 &&
                     sample->values.count("ext4.mount.data") > 0));
    }
}

TEST_CASE("filesystems are left out for a reason") {
    const std::vector<std::string> all{"btrfs", "ext4", "xfs"};
    const auto sorted = [](std::vector<std::string> names) {
        std::sort(names.begin(), names.end());
        return names;
    };
    Request request = small_request();
    CHECK(sorted(usable(request)) == all);

    std::vector<std::string> excluded;
    request.requirements.needs = {"snapshots"};
    CHECK(usable(request, &excluded) == std::vector<std::string>{"btrfs"});
    CHECK(std::find(excluded.begin(), excluded.end(), "ext4: has no snapshots: needs LVM") != excluded.end());

    request = small_request();
    request.requirements.filesystems = {"xfs"};
    CHECK(usable(request) == std::vector<std::string>{"xfs"});

    request = small_request();
    request.host.device->size_bytes = 200 * kMiB;
    CHECK(sorted(usable(request)) == std::vector<std::string>{"btrfs", "ext4"});

    request = small_request();
    request.host.filesystems = std::set<std::string>{"ext4"};
    excluded.clear();
    CHECK(usable(request, &excluded) == std::vector<std::string>{"ext4"});
    CHECK(std::find(excluded.begin(), excluded.end(), "xfs: the target kernel has no xfs") != excluded.end());

    request = small_request();
    request.host.distribution = "rhel";
    request.host.distribution_version = "8";
    CHECK(sorted(usable(request)) == std::vector<std::string>{"ext4", "xfs"});

    request = small_request();
    request.host.tools.erase("xfsprogs");
    CHECK(sorted(usable(request)) == all);  // merely not mentioned
    request.host.source = "probed";
    CHECK(sorted(usable(request)) == std::vector<std::string>{"btrfs", "ext4"});
}
