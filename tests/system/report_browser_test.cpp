// A report in a real browser: it renders, the charts come alive, and the console stays empty.
#include <doctest/doctest.h>

#include "base/fd.h"
#include "base/text.h"
#include "output/report/report.h"

#include "support/command.h"
#include "support/temporary_folder.h"

using namespace fsadvise;

namespace {

std::string browser() {
    SystemProcessRunner runner;
    for (const char* name : {"chromium", "google-chrome", "chrome"})
        if (!runner.find(name).empty()) return name;
    return {};
}

Result<ProcessResult> visit(const std::string& folder, const std::string& page,
                            std::vector<std::string> what) {
    std::vector<std::string> words = {browser(),
                                      "--headless",
                                      "--no-sandbox",
                                      "--disable-gpu",
                                      "--disable-quic",
                                      "--no-first-run",
                                      "--disable-background-networking",
                                      "--disable-component-update",
                                      "--disable-sync",
                                      "--hide-scrollbars",
                                      "--virtual-time-budget=8000",
                                      "--enable-logging=stderr",
                                      "--user-data-dir=" + folder};
    words.insert(words.end(), what.begin(), what.end());
    words.push_back("file://" + page);
    SystemProcessRunner runner;
    return runner.run({words, {}, std::chrono::minutes(2)});
}

}  // namespace

TEST_CASE("a report renders in a browser without an error, and prints") {
    if (browser().empty()) {
        MESSAGE("SKIPPED: no Chromium is installed");
        return;
    }
    const test::TemporaryFolder folder("report-browser");
    const test::MemoryFolder memory;
    const std::string study = folder.path("study.sqlite"), page = folder.path("report.html");
    const auto tuned = test::run_fsadvise(
        {"tune", "--workload", "sqlite", "--scratch-file", memory.path / "scratch", "--size", "1G",
         "--trials", "5", "--trial-seconds", "0.5", "--confirm", "3", "--study", study, "--quiet"});
    CAPTURE(tuned.errors);
    if (tuned.exit_code == 4) {
        MESSAGE("SKIPPED: " << tuned.errors);
        return;
    }
    REQUIRE(tuned.exit_code == 0);
    const auto made = test::run_fsadvise({"report", study, "-o", page, "--customer", "A <b>customer</b>"});
    CAPTURE(made.errors);
    REQUIRE(made.exit_code == 0);

    const auto dom = visit(folder.path("profile"), page, {"--dump-dom"});
    REQUIRE(dom.has_value());
    CHECK(dom->output.find("Filesystem advice: SQLite") != std::string::npos);
    CHECK(dom->output.find("A &lt;b&gt;customer&lt;/b&gt;") != std::string::npos);
    if (chart_bundle().empty()) {
        MESSAGE("SKIPPED: this build has static charts only");
    } else {
        CHECK(dom->output.find("vega-embed") != std::string::npos);  // drawn by the scripts
    }
    for (const std::string& line : split(dom->errors, '\n')) {
        CAPTURE(line);
        CHECK(line.find("CONSOLE") == std::string::npos);
        CHECK(line.find("Uncaught") == std::string::npos);
    }
    REQUIRE(visit(folder.path("profile"), page, {"--print-to-pdf=" + folder.path("report.pdf")}).has_value());
    const auto pdf = read_file(folder.path("report.pdf"));
    REQUIRE(pdf.has_value());
    CHECK(pdf->starts_with("%PDF"));
    CHECK(pdf->size() > 20'000);
}
