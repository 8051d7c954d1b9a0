// The search of this release: first design, then expected improvement on a regression over all filesystems.
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "models/acquisition.h"
#include "models/linear_regression.h"
#include "tuner/search/design.h"
#include "tuner/search/search.h"

namespace fsadvise::tuner {
namespace {

constexpr int kFillPerFilesystem = 3;      // space-filling points after the first design
constexpr int kRandomCandidates = 150;     // per filesystem and proposal
constexpr int kTrialsBeforeStop = 20;      // no early stop before this many (as Optuna's terminator does)
constexpr double kNegligibleGain = 0.001;  // expected improvement on the log metric worth no further trial
// Replicates understate the noise of a single format; this floor keeps one lucky window from ruling the fit.
constexpr double kNoiseFloor = 0.01;
constexpr std::size_t kFolds = 10;  // of the cross-validation

struct Observation {
    const Trial* trial = nullptr;
    double log_ratio = 0, variance = 0;
};

// One observation a trial: precision-weighted mean of its search measurements.
std::vector<Observation> observe(const std::vector<Trial>& trials) {
    std::vector<Observation> result;
    for (const Trial& trial : trials) {
        double weight = 0, sum = 0;
        for (const Measurement& measurement : trial.measurements) {
            // Confirmation runs are kept apart: they must not move the choice of what is being confirmed.
            if (measurement.phase != "search" || !std::isfinite(measurement.log_ratio)) continue;
            const double variance = measurement.deviation * measurement.deviation + kNoiseFloor * kNoiseFloor;
            weight += 1 / variance;
            sum += measurement.log_ratio / variance;
        }
        if (trial.state == "complete" && weight > 0) result.push_back({&trial, sum / weight, 1 / weight});
    }
    return result;
}

class ModelSearch final : public Search {
  public:
    ModelSearch(std::vector<Space> spaces, std::vector<Proposal> first, std::uint64_t seed)
        : spaces_(std::move(spaces)), first_(std::move(first)), seed_(seed), design_(spaces_) {}

    std::optional<Proposal> next(const std::vector<Trial>& trials) override {
        std::set<std::string> tried;
        for (const Trial& trial : trials) {
            if (trial.state == "interrupted") return Proposal{trial.configuration, trial.origin, 0};
            tried.insert(canonical_text(trial.configuration));
        }
        for (const Proposal& proposal : first_) {
            if (!tried.contains(canonical_text(proposal.configuration))) return proposal;
        }
        // Seeded by what has been tried, so that a resumed study goes on as an unbroken one would.
        std::mt19937_64 random(seed_ * 0x9e3779b97f4a7c15u + tried.size());
        if (auto filler = fill(trials, tried, random)) return filler;
        return improve(trials, tried, random);
    }

    std::vector<int> finalists(const std::vector<Trial>& trials, int count) override {
        const auto observations = observe(trials);
        const auto model = fit(observations);
        std::vector<std::pair<double, int>> ranked;
        for (const Observation& observation : observations) {
            // The model shares strength between neighbours; half its word, half the trial's own.
            double estimate = observation.log_ratio;
            if (model) estimate = (estimate + model->predict(row(observation.trial->configuration)).mean) / 2;
            ranked.emplace_back(-estimate, observation.trial->number);
        }
        std::sort(ranked.begin(), ranked.end());
        std::vector<int> result;
        for (const auto& [negative, number] : ranked) {
            if (static_cast<int>(result.size()) < count) result.push_back(number);
        }
        return result;
    }

