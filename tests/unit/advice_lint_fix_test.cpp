// Suppression comments, mechanical corrections, mounted filesystems and the comparison of two targets.
#include <algorithm>

#include <doctest/doctest.h>

#include "advice/lint_fix.h"
#include "advice/lint_mounted.h"
#include "advice/lint_suppress.h"
#include "space/knowledge_files.h"

using namespace fsadvise;

namespace {

const Knowledge& knowledge() {
    static const Knowledge kLoaded = Knowledge::load(embedded_knowledge()).value();
    return kLoaded;
}

LintTarget target(const std::string& kernel) {
    LintTarget result;
    result.host.kernel = kernel;
    result.host.tools = {{"e2fsprogs", "1.47.0"}, {"xfsprogs", "6.1.0"}, {"btrfs-progs", "6.2"}};
    return result;
}

std::string fixed(const std::string& text, const std::string& file, std::size_t errors_left = 0) {
    const auto before = lint(knowledge(), target("6.12"), text, file);
    REQUIRE(before);
    const auto result = fix_text(text, before->findings);
    const auto after = lint(knowledge(), target("6.12"), result.text, file);
    REQUIRE(after);
    CHECK(static_cast<std::size_t>(std::ranges::count_if(after->findings, [](const Finding& item) {
              return item.severity == Severity::kError;
          })) == errors_left);
    return result.text;
}

bool has(const LintResult& result, const std::string& id) {
    return std::ranges::any_of(result.findings, [&](const Finding& item) { return item.id == id; });
}

}  // namespace

TEST_CASE("a table is corrected in place, comments and order stay") {
    CHECK(fixed("# data\nUUID=1 /a xfs noatime,nobarrier,logbsize=256k 0 2 # kept\n\nUUID=2 /b ext4 noatime "
                "0 2\n",
                "fstab") ==
          "# data\nUUID=1 /a xfs noatime,logbsize=256k 0 0 # kept\n\nUUID=2 /b ext4 noatime 0 2\n");
    CHECK(fixed("UUID=1\t/a\txfs\tnobarrier\t0\t0\n", "fstab") == "UUID=1\t/a\txfs\tdefaults\t0\t0\n");
    CHECK(fixed("UUID=1 /a xfs nobarrier,noatime 0 0", "fstab") == "UUID=1 /a xfs noatime 0 0");
}

TEST_CASE("commands lose the option, and the flag with its last option") {
    CHECK(fixed("mount -t xfs -o nobarrier /dev/vdb /a\n", "a.sh") == "mount -t xfs /dev/vdb /a\n");
    CHECK(fixed("mount -t xfs -o noatime,nobarrier /dev/vdb /a\n", "a.sh") ==
          "mount -t xfs -o noatime /dev/vdb /a\n");
    CHECK(fixed("mount -t xfs \\\n  -o nobarrier,noatime \\\n  /dev/vdb /a\n", "a.sh") ==
          "mount -t xfs \\\n  -o noatime \\\n  /dev/vdb /a\n");
    CHECK(fixed("mkfs.xfs -m nosuchthing=1 /dev/vdb\n", "a.sh") == "mkfs.xfs /dev/vdb\n");
    CHECK(fixed("mkfs.xfs -m reflink=0,nosuchthing=1 /dev/vdb\n", "a.sh") ==
          "mkfs.xfs -m reflink=0 /dev/vdb\n");
}

TEST_CASE("what needs a decision is left to a person") {
    const std::string text = "UUID=1 /a ext4 data=writeback,nosuchthing,noatime 0 2\n";
    const auto before = lint(knowledge(), target("6.12"), text, "fstab");
    REQUIRE(before);
    const auto result = fix_text(text, before->findings);
    CHECK(result.text == "UUID=1 /a ext4 data=writeback,noatime 0 2\n");
    CHECK_FALSE(result.left.empty());
    CHECK(fix_text("", {}).text.empty());
    Finding elsewhere;
    elsewhere.id = "mount-option-removed";
    elsewhere.subject = "nobarrier";
    elsewhere.line = 99;
    CHECK(fix_text(text, {elsewhere}).left.size() == 1);
}

TEST_CASE("comments suppress findings on their line and the next") {
    const std::string text =
        "# fsadvise: ignore mount-option-removed until the upgrade\n"
        "UUID=1 /a xfs nobarrier 0 0\n"
        "UUID=2 /b xfs nobarrier 0 0\n"
        "# fsadvise: ignore fstab-fields nothing here\n";
    auto result = lint(knowledge(), target("6.12"), text, "fstab");
    REQUIRE(result);
    const auto suppressed = apply_suppressions(text, "fstab", *result);
    REQUIRE(suppressed.size() == 1);
    CHECK(suppressed.front().line == 2);
    CHECK(has(*result, "mount-option-removed"));
    CHECK(has(*result, "suppression-unused"));
}

TEST_CASE("a family and 'all' suppress too; other comments do not") {
    LintResult result;
    Finding one, two;
    one.id = "mkfs-refuses:xfs.x";
    two.id = "default-value";
    one.line = two.line = 1;
    result.findings = {one, two};
    CHECK(apply_suppressions("x # fsadvise: ignore mkfs-refuses reason", "f", result).size() == 1);
    CHECK(result.findings.size() == 1);
    CHECK(apply_suppressions("x // fsadvise: ignore all", "f", result).size() == 1);
    result.findings = {one};
    CHECK(apply_suppressions("echo fsadvise: ignore all", "f", result).empty());
}

TEST_CASE("an upgrade shows only what it adds") {
    const std::string text = "UUID=1 /a xfs nobarrier,nosuchthing 0 0\n";
    const auto now = lint(knowledge(), target("4.9"), text, "fstab");
    const auto then = lint(knowledge(), target("6.12"), text, "fstab");
    REQUIRE(now);
    REQUIRE(then);
    const auto added = added_findings(*now, *then);
    CHECK(has(added, "mount-option-removed"));
    CHECK_FALSE(has(added, "mount-option-unknown"));
    CHECK(added_findings(*then, *then).findings.empty());
}

TEST_CASE("mounted filesystems: chosen options are judged, listed defaults are not") {
    MountedFilesystem plain{"/a", "/dev/vdb", "ext4", "rw,relatime", {}, std::nullopt};
    CHECK(lint_mounted(knowledge(), target("6.12"), {plain}).findings.empty());
    MountedFilesystem risky{"/b", "/dev/vdc", "ext4", "rw,relatime,nobarrier", {}, std::nullopt};
    const auto result = lint_mounted(knowledge(), target("6.12"), {risky});
    REQUIRE_FALSE(result.findings.empty());
    CHECK(result.findings.front().file == "/b");
    CHECK(result.findings.front().line == 0);
    CHECK(result.checked == 1);
}
