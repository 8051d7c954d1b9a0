#include <algorithm>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "advice/lint.h"
#include "advice/lint_shell.h"
#include "base/fd.h"
#include "space/knowledge_files.h"

#include "unit/advice_fixture.h"

using namespace fsadvise;
using fsadvise::testing::must_load;
using fsadvise::testing::rule_text;

namespace {

// Lint tests use the real knowledge: they are about what people get to read.
const Knowledge& knowledge() {
    static const auto kKnowledge = Knowledge::load(embedded_knowledge());
    if (!kKnowledge) FAIL(to_text(kKnowledge.error()));
    return *kKnowledge;
}

LintTarget linux_with(const std::string& kernel) {
    LintTarget target;
    target.host.kernel = kernel;
    target.host.tools = {
        {"e2fsprogs", "1.47.0"}, {"xfsprogs", "6.1.0"}, {"btrfs-progs", "6.2"}, {"f2fs-tools", "1.15.0"}};
    return target;
}

LintResult must_lint(std::string_view text, const std::string& file,
                     const LintTarget& target = linux_with("6.18")) {
    auto result = lint(knowledge(), target, text, file);
    if (!result) FAIL(to_text(result.error()));
    return *result;
}

const Finding* find(const LintResult& result, std::string_view id, std::string_view subject = {}) {
    const auto found = std::ranges::find_if(result.findings, [&](const Finding& item) {
        return item.id.find(id) != std::string::npos && (subject.empty() || item.subject == subject);
    });
    return found == result.findings.end() ? nullptr : &*found;
}

int count(const LintResult& result, Severity severity) {
    return static_cast<int>(std::ranges::count_if(
        result.findings, [&](const Finding& item) { return item.severity == severity; }));
}

std::string listing(const LintResult& result) {
    std::string text;
    for (const auto& item : result.findings) {
        text += std::to_string(item.line) + " " + to_text(item.severity) + " " + item.id + " [" +
                item.subject + "] " + item.what + "\n";
    }
    return text;
}

void check_complete(const LintResult& result) {
    for (const auto& item : result.findings) {
        CAPTURE(item.id);
        CHECK(item.line > 0);
        CHECK(!item.file.empty());
        CHECK(!item.subject.empty());
        CHECK(!item.what.empty());
        CHECK(!item.consequence.empty());
        CHECK(!item.fix.empty());
    }
}

}  // namespace

TEST_CASE("shell words: quotes, escapes, comments, continuations, separators") {
    const auto commands = split_shell(
        "a 'b c' \"d $E\" f\\ g # comment\n"
        "h \\\n  i && j; k | l\n"
        "m $(n o) ${p q} `r s` t#u > /out 2>&1\n");
    REQUIRE(commands.size() == 6);
    CHECK(commands[0].words == std::vector<std::string>{"a", "b c", "d $E", "f g"});
    CHECK(commands[0].line == 1);
    CHECK(commands[1].words == std::vector<std::string>{"h", "i"});
    CHECK(commands[1].line == 2);
    CHECK(commands[2].words == std::vector<std::string>{"j"});
    CHECK(commands[2].line == 3);
    CHECK(commands[3].piped);
    CHECK(commands[5].words == std::vector<std::string>{"m", "$(n o)", "${p q}", "`r s`", "t#u"});
    CHECK(commands[5].outputs.front() == "/out");
    CHECK(commands[5].line == 4);
}

TEST_CASE("here documents are kept apart from commands") {
    const auto commands = split_shell("cat >> /etc/fstab <<'END'\nline one\nline two\nEND\nafter\n");
    REQUIRE(commands.size() == 2);
    CHECK(commands[0].here_document == "line one\nline two\n");
    CHECK(commands[0].here_line == 2);
    CHECK(commands[1].words == std::vector<std::string>{"after"});
    CHECK(commands[1].line == 5);
}

TEST_CASE("unfinished shell ends") {
    for (const auto* text : {"'", "\"", "$(", "${", "`", "\\", "<<", "a <<X", "a >", "&", "(((", "\"$("}) {
        CAPTURE(text);
        (void)split_shell(text);
    }
}

TEST_CASE("prefixes are stripped") {
    using Words = std::vector<std::string>;
    CHECK(strip_prefixes({"sudo", "-u", "root", "-n", "mount", "x"}) == Words{"mount", "x"});
    CHECK(strip_prefixes({"env", "A=1", "B=2", "mkfs.xfs"}) == Words{"mkfs.xfs"});
    CHECK(strip_prefixes({"A=1", "/usr/bin/sudo", "mount"}) == Words{"mount"});
    CHECK(strip_prefixes({"if", "!", "timeout", "-k", "5", "60", "mount"}) == Words{"mount"});
    CHECK(strip_prefixes({"$SUDO", "mount", "x"}) == Words{"mount", "x"});
    CHECK(strip_prefixes({"sudo"}).empty());
    CHECK(strip_prefixes({""}) == Words{""});
}

