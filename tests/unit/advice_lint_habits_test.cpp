// Every kind of remark with an example where it is made and one where it must stay quiet.
#include <algorithm>

#include <doctest/doctest.h>

#include "advice/lint.h"
#include "advice/lint_shell.h"
#include "space/knowledge_files.h"

using namespace fsadvise;

namespace {

const Knowledge& knowledge() {
    static const auto kKnowledge = Knowledge::load(embedded_knowledge());
    if (!kKnowledge) FAIL(to_text(kKnowledge.error()));
    return *kKnowledge;
}

struct Sample {
    std::string name, text;
    std::string role = {};
    std::string kernel = "6.12";
    std::string distribution = {}, version = {};
};

LintResult must_lint(const Sample& sample) {
    LintTarget target;
    auto& host = target.host;
    host.kernel = sample.kernel;
    host.tools = {
        {"e2fsprogs", "1.47.0"}, {"xfsprogs", "6.1.0"}, {"btrfs-progs", "6.2"}, {"f2fs-tools", "1.15.0"}};
    host.distribution = sample.distribution;
    host.distribution_version = sample.version;
    target.workload = sample.role;
    auto result = lint(knowledge(), target, sample.text, sample.name);
    if (!result) FAIL(to_text(result.error()));
    return *result;
}

std::string listing(const LintResult& result) {
    std::string text;
    for (const auto& item : result.findings) {
        text += std::to_string(item.line) + " " + to_text(item.severity) + " " + item.id + " [" +
                item.subject + "] " + item.what + "\n";
    }
    return text;
}

const Finding* find(const LintResult& result, const std::string& id) {
    const auto found = std::ranges::find(result.findings, id, &Finding::id);
    return found == result.findings.end() ? nullptr : &*found;
}

Sample fstab(std::string line, std::string role = {}, std::string kernel = "6.12") {
    return {"fstab", line + "\n", std::move(role), std::move(kernel), {}, {}};
}
Sample script(std::string line, std::string role = {}, std::string kernel = "6.12") {
    return {"a.sh", line + "\n", std::move(role), std::move(kernel), {}, {}};
}

struct Kind {
    std::string id;
    Severity severity;
    Sample fires, quiet;
};

}  // namespace

