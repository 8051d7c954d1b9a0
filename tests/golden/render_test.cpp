// Golden files for every renderer. FSADVISE_UPDATE_GOLDEN=1 rewrites them; review the diff before committing.
#include "output/render.h"

#include <cstdlib>
#include <filesystem>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/fd.h"

using namespace fsadvise;

namespace {

const Knowledge& knowledge() {
    static const Knowledge kLoaded = Knowledge::load(embedded_knowledge()).value();
    return kLoaded;
}

void check_golden(const std::string& name, const std::string& text) {
    const std::string path = std::string(FSADVISE_SOURCE_DIR) + "/tests/golden/expected/" + name;
    if (std::getenv("FSADVISE_UPDATE_GOLDEN") != nullptr) {
        std::filesystem::create_directories(std::filesystem::path(path).parent_path());
        REQUIRE(write_file_atomically(path, text).has_value());
    }
    const auto expected = read_file(path);
    REQUIRE(expected.has_value());
    CHECK(text == *expected);
}

// Built by hand, so that a golden file changes only when a renderer does.
Advice advice() {
    Advice made;
    made.request.workload = "postgres";
    made.request.host.kernel = "6.1";
    made.request.host.distribution = "debian";
    made.request.host.distribution_version = "12";
    made.request.host.cores = 4;
    made.request.host.device = BlockDevice{};
    made.request.host.device->media = "nvme";
    made.request.host.device->size_bytes = 500ull << 30;
    made.request.mount_point = "/srv/my data";
    made.workload_title = "PostgreSQL";
    made.knowledge_digest = "0123456789abcdef";
    Recommendation best;
    best.configuration = {
        "xfs", {{"xfs.mkfs.agcount", std::int64_t{8}}, {"xfs.mount.atime", std::string("noatime")}}};
    best.commands.mkfs = {"mkfs.xfs", "-d", "agcount=8"};
    best.commands.mount_options = "noatime";
    best.commands.filesystem = "xfs";
    best.score = 12.5;
    best.choices = {{"filesystem",
                     "xfs",
                     std::string("xfs"),
                     "It won the benchmark.",
                     "R-X-001",
                     "moderate",
                     {"a source"}},
                    {"xfs.mkfs.agcount",
                     "-d agcount=8",
                     std::int64_t{8},
                     "More writers than groups; it's \"enough\".",
                     "R-X-002",
                     "weak",
                     {"one", "two", "three"}},
                    {"xfs.mount.atime",
                     "noatime",
                     std::string("noatime"),
                     "Nobody asks for read times.",
                     "R-X-003",
                     "weak",
                     {}}};
    best.warnings = {"Watch the log size."};
    Recommendation second;
    second.configuration = {"ext4", {}};
    second.commands.mkfs = {"mkfs.ext4"};
    second.commands.filesystem = "ext4";
    second.against = {"XFS won by 6 points."};
    made.ranked = {best, second};
    made.excluded = {"f2fs: the target kernel has no f2fs"};
    made.rejected = {{"XFS nobarrier", "xfs", "The mount fails.", "removed in Linux 4.19", "R-X-004", {}}};
    made.application = {{"postgresql", "full_page_writes", "on", "Pages are not written whole.", {}}};
    made.warnings = {"A warning for all."};
    made.notes = {"A note."};
    made.confidence = {"moderate", "Two benchmarks of 2021."};
    made.prove_command = "fsadvise tune --workload postgres --scratch-file ./scratch --size 4G --budget 10m";
    return made;
}

Advice measured_advice() {
    Advice made = advice();
    EffectEstimate effect;
    effect.ratio = 1.083;
    effect.low = 1.06;
    effect.high = 1.107;
    effect.basis = "measured: 6 duets on fresh formats, areas swapped";
    effect.material = true;
    made.ranked.front().effect = effect;
    made.ranked.back().effect = EffectEstimate{1, 1, 1, 0.95, "the anchor of the comparison", false};
    MeasuredSummary summary;
    summary.study = "fsadvise-postgres.sqlite";
    summary.stands_for = "a loop file in RAM (tmpfs). A real disk adds flush times";
    summary.metric = "operations per second";
    summary.trials = 2;
    summary.failed = 1;
    summary.material = true;
    summary.verdict = "confirmed +8.3 % (95 % interval +6.0 to +10.7 %) against the default";
    summary.anchor = "ext4{}";
    summary.effects = {"xfs.mkfs.agcount = 8: +3.0 % (+1.0 to +5.0)"};
    summary.outliers = {"trial 0, confirmation 5: +19.0 % is far from the other repeats; it is kept in all figures"};
    summary.drifts = {"the rate of the default itself changed by -23 % from trial 1 on (p = 0.0005)"};
    summary.repeats = "needs 4 more repeats (10 altogether) to see 2.0 %: start a study with --confirm 10";
    made.measured = summary;
    made.confidence = {"measured", "2 trials and 6 confirmation duets"};
    made.prove_command.clear();
    return made;
}

std::vector<tuner::Trial> trials() {
    tuner::Trial good;
    good.number = 0;
    good.configuration = advice().ranked.front().configuration;
    good.origin = "expert";
    good.state = "complete";
    const std::string metrics =
        R"({"candidate":{"operations_per_s":1083.0,"latency":{"p99_ns":2500000}},"anchor":{"operations_per_s":1000.0}})";
    good.measurements.push_back({0, "search", 0.0797, 0.01, metrics, "{}"});
    for (int i = 0; i < 6; ++i)
        good.measurements.push_back({i, "confirm", 0.07 + 0.004 * i, 0.01, metrics, "{}"});
    tuner::Trial bad;
    bad.number = 1;
    bad.configuration = {"btrfs", {}};
    bad.origin = "default:btrfs";
    bad.state = "failed";
    bad.reason = "mkfs.btrfs: exit status 1: no | space";
    return {good, bad};
}

LintResult findings() {
    LintResult result;
    result.lines = 3;
    result.checked = 2;
    Finding error;
    error.id = "mount-option-removed";
    error.severity = Severity::kError;
    error.file = "fstab";
    error.line = 2;
    error.subject = "nobarrier";
    error.what = "XFS knows no nobarrier since Linux 4.19";
    error.consequence = "the mount fails";
    error.fix = "leave it out";
    error.ignore_if = "the target kernel is older";
    error.sources = {"kernel documentation"};
    Finding note;
    note.id = "redundant-option";
    note.file = "fstab";
    note.line = 3;
    note.what = "noatime implies it";
    result.findings = {error, note};
    LintPair pair;
    pair.mkfs_line = 1;
    pair.mount_line = 2;
    pair.mkfs_argv = {"mkfs.xfs", "/dev/vdb1"};
    pair.filesystem = "xfs";
    pair.mount_options = "nobarrier";
    pair.mounts = false;
    result.pairs = {pair};
    return result;
}

}  // namespace

