#include <nlohmann/json.hpp>

#include "output/bench.h"
#include "output/bench_series.h"

namespace fsadvise {
namespace {

nlohmann::json latency_of(const tuner::Histogram& histogram) {
    auto buckets = nlohmann::json::array();
    for (const auto& [edge_ns, count] : histogram.buckets()) buckets.push_back({edge_ns, count});
    return {{"count", histogram.count()},           {"mean_ns", histogram.mean()},
            {"p50_ns", histogram.percentile(0.50)}, {"p95_ns", histogram.percentile(0.95)},
            {"p99_ns", histogram.percentile(0.99)}, {"p999_ns", histogram.percentile(0.999)},
            {"max_ns", histogram.maximum()},        {"histogram", std::move(buckets)}};
}

nlohmann::json side_of(const tuner::BenchSide& side) {
    const tuner::SideResult& run = side.result;
    const double seconds = run.seconds > 0 ? run.seconds : 1;
    nlohmann::json json = {{"place", side.label},
                           {"operations", run.operations},
                           {"seconds", run.seconds},
                           {"operations_per_s", run.rate()},
                           {"read_bytes_per_s", static_cast<double>(run.read_bytes) / seconds},
                           {"written_bytes_per_s", static_cast<double>(run.written_bytes) / seconds},
                           {"cpu_s_per_operation",
                            run.operations > 0 ? run.cpu_seconds / static_cast<double>(run.operations) : 0},
                           {"latency", latency_of(run.latency)},
                           {"sync_latency", latency_of(run.sync_latency)},
                           {"replicate_operations_per_s", side.rates},
                           {"operations_per_s_each_second", per_second(run)}};
    if (!side.configuration.empty()) {
        json["configuration"] = side.configuration;
        json["commands"] = side.commands;
        json["mount_options"] = side.mount_options;
        json["format_s"] = side.format_seconds;
        json["mount_s"] = side.mount_seconds;
        json["used_bytes"] = side.used_bytes;
    }
    return json;
}

}  // namespace

std::string render_bench_json(const tuner::BenchResult& result, const BenchSubject& subject) {
    nlohmann::json json = {{"schema_version", 1}, {"kind", "bench"}};
    json["load"] = {{"name", subject.load},
                    {"scale", subject.scale},
                    {"data_bytes", subject.data_bytes},
                    {"files", subject.files},
                    {"seed", subject.seed}};
    if (!subject.stands_for.empty()) json["stands_for"] = subject.stands_for;
    json["steady"] = result.steady;
    for (const tuner::BenchSide& side : result.sides) json["places"].push_back(side_of(side));
    if (result.sides.size() == 2) {
        nlohmann::json comparison = {{"window_s", result.window_seconds},
                                     {"replicates", nlohmann::json::array()}};
        for (const tuner::BenchReplicate& replicate : result.replicates) {
            comparison["replicates"].push_back({{"swapped", replicate.swapped},
                                                {"log_ratio", replicate.log_ratio},
                                                {"deviation", replicate.deviation},
                                                {"steady", replicate.steady}});
        }
        if (result.ratio) {
            comparison["ratio"] = result.ratio->ratio;
            comparison["interval"] = {result.ratio->low, result.ratio->high};
            comparison["level"] = result.ratio->level;
        }
        json["comparison"] = std::move(comparison);
    }
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace fsadvise