    std::vector<ParameterEffect> effects(const std::vector<Trial>& trials) override {
        const auto observations = observe(trials);
        const auto model = fit(observations);
        if (!model) return {};
        std::set<std::pair<std::string, std::string>> seen;
        for (const Observation& observation : observations) {
            for (const auto& [parameter, value] : observation.trial->configuration.values) {
                seen.emplace(parameter, to_text(value));
            }
        }
        std::vector<ParameterEffect> result;
        for (std::size_t s = 0; s < spaces_.size(); ++s) {
            const auto& dimensions = spaces_[s].dimensions();
            for (std::size_t d = 0; d < dimensions.size(); ++d) {
                for (std::size_t level = 1; level < dimensions[d].values.size(); ++level) {
                    const std::string value = to_text(dimensions[d].values[level]);
                    if (!seen.contains({dimensions[d].parameter, value})) continue;
                    const auto effect = model->contrast(
                        with_area(0, design_.encoder().encode(design_.contrast(s, d, level))));
                    const double half = 1.96 * effect.deviation;
                    result.push_back({dimensions[d].parameter, value, effect.mean, effect.mean - half,
                                      effect.mean + half});
                }
            }
        }
        std::sort(result.begin(), result.end(), [](const ParameterEffect& a, const ParameterEffect& b) {
            return std::abs(a.effect) > std::abs(b.effect);
        });
        return result;
    }

    FitQuality quality(const std::vector<Trial>& trials) override {
        const auto observations = observe(trials);
        FitQuality quality;
        quality.trials = observations.size();
        if (quality.trials < FitQuality::kFewestTrials) return quality;
        double missed = 0, missed_by_mean = 0;
        for (std::size_t fold = 0; fold < kFolds; ++fold) {
            std::vector<Observation> kept, left_out;
            for (std::size_t i = 0; i < observations.size(); ++i)
                (i % kFolds == fold ? left_out : kept).push_back(observations[i]);
            const auto model = fit(kept);
            if (!model) return quality;
            for (const Observation& observation : left_out) {
                const Configuration& configuration = observation.trial->configuration;
                const double predicted =
                    model->predict(row(configuration, area_of(observation))).mean - observation.log_ratio;
                const double level = level_of(kept, configuration.filesystem) - observation.log_ratio;
                missed += predicted * predicted / observation.variance;
                missed_by_mean += level * level / observation.variance;
            }
        }
        if (missed_by_mean > 0) quality.explained = 1 - missed / missed_by_mean;
        return quality;
    }

  private:
    // The two areas are half a step to either side of their average.
    static double area_of(const Observation& observation) {
        return candidate_area(observation.trial->number) - 0.5;
    }
    // Mean of the filesystem's trials; of all where it has none.
    static double level_of(const std::vector<Observation>& observations, const std::string& filesystem) {
        double own = 0, own_weight = 0, all = 0, all_weight = 0;
        for (const Observation& observation : observations) {
            const double weight = 1 / observation.variance;
            all += weight * observation.log_ratio;
            all_weight += weight;
            if (observation.trial->configuration.filesystem != filesystem) continue;
            own += weight * observation.log_ratio;
            own_weight += weight;
        }
        return own_weight > 0 ? own / own_weight : all / all_weight;
    }
    // Area first (0 = the average of both), then the filesystem, then the parameters.
    Eigen::VectorXd with_area(double area, const Eigen::VectorXd& encoded) const {
        Eigen::VectorXd result(encoded.size() + 1);
        result[0] = area;
        result.tail(encoded.size()) = encoded;
        return result;
    }
    Eigen::VectorXd row(const Configuration& configuration, double area = 0) const {
        return with_area(area, design_.encoder().encode(design_.point(configuration)));
    }

    std::optional<models::LinearRegression> fit(const std::vector<Observation>& observations) const {
        if (observations.size() < 2) return std::nullopt;
        const auto n = static_cast<Eigen::Index>(observations.size());
        Eigen::MatrixXd rows(n, static_cast<Eigen::Index>(design_.encoder().feature_count()) + 1);
        Eigen::VectorXd targets(n), noise(n);
        for (Eigen::Index i = 0; i < n; ++i) {
            const Observation& observation = observations[static_cast<std::size_t>(i)];
            // Trials take turns on the two areas; what an area is worth must not count for the candidate.
            rows.row(i) = row(observation.trial->configuration, area_of(observation));
            targets[i] = observation.log_ratio;
            noise[i] = observation.variance;
        }
        auto model = models::LinearRegression::fit(rows, targets, noise, spaces_.size());
        if (!model) return std::nullopt;
        return std::move(*model);
    }

