#include "models/sparse_effects.h"

#include <array>
#include <cmath>
#include <random>

namespace fsadvise::models {
namespace {

// What an effect without a prior from elsewhere may be. Most options do nothing; few change a lot.
struct Component {
    double deviation, share;
};
constexpr std::array<Component, 3> kEffect = {{{0.008, 16}, {0.07, 4}, {0.35, 1}}};
constexpr std::array<Component, 2> kOwn = {{{0.008, 10}, {0.06, 2}}};
constexpr double kGroupDeviation = 0.4;
constexpr double kPriorHolds = 6, kPriorFails = 2;  // Beta: three priors of four are expected to hold
constexpr double kNoiseShape = 2.0;
constexpr double kTails = 6;  // degrees of freedom of the noise

double normal(std::mt19937_64& random) {
    return std::normal_distribution<double>()(random);
}
double gamma(std::mt19937_64& random, double shape) {
    return std::gamma_distribution<double>(shape, 1.0)(random);
}

class Gibbs {
  public:
    Gibbs(const std::vector<SparseFeature>& features, const std::vector<std::vector<int>>& rows,
          const std::vector<SparseObservation>& observations, const SparseOptions& options)
        : features_(features),
          rows_(rows),
          observations_(observations),
          options_(options),
          random_(options.seed * 0x9e3779b97f4a7c15u + observations.size()),
          effect_(features.size(), 0.0),
          own_(rows.size(), 0.0),
          residual_(observations.size()),
          weight_(observations.size()),
          scale_(observations.size(), 1.0),
          of_feature_(features.size()),
          of_row_(rows.size()) {
        for (std::size_t i = 0; i < observations.size(); ++i) {
            of_row_[observations[i].row].push_back(i);
            for (const int feature : rows[observations[i].row]) {
                of_feature_[static_cast<std::size_t>(feature)].push_back(i);
            }
        }
        double known = 0;
        std::size_t count = 0;
        for (const SparseObservation& observation : observations) {
            if (observation.deviation <= 0) continue;
            known += observation.deviation;
            ++count;
        }
        // Formats differ more than the windows of one run tell.
        usual_noise_ =
            count > 0 ? std::max(0.005, 0.5 * known / static_cast<double>(count)) : options.usual_noise;
        extra_ = usual_noise_ * usual_noise_;
        for (std::size_t j = 0; j < features.size(); ++j) {
            if (features[j].prior) effect_[j] = features[j].prior->mean;
        }
        intercept_ = options.intercept.value_or(median());
        for (std::size_t i = 0; i < observations.size(); ++i) {
            residual_[i] = observations[i].value - predict(observations[i].row);
        }
        reweigh();
    }

    SparseDraws run() {
        SparseDraws result;
        result.rows.resize(options_.draws, static_cast<Eigen::Index>(rows_.size()));
        result.effects.resize(options_.draws, static_cast<Eigen::Index>(features_.size()));
        double noise = 0, holds = 0;
        for (int sweep = -options_.burn_in; sweep < options_.draws; ++sweep) {
            step();
            if (sweep < 0) continue;
            for (std::size_t r = 0; r < rows_.size(); ++r) {
                if (of_row_[r].empty()) own_[r] = from_prior_own();
                result.rows(sweep, static_cast<Eigen::Index>(r)) = predict(r);
            }
            for (std::size_t j = 0; j < features_.size(); ++j) {
                result.effects(sweep, static_cast<Eigen::Index>(j)) = effect_[j];
            }
            noise += extra_;
            holds += holds_;
        }
        result.prior_weight = holds / options_.draws;
        noise /= options_.draws;
        double usual_known = 0;
        std::size_t count = 0;
        for (const SparseObservation& observation : observations_) {
            usual_known += observation.deviation * observation.deviation;
            ++count;
        }
        if (count > 0) usual_known /= static_cast<double>(count);
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            double known = usual_known;
            if (!of_row_[r].empty()) {
                known = 0;
                for (const std::size_t i : of_row_[r])
                    known += observations_[i].deviation * observations_[i].deviation;
                known /= static_cast<double>(of_row_[r].size());
            }
            result.noise_deviation.push_back(std::sqrt(noise + known));
        }
        return result;
    }