TEST_CASE("each remark is made where it helps and not elsewhere") {
    constexpr auto kInfo = Severity::kInfo;
    constexpr auto kWarning = Severity::kWarning;
    constexpr auto kError = Severity::kError;
    const std::vector<Kind> kinds = {
        {"unwise:btrfs.note-zlib", kInfo, fstab("UUID=1 /a btrfs compress 0 0"),
         fstab("UUID=1 /a btrfs compress=zstd:1 0 0")},
        {"unwise:btrfs.note-zlib-forced", kInfo, fstab("UUID=1 /a btrfs compress-force 0 0"),
         fstab("UUID=1 /a btrfs compress-force=lzo 0 0")},
        {"unwise:btrfs.note-commit", kInfo, fstab("UUID=1 /a btrfs commit=120 0 0"),
         fstab("UUID=1 /a btrfs commit=15 0 0")},
        {"unwise:ext4.note-commit", kInfo, fstab("UUID=1 /a ext4 commit=60 0 2"),
         fstab("UUID=1 /a ext4 commit=5 0 2")},
        {"unwise:ext4.nodelalloc", kWarning, fstab("UUID=1 /a ext4 nodelalloc 0 2"),
         fstab("UUID=1 /a ext4 nodelalloc 0 2", "tikv")},
        {"unwise:ext4.tikv-delalloc", kWarning, fstab("UUID=1 /a ext4 noatime 0 2", "tikv"),
         fstab("UUID=1 /a ext4 noatime 0 2", "postgres")},
        {"unwise:ext4.note-lazy-init-off", kInfo, script("mkfs.ext4 -E lazy_itable_init=0 /dev/d"),
         script("mkfs.ext4 -E lazy_itable_init=1 /dev/d")},
        {"unwise:ext4.no-reserve-on-root", kWarning, script("mkfs.ext4 -m 0 /dev/d\nmount /dev/d /"),
         script("mkfs.ext4 -m 0 /dev/d\nmount /dev/d /srv")},
        {"unwise:ext4.sparse-inodes", kWarning, script("mkfs.ext4 -i 262144 /dev/d"),
         script("mkfs.ext4 -i 262144 /dev/d", "video-ingest")},
        {"unwise:ext4.note-largefile", kInfo, script("mkfs.ext4 -T largefile /dev/d"),
         script("mkfs.ext4 -T largefile -N 5000000 /dev/d")},
        {"unwise:ext4.largefile-small-files", kWarning, script("mkfs.ext4 -T largefile /dev/d", "docker"),
         script("mkfs.ext4 -T largefile /dev/d", "media")},
        {"unwise:ext4.note-fast-commit", kInfo, script("mkfs.ext4 -O fast_commit /dev/d"),
         script("mkfs.ext4 -O ^fast_commit /dev/d")},
        {"unwise:ext4.fast-commit-consensus", kWarning, script("mkfs.ext4 -O fast_commit /dev/d", "etcd"),
         script("mkfs.ext4 -O fast_commit /dev/d", "kafka")},
        {"unsafe:ext4.fast-commit-unfixed", kError,
         script("mkfs.ext4 -O fast_commit /dev/d", "etcd", "5.10.0"),
         script("mkfs.ext4 -O fast_commit /dev/d", "etcd", "5.10.94")},
        {"unsafe:ext4.fast-commit-unfixed", kWarning,
         script("mkfs.ext4 -O fast_commit /dev/d", "kafka", "5.15.3"),
         script("mkfs.ext4 -O fast_commit /dev/d", "kafka", "5.17")},
        {"unwise:xfs.note-allocsize", kInfo, fstab("UUID=1 /a xfs allocsize=128m 0 0"),
         fstab("UUID=1 /a xfs allocsize=128m 0 0", "video-ingest")},
        {"unwise:xfs.note-logbsize", kInfo, fstab("UUID=1 /a xfs logbsize=256k 0 0"),
         fstab("UUID=1 /a xfs logbsize=256k 0 0", "mail")},
        {"mount-refuses:xfs.logbsize-needs-v2", kError,
         script("mkfs.xfs -m crc=0 -l version=1 /dev/d\nmount -o logbsize=64k /dev/d /a", {}, "5.10"),
         script("mkfs.xfs -m crc=0 -l version=1 /dev/d\nmount -o logbsize=32k /dev/d /a", {}, "5.10")},
        {"mount-refuses:xfs.logbsize-below-log-unit", kError,
         script("mkfs.xfs -l su=128k /dev/d\nmount -o logbsize=64k /dev/d /a"),
         script("mkfs.xfs -l su=128k /dev/d\nmount -o logbsize=128k /dev/d /a")},
        {"unwise:xfs.note-nouuid", kInfo, fstab("UUID=1 /a xfs nouuid 0 0"),
         fstab("UUID=1 /a xfs ro,norecovery,nouuid 0 0")},
        {"unwise:xfs.snapshot-needs-nouuid", kWarning, fstab("UUID=1 /a xfs ro,norecovery 0 0"),
         fstab("UUID=1 /a xfs ro,norecovery,nouuid 0 0")},
        {"unwise:xfs.snapshot-needs-nouuid", kError,
         fstab("UUID=1 /a xfs noatime 0 0\nUUID=1 /snap xfs ro,norecovery 0 0"),
         fstab("UUID=1 /a xfs noatime 0 0\nUUID=1 /snap xfs ro,norecovery,nouuid 0 0")},
        {"unwise:xfs.no-file-type", kWarning, script("mkfs.xfs -m crc=0 -n ftype=0 /dev/d", {}, "5.10"),
         script("mkfs.xfs -m crc=0 -n ftype=1 /dev/d", {}, "5.10")},
        {"mount-refuses:xfs.overlay-needs-file-type", kError,
         script("mkfs.xfs -m crc=0 -n ftype=0 /dev/d", "docker", "5.10"),
         script("mkfs.xfs -m crc=0 -n ftype=1 /dev/d", "docker", "5.10")},
        {"mkfs-option-overridden", kWarning, script("mkfs.ext4 -E stride=16 -E stripe_width=32 /dev/d"),
         script("mkfs.ext4 -O ^64bit -O ^has_journal -E stride=16,stripe_width=32 /dev/d")},
        {"fstab-unknown-type", kError, fstab("UUID=1 /a ext5 defaults 0 0"),
         fstab("UUID=1 /a zfs defaults 0 0\nUUID=2 /b ext3 noatime 0 2\nx /c fuse.sshfs ro 0 0")},
        {"fstab-unknown-type", kError, fstab("UUID=1 /a XFS defaults 0 0"),
         fstab("UUID=1 /a jfs defaults 0 0\nUUID=2 /b vxfs ro 0 0\nUUID=3 /c auto ro 0 0")},
        {"script-unclosed-quote", kError, script("echo ok\necho \"abc\nmkfs.xfs /dev/d"),
         script("echo $'it\\'s'; awk '{print \"a\"}' x; cat <<E\ndon't\nE\n# it's a remark")},
        {"mount-wrong-type", kError, script("mkfs.ext4 /dev/d\nmount -t ext3 /dev/d /a"),
         script("mkfs.ext3 /dev/d\nmount -t ext3 -o data=journal /dev/d /a")},
        {"mount-refuses:ext4.data-needs-journal", kError,
         script("mke2fs -t ext4 -O ^has_journal /dev/d\nmount -o data=ordered /dev/d /a"),
         script("mke2fs -j /dev/d\nmount -o data=ordered /dev/d /a")},
        {"mkfs-refuses:ext4.bigalloc-needs-extent", kError,
         script("mke2fs -t ext3 -O bigalloc -C 16384 /dev/d"),
         script("mke2fs -t ext4 -O bigalloc -C 16384 /dev/d")},
        {"mount-refuses:xfs.logbsize-below-log-unit", kError,
         script("mkfs.xfs -l su=128k /dev/d\necho '/dev/d /a xfs logbsize=64k 0 0' >> /etc/fstab"),
         script("mkfs.xfs -l su=128k /dev/d\necho '/dev/e /a xfs logbsize=64k 0 0' >> /etc/fstab")},
        {"mount-wrong-type", kError,
         script("mkfs.xfs /dev/d\ncat >> /etc/fstab <<E\n/dev/d /a ext4 defaults 0 2\nE"),
         script("mkfs.ext4 /dev/d\ncat >> /etc/fstab <<E\n/dev/d /a ext4 defaults 0 2\nE")},
        {"mkfs-usage", kError, script("mkfs.xfs -i size=512 -i size=1024 /dev/d"),
         script("mkfs.xfs -m crc=1 -m reflink=0 -d su=64k -d sw=4 /dev/d")},
        {"mount-option-removed", kError, fstab("UUID=1 /a btrfs compress=zstd:abc 0 0", {}, "6.18"),
         fstab("UUID=1 /a btrfs compress=zstd:abc 0 0", {}, "6.1")},
        {"silent:btrfs.compress-zstd-unreadable", kWarning,
         fstab("UUID=1 /a btrfs compress=zstd:abc 0 0", {}, "6.1"),
         fstab("UUID=1 /a btrfs compress=zstd 0 0", {}, "6.1")},
        {"silent:btrfs.compress-zstd-above", kWarning, fstab("UUID=1 /a btrfs compress=zstd:30 0 0"),
         fstab("UUID=1 /a btrfs compress=zstd:15 0 0")},
        {"mkfs-refuses:btrfs.mixed-profiles", kError, script("mkfs.btrfs -M -O mixed-bg -d raid0 /dev/d"),
         script("mkfs.btrfs -O mixed-bg -n 4096 -d raid0 /dev/d")},
        {"durability-lowered:xfs.mount.barrier",
         kWarning,
         {"fstab", "UUID=1 / xfs nobarrier 0 0\n", {}, "3.2", {}, {}},
         {"fstab", "UUID=1 / xfs nobarrier 0 0\n", {}, "3.10", "rhel", "7"}},
    };
    for (const auto& kind : kinds) {
        CAPTURE(kind.id);
        const auto fires = must_lint(kind.fires);
        INFO(kind.fires.text << listing(fires));
        const auto* item = find(fires, kind.id);
        CHECK(item != nullptr);
        if (item != nullptr) {
            CHECK(item->severity == kind.severity);
            CHECK(!item->what.empty());
            CHECK(!item->consequence.empty());
            CHECK(!item->fix.empty());
            if (kind.id != "mkfs-usage") CHECK(!item->sources.empty());
        }
        const auto quiet = must_lint(kind.quiet);
        INFO(kind.quiet.text << listing(quiet));
        CHECK(find(quiet, kind.id) == nullptr);
    }
}

