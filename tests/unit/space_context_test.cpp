// The names a condition may use.
#include "space_fixture.h"

using namespace fsadvise;
using namespace fsadvise::testing;

TEST_CASE("host and device facts resolve, absent ones are unknown") {
    const Knowledge knowledge = small_knowledge();
    const Request request = small_request();
    const Context context(knowledge, request);
    CHECK(context.lookup("kernel") == Value{std::string("6.1")});
    CHECK(context.lookup("cores") == Value{std::int64_t{4}});
    CHECK(context.lookup("btrfs_progs") == Value{std::string("6.2")});
    CHECK(context.lookup("device.size") == Value{std::int64_t{100} << 30});
    CHECK(context.lookup("device.media") == Value{std::string("nvme")});
    CHECK_FALSE(context.lookup("device.rotational"));
    CHECK_FALSE(context.lookup("memory"));
    CHECK_FALSE(context.lookup("f2fs_tools"));
    CHECK_FALSE(context.lookup("device.colour"));
    CHECK_FALSE(context.lookup("filesystem"));
}

TEST_CASE("the distribution fills in its kernel, tools and filesystems, but the host's own words win") {
    const Knowledge knowledge = small_knowledge();
    Request request;
    request.host.distribution = "rhel";
    request.host.distribution_version = "8";
    const Context context(knowledge, request);
    CHECK(context.lookup("kernel") == Value{std::string("4.18")});
    CHECK(context.lookup("xfsprogs") == Value{std::string("5.0.0")});
    CHECK(context.lookup("available.btrfs") == Value{false});
    CHECK(context.lookup("available.xfs") == Value{true});
    CHECK_FALSE(context.lookup("available.f2fs"));
    request.host.kernel = "6.6";
    CHECK(context.lookup("kernel") == Value{std::string("6.6")});
    request.host.filesystems = std::set<std::string>{"btrfs"};
    CHECK(context.lookup("available.btrfs") == Value{true});
    CHECK(context.lookup("available.xfs") == Value{false});
}

TEST_CASE("traits and requirements are a closed world, with '-' and '_' alike") {
    const Knowledge knowledge = small_knowledge();
    Request request = small_request();
    request.requirements.needs = {"data-checksums"};
    Context context(knowledge, request);
    CHECK(context.lookup("trait.random_overwrite") == Value{true});
    CHECK(context.lookup("trait.streaming") == Value{false});
    context.add_trait("streaming");
    CHECK(context.lookup("trait.streaming") == Value{true});
    CHECK(context.lookup("require.data_checksums") == Value{true});
    CHECK(context.lookup("require.snapshots") == Value{false});
    CHECK(context.lookup("durability") == Value{std::string("strict")});
    CHECK(context.lookup("workload.mean_file") == Value{67108864.0});
    CHECK_FALSE(context.lookup("workload.files"));
}

TEST_CASE("a parameter has its explicit value, else its default") {
    const Knowledge knowledge = small_knowledge();
    Request request = small_request();
    const Configuration configuration{"ext4", {{"ext4.mount.commit", std::int64_t{30}}}};
    const Context context(knowledge, request, configuration);
    CHECK(context.lookup("ext4.mount.commit") == Value{std::int64_t{30}});
    CHECK(context.is_set("ext4.mount.commit"));
    CHECK(context.lookup("ext4.mkfs.block_size") == Value{std::int64_t{4096}});
    CHECK_FALSE(context.is_set("ext4.mkfs.block_size"));
    CHECK_FALSE(context.lookup("ext4.mkfs.journal_size"));
    CHECK_FALSE(context.lookup("xfs.mkfs.agcount"));  // another filesystem's knob
    request.host.device->size_bytes = 100 * kMiB;
    CHECK(context.lookup("ext4.mkfs.block_size") == Value{std::int64_t{1024}});
    request.host.device->size_bytes.reset();
    CHECK_FALSE(context.lookup("ext4.mkfs.block_size"));  // undecided, not 4096
}

TEST_CASE("defaults that refer to each other end as unknown") {
    const auto parameter = [](const char* id, const char* value) {
        return std::string(R"({"id": ")") + id +
               R"(", "title": "t", "type": "integer", "domain": {}, "default": [{"value": ")" + value +
               R"("}], "spelling": {"form": "value", "flag": "-x"}, "change": "reformat", "meaning": "m", "sources": ["s"]})";
    };
    const std::string text =
        R"({"schema_version": 1, "kind": "parameters", "filesystem": "ext4", "parameters": [)" +
        parameter("ext4.mkfs.a", "ext4.mkfs.b") + "," + parameter("ext4.mkfs.b", "ext4.mkfs.a") + "]}";
    const std::vector<KnowledgeFile> files{{"e.json", kExt4}, {"p.json", text}};
    const auto knowledge = Knowledge::load(files);
    if (!knowledge) return;  // a loader that already refuses circles is as good
    const Request request;
    CHECK_FALSE(Context(*knowledge, request, {"ext4", {}}).lookup("ext4.mkfs.a"));
}
