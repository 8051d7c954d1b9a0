// What a file does not show: the format of a mounted volume, the arm that runs, the value of a variable. Each
// with a case where something is said and one where nothing may be.
#include <algorithm>

#include <doctest/doctest.h>

#include "advice/lint.h"
#include "advice/lint_fix.h"
#include "space/knowledge_files.h"

using namespace fsadvise;

namespace {

const Knowledge& knowledge() {
    static const Knowledge kLoaded = Knowledge::load(embedded_knowledge()).value();
    return kLoaded;
}

LintTarget target() {
    LintTarget result;
    result.host.kernel = "6.12";
    result.host.tools = {
        {"e2fsprogs", "1.47.0"}, {"xfsprogs", "6.1.0"}, {"btrfs-progs", "6.2"}, {"f2fs-tools", "1.15.0"}};
    return result;
}

LintResult must_lint(const std::string& text, const std::string& name) {
    auto result = lint(knowledge(), target(), text, name);
    if (!result) FAIL(to_text(result.error()));
    return *result;
}
LintResult script(const std::string& text) {
    return must_lint(text + "\n", "a.sh");
}
LintResult fstab(const std::string& text) {
    return must_lint(text + "\n", "fstab");
}

const Finding* find(const LintResult& result, std::string_view id, std::string_view subject = {}) {
    const auto found = std::ranges::find_if(result.findings, [&](const Finding& item) {
        return item.id.starts_with(id) && (subject.empty() || item.subject == subject);
    });
    return found == result.findings.end() ? nullptr : &*found;
}

int errors(const LintResult& result) {
    return static_cast<int>(std::ranges::count(result.findings, Severity::kError, &Finding::severity));
}

}  // namespace

TEST_CASE("an fstab does not show how a volume was formatted: the refusal is conditional") {
    for (const std::string line : {"UUID=1 /a xfs sunit=512,swidth=2048 0 0", "UUID=1 /a ext4 prjquota 0 2",
                                   "UUID=1 /a xfs logdev=/dev/vg/j 0 0", "UUID=1 /a xfs rtdev=/dev/vg/r 0 0",
                                   "UUID=1 /a btrfs space_cache 0 0"}) {
        CAPTURE(line);
        const auto result = fstab(line);
        CHECK(errors(result) == 0);
        const auto* item = find(result, "mount-refuses:");
        REQUIRE(item != nullptr);
        CHECK(item->severity == Severity::kWarning);
        CHECK(item->what.find("depends on how it was formatted") == 0);
    }
    CHECK(find(fstab("UUID=1 /a ext4 prjquota 0 2"), "mount-refuses:")->fix.find("tune2fs") !=
          std::string::npos);
    // Whatever the format is: no journal is loaded, so data= fails.
    CHECK(errors(fstab("UUID=1 /a ext4 ro,noload,data=ordered 0 2")) == 1);
    // The format is in the file: no doubt is left.
    CHECK(errors(script("mkfs.ext4 /dev/d; mount -t ext4 -o prjquota /dev/d /x")) == 1);
}

TEST_CASE("an external log or realtime device is judged with the mount that names it") {
    CHECK(errors(script("mkfs.xfs -l logdev=/dev/j /dev/d; mount -t xfs -o logdev=/dev/j /dev/d /x")) == 0);
    CHECK(errors(script("mkfs.xfs -r rtdev=/dev/r /dev/d; mount -t xfs -o rtdev=/dev/r /dev/d /x")) == 0);
    const auto missing = script("mkfs.xfs -l logdev=/dev/j /dev/d; mount -t xfs /dev/d /x");
    CHECK(find(missing, "mount-refuses:xfs.logdev-missing") != nullptr);
    REQUIRE(missing.pairs.size() == 1);
    CHECK_FALSE(missing.pairs[0].mounts);
}

