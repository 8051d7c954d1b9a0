// Configurations to commands and back.
#include <algorithm>

#include "base/text.h"
#include "space/space.h"
#include "space/spelling.h"

#include "space_fixture.h"

using namespace fsadvise;
using namespace fsadvise::testing;

namespace {

using Words = std::vector<std::string>;

Value number(std::int64_t value) {
    return value;
}
Value word(const char* text) {
    return std::string(text);
}

ParsedCommand parse(const Words& argv) {
    return parse_mkfs(small_knowledge(), argv);
}

// The configuration of a command that must be understood completely.
Configuration meaning(const Words& argv) {
    const ParsedCommand command = parse(argv);
    CHECK(command.problem == "");
    for (const ParsedWord& parsed : command.words) {
        CAPTURE(parsed.text);
        CHECK((parsed.generic || !parsed.parameter.empty()));
        CHECK_FALSE(parsed.bad_value);
    }
    return configuration_of(command.filesystem, command.words, {});
}

const ParsedWord& only(const std::vector<ParsedWord>& words) {
    REQUIRE(words.size() == 1);
    return words.front();
}

std::vector<ParsedWord> mount_words(const char* filesystem, const char* options) {
    return parse_mount_options(small_knowledge(), filesystem, options);
}

}  // namespace

TEST_CASE("options that share a flag are joined, in the order of flag and key") {
    const Knowledge knowledge = small_knowledge();
    const Commands xfs = spell(knowledge, {"xfs",
                                           {{"xfs.mkfs.su", number(65536)},
                                            {"xfs.mkfs.agcount", number(8)},
                                            {"xfs.mkfs.reflink", false},
                                            {"xfs.mkfs.nodiscard", true},
                                            {"xfs.mount.logbsize", number(262144)},
                                            {"xfs.mount.barrier", false}}});
    CHECK(xfs.mkfs == Words{"mkfs.xfs", "-K", "-d", "agcount=8,su=64k", "-m", "reflink=0"});
    CHECK(xfs.mount_options == "nobarrier,logbsize=256k");
    const Commands ext4 = spell(knowledge, {"ext4",
                                            {{"ext4.mkfs.stride", number(16)},
                                             {"ext4.mkfs.stripe_width", number(64)},
                                             {"ext4.mkfs.discard", false},
                                             {"ext4.mkfs.has_journal", false},
                                             {"ext4.mkfs.fast_commit", true},
                                             {"ext4.mkfs.journal_size", number(256 << 20)},
                                             {"ext4.mkfs.block_size", number(4096)},
                                             {"ext4.mount.atime", word("noatime")}}});
    CHECK(ext4.mkfs == Words{"mkfs.ext4", "-E", "nodiscard,stride=16,stripe_width=64", "-J", "size=256", "-O",
                             "fast_commit,^has_journal", "-b", "4096"});
    CHECK(ext4.mount_options == "noatime");
}

TEST_CASE("a switch that is off and an empty configuration say nothing") {
    const Knowledge knowledge = small_knowledge();
    CHECK(spell(knowledge, {"xfs", {{"xfs.mkfs.nodiscard", false}}}).mkfs == Words{"mkfs.xfs"});
    CHECK(spell(knowledge, {"btrfs", {}}).mount_options.empty());
}

TEST_CASE("complete command lines and fstab lines") {
    const Knowledge knowledge = small_knowledge();
    const Commands plain = spell(knowledge, {"ext4", {}});
    CHECK(plain.mkfs_argv("/dev/sdb") == Words{"mkfs.ext4", "/dev/sdb"});
    CHECK(plain.mount_argv("/dev/sdb", "/srv") == Words{"mount", "-t", "ext4", "/dev/sdb", "/srv"});
    CHECK(plain.fstab_line("UUID=1", "/srv/my data", 2) ==
          "UUID=1 /srv/my\\040data ext4 defaults,nofail 0 2");
    const Commands tuned = spell(knowledge, {"ext4", {{"ext4.mount.atime", word("noatime")}}});
    CHECK(tuned.mount_argv("/dev/sdb", "/srv") ==
          Words{"mount", "-t", "ext4", "-o", "noatime", "/dev/sdb", "/srv"});
    CHECK(tuned.fstab_line("UUID=1", "/srv", 0) == "UUID=1 /srv ext4 noatime,nofail 0 0");
    CHECK(tuned.fstab_line("UUID=1", "/", 1) == "UUID=1 / ext4 noatime 0 1");
    CHECK(tuned.fstab_line("UUID=1", "/", 2) == "UUID=1 / ext4 noatime 0 1");
    CHECK(tuned.fstab_line("UUID=1", "/", 0) == "UUID=1 / ext4 noatime 0 0");
}

