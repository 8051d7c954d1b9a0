// What the tools' dumps say, and what differs from the request. The dumps are from e2fsprogs 1.47.0,
// xfsprogs 6.1.0 and btrfs-progs 6.2; fields that do not matter here are left out.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "space/dumps.h"
#include "space/read_back.h"
#include "space/spelling.h"

#include "space_fixture.h"

using namespace fsadvise;
using namespace fsadvise::testing;

namespace {

constexpr const char* kDumpe2fs =
    "Filesystem volume name:   <none>\n"
    "Filesystem features:      has_journal ext_attr filetype extent 64bit metadata_csum\n"
    "Default mount options:    user_xattr acl\n"
    "Inode count:              65536\n"
    "Block count:              262144\n"
    "Reserved block count:     13107\n"
    "Block size:               4096\n"
    "RAID stride:              4\n"
    "Inode size:\t          256\n"
    "Journal features:         (none)\n"
    "Total journal size:       32M\n";

constexpr const char* kXfsInfo =
    "meta-data=/dev/loop1             isize=512    agcount=4, agsize=65536 blks\n"
    "         =                       sectsz=512   attr=2, projid32bit=1\n"
    "         =                       crc=1        finobt=1, sparse=1, rmapbt=0\n"
    "         =                       reflink=1    bigtime=1 inobtcount=1 nrext64=0\n"
    "data     =                       bsize=4096   blocks=262144, imaxpct=25\n"
    "         =                       sunit=16     swidth=64 blks\n"
    "naming   =version 2              bsize=8192   ascii-ci=0, ftype=1\n"
    "log      =internal log           bsize=4096   blocks=20480, version=2\n"
    "         =                       sectsz=512   sunit=16 blks, lazy-count=1\n"
    "realtime =none                   extsz=4096   blocks=0, rtextents=0\n";

constexpr const char* kBtrfsSuper =
    "superblock: bytenr=65536, device=btrfs.img\n"
    "csum_type\t\t1 (xxhash64)\n"
    "flags\t\t\t0x1\n"
    "\t\t\t( WRITTEN )\n"
    "sectorsize\t\t4096\n"
    "nodesize\t\t16384\n"
    "compat_ro_flags\t\t0x3\n"
    "\t\t\t( FREE_SPACE_TREE |\n"
    "\t\t\t  FREE_SPACE_TREE_VALID )\n"
    "incompat_flags\t\t0x341\n"
    "\t\t\t( MIXED_BACKREF |\n"
    "\t\t\t  SKINNY_METADATA )\n"
    "cache_generation\t0\n"
    "\n"
    "\t\tlength 8388608 owner 2 stripe_len 65536 type DATA|single\n"
    "\t\tlength 53673984 owner 2 stripe_len 65536 type METADATA|DUP\n";

constexpr const char* kF2fs =
    "Info: superblock features = 2829 :  encrypt extra_attr inode_checksum\n"
    "Info: superblock encrypt level = 0, salt = 00000000000000000000000000000000\n"
    "log_blocksize                 \t\t[0x       c : 12]\n"
    "segs_per_sec                  \t\t[0x       2 : 2]\n"
    "volum_name                    \t\t[]\n";

Value number(std::int64_t value) {
    return value;
}

FakeProcessRunner runner_with(const std::string& output) {
    FakeProcessRunner runner;
    runner.reply = [output](const ProcessRequest&) -> Result<ProcessResult> {
        return ProcessResult{0, false, output, ""};
    };
    return runner;
}

FakeFileReader mounted(const std::string& line) {
    FakeFileReader files;
    files.files["/proc/self/mountinfo"] = "20 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n" + line + "\n";
    return files;
}

}  // namespace

TEST_CASE("dumpe2fs: labels, features on and off, derived figures") {
    const DumpFields fields = fields_of_dumpe2fs(kDumpe2fs);
    CHECK(field(fields, "Block size") == "4096");
    CHECK(field(fields, "Inode size") == "256");
    CHECK(field(fields, "feature:has_journal") == "1");
    CHECK(field(fields, "feature:fast_commit") == "0");
    CHECK(field(fields, "default-mount:acl") == "1");
    CHECK(field(fields, "Total journal size") == "33554432");
    CHECK(field(fields, "bytes-per-inode") == "16384");
    CHECK(field(fields, "reserved-percent") == "5.00");
    CHECK_FALSE(field(fields, "RAID stripe width"));
    CHECK_FALSE(
        field(fields_of_dumpe2fs("Block size: 4096\n"), "feature:has_journal"));  // no list, no verdict
}