  private:
    double median() const {
        if (observations_.empty()) return 0;
        std::vector<double> values;
        for (const SparseObservation& observation : observations_) values.push_back(observation.value);
        std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
        return values[values.size() / 2];
    }
    double predict(std::size_t row) const {
        double sum = intercept_ + own_[row];
        for (const int feature : rows_[row]) sum += effect_[static_cast<std::size_t>(feature)];
        return sum;
    }
    double from_prior_own() {
        const double pick = std::uniform_real_distribution<double>(0, own_share_[0] + own_share_[1])(random_);
        return kOwn[pick < own_share_[0] ? 0 : 1].deviation * normal(random_);
    }
    void reweigh() {
        for (std::size_t i = 0; i < observations_.size(); ++i) {
            const double known = observations_[i].deviation * observations_[i].deviation;
            weight_[i] = 1 / (known + extra_ / scale_[i]);
        }
    }
    // Draws a coefficient of these observations under a mixture of normals; returns the component.
    template <std::size_t N>
    std::size_t draw(const std::vector<std::size_t>& members, double& value,
                     const std::array<double, N>& means, const std::array<double, N>& deviations,
                     const std::array<double, N>& shares, std::size_t n) {
        double precision = 0, sum = 0;
        for (const std::size_t i : members) {
            precision += weight_[i];
            sum += weight_[i] * (residual_[i] + value);
        }
        std::array<double, N> chance{};
        double most = -1e300;
        for (std::size_t k = 0; k < n; ++k) {
            const double variance = deviations[k] * deviations[k];
            const double total = precision + 1 / variance;
            const double mean = (sum + means[k] / variance) / total;
            chance[k] = std::log(shares[k]) - 0.5 * std::log(variance * total) +
                        0.5 * (mean * mean * total - means[k] * means[k] / variance);
            most = std::max(most, chance[k]);
        }
        double all = 0;
        for (std::size_t k = 0; k < n; ++k) all += chance[k] = std::exp(chance[k] - most);
        double pick = std::uniform_real_distribution<double>(0, all)(random_);
        std::size_t k = 0;
        while (k + 1 < n && pick >= chance[k]) pick -= chance[k++];
        const double variance = deviations[k] * deviations[k];
        const double total = precision + 1 / variance;
        const double drawn = (sum + means[k] / variance) / total + normal(random_) / std::sqrt(total);
        for (const std::size_t i : members) residual_[i] += value - drawn;
        value = drawn;
        return k;
    }

    void step() {
        if (!options_.intercept) {
            double precision = 1 / 100.0, sum = 0;
            for (std::size_t i = 0; i < observations_.size(); ++i) {
                precision += weight_[i];
                sum += weight_[i] * (residual_[i] + intercept_);
            }
            const double drawn = sum / precision + normal(random_) / std::sqrt(precision);
            for (double& residual : residual_) residual += intercept_ - drawn;
            intercept_ = drawn;
        }
        std::array<double, 3> counts{};
        double held = 0, failed = 0;
        for (std::size_t j = 0; j < features_.size(); ++j) {
            const SparseFeature& feature = features_[j];
            const EffectPrior prior = feature.prior.value_or(EffectPrior{});
            if (feature.group) {
                const std::array<double, 2> means = {0, prior.mean},
                                            deviations = {kGroupDeviation, prior.deviation},
                                            shares = {feature.prior ? 1 - holds_ : 1, holds_};
                const std::size_t k =
                    draw(of_feature_[j], effect_[j], means, deviations, shares, feature.prior ? 2 : 1);
                if (feature.prior) (k == 1 ? held : failed) += 1;
                continue;
            }
            std::array<double, 4> means{}, deviations{}, shares{};
            for (std::size_t k = 0; k < 3; ++k) {
                deviations[k] = kEffect[k].deviation;
                shares[k] = effect_share_[k] * (feature.prior ? 1 - holds_ : 1);
            }
            means[3] = prior.mean, deviations[3] = prior.deviation, shares[3] = holds_;
            const std::size_t k =
                draw(of_feature_[j], effect_[j], means, deviations, shares, feature.prior ? 4 : 3);
            if (k < 3) counts[k] += 1;
            // Only what has been seen says how often priors hold.
            if (feature.prior && !of_feature_[j].empty()) (k == 3 ? held : failed) += 1;
        }
        std::array<double, 2> own_counts{};
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            if (of_row_[r].empty()) continue;
            const std::array<double, 2> means{}, deviations = {kOwn[0].deviation, kOwn[1].deviation};
            own_counts[draw(of_row_[r], own_[r], means, deviations, own_share_, 2)] += 1;
        }
        shares(counts, held, failed, own_counts);
        noise();
    }