TEST_CASE("what is spelled is parsed back, for every single value and for random combinations") {
    const Knowledge knowledge = small_knowledge();
    Request request = small_request();
    request.requirements.durability = "scratch";
    std::mt19937_64 random(3);
    for (const char* filesystem : {"ext4", "xfs"}) {
        const Space space(knowledge, request, filesystem);
        for (int i = 0; i < 100; ++i) {
            const auto sample = space.sample(random);
            REQUIRE(sample);
            const Commands commands = spell(knowledge, *sample);
            const ParsedCommand mkfs = parse_mkfs(knowledge, commands.mkfs_argv("/dev/x"));
            CHECK(mkfs.problem == "");
            CHECK(mkfs.devices == Words{"/dev/x"});
            CHECK(configuration_of(filesystem, mkfs.words,
                                   parse_mount_options(knowledge, filesystem, commands.mount_options)) ==
                  *sample);
        }
    }
}

TEST_CASE("the program may be named in many ways") {
    for (const Words& argv :
         {Words{"mkfs.xfs", "/dev/x"}, Words{"/sbin/mkfs.xfs", "/dev/x"},
          Words{"mkfs", "-t", "xfs", "/dev/x"}, Words{"/usr/sbin/mkfs", "--type=xfs", "/dev/x"},
          Words{"mkfs", "-txfs", "/dev/x"}}) {
        CAPTURE(shell_join(argv));
        const ParsedCommand command = parse(argv);
        CHECK(command.filesystem == "xfs");
        CHECK(command.devices == Words{"/dev/x"});
        CHECK(command.words.empty());
    }
    CHECK(parse({"mke2fs", "-t", "ext4", "-q", "/dev/x"}).filesystem == "ext4");
    CHECK(parse({"mke2fs", "/dev/x"}).filesystem == "");
    CHECK(parse({"mke2fs", "/dev/x"}).problem.find("-t") != std::string::npos);
    CHECK(parse({"mkfs", "-t", "ntfs", "/dev/x"}).problem.find("ntfs") != std::string::npos);
    CHECK(parse({"mkfs.vfat", "/dev/x"}).filesystem == "");
    CHECK(parse({}).problem != "");
}

TEST_CASE("values joined and apart, short and long, clustered") {
    const Configuration block{"ext4", {{"ext4.mkfs.block_size", number(4096)}}};
    CHECK(meaning({"mkfs.ext4", "-b", "4096", "/dev/x"}) == block);
    CHECK(meaning({"mkfs.ext4", "-b4096", "/dev/x"}) == block);
    CHECK(meaning({"mkfs.ext4", "-qFb4k", "/dev/x"}) == block);
    CHECK(meaning({"mkfs.ext4", "/dev/x", "-Fb", "4096"}) == block);
    const Configuration csum{"btrfs", {{"btrfs.mkfs.csum", word("xxhash")}}};
    CHECK(meaning({"mkfs.btrfs", "--csum=xxhash", "/dev/x"}) == csum);
    CHECK(meaning({"mkfs.btrfs", "--csum", "xxhash", "/dev/x"}) == csum);
    CHECK(meaning({"mkfs.btrfs", "--checksum=xxhash", "/dev/x", "/dev/y"}) == csum);
    CHECK(meaning({"mkfs.btrfs", "-f", "--label", "data", "--nodesize=16k", "/dev/x"}) ==
          Configuration{"btrfs", {{"btrfs.mkfs.nodesize", number(16384)}}});
    CHECK(parse({"mkfs.btrfs", "/dev/x", "/dev/y"}).devices == Words{"/dev/x", "/dev/y"});
}

