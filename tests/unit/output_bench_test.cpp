// Windows to seconds, and the three renderings of a comparison.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "output/bench.h"
#include "output/bench_series.h"

using namespace fsadvise;

namespace {

tuner::SideResult run(std::size_t windows, double seconds, double rate) {
    tuner::SideResult result;
    result.window_rates.assign(windows, rate);
    result.seconds = seconds;
    result.operations = static_cast<std::uint64_t>(rate * seconds);
    for (std::int64_t i = 1; i <= 100; ++i) result.latency.record(i * 1000);
    return result;
}

tuner::BenchResult comparison() {
    tuner::BenchResult result;
    result.sides.resize(2);
    result.sides[0].label = "xfs";
    result.sides[1].label = "ext4:-O a,\"b\"";
    result.sides[0].result = run(40, 4, 100);
    result.sides[1].result = run(40, 4, 80);
    result.replicates = {{false, 0.22, 0.01, true}, {true, 0.23, 0.01, true}, {false, 0.21, 0.01, true}};
    result.ratio = models::ratio_from_logs(std::vector<double>{0.22, 0.23, 0.21});
    return result;
}

}  // namespace

TEST_CASE("a series has one value a second whatever the length of a window") {
    CHECK(per_second(run(40, 4, 100)) == std::vector<double>(4, 100));
    CHECK(per_second(run(4, 4, 100)).size() == 4);
    CHECK(per_second(run(3, 6, 100)).size() == 3);  // windows longer than a second are not split
    CHECK(per_second(run(45, 4.5, 100)).size() == 5);
    CHECK(per_second({}).empty());
    auto changing = run(20, 2, 0);
    for (std::size_t i = 0; i < 20; ++i) changing.window_rates[i] = i < 10 ? 10 : 30;
    CHECK(per_second(changing) == std::vector<double>{10, 30});
}

TEST_CASE("a comparison as text, JSON and CSV") {
    const auto result = comparison();
    const auto text = render_bench_text(result, {"sqlite", 0.5, 1 << 20, 3, 1, "RAM"}, {});
    CHECK(text.find("xfs against ext4") != std::string::npos);
    CHECK(text.find("+24.6 %") != std::string::npos);
    const auto json = nlohmann::json::parse(render_bench_json(result, {"sqlite", 0.5, 1 << 20, 3, 1, "RAM"}));
    CHECK(json["schema_version"] == 1);
    CHECK(json["places"].size() == 2);
    CHECK(json["comparison"]["ratio"].get<double>() == doctest::Approx(1.246).epsilon(0.001));
    const auto csv = render_bench_csv(result);
    CHECK(csv.find("xfs,0,100.000\n") != std::string::npos);
    CHECK(csv.find("\"ext4:-O a,\"\"b\"\"\",3,80.000\n") != std::string::npos);
}

TEST_CASE("no difference is said as such, and two replicates give no interval") {
    auto result = comparison();
    result.ratio = models::ratio_from_logs(std::vector<double>{0.05, -0.04, 0.01});
    CHECK(render_bench_text(result, {}, {}).find("No difference") != std::string::npos);
    result.ratio.reset();
    result.replicates.resize(1);
    CHECK(render_bench_text(result, {}, {}).find("at least three") != std::string::npos);
}
