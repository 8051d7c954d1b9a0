#include <doctest/doctest.h>

#include "advice/lint.h"

using namespace fsadvise;

TEST_CASE("a Btrfs profile is judged by the devices that the command names") {
    const auto knowledge = Knowledge::load(embedded_knowledge());
    REQUIRE(knowledge.has_value());
    LintTarget target;
    target.host.kernel = "6.1";
    target.host.tools = {{"btrfs-progs", "6.2"}};
    const auto errors = [&](const std::string& command) {
        const auto result = lint_script(*knowledge, target, command, "make.sh");
        REQUIRE(result.has_value());
        return std::count_if(result->findings.begin(), result->findings.end(),
                             [](const Finding& finding) { return finding.severity == Severity::kError; });
    };
    CHECK(errors("mkfs.btrfs -m raid1 -d raid1 /dev/disk/by-id/a /dev/disk/by-id/b\n") == 0);
    CHECK(errors("mkfs.btrfs -m raid1 -d raid1 /dev/disk/by-id/a\n") > 0);
    CHECK(errors("mkfs.btrfs -m raid1c3 -d single /dev/disk/by-id/a /dev/disk/by-id/b\n") > 0);
    CHECK(errors("mkfs.btrfs -m raid10 -d raid10 /dev/disk/by-id/a /dev/disk/by-id/b\n") == 0);
}