TEST_CASE("the kind of file is told by name and content") {
    CHECK(must_lint("LABEL=a /a xfs nobarrier 0 0\n", "-").checked == 1);
    CHECK(must_lint("mkfs.xfs /dev/sdb1\nmount /dev/sdb1 /a\n", "-").pairs.size() == 1);
    CHECK(must_lint("# nothing\n", "fstab").findings.empty());
}

TEST_CASE("a removed option on the root filesystem stops the boot") {
    const auto text = "LABEL=root / xfs defaults,discard,noatime,nobarrier 0 1\n";
    const auto result = must_lint(text, "fstab");
    CAPTURE(listing(result));
    const auto* removed = find(result, "mount-option-removed", "nobarrier");
    REQUIRE(removed != nullptr);
    CHECK(removed->severity == Severity::kError);
    CHECK(removed->what.find("4.19") != std::string::npos);
    CHECK(removed->consequence.find("does not boot") != std::string::npos);
    CHECK(!removed->sources.empty());
    CHECK(find(result, "durability") == nullptr);  // it is refused, so it cannot lower anything
    const auto* pass = find(result, "fstab-pass");
    REQUIRE(pass != nullptr);
    CHECK(pass->severity == Severity::kInfo);
    check_complete(result);
}

TEST_CASE("the verdict depends on the kernel: not removed before, a warning if unknown") {
    const auto text = "LABEL=data /data xfs nobarrier 0 0\n";
    CHECK(find(must_lint(text, "fstab", linux_with("4.14")), "mount-option-removed") == nullptr);
    CHECK(count(must_lint(text, "fstab", linux_with("4.14")), Severity::kError) == 0);
    const auto unknown = must_lint(text, "fstab", LintTarget{});
    const auto* removed = find(unknown, "mount-option-removed");
    REQUIRE(removed != nullptr);
    CHECK(removed->severity == Severity::kWarning);
    CHECK(removed->what.find("4.19") != std::string::npos);
}

TEST_CASE("an option of another filesystem is named with its owner") {
    const auto result = must_lint("LABEL=root / xfs errors=remount-ro 0 0\n", "fstab");
    const auto* foreign = find(result, "mount-option-foreign");
    REQUIRE(foreign != nullptr);
    CHECK(foreign->severity == Severity::kError);
    CHECK(foreign->what.find("ext4") != std::string::npos);
}

TEST_CASE("an unknown option suggests the nearest one") {
    const auto result = must_lint("LABEL=a /a xfs allocsiz=1m,nofail 0 0\n", "fstab");
    const auto* unknown = find(result, "mount-option-unknown");
    REQUIRE(unknown != nullptr);
    CHECK(unknown->severity == Severity::kError);
    CHECK(unknown->what.find("allocsize") != std::string::npos);
    CHECK(unknown->consequence.find("without it") != std::string::npos);
}

TEST_CASE("fstab lines: comments, escapes, missing fields, wrong fields, other types") {
    const auto result = must_lint(
        "# comment with nobarrier\n"
        "\n"
        "UUID=1 /with\\040blank xfs noatime\n"
        "UUID=2 none swap sw 0 0\n"
        "tmpfs /tmp tmpfs size=1G,mode=1777 0 0\n"
        "UUID=3 /a ext4\n"
        "UUID=4 /b xfs noatime, nofail 0 0 0\n"
        "UUID=5 /c\n",
        "fstab");
    CAPTURE(listing(result));
    CHECK(result.lines == 8);
    CHECK(result.checked == 2);
    REQUIRE(count(result, Severity::kError) == 2);
    CHECK(result.findings[0].id == "fstab-fields");
    CHECK(result.findings[0].line == 7);
    CHECK(result.findings[1].line == 8);
}

TEST_CASE("device names that can change are warned of, stable ones are not") {
    const auto names = [](const std::string& name) {
        return find(must_lint(name + " /a ext4 noatime 0 2\n", "fstab"), "unstable") != nullptr;
    };
    for (const auto* name : {"/dev/sda1", "/dev/nvme1n1", "/dev/nvme0n1p2", "/dev/vdb1", "/dev/xvdf"})
        CHECK(names(name));
    for (const auto* name :
         {"UUID=1", "LABEL=x", "/dev/mapper/vg-lv", "/dev/vg/lv", "/dev/disk/by-id/nvme-x", "/dev/md0"})
        CHECK_FALSE(names(name));
}

