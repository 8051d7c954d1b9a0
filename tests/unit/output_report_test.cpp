// The HTML report: escaped, self-contained, deterministic, of bounded size.
#include <chrono>
#include <regex>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "output/report/chart.h"
#include "output/report/html.h"
#include "output/report/report.h"

using namespace fsadvise;

namespace {

const Knowledge& knowledge() {
    static const Knowledge kLoaded = Knowledge::load(embedded_knowledge()).value();
    return kLoaded;
}

tuner::Measurement duet(int replicate, const std::string& phase, double log_ratio) {
    tuner::Measurement made;
    made.replicate = replicate;
    made.phase = phase;
    made.log_ratio = log_ratio;
    made.metrics =
        R"({"candidate": {"operations_per_s": 1200.5, "latency": {"p50_ns": 80000, "p95_ns": 200000, "p99_ns": 1500000,
        "p999_ns": 9000000}}, "anchor": {"operations_per_s": 1100, "latency": {"p50_ns": 90000, "p95_ns": 210000,
        "p99_ns": 1600000, "p999_ns": 9900000}}})";
    return made;
}

ReportedStudy study(int trials) {
    ReportedStudy made;
    made.name = "study \"one\" <b>.sqlite";
    made.advice.workload_title = "Mail <script>alert(1)</script> & more";
    made.advice.request.workload = "mail";
    made.advice.knowledge_digest = "0123456789abcdef";
    made.advice.confidence = {"measured", "3 trials"};
    Recommendation best;
    best.configuration = {"xfs", {{"xfs.mount.atime", std::string("noatime")}}};
    best.commands = spell(knowledge(), best.configuration);
    best.choices = {{"xfs.mount.atime",
                     "noatime",
                     std::string("noatime"),
                     "Nobody asks </script><img src=x onerror=alert(2)>",
                     "R-X-1",
                     "weak",
                     {}}};
    best.effect = EffectEstimate{1.08, 1.05, 1.11, 0.95, "measured: 6 duets", true};
    Recommendation second;
    second.configuration = {"ext4", {}};
    second.commands = spell(knowledge(), second.configuration);
    second.against = {"XFS won."};
    made.advice.ranked = {best, second};
    MeasuredSummary summary;
    summary.study = made.name;
    summary.metric = "operations per second";
    summary.stands_for = "a loop file in RAM";
    summary.verdict = "confirmed +8.0 %";
    summary.anchor = "ext4{}";
    summary.trials = trials;
    summary.effects = {"xfs.mount.atime: +1 %"};
    made.advice.measured = summary;
    for (int i = 0; i < trials; ++i) {
        tuner::Trial trial;
        trial.number = i;
        trial.state = i == 2 ? "failed" : "complete";
        trial.reason = i == 2 ? "mkfs: <oops>" : "";
        trial.origin = "model";
        trial.configuration = i == 0 ? best.configuration : second.configuration;
        if (i != 2) trial.measurements = {duet(0, "search", 0.01 * (i % 7))};
        if (i == 0) trial.measurements.push_back(duet(0, "confirm", 0.077));
        made.trials.push_back(trial);
    }
    return made;
}

std::size_t count(const std::string& text, const std::string& word) {
    std::size_t found = 0;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
    return found;
}

// Without the bundle, whose text is not ours.
std::string own(std::string html) {
    if (!chart_bundle().empty())
        if (const auto at = html.find(chart_bundle()); at != std::string::npos)
            html.erase(at, chart_bundle().size());
    return html;
}

}  // namespace

TEST_CASE("what comes from a study cannot become markup") {
    const std::string html = own(render_html({study(5)}, knowledge(), {"Smith & \"Sons\"", ""}));
    CHECK(html.find("<script>alert") == std::string::npos);
    CHECK(html.find("<img src=x") == std::string::npos);
    CHECK(html.find("<b>.sqlite") == std::string::npos);
    CHECK(html.find("<oops>") == std::string::npos);
    CHECK(html.find("Smith &amp; &quot;Sons&quot;") != std::string::npos);
    CHECK(escaped("\x01\x1b") == "  ");
    CHECK(script_safe(R"({"a": "</script><!--"})").find('<') == std::string::npos);
}

