#include "tuner/executor/study_doubts.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fsadvise::tuner {
namespace {

// Short duets on a shared machine fail the rule now and then by chance; more than this share is worth a word.
constexpr double kUnsteadyShare = 0.25;

struct Moment {
    const Trial* trial = nullptr;
    const Measurement* measurement = nullptr;
    double anchor_rate = 0;
    bool steady = true;
};

// A measurement whose metrics were written by another tool may lack the rate; it is left out.
double anchor_rate_of(const nlohmann::json& metrics) {
    const auto pointer = nlohmann::json::json_pointer("/anchor/operations_per_s");
    if (metrics.is_discarded() || !metrics.contains(pointer) || !metrics.at(pointer).is_number()) return 0;
    return metrics.at(pointer).get<double>();
}

// As they were made: the search trial by trial, then the confirmation in rounds over the finalists.
std::vector<Moment> in_order_of_time(const std::vector<Trial>& trials) {
    std::vector<Moment> result;
    for (const Trial& trial : trials) {
        for (const Measurement& measurement : trial.measurements) {
            const auto metrics = nlohmann::json::parse(measurement.metrics, nullptr, false);
            const double rate = anchor_rate_of(metrics);
            if (!(rate > 0) || !std::isfinite(rate)) continue;
            result.push_back({&trial, &measurement, rate, metrics.value("steady", true)});
        }
    }
    std::stable_sort(result.begin(), result.end(), [](const Moment& a, const Moment& b) {
        const auto place = [](const Moment& moment) {
            const bool confirmed = moment.measurement->phase == "confirm";
            return std::tuple(confirmed, confirmed ? moment.measurement->replicate : 0, moment.trial->number);
        };
        return place(a) < place(b);
    });
    return result;
}

}  // namespace

std::vector<std::string> outlier_lines(const Trial& trial, const Decision& decision) {
    std::vector<std::string> lines;
    std::size_t place = 0;
    for (const Measurement& measurement : trial.measurements) {
        if (measurement.phase != "confirm") continue;
        if (std::find(decision.outliers.begin(), decision.outliers.end(), place++) == decision.outliers.end())
            continue;
        lines.push_back(
            fmt::format("trial {}, confirmation {}: {:+.1f} % is far from the other repeats; it is kept in "
                        "all figures",
                        trial.number, measurement.replicate + 1, 100 * std::expm1(measurement.log_ratio)));
    }
    return lines;
}

std::vector<std::string> drift_lines(const std::vector<Trial>& trials) {
    const std::vector<Moment> moments = in_order_of_time(trials);
    std::vector<std::string> lines;
    std::vector<double> rates;
    for (const Moment& moment : moments) rates.push_back(moment.anchor_rate);
    if (const auto drift = drift_of(rates)) {
        const Moment& from = moments[drift->index];
        const std::string where = from.measurement->phase == "confirm"
                                      ? fmt::format("confirmation {} of trial {}",
                                                    from.measurement->replicate + 1, from.trial->number)
                                      : fmt::format("trial {}", from.trial->number);
        lines.push_back(fmt::format(
            "the rate of the default itself changed by {:+.0f} % from {} on (p = {:.2g}): the machine was "
            "not equally "
            "busy throughout; ratios hold, as both sides were measured in turn, absolute rates do not",
            100 * (drift->ratio - 1), where, drift->p));
    }
    const auto unsteady = static_cast<std::size_t>(
        std::count_if(moments.begin(), moments.end(), [](const Moment& moment) { return !moment.steady; }));
    if (static_cast<double>(unsteady) > kUnsteadyShare * static_cast<double>(moments.size())) {
        lines.push_back(
            fmt::format("not steady: the rate of the default moved by more than the SNIA limits within {} of "
                        "{} duets; longer trials "
                        "(--trial-seconds) would tell whether it settles",
                        unsteady, moments.size()));
    }
    return lines;
}

std::string repeats_line(const Decision& decision) {
    const bool settled = decision.material || decision.estimate.high < kMaterialRatio;
    if (settled || (decision.plan.possible && decision.plan.more == 0)) return {};
    if (!decision.plan.possible) return decision.plan.why;
    return fmt::format("{}: start a study with --confirm {}", decision.plan.why, decision.plan.needed);
}

}  // namespace fsadvise::tuner