TEST_CASE("arms of case and if exclude each other") {
    const auto* wrong = "mount-wrong-type";
    CHECK(find(script("case $T in\next4) mkfs.ext4 /dev/d ;;\nxfs) mkfs.xfs /dev/d;;\nesac\nmount -t \"$T\" "
                      "/dev/d /x"),
               wrong) == nullptr);
    CHECK(find(script("case $T in\next4) mkfs.ext4 /dev/d ;;\nxfs) mkfs.xfs /dev/d;;\nesac\nmount -t ext4 "
                      "/dev/d /x"),
               wrong) == nullptr);
    CHECK(find(script("case $T in\next4) mkfs.ext4 /dev/d ;;\nxfs) mkfs.xfs /dev/d;;\nesac\nmount -t btrfs "
                      "/dev/d /x"),
               wrong) != nullptr);
    CHECK(find(script("if a; then mkfs.xfs /dev/d; else mkfs.ext4 /dev/d; fi\nmount -t xfs /dev/d /x"),
               wrong) == nullptr);
    CHECK(find(script("if a; then mkfs.xfs /dev/d; mount -t xfs /dev/d /x; else mkfs.ext4 /dev/d; mount -t "
                      "ext4 /dev/d /x; "
                      "fi"),
               wrong) == nullptr);
    CHECK(find(script("if a; then mkfs.xfs /dev/d; mount -t ext4 /dev/d /x; fi"), wrong) != nullptr);
    CHECK(find(script("if a; then mkfs.ext4 /dev/d; fi\nmkfs.xfs /dev/d\nmount -t ext4 /dev/d /x"), wrong) !=
          nullptr);
    // The first argument of two functions is not the same device.
    CHECK(find(script("a() { mkfs.xfs $1\n}\nb() { mount -t ext4 $1 /x\n}"), wrong) == nullptr);
}

TEST_CASE("how many devices a variable, a glob or a brace list stands for is not known") {
    for (const std::string devices :
         {"$DISKS", "\"${DISKS[@]}\"", "\"$@\"", "/dev/sd[bc]", "/dev/sd{b,c}", "/dev/sd?"}) {
        CAPTURE(devices);
        CHECK(errors(script("mkfs.btrfs -d raid1 -m raid1 " + devices)) == 0);
    }
    CHECK(errors(script("mkfs.btrfs -d raid1 -m raid1 /dev/sdb")) == 2);
    CHECK(errors(script("DISKS=/dev/sdb\nmkfs.btrfs -d raid1 -m raid1 $DISKS")) == 2);
    CHECK(errors(script("DISKS='/dev/sdb /dev/sdc'\nmkfs.btrfs -d raid1 -m raid1 $DISKS")) == 0);
}

TEST_CASE("a read-only look at a snapshot loses nothing") {
    const auto result = fstab("UUID=1 /a xfs ro,norecovery,nouuid 0 0");
    REQUIRE(find(result, "durability-lowered:") != nullptr);
    CHECK(find(result, "durability-lowered:")->severity == Severity::kInfo);
    CHECK(std::ranges::count(result.findings, Severity::kWarning, &Finding::severity) == 0);
    CHECK(find(fstab("UUID=1 /a ext4 nobarrier 0 2"), "durability-lowered:")->severity == Severity::kWarning);
}

TEST_CASE("asking a tool for its help formats nothing") {
    for (const std::string line : {"mkfs.xfs --help", "mkfs.btrfs --version", "mkfs.ext4 -V"}) {
        CAPTURE(line);
        CHECK(script(line).findings.empty());
    }
    CHECK(errors(script("mkfs.xfs --hlep /dev/d")) > 0);
}

TEST_CASE("only a stage that formats needs an image whose tools are known") {
    CHECK(
        find(must_lint(
                 "FROM golang:1.22 AS build\nRUN go build\nFROM debian:12\nRUN apt-get install -y xfsprogs\n",
                 "Dockerfile"),
             "image-unknown") == nullptr);
    CHECK(find(must_lint("FROM golang:1.22\nRUN mkfs.xfs /img\n", "Dockerfile"), "image-unknown") != nullptr);
    // A stage built on a named stage has its tools.
    CHECK(find(must_lint("FROM debian:12 AS base\nFROM base\nRUN mkfs.xfs /img\n", "Dockerfile"),
               "image-unknown") == nullptr);
}