TEST_CASE("suboptions, features, housekeeping") {
    const Configuration xfs = meaning({"mkfs.xfs", "-f", "-L", "data", "-d", "agcount=8,su=64k", "-m",
                                       "reflink=0,uuid=1234", "-l", "size=64m", "-K", "/dev/x"});
    CHECK(xfs == Configuration{"xfs",
                               {{"xfs.mkfs.agcount", number(8)},
                                {"xfs.mkfs.su", number(65536)},
                                {"xfs.mkfs.reflink", false},
                                {"xfs.mkfs.log_size", number(64 << 20)},
                                {"xfs.mkfs.nodiscard", true}}});
    CHECK(meaning({"mkfs.ext4", "-E", "stride=4,stripe-width=16,nodiscard,offset=100", "-O",
                   "^has_journal fast_commit", "/dev/x"}) ==
          Configuration{"ext4",
                        {{"ext4.mkfs.stride", number(4)},
                         {"ext4.mkfs.stripe_width", number(16)},
                         {"ext4.mkfs.discard", false},
                         {"ext4.mkfs.has_journal", false},
                         {"ext4.mkfs.fast_commit", true}}});
    CHECK(meaning({"mkfs.btrfs", "-O", "no-holes", "-R", "^free-space-tree", "/dev/x"}) ==
          Configuration{"btrfs", {{"btrfs.mkfs.no_holes", true}, {"btrfs.mkfs.free_space_tree", false}}});
    // A bare suboption of a flag means 1, as mkfs.xfs takes it.
    CHECK(meaning({"mkfs.xfs", "-m", "reflink", "/dev/x"}).values.at("xfs.mkfs.reflink") == Value{true});
}

TEST_CASE("units: bytes, k/m/g, sectors and blocks of mkfs.xfs, whole units of a journal size") {
    CHECK(meaning({"mkfs.xfs", "-l", "size=20000b", "/dev/x"}).values.at("xfs.mkfs.log_size") ==
          number(20000 * 4096));
    CHECK(meaning({"mkfs.xfs", "-b", "size=1k", "-l", "size=80000b", "/dev/x"})
              .values.at("xfs.mkfs.log_size") == number(80000 * 1024));
    CHECK(meaning({"mkfs.xfs", "-d", "su=128s", "/dev/x"}).values.at("xfs.mkfs.su") == number(65536));
    CHECK(meaning({"mkfs.xfs", "-d", "su=65536", "/dev/x"}).values.at("xfs.mkfs.su") == number(65536));
    CHECK(meaning({"mkfs.ext4", "-J", "size=64", "/dev/x"}).values.at("ext4.mkfs.journal_size") ==
          number(64 << 20));
    const ParsedCommand refused = parse({"mkfs.ext4", "-J", "size=64M", "/dev/x"});
    CHECK(only(refused.words).bad_value);
    CHECK(only(refused.words).note == "trailing unit not accepted here");
    CHECK(only(parse({"mkfs.ext4", "-b", "9999999999t", "/dev/x"}).words).bad_value);
    CHECK(only(parse({"mkfs.ext4", "-b", "4q", "/dev/x"}).words).bad_value);
    CHECK(only(parse({"mkfs.ext4", "-b", "", "/dev/x"}).words).bad_value);
}

TEST_CASE("only the last -E of mke2fs counts") {
    const ParsedCommand command = parse({"mkfs.ext4", "-E", "stride=4", "-E", "stripe_width=16", "/dev/x"});
    REQUIRE(command.words.size() == 2);
    CHECK(command.words[0].dropped);
    CHECK_FALSE(command.words[1].dropped);
    CHECK(configuration_of("ext4", command.words, {}) ==
          Configuration{"ext4", {{"ext4.mkfs.stripe_width", number(16)}}});
    // mkfs.xfs adds them up.
    CHECK(meaning({"mkfs.xfs", "-d", "agcount=4", "-d", "su=64k", "/dev/x"}).values.size() == 2);
}

