#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "output/bench.h"
#include "output/bench_series.h"
#include "output/text_parts.h"

namespace fsadvise {
namespace {

constexpr std::size_t kSparkWidth = 60;

// A row of bars, from zero to the highest; more values than columns are averaged.
std::string spark(const std::vector<double>& values) {
    static constexpr std::array<const char*, 8> kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const double highest = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
    if (highest <= 0) return {};
    const std::size_t columns = std::min(kSparkWidth, values.size());
    std::string line;
    for (std::size_t column = 0; column < columns; ++column) {
        const std::size_t first = values.size() * column / columns,
                          last = values.size() * (column + 1) / columns;
        double sum = 0;
        for (std::size_t i = first; i < last; ++i) sum += values[i];
        const double share = sum / static_cast<double>(last - first) / highest;
        line += kBars[std::min<std::size_t>(7, static_cast<std::size_t>(share * 8))];
    }
    return line;
}

// Three digits: a p99 of 1.49 ms and one of 0.6 ms must not look alike.
std::string fine_duration(std::int64_t ns) {
    const auto value = static_cast<double>(ns);
    if (value < 1e3) return fmt::format("{} ns", ns);
    if (value < 1e6) return fmt::format("{:.3g} us", value / 1e3);
    if (value < 1e9) return fmt::format("{:.3g} ms", value / 1e6);
    return fmt::format("{:.3g} s", value / 1e9);
}

std::string latency_text(const tuner::Histogram& histogram) {
    return fmt::format("p50 {}, p95 {}, p99 {}, p99.9 {}, max {}", fine_duration(histogram.percentile(0.5)),
                       fine_duration(histogram.percentile(0.95)), fine_duration(histogram.percentile(0.99)),
                       fine_duration(histogram.percentile(0.999)), fine_duration(histogram.maximum()));
}

// One line an octave of latency.
std::string histogram_text(const tuner::Histogram& histogram) {
    std::vector<std::pair<std::int64_t, std::uint64_t>> octaves;
    for (const auto& [edge_ns, count] : histogram.buckets()) {
        const std::int64_t top = std::int64_t{1}
                                 << static_cast<int>(std::ceil(std::log2(static_cast<double>(edge_ns))));
        if (octaves.empty() || octaves.back().first != top) octaves.emplace_back(top, 0);
        octaves.back().second += count;
    }
    std::uint64_t most = 1;
    for (const auto& octave : octaves) most = std::max(most, octave.second);
    std::string text;
    for (const auto& [edge_ns, count] : octaves) {
        const auto width = static_cast<std::size_t>(
            std::ceil(40.0 * static_cast<double>(count) / static_cast<double>(most)));
        text += fmt::format("    up to {:>8}  {:>10}  {}\n", fine_duration(edge_ns), count,
                            std::string(width, '#'));
    }
    return text;
}

std::string side_text(const tuner::BenchSide& side, const Palette& palette, bool with_histogram) {
    const tuner::SideResult& run = side.result;
    const double seconds = run.seconds > 0 ? run.seconds : 1;
    std::string text = palette.bold(side.label) + "\n";
    for (const std::string& command : side.commands) text += "  " + palette.dim(command) + "\n";
    text +=
        fmt::format("  {} operations in {:.1f} s: {}, read {}/s, written {}/s, CPU {:.1f} us an operation\n",
                    run.operations, run.seconds, human_rate(run.rate()),
                    human_size(static_cast<double>(run.read_bytes) / seconds),
                    human_size(static_cast<double>(run.written_bytes) / seconds),
                    run.operations > 0 ? 1e6 * run.cpu_seconds / static_cast<double>(run.operations) : 0);
    text += "  latency: " + latency_text(run.latency) + "\n";
    if (run.sync_latency.count() > 0) text += "  of syncs: " + latency_text(run.sync_latency) + "\n";
    if (const auto series = per_second(run); series.size() > 2)
        text += fmt::format("  each second: {}  ({} to {})\n", spark(series),
                            human_rate(*std::min_element(series.begin(), series.end())),
                            human_rate(*std::max_element(series.begin(), series.end())));
    if (with_histogram) text += histogram_text(run.latency);
    if (!side.configuration.empty()) {
        text += fmt::format("  formatted in {:.2f} s, mounted in {:.3f} s, {} used after layout\n",
                            side.format_seconds, side.mount_seconds,
                            human_size(static_cast<double>(side.used_bytes)));
    }
    return text;
}

std::string comparison_text(const tuner::BenchResult& result, const Palette& palette) {
    const std::string names = result.sides[0].label + " against " + result.sides[1].label;
    if (!result.ratio) {
        const double log_ratio = result.replicates.empty() ? 0 : result.replicates.front().log_ratio;
        return fmt::format("{}: {:+.1f} % in {} replicate{}; at least three are needed for an interval\n",
                           names, 100 * (std::exp(log_ratio) - 1), result.replicates.size(),
                           result.replicates.size() == 1 ? "" : "s");
    }
    const models::RatioEstimate& ratio = *result.ratio;
    const bool differs = ratio.low > 1 || ratio.high < 1;
    const std::string figures = fmt::format(
        "{:+.1f} % ({:.0f} % interval {:+.1f} to {:+.1f} %, {} replicates)", 100 * (ratio.ratio - 1),
        100 * ratio.level, 100 * (ratio.low - 1), 100 * (ratio.high - 1), result.replicates.size());
    return palette.bold(names + ": " + figures) + "\n" +
           (differs ? "" : "No difference that this measurement can tell from none.\n");
}

}  // namespace

std::string render_bench_text(const tuner::BenchResult& result, const BenchSubject& subject,
                              const TextStyle& style) {
    const Palette palette(style.color);
    std::string text =
        fmt::format("Load {}: {}{} (scale {:.3g}), seed {}{}\n\n", subject.load,
                    human_size(static_cast<double>(subject.data_bytes)),
                    subject.files > 0 ? fmt::format(" in {} files", subject.files) : "", subject.scale,
                    subject.seed, subject.stands_for.empty() ? "" : ", on " + subject.stands_for);
    for (const tuner::BenchSide& side : result.sides)
        text += side_text(side, palette, result.sides.size() == 1) + "\n";
    if (result.sides.size() == 2) {
        text += comparison_text(result, palette);
        text += fmt::format("Measured as a duet in windows of {:.2f} s.\n", result.window_seconds);
    }
    if (!result.steady)
        text += palette.yellow("Not steady: the rate was still changing (SNIA rule); measure longer.") + "\n";
    return text;
}

}  // namespace fsadvise