TEST_CASE("a text about something else is refused, not praised") {
    for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
             {"notes.txt", "This is prose.\nIt doesn't speak of disks.\n"},
             {"a.json", "{\"foo\": 1}\n"},
             {"b.json", "not json\n"},
             {"c.yaml", "foo: 1\nbar: [a, b]\n"}}) {
        CAPTURE(name);
        const auto result = lint(knowledge(), target(), text, name);
        REQUIRE_FALSE(result.has_value());
        CHECK(result.error().code == ErrorCode::kBadInput);
    }
    for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
             {"a.sh", "echo hello\n"},
             {"setup", "#!/bin/sh\necho hello\n"},
             {"<stdin>", "mount -a\n"},
             {"empty", "# nothing yet\n"},
             {"tasks.yml", "- name: x\n  package:\n    name: vim\n"}}) {
        CAPTURE(name);
        CHECK(lint(knowledge(), target(), text, name).has_value());
    }
}

TEST_CASE("a line is counted once, however many commands it has") {
    const auto result = script("mkfs.xfs /dev/a; mkfs.xfs /dev/b; mkfs.xfs /dev/c");
    CHECK(result.lines == 1);
    CHECK(result.checked == 1);
}

TEST_CASE("a misspelt option is corrected, not removed") {
    const auto corrected = [](const std::string& text, const std::string& name) {
        return fix_text(text, must_lint(text, name).findings).text;
    };
    CHECK(corrected("mkfs.xfs -m reflnk=0 /dev/d\n", "a.sh") == "mkfs.xfs -m reflink=0 /dev/d\n");
    CHECK(corrected("UUID=1 /a xfs noattime 0 0\n", "fstab") == "UUID=1 /a xfs noatime 0 0\n");
    CHECK(corrected("UUID=1 /a xfs noatime,wibblewobble 0 0\n", "fstab") == "UUID=1 /a xfs noatime 0 0\n");
}

TEST_CASE("a mount unit inside user data does not hide the rest") {
    const auto result = must_lint(
        "#cloud-config\nwrite_files:\n- path: /etc/systemd/system/a.mount\n  content: |\n    [Mount]\n"
        "    What=/dev/vg/a\n    Where=/a\n    Type=xfs\nmounts:\n- [ /dev/vg/b, /b, xfs, nobarrier, \"0\", "
        "\"0\" ]\n",
        "seed.yaml");
    CHECK(find(result, "mount-option-removed", "nobarrier") != nullptr);
    CHECK(find(result, "mount-unit-key") == nullptr);
}

TEST_CASE("constants of a script are followed, other variables are named") {
    CHECK(find(script("OPTS=\"noatime,nobarrier\"\nmount -t xfs -o \"$OPTS\" /dev/d /x"),
               "mount-option-removed") != nullptr);
    CHECK(find(script("FS=xfs\nmkfs.$FS -m reflnk=0 /dev/d"), "mkfs-option-unknown") != nullptr);
    CHECK(find(script("O='-m reflnk=0'\nmkfs.xfs $O /dev/d"), "mkfs-option-unknown") != nullptr);
    CHECK(find(script("export FS=xfs\nmkfs.${FS} -m reflink=0 /dev/d"), "script-options-unknown") == nullptr);
    // Two values, a loop, an input: not a constant.
    CHECK(find(script("O=nobarrier\nO=noatime\nmount -t xfs -o $O /dev/d /x"), "mount-option-removed") ==
          nullptr);
    CHECK(find(script("O=noatime\nO+=,x\nmount -t xfs -o $O /dev/d /x"), "script-options-unknown") !=
          nullptr);
    CHECK(find(script("for O in nobarrier noatime; do mount -t xfs -o $O /dev/d /x; done"),
               "script-options-unknown") != nullptr);
    CHECK(find(script("mkfs.xfs $O /dev/d"), "script-options-unknown") != nullptr);
    CHECK(find(script("mkfs.$T /dev/d"), "script-options-unknown") != nullptr);
    CHECK(find(script("mkfs.xfs -L $LABEL /dev/d"), "script-options-unknown") == nullptr);
    CHECK(find(script("mkfs.btrfs $A $B"), "script-options-unknown") == nullptr);
    // No verdict over a mount whose options are not known.
    CHECK(script("mkfs.xfs /dev/d\nmount -t xfs -o $O /dev/d /x").pairs.empty());
}