    void shares(const std::array<double, 3>& counts, double held, double failed,
                const std::array<double, 2>& own_counts) {
        double all = 0;
        for (std::size_t k = 0; k < 3; ++k)
            all += effect_share_[k] = gamma(random_, kEffect[k].share + counts[k]);
        for (double& share : effect_share_) share = std::max(share / all, 1e-6);
        const double a = gamma(random_, kPriorHolds + held), b = gamma(random_, kPriorFails + failed);
        holds_ = std::clamp(a / (a + b), 0.001, 0.999);
        const double c = gamma(random_, kOwn[0].share + own_counts[0]),
                     d = gamma(random_, kOwn[1].share + own_counts[1]);
        own_share_ = {c / (c + d), std::max(d / (c + d), 1e-6)};
    }

    // The extra variance on a grid: together with known errors it has no closed form.
    void noise() {
        for (std::size_t i = 0; i < observations_.size(); ++i) {
            // With a known error the scale acts on the rest only; as an approximation its share is used.
            const double known = observations_[i].deviation * observations_[i].deviation;
            const double share = extra_ / (extra_ + known);
            const double z = residual_[i] * residual_[i] * share / (extra_ + known);
            scale_[i] = gamma(random_, (kTails + 1) / 2) / ((kTails + z) / 2);
        }
        constexpr std::size_t kSteps = 15;
        std::array<double, kSteps> chance{};
        double most = -1e300;
        const double prior = usual_noise_ * usual_noise_;
        for (std::size_t g = 0; g < kSteps; ++g) {
            const double extra = prior * std::exp2(static_cast<double>(g) - 5);
            double log = -kNoiseShape * std::log(extra / prior) - kNoiseShape * prior / extra;
            for (std::size_t i = 0; i < observations_.size(); ++i) {
                const double variance =
                    observations_[i].deviation * observations_[i].deviation + extra / scale_[i];
                log -= 0.5 * std::log(variance) + 0.5 * residual_[i] * residual_[i] / variance;
            }
            chance[g] = log;
            most = std::max(most, log);
        }
        double all = 0;
        for (double& value : chance) all += value = std::exp(value - most);
        double pick = std::uniform_real_distribution<double>(0, all)(random_);
        std::size_t g = 0;
        while (g + 1 < kSteps && pick >= chance[g]) pick -= chance[g++];
        extra_ = prior * std::exp2(static_cast<double>(g) - 5);
        reweigh();
    }

    const std::vector<SparseFeature>& features_;
    const std::vector<std::vector<int>>& rows_;
    const std::vector<SparseObservation>& observations_;
    const SparseOptions& options_;
    std::mt19937_64 random_;
    double intercept_ = 0, extra_ = 0, usual_noise_ = 0.02,
           holds_ = kPriorHolds / (kPriorHolds + kPriorFails);
    std::array<double, 3> effect_share_ = {0.76, 0.19, 0.05};
    std::array<double, 2> own_share_ = {0.92, 0.08};
    std::vector<double> effect_, own_, residual_, weight_, scale_;
    std::vector<std::vector<std::size_t>> of_feature_, of_row_;
};

}  // namespace

SparseDraws draw_sparse_effects(const std::vector<SparseFeature>& features,
                                const std::vector<std::vector<int>>& rows,
                                const std::vector<SparseObservation>& observations,
                                const SparseOptions& options) {
    return Gibbs(features, rows, observations, options).run();
}

}  // namespace fsadvise::models
