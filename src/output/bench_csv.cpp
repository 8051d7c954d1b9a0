#include <fmt/format.h>

#include "output/bench.h"
#include "output/bench_series.h"

namespace fsadvise {
namespace {

// RFC 4180: quotes around a field that holds a comma, a quote or a line break, quotes inside doubled.
std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + "\"";
}

}  // namespace

std::string render_bench_csv(const tuner::BenchResult& result) {
    std::string csv = "place,second,operations_per_s\n";
    for (const tuner::BenchSide& side : result.sides) {
        const auto series = per_second(side.result);
        for (std::size_t second = 0; second < series.size(); ++second)
            csv += fmt::format("{},{},{:.3f}\n", csv_field(side.label), second, series[second]);
    }
    return csv;
}

}  // namespace fsadvise