TEST_CASE("the report has its parts in order, and loads nothing") {
    const std::string html = own(render_html({study(5)}, knowledge(), {}));
    std::size_t last = 0;
    for (const char* part :
         {"Summary", "What to run", "Confirmed comparison", "Latency", "What was tried", "Alternatives",
          "Risk and durability", "Operations", "Machine and workload", "Reproduce"}) {
        CAPTURE(part);
        const auto at = html.find(std::string("\">") + part, html.find("</nav>"));
        REQUIRE(at != std::string::npos);
        CHECK(at > last);
        last = at;
    }
    CHECK_FALSE(std::regex_search(html, std::regex(R"((src|href)="(https?:)?//)")));
    CHECK(html.find("@import") == std::string::npos);
    CHECK(html.find("url(") == std::string::npos);
    CHECK(html.find("xfs_growfs") != std::string::npos);  // the runbook is that of the advised filesystem
    CHECK(html.find("resize2fs") == std::string::npos);
    CHECK(html.find("+8.0 % (95 % interval +5.0 to +11.0 %)") != std::string::npos);
    CHECK(html.find("1.50 ms") != std::string::npos);
    // Every chart has words for those who do not see it, and stands without scripts.
    CHECK(count(html, "role=\"img\" aria-label=\"") == count(html, "<figure "));
    CHECK(count(html, "<figure ") == 3);
    CHECK(html == own(render_html({study(5)}, knowledge(), {})));
}

TEST_CASE("an id stands once, also with several studies side by side") {
    const std::string html = own(render_html({study(5), study(4)}, knowledge(), {}));
    std::map<std::string, int> ids;
    const std::regex id("<[a-z0-9]+ id=\"([^\"]+)\"");
    for (std::sregex_iterator at(html.begin(), html.end(), id), end; at != end; ++at) ++ids[(*at)[1]];
    CHECK(ids.size() > 20);
    for (const auto& [name, times] : ids) {
        CAPTURE(name);
        CHECK(times == 1);
    }
    CHECK(html.find("Side by side") != std::string::npos);
}

TEST_CASE("an advice without a study, and one without an answer, make a report too") {
    ReportedStudy plain = study(0);
    plain.advice.measured.reset();
    plain.advice.ranked.front().effect.reset();
    plain.advice.prove_command = "fsadvise tune --workload mail";
    const std::string html = own(render_html({plain}, knowledge(), {}));
    CHECK(html.find("Nothing was measured yet") != std::string::npos);
    CHECK(html.find("<figure ") == std::string::npos);
    plain.advice.ranked.clear();
    plain.advice.excluded = {"xfs: too small"};
    CHECK(render_html({plain}, knowledge(), {}).find("No filesystem fits") != std::string::npos);
}

TEST_CASE("a report of 1,000 trials is made within a second and stays below 3 MiB") {
    const ReportedStudy large = study(1000);
    const auto start = std::chrono::steady_clock::now();
    const std::string html = render_html({large}, knowledge(), {});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    MESSAGE(fmt::format("{:.3f} s, {:.2f} MiB", took.count(), static_cast<double>(html.size()) / (1 << 20)));
    CHECK(html.size() < 3u << 20);
    CHECK(took.count() < 1.0);
}

TEST_CASE("a logo is an image, and not a large one") {
    CHECK(logo_url("\x89PNG\r\n\x1a\n", "a.png")->starts_with("data:image/png;base64,iVBORw0KGgo="));
    CHECK(logo_url("<svg xmlns='http://www.w3.org/2000/svg'/>", "a.svg")
              ->starts_with("data:image/svg+xml;base64,"));
    CHECK(logo_url("#!/bin/sh", "a").error().code == ErrorCode::kBadInput);
    CHECK(logo_url("\x89PNG" + std::string(600u << 10, 'x'), "a.png").error().message.find("512") !=
          std::string::npos);
}

TEST_CASE("charts bear one point, equal points and damaged metrics") {
    Chart chart{"c", "t", "d", {"x", false}, {"y", false}, {{1, 5, {}, {}, "a", "only"}}, {}, {}};
    CHECK(figure(chart).find("nan") == std::string::npos);
    chart.points.push_back({1, 5, {}, {}, "b", "same"});
    CHECK(figure(chart).find("nan") == std::string::npos);
    CHECK(figure(Chart{}).empty());
    CHECK(figure(IntervalChart{}).empty());
    CHECK(figure(PairBars{}).empty());
    ReportedStudy damaged = study(3);
    for (auto& trial : damaged.trials)
        for (auto& measurement : trial.measurements)
            measurement.metrics = R"({"candidate": [1], "anchor": "x")";
    CHECK(own(render_html({damaged}, knowledge(), {})).find("nan") == std::string::npos);
}