TEST_CASE("a remount cannot change everything") {
    const auto unknown = script("mount -t ext4 -o remount,data=journal /a");
    REQUIRE(find(unknown, "remount-refused", "data=journal") != nullptr);
    CHECK(find(unknown, "remount-refused")->severity == Severity::kWarning);
    const auto known = script("mount -t ext4 /dev/d /a\nmount -o remount,data=journal /a");
    REQUIRE(find(known, "remount-refused", "data=journal") != nullptr);
    CHECK(find(known, "remount-refused")->severity == Severity::kError);
    CHECK(find(script("mount -t xfs -o remount,logbsize=256k /a"), "remount-ignored") != nullptr);
    CHECK(find(script("mount -t ext4 -o data=journal /dev/d /a\nmount -o remount,data=journal /a"),
               "remount-") == nullptr);
    CHECK(find(script("mount -t ext4 -o remount,noatime /a"), "remount-") == nullptr);
    // The way back to a default.
    CHECK(find(script("mount -t ext4 -o remount,barrier /a"), "default-value") == nullptr);
}

TEST_CASE("a fresh filesystem has no subvolume") {
    const auto result = script("mkfs.btrfs -f /dev/d\nmount -t btrfs -o subvol=@ /dev/d /x");
    CHECK(find(result, "mount-subvolume-missing") != nullptr);
    REQUIRE(result.pairs.size() == 1);
    CHECK_FALSE(result.pairs[0].mounts);
    CHECK(find(script("mkfs.btrfs /dev/d\nmount /dev/d /m\nbtrfs subvolume create /m/@\nmount -o subvol=@ "
                      "/dev/d /x"),
               "mount-subvolume-missing") == nullptr);
    CHECK(find(script("mkfs.btrfs /dev/d\nmount -o subvol=/ /dev/d /x"), "mount-subvolume-missing") ==
          nullptr);
    CHECK(find(fstab("UUID=1 /a btrfs subvol=@ 0 0"), "mount-subvolume-missing") == nullptr);
}

TEST_CASE("behind a quote that is never closed nothing is judged") {
    const auto result =
        script("mount -t xfs -o nobarrier /dev/a /a\nmkfs.xfs -m 'reflink=0 /dev/d\nmkfs.xfs -q /dev/e");
    CHECK(find(result, "script-unclosed-quote") != nullptr);
    CHECK(find(result, "mount-option-removed", "nobarrier") != nullptr);
    CHECK(std::ranges::count_if(result.findings, [](const Finding& item) { return item.line > 1; }) == 1);
}

TEST_CASE("a figure out of range is answered with the direction") {
    CHECK(find(fstab("UUID=1 /b ext4 commit=-5 0 2"), "mount-refuses:ext4.mount.commit")->fix ==
          "use 1 or more");
}

TEST_CASE("waiting for the network without _netdev names what is missing") {
    const auto result =
        fstab("/dev/disk/cloud/r-part1 /mnt ext4 nofail,x-systemd.requires=cloud-init.service 0 0");
    REQUIRE(find(result, "fstab-ordering-cycle") != nullptr);
    CHECK(find(result, "fstab-ordering-cycle")->what.find("_netdev is missing") == 0);
}
