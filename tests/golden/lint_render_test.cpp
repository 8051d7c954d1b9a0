// Golden files of what check, explain and knowledge verify print. FSADVISE_UPDATE_GOLDEN=1 rewrites them.
#include <cstdlib>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/fd.h"
#include "output/explain_text.h"
#include "output/sarif.h"
#include "output/verify_text.h"
#include "space/knowledge_files.h"

using namespace fsadvise;

namespace {

void check_golden(const std::string& name, const std::string& text) {
    const std::string path = std::string(FSADVISE_SOURCE_DIR) + "/tests/golden/expected/" + name;
    if (std::getenv("FSADVISE_UPDATE_GOLDEN") != nullptr)
        REQUIRE(write_file_atomically(path, text).has_value());
    const auto expected = read_file(path);
    REQUIRE(expected.has_value());
    CHECK(text == *expected);
}

Finding finding() {
    Finding error;
    error.id = "mount-option-removed";
    error.severity = Severity::kError;
    error.file = "etc/my fstab";
    error.line = 2;
    error.subject = "nobarrier";
    error.what = "removed in Linux 4.19";
    error.consequence = "the mount fails";
    error.fix = "leave it out";
    error.sources = {"kernel documentation"};
    return error;
}

std::vector<Explanation> explanations() {
    Explanation item{"parameter", "xfs.mkfs.agcount", "allocation groups", {}};
    item.add("meaning", {"Parts that allocate independently."});
    item.add(
        "default_by_distribution",
        {"4: Debian 12",
         "8: another one with a title that is long enough to be wrapped at the right margin of the text"});
    item.add("nothing", {""});
    return {item, {"rule", "R-X-001", "a rule", {}}};
}

tuner::VerifyReport report() {
    tuner::VerifyReport made;
    made.date = "2024-05-06T07:08:09Z";
    made.host.kernel = "6.1";
    made.host.architecture = "x86_64";
    made.host.tools = {{"xfsprogs", "6.1.0"}};
    made.elapsed_ns = 95'000'000'000;
    tuner::VerifyResult good;
    good.tried = {"default", "xfs defaults", {"xfs", {}}, 629145600, {}};
    good.predicted = good.happened = "ok";
    good.command = "mkfs.xfs DEVICE && mount -t xfs DEVICE DIRECTORY";
    tuner::VerifyResult bad = good;
    bad.tried = {
        "value", "xfs.mkfs.agcount = 2", {"xfs", {{"xfs.mkfs.agcount", std::int64_t{2}}}}, 629145600, {}};
    bad.happened = "mkfs refuses";
    bad.reason = "too few";
    bad.disagreements = {"predicted: ok, happened: mkfs refuses (too few)"};
    made.results = {good, bad};
    made.skipped = {{"f2fs", "the running kernel has no f2fs"}};
    return made;
}

}  // namespace

TEST_CASE("SARIF of findings") {
    LintResult result;
    Finding note = finding();
    note.id = "default-value";
    note.severity = Severity::kInfo;
    note.line = 0;
    note.subject.clear();
    result.findings = {finding(), note};
    const std::string text = render_sarif(result, {finding()}, "1.2.3");
    check_golden("findings.sarif", text);
    const auto document = nlohmann::json::parse(text);
    CHECK(document["runs"][0]["results"].size() == 3);
    CHECK(document["runs"][0]["tool"]["driver"]["rules"].size() == 2);
    LintResult hostile;
    hostile.findings = {finding()};
    hostile.findings.front().subject = "\xff\xfe";  // not UTF-8: still a document
    CHECK_FALSE(nlohmann::json::parse(render_sarif(hostile, {}, "1"), nullptr, false).is_discarded());
}

TEST_CASE("explanations") {
    const auto knowledge = Knowledge::load(embedded_knowledge());
    REQUIRE(knowledge);
    check_golden("explain.txt", render_explain_text(explanations(), *knowledge, {false, 80}));
    check_golden("explain.json", to_json(explanations()).dump(2) + "\n");
}

TEST_CASE("verification") {
    check_golden("verify.txt", render_verify_text(report(), {false, 100}, true));
    check_golden("verify.json", tuner::to_json(report()).dump(1) + "\n");
}