TEST_CASE("subvolumes share one superblock") {
    const auto result = must_lint(
        "LABEL=pool / btrfs subvol=@,compress=zstd:1,noatime 0 0\n"
        "LABEL=pool /pg btrfs subvol=@pg,nodatacow,noatime 0 0\n"
        "LABEL=pool /home btrfs subvol=@home,compress=zstd:1 0 0\n"
        "LABEL=other /o btrfs nodatacow 0 0\n",
        "fstab");
    CAPTURE(listing(result));
    const auto* shared = find(result, "shared-superblock-options");
    REQUIRE(shared != nullptr);
    CHECK(shared->line == 2);
    CHECK(shared->subject == "nodatacow");
    CHECK(std::ranges::count_if(result.findings, [](const Finding& item) {
              return item.id == "shared-superblock-options";
          }) == 1);
}

TEST_CASE("what is the default or implied already is only information") {
    const auto result = must_lint("LABEL=a /a xfs noatime,nodiratime,logbufs=8,inode64 0 0\n", "fstab");
    CAPTURE(listing(result));
    REQUIRE(find(result, "nodiratime", "nodiratime") != nullptr);
    CHECK(find(result, "nodiratime", "nodiratime")->severity == Severity::kInfo);
    REQUIRE(find(result, "default-value", "logbufs=8") != nullptr);
    CHECK(find(result, "default-value", "inode64") != nullptr);
    CHECK(count(result, Severity::kError) == 0);
    CHECK(count(result, Severity::kWarning) == 0);
}

TEST_CASE("a default that takes part in a conflict is not called redundant") {
    const auto result = must_lint("UUID=1 /a ext4 journal_async_commit,data=ordered 0 2\n", "fstab");
    CAPTURE(listing(result));
    CHECK(count(result, Severity::kError) == 1);
    CHECK(find(result, "default-value") == nullptr);
    CHECK(find(result, "durability-lowered:ext4.mount.data") == nullptr);
}

TEST_CASE("an option that lowers durability is a warning, unless the role bears it") {
    const auto text = "UUID=1 /a ext4 data=writeback 0 2\n";
    const auto strict = must_lint(text, "fstab");
    const auto* lowered = find(strict, "durability-lowered");
    REQUIRE(lowered != nullptr);
    CHECK(lowered->severity == Severity::kWarning);
    auto target = linux_with("6.18");
    for (const auto& workload : knowledge().workloads()) {
        if (workload.durability != "strict") target.workload = workload.id;
    }
    if (!target.workload.empty())
        CHECK(find(must_lint(text, "fstab", target), "durability-lowered") == nullptr);
}

TEST_CASE("clean files have no findings at all") {
    CHECK(listing(must_lint("UUID=1 / ext4 noatime 0 1\nUUID=2 /data xfs noatime,nofail 0 0\n", "fstab")) ==
          "");
    CHECK(listing(must_lint("#!/bin/sh\nset -e\nmkfs.xfs -f \"$DEV\"\nmount \"$DEV\" /mnt\nls | sort\n",
                            "a.sh")) == "");
}

TEST_CASE("mount fails that need the format are found through the pair") {
    const auto result = must_lint(
        "DEV=/dev/vdb1\n"
        "sudo mkfs.ext4 -O ^has_journal \\\n"
        "   -E lazy_itable_init=0 $DEV &&\n"
        "sudo mount -o noatime,data=writeback $DEV /var/www\n",
        "setup.sh");
    CAPTURE(listing(result));
    REQUIRE(result.pairs.size() == 1);
    CHECK(result.pairs[0].mkfs_line == 2);
    CHECK(result.pairs[0].mount_line == 4);
    CHECK(result.pairs[0].filesystem == "ext4");
    CHECK(result.pairs[0].device == "/dev/vdb1");  // DEV is a constant of the script
    CHECK(result.pairs[0].formats);
    CHECK_FALSE(result.pairs[0].mounts);
    const auto alone = must_lint("mount -t ext4 -o noatime,data=writeback /dev/vdb1 /var/www\n", "setup.sh");
    CHECK(count(alone, Severity::kError) == 0);
}

TEST_CASE("a new format of the device starts a new pair") {
    const auto result = must_lint(
        "mkfs.xfs -f /dev/vdb1\nmount -o nobarrier /dev/vdb1 /a\n"
        "mkfs.ext4 -F /dev/vdb1\nmount /dev/vdb1 /a\nmount /dev/vdc1 /b\n",
        "a.sh");
    REQUIRE(result.pairs.size() == 2);
    CHECK(result.pairs[0].filesystem == "xfs");
    CHECK_FALSE(result.pairs[0].mounts);
    CHECK(result.pairs[1].filesystem == "ext4");
    CHECK(result.pairs[1].mounts);
}

