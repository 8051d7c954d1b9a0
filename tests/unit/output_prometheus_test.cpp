#include <doctest/doctest.h>

#include "base/process.h"
#include "output/prometheus.h"

using namespace fsadvise;

TEST_CASE("findings become gauges, escaped, and promtool accepts them") {
    const Knowledge knowledge = Knowledge::load(embedded_knowledge()).value();
    LintResult result;
    result.checked = 3;
    Finding finding;
    finding.id = "mount-option-removed";
    finding.severity = Severity::kError;
    finding.file = "a \"b\"\\c\nd";
    result.findings = {finding, finding};
    const std::string text = render_prometheus(result, knowledge, "0.1.0");
    CHECK(text.find("fsadvise_check_findings{severity=\"error\"} 2\n") != std::string::npos);
    CHECK(text.find("fsadvise_check_findings{severity=\"warning\"} 0\n") != std::string::npos);
    CHECK(text.find(R"(file="a \"b\"\\c\nd",id="mount-option-removed",severity="error"} 2)") !=
          std::string::npos);
    CHECK(text.ends_with("\n"));
    SystemProcessRunner runner;
    if (runner.find("promtool").empty()) {
        MESSAGE("SKIPPED: promtool is not installed");
        return;
    }
    const auto judged = runner.run({{"promtool", "check", "metrics"}, text});
    REQUIRE(judged.has_value());
    CAPTURE(judged->output);
    CAPTURE(judged->errors);
    CHECK(judged->exit_code == 0);
}
