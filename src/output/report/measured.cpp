#include "output/report/measured.h"

#include <cmath>

#include <nlohmann/json.hpp>

namespace fsadvise {
namespace {

using nlohmann::json;

double number(const json& object, const char* key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() && found->is_number() ? found->get<double>() : 0;
}

const json& member(const json& object, const char* key) {
    static const json kNone;
    if (!object.is_object()) return kNone;
    const auto found = object.find(key);
    return found == object.end() ? kNone : *found;
}

void add(SideFigures& sum, const json& side) {
    const json& latency = member(side, "latency");
    sum.operations_per_s += number(side, "operations_per_s");
    sum.p50_ns += number(latency, "p50_ns");
    sum.p95_ns += number(latency, "p95_ns");
    sum.p99_ns += number(latency, "p99_ns");
    sum.p999_ns += number(latency, "p999_ns");
    sum.sync_p99_ns += number(member(side, "sync_latency"), "p99_ns");
}

void divide(SideFigures& sum, double count) {
    for (double* figure :
         {&sum.operations_per_s, &sum.p50_ns, &sum.p95_ns, &sum.p99_ns, &sum.p999_ns, &sum.sync_p99_ns})
        *figure /= count;
}

}  // namespace

std::vector<double> duet_changes(const tuner::Trial& trial, const std::string& phase) {
    std::vector<double> changes;
    for (const tuner::Measurement& measurement : trial.measurements)
        if (measurement.phase == phase) changes.push_back(100 * std::expm1(measurement.log_ratio));
    return changes;
}

std::optional<TrialFigures> trial_figures(const tuner::Trial& trial, const std::string& phase) {
    TrialFigures figures;
    double sum = 0;
    for (const tuner::Measurement& measurement : trial.measurements) {
        if (measurement.phase != phase) continue;
        ++figures.duets;
        sum += measurement.log_ratio;
        const auto metrics = json::parse(measurement.metrics, nullptr, false);
        add(figures.candidate, member(metrics, "candidate"));
        add(figures.anchor, member(metrics, "anchor"));
    }
    if (figures.duets == 0) return std::nullopt;
    const auto count = static_cast<double>(figures.duets);
    figures.change_percent = 100 * std::expm1(sum / count);
    divide(figures.candidate, count);
    divide(figures.anchor, count);
    return figures;
}

}  // namespace fsadvise