TEST_CASE("a type that differs from the format is an error") {
    const auto result = must_lint("mkfs.xfs -f /dev/vdb1\nmount -t ext4 /dev/vdb1 /a\n", "a.sh");
    CHECK(find(result, "mount-wrong-type") != nullptr);
    REQUIRE(result.pairs.size() == 1);
    CHECK_FALSE(result.pairs[0].mounts);
}

TEST_CASE("mkfs commands in their many forms") {
    for (const auto* command :
         {"mkfs.xfs -f -d agcount=0 /dev/vdb1", "mkfs -t xfs -f -d agcount=0 /dev/vdb1",
          "/sbin/mkfs.xfs -f -dagcount=0 /dev/vdb1", "env LANG=C mkfs.xfs -d agcount=0 /dev/vdb1",
          "if ! mkfs.xfs -d agcount=0 /dev/vdb1; then exit 1; fi"}) {
        CAPTURE(command);
        CHECK(count(must_lint(std::string(command) + "\n", "a.sh"), Severity::kError) >= 1);
    }
    CHECK(must_lint("mkfs.vfat -F 32 /dev/vdb1\nmkswap /dev/vdb2\nmkfs.xfs -V\n", "a.sh").findings.empty());
}

TEST_CASE("fstab lines written by a script are checked") {
    const auto here = must_lint("cat >> /etc/fstab <<END\nLABEL=a /a xfs nobarrier 0 0\nEND\n", "a.sh");
    REQUIRE(find(here, "mount-option-removed") != nullptr);
    CHECK(find(here, "mount-option-removed")->line == 2);
    CHECK(find(must_lint("echo 'LABEL=a /a xfs nobarrier 0 0' >> /etc/fstab\n", "a.sh"),
               "mount-option-removed") != nullptr);
    CHECK(find(must_lint("echo \"LABEL=a /a xfs nobarrier 0 0\" | sudo tee -a /etc/fstab\n", "a.sh"),
               "mount-option-removed") != nullptr);
    CHECK(must_lint("echo 'LABEL=a /a xfs nobarrier 0 0'\n", "a.sh").findings.empty());
}

TEST_CASE("no-copy-on-write is explained on Btrfs and refused elsewhere") {
    const auto btrfs = must_lint("mkfs.btrfs -f /dev/vdb1\nmount /dev/vdb1 /db\nchattr +C /db/pg\n", "a.sh");
    REQUIRE(find(btrfs, "chattr-no-cow") != nullptr);
    CHECK(find(btrfs, "chattr-no-cow")->severity == Severity::kWarning);
    const auto xfs = must_lint("mkfs.xfs -f /dev/vdb1\nmount /dev/vdb1 /db\nchattr +C /db/pg\n", "a.sh");
    REQUIRE(find(xfs, "chattr-no-cow-elsewhere") != nullptr);
}

TEST_CASE("words with variables are not judged") {
    const auto result = must_lint("mkfs.xfs -f -d agcount=$N $DEV\nmount -o $OPTS $DEV /a\n", "a.sh");
    REQUIRE(result.findings.size() == 1);
    CHECK(result.findings[0].id == "script-options-unknown");
}

TEST_CASE("the six published recipes: four do not mount on Linux 6.x") {
    const auto text = read_file(std::string(FSADVISE_SOURCE_DIR) + "/tests/knowledge/data/seed_recipes.sh");
    REQUIRE(text);
    const auto result = must_lint(*text, "seed_recipes.sh");
    CAPTURE(listing(result));
    REQUIRE(result.pairs.size() == 6);
    const std::vector<bool> mounts = {false, false, false, false, true, true};
    for (std::size_t i = 0; i < 6; ++i) {
        CAPTURE(i);
        CHECK(result.pairs[i].formats);
        CHECK(result.pairs[i].mounts == mounts[i]);
    }
    CHECK(find(result, "chattr-no-cow") != nullptr);
    check_complete(result);
}

TEST_CASE("bounds are errors, not crashes") {
    CHECK(!lint_fstab(knowledge(), {}, std::string((64u << 10) + 1, 'a'), "fstab"));
    CHECK(!lint_script(knowledge(), {}, std::string((64u << 10) + 1, 'a'), "a.sh"));
    const std::string line(1000, '#');
    std::string long_file;
    while (long_file.size() <= (16u << 20)) long_file.append(line).push_back('\n');
    const auto result = lint(knowledge(), {}, long_file, "a.sh");
    REQUIRE(!result);
    CHECK(result.error().code == ErrorCode::kBadInput);
}

TEST_CASE("the document lists findings and pairs") {
    const auto document =
        to_json(must_lint("mkfs.xfs -f /dev/vdb1\nmount -o nobarrier /dev/vdb1 /a\n", "a.sh"));
    CHECK(document.at("schema_version") == 1);
    CHECK(document.at("pairs").at(0).at("mounts") == false);
    CHECK(document.at("findings").at(0).at("severity") == "error");
}
