#include "models/ensemble.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace fsadvise::models {
namespace {

// Shares of `count` draws, largest remainders last; adds up to `count`.
std::vector<std::size_t> shares_of(const std::vector<double>& weights, std::size_t count) {
    std::vector<std::size_t> result;
    double sum = 0;
    std::size_t given = 0;
    for (const double weight : weights) {
        sum += weight;
        const auto upto =
            std::min(count, static_cast<std::size_t>(std::llround(sum * static_cast<double>(count))));
        result.push_back(upto - std::min(given, upto));
        given = std::max(given, upto);
    }
    if (!result.empty()) result.back() += count - given;
    return result;
}

class Ensemble final : public SurrogateEnsemble {
  public:
    Ensemble(std::vector<std::unique_ptr<Surrogate>> members, std::uint64_t seed)
        : members_(std::move(members)), seed_(seed) {
        weights_.assign(members_.size(), 1 / static_cast<double>(members_.size()));
    }

    std::string name() const override {
        std::string result;
        for (const auto& member : members_) result += (result.empty() ? "" : " + ") + member->name();
        return result;
    }

    Result<void> fit(const TrainingData& data) override {
        std::vector<std::size_t> fitted;
        std::vector<std::vector<double>> densities;
        std::optional<Error> error;
        for (std::size_t i = 0; i < members_.size(); ++i) {
            const auto result = members_[i]->fit(data);
            if (!result) {
                error = result.error();
                continue;
            }
            fitted.push_back(i);
            densities.push_back(members_[i]->leave_one_out().log_density);
        }
        if (fitted.empty()) {
            if (error) return tl::unexpected(*error);
            return fail(ErrorCode::kBadInput, "an ensemble without members cannot be fitted");
        }
        weights_.assign(members_.size(), 0);
        const auto shares = pseudo_bma_weights(densities, seed_);
        for (std::size_t i = 0; i < fitted.size(); ++i) weights_[fitted[i]] = shares[i];
        combine_leave_one_out(data.targets);
        return {};
    }

    Prediction predict(const Point& point) const override {
        return mixture([&](std::size_t i) { return members_[i]->predict(point); });
    }

    std::vector<Prediction> predict(std::span<const Point> points) const override {
        std::vector<std::vector<Prediction>> each(members_.size());
        for (std::size_t i = 0; i < members_.size(); ++i) {
            if (weights_[i] > 0) each[i] = members_[i]->predict(points);
        }
        std::vector<Prediction> result;
        for (std::size_t at = 0; at < points.size(); ++at) {
            result.push_back(mixture([&](std::size_t i) { return each[i][at]; }));
        }
        return result;
    }

    Eigen::MatrixXd draws(std::span<const Point> points, std::size_t count,
                          std::uint64_t seed) const override {
        Eigen::MatrixXd result(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(points.size()));
        const auto shares = shares_of(weights_, count);
        Eigen::Index row = 0;
        for (std::size_t i = 0; i < members_.size(); ++i) {
            if (shares[i] == 0) continue;
            const auto rows = static_cast<Eigen::Index>(shares[i]);
            result.middleRows(row, rows) = members_[i]->draws(points, shares[i], seed + i);
            row += rows;
        }
        return result;
    }

    LeaveOneOut leave_one_out() const override { return leave_one_out_; }

    double extra_noise_variance() const override {
        double sum = 0;
        for (std::size_t i = 0; i < members_.size(); ++i) {
            if (weights_[i] > 0) sum += weights_[i] * members_[i]->extra_noise_variance();
        }
        return sum;
    }

    const std::vector<double>& weights() const override { return weights_; }

  private:
    template <class Of>
    Prediction mixture(Of of) const {
        double mean = 0, squares = 0;
        for (std::size_t i = 0; i < members_.size(); ++i) {
            if (!(weights_[i] > 0)) continue;
            const Prediction one = of(i);
            mean += weights_[i] * one.mean;
            squares += weights_[i] * (one.deviation * one.deviation + one.mean * one.mean);
        }
        return {mean, std::sqrt(std::max(0.0, squares - mean * mean))};
    }

    void combine_leave_one_out(const std::vector<double>& targets) {
        leave_one_out_ = {};
        std::vector<LeaveOneOut> each(members_.size());
        for (std::size_t i = 0; i < members_.size(); ++i) {
            if (weights_[i] > 0) each[i] = members_[i]->leave_one_out();
        }
        for (std::size_t row = 0; row < targets.size(); ++row) {
            const Prediction one = mixture([&](std::size_t i) {
                return Prediction{each[i].mean[row], each[i].deviation[row]};
            });
            double density = 0;
            for (std::size_t i = 0; i < members_.size(); ++i) {
                if (weights_[i] > 0) density += weights_[i] * std::exp(each[i].log_density[row]);
            }
            leave_one_out_.mean.push_back(one.mean);
            leave_one_out_.deviation.push_back(one.deviation);
            leave_one_out_.log_density.push_back(
                density > 0 ? std::log(density) : log_normal_density(targets[row], one.mean, one.deviation));
        }
    }

    std::vector<std::unique_ptr<Surrogate>> members_;
    std::uint64_t seed_;
    std::vector<double> weights_;
    LeaveOneOut leave_one_out_;
};

}  // namespace

std::vector<double> pseudo_bma_weights(const std::vector<std::vector<double>>& log_densities,
                                       std::uint64_t seed, int bootstraps) {
    const std::size_t models = log_densities.size();
    const std::size_t rows = models == 0 ? 0 : log_densities[0].size();
    std::vector<double> result(models, models == 0 ? 0 : 1 / static_cast<double>(models));
    if (models < 2 || rows == 0 || bootstraps <= 0) return result;
    std::fill(result.begin(), result.end(), 0.0);
    std::mt19937_64 random(seed);
    std::vector<double> share(rows), total(models);
    for (int bootstrap = 0; bootstrap < bootstraps; ++bootstrap) {
        // Dirichlet(1, .., 1) over the rows by exponentials.
        double sum = 0;
        for (double& value : share) {
            value = -std::log((static_cast<double>(random() >> 11) + 0.5) * 0x1p-53);
            sum += value;
        }
        for (std::size_t m = 0; m < models; ++m) {
            total[m] = 0;
            for (std::size_t i = 0; i < rows; ++i) {
                total[m] += share[i] / sum * static_cast<double>(rows) * log_densities[m][i];
            }
        }
        const double highest = *std::max_element(total.begin(), total.end());
        double scale = 0;
        for (double& value : total) {
            value = std::exp(value - highest);
            scale += value;
        }
        for (std::size_t m = 0; m < models; ++m) result[m] += total[m] / scale / bootstraps;
    }
    // A model hardly ever in front only costs time.
    double left = 0;
    for (double& weight : result) {
        if (weight < 0.01) weight = 0;
        left += weight;
    }
    for (double& weight : result) weight /= left;
    return result;
}

std::unique_ptr<SurrogateEnsemble> make_ensemble(std::vector<std::unique_ptr<Surrogate>> members,
                                                 std::uint64_t seed) {
    return std::make_unique<Ensemble>(std::move(members), seed);
}

}  // namespace fsadvise::models