TEST_CASE("xfs_info: sections, blocks as bytes") {
    const DumpFields fields = fields_of_xfs_info(kXfsInfo);
    CHECK(field(fields, "agcount") == "4");
    CHECK(field(fields, "agsize.bytes") == "268435456");
    CHECK(field(fields, "sectsz") == "512");
    CHECK(field(fields, "data.bsize") == "4096");
    CHECK(field(fields, "naming.bsize") == "8192");
    CHECK(field(fields, "naming.version") == "2");
    CHECK(field(fields, "log.version") == "2");
    CHECK(field(fields, "log.internal") == "1");
    CHECK(field(fields, "log.blocks.bytes") == "83886080");
    CHECK(field(fields, "data.sunit.bytes") == "65536");
    CHECK(field(fields, "data.swidth.bytes") == "262144");
    CHECK(field(fields, "lazy-count") == "1");
}

TEST_CASE("btrfs: words, flag lists, profiles") {
    const DumpFields fields = fields_of_btrfs(kBtrfsSuper);
    CHECK(field(fields, "csum_type") == "xxhash64");
    CHECK(field(fields, "nodesize") == "16384");
    CHECK(field(fields, "feature:free-space-tree") == "1");
    CHECK(field(fields, "feature:skinny-metadata") == "1");
    CHECK(field(fields, "feature:no-holes") == "0");
    CHECK(field(fields, "feature:written") == "0");
    CHECK(field(fields, "profile:data") == "single");
    CHECK(field(fields, "profile:metadata") == "dup");
    CHECK_FALSE(field(fields, "profile:system"));
}

TEST_CASE("f2fs: fields and features") {
    const DumpFields fields = fields_of_dump_f2fs(kF2fs);
    CHECK(field(fields, "segs_per_sec") == "2");
    CHECK(field(fields, "block-size") == "4096");
    CHECK(field(fields, "feature:extra_attr") == "1");
    CHECK(field(fields, "feature:compression") == "0");
}

TEST_CASE("dumps become values of parameters") {
    const Knowledge knowledge = small_knowledge();
    const auto ext4 = parse_dumps(knowledge, "ext4", {{"dumpe2fs", kDumpe2fs}});
    CHECK(ext4.at("ext4.mkfs.block_size") == number(4096));
    CHECK(ext4.at("ext4.mkfs.stride") == number(4));
    CHECK(ext4.at("ext4.mkfs.has_journal") == Value{true});
    CHECK(ext4.at("ext4.mkfs.fast_commit") == Value{false});
    CHECK(ext4.at("ext4.mkfs.journal_size") == number(32 << 20));
    const auto xfs = parse_dumps(knowledge, "xfs",
                                 {{"xfs_info", kXfsInfo}, {"mountinfo", "rw,relatime,attr2,logbsize=256k"}});
    CHECK(xfs.at("xfs.mkfs.su") == number(65536));
    CHECK(xfs.at("xfs.mkfs.log_size") == number(83886080));
    CHECK(xfs.at("xfs.mkfs.reflink") == Value{true});
    CHECK(xfs.at("xfs.mount.logbsize") == number(262144));
    const auto btrfs = parse_dumps(
        knowledge, "btrfs", {{"btrfs-super", kBtrfsSuper}, {"mountinfo", "rw,noatime,compress=zstd:3"}});
    CHECK(btrfs.at("btrfs.mkfs.csum") == Value{std::string("xxhash")});
    CHECK(btrfs.at("btrfs.mkfs.metadata") == Value{std::string("dup")});
    CHECK(btrfs.at("btrfs.mkfs.no_holes") == Value{false});
    CHECK(btrfs.at("btrfs.mount.compress") == Value{std::string("zstd:3")});
    CHECK(parse_dumps(knowledge, "ext4", {{"dumpe2fs", "garbage\n:::\n"}}).empty());
}

TEST_CASE("the proc listing of ext4 has the defaults that mountinfo leaves out") {
    const auto values = parse_dumps(small_knowledge(), "ext4",
                                    {{"ext4-options", "rw\nbarrier\ncommit=5\nstripe=16\ndata=ordered\n"},
                                     {"mountinfo", "rw,noatime,stripe=16"}});
    CHECK(values.at("ext4.mount.barrier") == Value{true});
    CHECK(values.at("ext4.mount.commit") == number(5));
    CHECK(values.at("ext4.mount.stripe") == number(16));
    CHECK(values.at("ext4.mount.data") == Value{std::string("ordered")});
    CHECK(values.at("ext4.mount.atime") == Value{std::string("noatime")});
}

TEST_CASE("a request that came out otherwise is named") {
    FakeProcessRunner runner = runner_with(kXfsInfo);
    const FakeFileReader files =
        mounted("43 20 7:1 / /mnt/x rw,relatime - xfs /dev/loop1 rw,logbsize=32k,noquota");
    const Configuration asked{"xfs",
                              {{"xfs.mkfs.agcount", number(8)},
                               {"xfs.mkfs.reflink", true},
                               {"xfs.mount.logbsize", number(262144)}}};
    const auto result = read_back(small_knowledge(), asked, "/dev/loop1", "/mnt/x", runner, files);
    REQUIRE(result);
    CHECK(result->mismatches == std::vector<std::string>{"xfs.mkfs.agcount: asked 8, got 4",
                                                         "xfs.mount.logbsize: asked 262144, got 32768"});
    CHECK(result->mount_options.find("noquota") != std::string::npos);
    REQUIRE(runner.requests.size() == 1);
    CHECK(runner.requests[0].argv == std::vector<std::string>{"xfs_info", "/mnt/x"});
}