TEST_CASE("which of two exclusive options is active depends on their order") {
    const auto last_nodatacow = must_lint(fstab("UUID=1 /x btrfs compress=zstd,nodatacow 0 0"));
    const auto last_compress = must_lint(fstab("UUID=1 /x btrfs nodatacow,compress=zstd 0 0"));
    const std::string id = "silent:btrfs.compress-and-nodatacow";
    REQUIRE(find(last_nodatacow, id) != nullptr);
    REQUIRE(find(last_compress, id) != nullptr);
    CHECK(find(last_nodatacow, id)->what.find("'nodatacow' is active") != std::string::npos);
    CHECK(find(last_compress, id)->what.find("'compress=zstd' is active") != std::string::npos);
}

TEST_CASE("a number in other units than bytes is spelled out") {
    const auto result = must_lint(script("mkfs.xfs -d sunit=64,swidth=0 /dev/d"));
    CAPTURE(listing(result));
    const auto* item = find(result, "mkfs-refuses:xfs.sw-zero");
    REQUIRE(item != nullptr);
    CHECK(item->what.find("'sunit=64' counts units of 512 bytes: 32KiB") != std::string::npos);
    const auto plain = must_lint(script("mkfs.xfs -d su=64k,sw=0 /dev/d"));
    REQUIRE(find(plain, "mkfs-refuses:xfs.sw-zero") != nullptr);
    CHECK(find(plain, "mkfs-refuses:xfs.sw-zero")->what.find("counts units") == std::string::npos);
}