TEST_CASE("what is not known is said") {
    const ParsedCommand missing = parse({"mkfs.xfs", "/dev/x", "-d"});
    CHECK(missing.problem.find("needs a value") != std::string::npos);
    const ParsedCommand flag = parse({"mkfs.xfs", "-O", "has_journal", "/dev/x"});
    CHECK(flag.problem.find("-O") != std::string::npos);
    CHECK(flag.words.front().parameter.empty());
    CHECK_FALSE(flag.words.front().belongs_to.empty());
    const ParsedCommand suboption = parse({"mkfs.xfs", "-d", "agcont=4,stride=4", "/dev/x"});
    REQUIRE(suboption.words.size() == 2);
    CHECK(suboption.words[0].parameter.empty());
    CHECK(suboption.words[0].belongs_to.empty());
    CHECK(suboption.words[1].belongs_to == "ext4");
    CHECK(only(parse({"mkfs.btrfs", "--csum", "md5", "/dev/x"}).words).bad_value);
    CHECK(only(parse({"mkfs.ext4", "-E", "^stride", "/dev/x"}).words).bad_value);
    const ParsedCommand sized = parse({"mkfs.ext4", "/dev/x", "10G"});
    CHECK(sized.devices == Words{"/dev/x"});
    CHECK(only(sized.words).generic);
}

TEST_CASE("mount options: words, keys, units, generic ones, housekeeping, strangers") {
    const auto words = mount_words(
        "ext4",
        "defaults,noatime,data=writeback,commit=60,barrier=0,nofail,x-systemd.automount,acl,jqfmt=vfsv1,"
        "context=\"a:b:c0,c1\",ro,nobootwait,logbsize=256k,compress=zstd,subvol=a");
    const auto find = [&](const std::string& text) -> const ParsedWord& {
        const auto place =
            std::find_if(words.begin(), words.end(), [&](const ParsedWord& w) { return w.text == text; });
        REQUIRE(place != words.end());
        return *place;
    };
    CHECK(words.size() == 15);
    for (const char* generic :
         {"defaults", "nofail", "x-systemd.automount", "acl", "jqfmt=vfsv1", "context=\"a:b:c0,c1\"", "ro"}) {
        CAPTURE(generic);
        CHECK(find(generic).generic);
        CHECK(find(generic).parameter.empty());
    }
    CHECK(find("noatime").parameter == "ext4.mount.atime");
    CHECK_FALSE(find("noatime").generic);
    CHECK_FALSE(find("nobootwait").generic);
    CHECK(find("nobootwait").belongs_to.empty());
    CHECK(find("logbsize=256k").belongs_to == "xfs");
    CHECK(find("compress=zstd").belongs_to == "btrfs");
    CHECK(find("subvol=a").belongs_to == "btrfs");
    CHECK(configuration_of("ext4", {}, words) == Configuration{"ext4",
                                                               {{"ext4.mount.atime", word("noatime")},
                                                                {"ext4.mount.barrier", false},
                                                                {"ext4.mount.commit", number(60)},
                                                                {"ext4.mount.data", word("writeback")}}});
}

TEST_CASE("mount values: alternative words, sizes, malformed ones") {
    CHECK(only(mount_words("btrfs", "compress")).value == word("zlib"));
    CHECK(only(mount_words("btrfs", "compress=zstd")).value == word("zstd:3"));
    CHECK(only(mount_words("btrfs", "compress=no")).value == word("no"));
    CHECK(only(mount_words("btrfs", "compress=lzma")).bad_value);
    CHECK(only(mount_words("xfs", "logbsize=256k")).value == number(262144));
    CHECK(only(mount_words("xfs", "logbsize=262144")).value == number(262144));
    CHECK(only(mount_words("ext4", "commit=5s")).note == "trailing unit not accepted here");
    CHECK(only(mount_words("ext4", "commit")).bad_value);
    CHECK(only(mount_words("ext4", "commit=")).bad_value);
    CHECK(only(mount_words("ext4", "barrier=2")).bad_value);
    CHECK(only(mount_words("ext4", "barrier=2")).parameter == "ext4.mount.barrier");
    CHECK(mount_words("ext4", "").empty());
    CHECK(mount_words("ext4", ",,").empty());
}

TEST_CASE("later words win, but the stronger atime word wins in any order") {
    const auto atime = [](const char* options) {
        return configuration_of("ext4", {}, mount_words("ext4", options)).values.at("ext4.mount.atime");
    };
    CHECK(configuration_of("ext4", {}, mount_words("ext4", "commit=5,commit=9"))
              .values.at("ext4.mount.commit") == number(9));
    CHECK(atime("noatime,relatime") == word("noatime"));
    CHECK(atime("relatime,noatime") == word("noatime"));
    CHECK(atime("strictatime,noatime") == word("strictatime"));
}