TEST_CASE("absence from the listing counts only for options that are known to be listed") {
    FakeProcessRunner runner = runner_with(kDumpe2fs);
    const FakeFileReader files = mounted("43 20 7:1 / /mnt/x rw,relatime - ext4 /dev/loop1 rw");
    const auto mismatches = [&](const Configuration& asked) {
        const auto result = read_back(small_knowledge(), asked, "/dev/loop1", "/mnt/x", runner, files);
        REQUIRE(result);
        return result->mismatches;
    };
    CHECK(mismatches({"ext4", {{"ext4.mount.stripe", number(1)}}}) ==
          std::vector<std::string>{"ext4.mount.stripe: asked 1, not listed by the kernel"});
    CHECK(mismatches({"ext4", {{"ext4.mount.stripe", number(0)}}}).empty());
    CHECK(mismatches({"ext4", {{"ext4.mount.commit", number(9)}}}).empty());  // no read_back entry
}

TEST_CASE("unmounted: only the format is judged; not there or failing: an error") {
    const Knowledge knowledge = small_knowledge();
    FakeProcessRunner runner = runner_with(kXfsInfo);
    const FakeFileReader files = mounted("43 20 7:1 / /mnt/x rw - ext4 /dev/loop1 rw");
    const Configuration asked{"xfs",
                              {{"xfs.mkfs.agcount", number(4)}, {"xfs.mount.logbsize", number(262144)}}};
    const auto result = read_back(knowledge, asked, "/dev/loop1", "", runner, files);
    REQUIRE(result);
    CHECK(result->mismatches.empty());
    CHECK(runner.requests.at(0).argv.front() == "xfs_db");
    CHECK_FALSE(read_back(knowledge, asked, "/dev/loop1", "/mnt/y", runner, files));
    const auto other = read_back(knowledge, {"xfs", {}}, "/dev/loop1", "/mnt/x", runner, files);
    REQUIRE(other);
    CHECK(other->mismatches.size() == 1);  // ext4 is mounted there
    runner.reply = [](const ProcessRequest&) -> Result<ProcessResult> {
        return ProcessResult{1, false, "", "no XFS"};
    };
    CHECK_FALSE(read_back(knowledge, asked, "/dev/loop1", "", runner, files));
}

TEST_CASE("real tools: what mkfs made is read back from an image") {
    const Knowledge knowledge = small_knowledge();
    SystemProcessRunner runner;
    const SystemFileReader files;
    std::string folder = "/dev/shm/fsadvise-space-test-XXXXXX";
    REQUIRE(::mkdtemp(folder.data()) != nullptr);
    const std::vector<Configuration> cases{
        {"ext4",
         {{"ext4.mkfs.block_size", number(2048)},
          {"ext4.mkfs.stride", number(8)},
          {"ext4.mkfs.has_journal", false}}},
        {"ext4", {{"ext4.mkfs.fast_commit", true}, {"ext4.mkfs.journal_size", number(16 << 20)}}},
        {"xfs",
         {{"xfs.mkfs.agcount", number(3)},
          {"xfs.mkfs.su", number(65536)},
          {"xfs.mkfs.reflink", false},
          {"xfs.mkfs.log_size", number(80 << 20)}}},
        {"btrfs",
         {{"btrfs.mkfs.csum", std::string("sha256")},
          {"btrfs.mkfs.metadata", std::string("single")},
          {"btrfs.mkfs.nodesize", number(32768)}}}};
    for (const Configuration& asked : cases) {
        CAPTURE(canonical_text(asked));
        const Commands commands = spell(knowledge, asked);
        if (runner.find(commands.mkfs[0]).empty()) {
            MESSAGE("SKIPPED: " << commands.mkfs[0] << " is not installed");
            continue;
        }
        const std::string image = folder + "/" + configuration_id(asked);
        std::ofstream(image).close();
        std::filesystem::resize_file(image, 512 << 20);
        std::vector<std::string> argv = commands.mkfs_argv(image);
        if (asked.filesystem == "xfs") argv.insert(argv.begin() + 1, {"-d", "sw=1"});  // su wants its partner
        const auto made = run_checked(runner, {argv, {}});
        REQUIRE_MESSAGE(made, to_text(made.error()));
        const auto result = read_back(knowledge, asked, image, "", runner, files);
        REQUIRE_MESSAGE(result, to_text(result.error()));
        CHECK(result->mismatches == std::vector<std::string>{});
        for (const auto& [id, value] : asked.values) CHECK(result->effective.count(id) == 1);
    }
    std::filesystem::remove_all(folder);
}