TEST_CASE("what follows from another option is not called the default") {
    for (const std::string type : {"ext4", "f2fs"}) {
        const auto result = must_lint(fstab("UUID=1 /a " + type + " noatime,nodiratime 0 0"));
        CAPTURE(listing(result));
        const auto* item = find(result, "no-effect:" + type + ".noatime-nodiratime");
        REQUIRE(item != nullptr);
        CHECK(item->subject == "nodiratime");
        CHECK(std::ranges::none_of(result.findings, [](const Finding& other) {
            return other.what.find("'nodiratime' is the default") != std::string::npos;
        }));
    }
}

TEST_CASE("an option that is ignored has one finding, which does not call it dangerous") {
    const auto result = must_lint({"fstab", "UUID=1 /data xfs nobarrier 0 0\n", {}, "3.10", "rhel", "7"});
    CAPTURE(listing(result));
    CHECK(result.findings.size() == 1);
    CHECK(find(result, "mount-option-deprecated") != nullptr);
}

TEST_CASE("the line of an unclosed quote is the one where it opens") {
    CHECK(unclosed_quote("a\nb 'c\nd\n")->line == 2);
    CHECK(unclosed_quote("a\nb \"c'\n")->quote == '"');
    CHECK(!unclosed_quote("a 'b' \"c'\" $'\\'' \\' # it's\n"));
    CHECK(!unclosed_quote("cat <<'E'\nit's \"open\nE\n"));
    CHECK(!unclosed_quote("[ -x \"`which \"ar\"`\" ] && echo \"$(echo \")\" '(' \"$(id \"x\")\")\" \"${a:-\"b\"}\"\n"));
    CHECK(!unclosed_quote("x=\"\\$(\" y=\"$(echo \\\" )\"\n"));
    CHECK(unclosed_quote("a \"$(echo \"b)\"\nc\n"));
    CHECK(!unclosed_quote("P=`cd \\`dirname \"$0\"\\`; pwd`/x\n"));
    // Nested deeper than anyone writes: no crash, no opinion needed.
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += "\"$(";
    (void)unclosed_quote(deep);
}