TEST_CASE("text of an advice") {
    check_golden("advice.txt", render_text(advice(), knowledge(), {false, 100}));
    check_golden("advice-color.txt", render_text(advice(), knowledge(), {true, 80}));
    check_golden("measured.txt", render_text(measured_advice(), knowledge(), {false, 100}));
}

TEST_CASE("text stays within its width") {
    const std::string text = render_text(measured_advice(), knowledge(), {false, 80});
    std::size_t start = 0;
    int long_lines = 0;
    for (std::size_t at = 0; (at = text.find('\n', start)) != std::string::npos; start = at + 1) {
        // Commands are never wrapped: they are there to be copied.
        const std::string line = text.substr(start, at - start);
        if (line.size() > 80 && line.find("mkfs") == std::string::npos &&
            line.find("fstab") == std::string::npos)
            ++long_lines;
    }
    CHECK(long_lines == 0);
}

TEST_CASE("JSON of an advice") {
    check_golden("advice.json", render_json(advice(), knowledge()));
    check_golden("measured.json", render_json(measured_advice(), knowledge()));
}

TEST_CASE("shell script of an advice") {
    check_golden("advice.sh", render_shell(advice(), knowledge()));
}

TEST_CASE("Markdown report") {
    check_golden("report.md", render_markdown(measured_advice(), knowledge(), trials()));
}

TEST_CASE("findings") {
    check_golden("findings.txt", render_lint_text(findings(), {false, 100}));
    check_golden("findings.json", to_json(findings()).dump(2) + "\n");
}

TEST_CASE("a reason with line breaks cannot leave its comment in a script") {
    Advice hostile = advice();
    hostile.ranked.front().choices[1].why = "first\nrm -rf / # second";
    const std::string script = render_shell(hostile, knowledge());
    CHECK(script.find("\nrm -rf") == std::string::npos);
}