    std::optional<Proposal> fill(const std::vector<Trial>& trials, const std::set<std::string>& tried,
                                 std::mt19937_64& random) const {
        for (std::size_t turn = 0; turn < spaces_.size(); ++turn) {
            // Filesystems take turns, so that a short budget still sees each of them.
            const Space& space = spaces_[(tried.size() + turn) % spaces_.size()];
            const auto filled = std::count_if(trials.begin(), trials.end(), [&](const Trial& trial) {
                return trial.origin == "space-filling" &&
                       trial.configuration.filesystem == space.filesystem();
            });
            if (filled >= kFillPerFilesystem) continue;
            for (int attempt = 0; attempt < 20; ++attempt) {
                const auto sample = space.sample(random);
                if (sample && !tried.contains(canonical_text(*sample)))
                    return Proposal{*sample, "space-filling", 0};
            }
        }
        return std::nullopt;
    }

    // Single changes of the best trials, and random points.
    std::map<std::string, Configuration> candidates(const std::vector<Observation>& observations,
                                                    const std::set<std::string>& tried,
                                                    std::mt19937_64& random) const {
        std::map<std::string, Configuration> result;
        const auto add = [&](const Space& space, const Configuration& configuration) {
            std::string name = canonical_text(configuration);
            if (!tried.contains(name) && !result.contains(name) && space.valid(configuration)) {
                result.emplace(std::move(name), configuration);
            }
        };
        std::vector<Observation> best = observations;
        std::sort(best.begin(), best.end(),
                  [](const Observation& a, const Observation& b) { return a.log_ratio > b.log_ratio; });
        best.resize(std::min<std::size_t>(best.size(), 3));
        for (const Observation& observation : best) {
            const Configuration& centre = observation.trial->configuration;
            const std::size_t index = design_.space_of(centre);
            if (index == spaces_.size()) continue;
            const Space& space = spaces_[index];
            for (const Dimension& dimension : space.dimensions()) {
                for (std::size_t level = 0; level < dimension.values.size(); ++level) {
                    Configuration neighbour = centre;
                    neighbour.values.erase(dimension.parameter);
                    if (level > 0) neighbour.values[dimension.parameter] = dimension.values[level];
                    add(space, neighbour);
                }
            }
        }
        for (const Space& space : spaces_) {
            for (int i = 0; i < kRandomCandidates; ++i) {
                if (const auto sample = space.sample(random)) add(space, *sample);
            }
        }
        return result;
    }

    std::optional<Proposal> improve(const std::vector<Trial>& trials, const std::set<std::string>& tried,
                                    std::mt19937_64& random) const {
        const auto observations = observe(trials);
        const auto options = candidates(observations, tried, random);
        if (options.empty()) return std::nullopt;
        const auto model = fit(observations);
        if (!model) return Proposal{options.begin()->second, "random", 0};
        // The incumbent is the best *expected* value: the best noisy measurement would be a lucky one.
        double incumbent = -1e9;
        for (const Observation& observation : observations) {
            incumbent = std::max(incumbent, model->predict(row(observation.trial->configuration)).mean);
        }
        Proposal best;
        best.expected_improvement = -1;
        for (const auto& [name, configuration] : options) {
            const auto predicted = model->predict(row(configuration));
            const double gain = models::expected_improvement(predicted.mean, predicted.deviation, incumbent);
            if (gain > best.expected_improvement) best = {configuration, "model", gain};
        }
        if (static_cast<int>(observations.size()) >= kTrialsBeforeStop &&
            best.expected_improvement < kNegligibleGain) {
            return std::nullopt;
        }
        return best;
    }

    std::vector<Space> spaces_;
    std::vector<Proposal> first_;
    std::uint64_t seed_;
    Design design_;  // refers to spaces_
};

}  // namespace

std::unique_ptr<Search> make_model_search(std::vector<Space> spaces, std::vector<Proposal> first,
                                          std::uint64_t seed) {
    return std::make_unique<ModelSearch>(std::move(spaces), std::move(first), seed);
}

}  // namespace fsadvise::tuner
