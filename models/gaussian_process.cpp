#include "models/gaussian_process.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "models/additive_kernel.h"
#include "models/joint_normal.h"

namespace fsadvise::models {
namespace {

// What is believed of the hyper-parameters before any data, on a log metric; all are wide.
struct LogNormal {
    double center = 0, width = 1;
    [[nodiscard]] double log_density(double x) const {
        return -0.5 * (x - center) * (x - center) / width / width;
    }
    [[nodiscard]] double slope(double x) const { return -(x - center) / width / width; }
};
const LogNormal kTypical{2 * std::log(0.05), 2};  // an option moves the metric by 5 %, or by 0.7 % or 37 %
const LogNormal kSelector{2 * std::log(0.3), 1};  // filesystems differ by a third
const LogNormal kNuisance{2 * std::log(0.02), 1};
const LogNormal kLength{0, 0.5};  // a column acts smoothly over its span
const LogNormal kInteraction{std::log(0.1), 1};
const LogNormal kNugget{2 * std::log(0.02), 1.5};
// A column's variance around the typical one, Student-t on the log: most near or below, a few far above.
constexpr double kSpread = 1.5, kFreedom = 4;
constexpr double kLeastVariance = 1e-9;  // of a row: keeps the matrix invertible
constexpr double kFurthest = 25;         // of any log parameter

double student_log_density(double x) {
    return -(kFreedom + 1) / 2 * std::log1p(x * x / (kFreedom * kSpread * kSpread));
}
double student_slope(double x) {
    return -(kFreedom + 1) * x / (kFreedom * kSpread * kSpread + x * x);
}

// Where the parameters sit in the vector that is optimised; the columns' offsets follow.
enum Slot : Eigen::Index {
    kTypicalAt,
    kSelectorAt,
    kNuisanceAt,
    kLengthAt,
    kInteractionAt,
    kNuggetAt,
    kColumnsAt
};

struct Rows {
    std::vector<SparsePoint> points;
    Eigen::VectorXd residual;  // target minus prior mean
    Eigen::VectorXd noise;
};

class GaussianProcess final : public Surrogate {
  public:
    GaussianProcess(Domain domain, PriorBelief prior, const GaussianProcessOptions& options)
        : domain_(std::move(domain)), prior_(std::move(prior)), options_(options), kernel_(domain_, prior_) {
        intercept_ = prior_.intercept.value_or(0);
        kernel_.set(parameters_of(start()));
    }

    std::string name() const override {
        return options_.interactions ? "gaussian process" : "additive gaussian process";
    }

    Result<void> fit(const TrainingData& data) override {
        FSADVISE_TRY(check_training_data(domain_, prior_, data));
        used_.clear();
        std::vector<bool> seen(domain_.columns.size(), false);
        Rows all;
        const auto n = static_cast<Eigen::Index>(data.points.size());
        all.residual.resize(n);
        all.noise.resize(n);
        for (Eigen::Index i = 0; i < n; ++i) {
            const auto row = static_cast<std::size_t>(i);
            all.points.push_back(kernel_.sparse(data.points[row]));
            all.residual[i] = data.targets[row] - kernel_.prior_mean(all.points.back());
            all.noise[i] = std::max(data.noise_variance[row], kLeastVariance);
            for (const auto& entry : all.points.back().entries) seen[entry.column] = true;
        }
        for (std::size_t c = 0; c < seen.size(); ++c) {
            if (seen[c]) used_.push_back(c);
        }
        intercept_ = prior_.intercept.value_or(n > 0 ? all.residual.mean() : 0);
        all.residual.array() -= intercept_;

        const Eigen::VectorXd theta = learn(subset(all, options_.most_rows_to_learn));
        kernel_.set(parameters_of(theta));
        nugget_ = std::exp(theta[kNuggetAt]);
        kept_indices_ = chosen(all, options_.most_rows);
        rows_ = pick(all, kept_indices_);
        factor_ = factorise(rows_, nugget_);
        alpha_ = factor_.solve(rows_.residual);
        all_ = std::move(all);
        return {};
    }

    Prediction predict(const Point& point) const override { return predict_sparse(kernel_.sparse(point)); }

    Eigen::MatrixXd draws(std::span<const Point> points, std::size_t count,
                          std::uint64_t seed) const override {
        const auto m = static_cast<Eigen::Index>(points.size()), n = rows_.residual.size();
        std::vector<SparsePoint> sparse;
        for (const Point& point : points) sparse.push_back(kernel_.sparse(point));
        Eigen::MatrixXd covariance(m, m), cross(n, m);
        Eigen::VectorXd mean(m);
        for (Eigen::Index j = 0; j < m; ++j) {
            const SparsePoint& at = sparse[static_cast<std::size_t>(j)];
            for (Eigen::Index i = 0; i <= j; ++i) {
                covariance(i, j) = covariance(j, i) =
                    kernel_.covariance(sparse[static_cast<std::size_t>(i)], at);
            }
            cross.col(j) = cross_covariance(at);
            mean[j] = intercept_ + kernel_.prior_mean(at);
        }
        if (n > 0) {
            mean += cross.transpose() * alpha_;
            factor_.matrixL().solveInPlace(cross);
            covariance -= cross.transpose() * cross;
        }
        const JointNormal joint(mean, covariance);
        std::mt19937_64 random(seed);
        Eigen::MatrixXd result(static_cast<Eigen::Index>(count), m);
        for (Eigen::Index row = 0; row < result.rows(); ++row)
            result.row(row) = joint.draw(random).transpose();
        return result;
    }

    LeaveOneOut leave_one_out() const override {
        LeaveOneOut result;
        const auto n = static_cast<std::size_t>(all_.residual.size());
        result.mean.resize(n);
        result.deviation.resize(n);
        result.log_density.resize(n);
        std::vector<bool> kept(n, false);
        const Eigen::Index k = rows_.residual.size();
        const Eigen::MatrixXd inverse = factor_.solve(Eigen::MatrixXd::Identity(k, k));
        const auto set = [&](std::size_t row, double residual_mean, double variance) {
            const auto i = static_cast<Eigen::Index>(row);
            const double shift = intercept_ + kernel_.prior_mean(all_.points[row]);
            result.mean[row] = shift + residual_mean;
            result.deviation[row] = std::sqrt(std::max(variance, kLeastVariance));
            result.log_density[row] =
                log_normal_density(all_.residual[i], residual_mean, result.deviation[row]);
        };
        for (Eigen::Index j = 0; j < k; ++j) {
            const std::size_t row = kept_indices_[static_cast<std::size_t>(j)];
            kept[row] = true;
            set(row, rows_.residual[j] - alpha_[j] / inverse(j, j), 1 / inverse(j, j));
        }
        for (std::size_t row = 0; row < n; ++row) {
            if (kept[row]) continue;
            // Not in the matrix, so it is predicted from others as it is.
            const Prediction latent = predict_sparse(all_.points[row]);
            const double shift = intercept_ + kernel_.prior_mean(all_.points[row]);
            set(row, latent.mean - shift,
                latent.deviation * latent.deviation + all_.noise[static_cast<Eigen::Index>(row)] + nugget_);
        }
        return result;
    }

    double extra_noise_variance() const override { return nugget_; }

  private:
    Eigen::VectorXd start() const {
        Eigen::VectorXd theta = Eigen::VectorXd::Zero(kColumnsAt + static_cast<Eigen::Index>(used_.size()));
        theta[kTypicalAt] = kTypical.center;
        theta[kSelectorAt] = kSelector.center;
        theta[kNuisanceAt] = kNuisance.center;
        theta[kLengthAt] = kLength.center;
        theta[kInteractionAt] = options_.interactions ? kInteraction.center : -kFurthest;
        theta[kNuggetAt] = kNugget.center;
        return theta;
    }

    KernelParameters parameters_of(const Eigen::VectorXd& theta) const {
        KernelParameters result;
        result.column.assign(domain_.columns.size(), theta[kTypicalAt]);
        for (std::size_t i = 0; i < used_.size(); ++i) {
            result.column[used_[i]] += theta[kColumnsAt + static_cast<Eigen::Index>(i)];
        }
        result.selector = theta[kSelectorAt];
        result.nuisance = theta[kNuisanceAt];
        result.length = theta[kLengthAt];
        result.interaction = theta[kInteractionAt];
        return result;
    }

    // The best half and, of the others, every so-many-th in the order of measuring.
    static std::vector<std::size_t> chosen(const Rows& all, std::size_t most) {
        std::vector<std::size_t> order(all.points.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        if (order.size() <= most) return order;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return all.residual[static_cast<Eigen::Index>(a)] > all.residual[static_cast<Eigen::Index>(b)];
        });
        const auto split = order.begin() + static_cast<std::ptrdiff_t>(most / 2);
        std::vector<std::size_t> result(order.begin(), split);
        std::vector<std::size_t> rest(split, order.end());
        std::sort(rest.begin(), rest.end());
        const std::size_t wanted = most - result.size();
        for (std::size_t i = 0; i < wanted; ++i) result.push_back(rest[i * rest.size() / wanted]);
        std::sort(result.begin(), result.end());
        return result;
    }

    static Rows pick(const Rows& all, const std::vector<std::size_t>& indices) {
        Rows result;
        result.residual.resize(static_cast<Eigen::Index>(indices.size()));
        result.noise.resize(static_cast<Eigen::Index>(indices.size()));
        for (std::size_t i = 0; i < indices.size(); ++i) {
            const auto to = static_cast<Eigen::Index>(i), from = static_cast<Eigen::Index>(indices[i]);
            result.points.push_back(all.points[indices[i]]);
            result.residual[to] = all.residual[from];
            result.noise[to] = all.noise[from];
        }
        return result;
    }
    static Rows subset(const Rows& all, std::size_t most) { return pick(all, chosen(all, most)); }

    Eigen::LLT<Eigen::MatrixXd> factorise(const Rows& rows, double nugget) const {
        const Eigen::Index n = rows.residual.size();
        Eigen::MatrixXd matrix(n, n);
        for (Eigen::Index j = 0; j < n; ++j) {
            for (Eigen::Index i = j; i < n; ++i) {
                matrix(i, j) = kernel_.covariance(rows.points[static_cast<std::size_t>(i)],
                                                  rows.points[static_cast<std::size_t>(j)]);
            }
            matrix(j, j) += rows.noise[j] + nugget;
        }
        // Rounding may leave a matrix of near-repeats not quite positive.
        Eigen::LLT<Eigen::MatrixXd> factor(matrix);
        for (double jitter = 1e-10; factor.info() != Eigen::Success && jitter < 1; jitter *= 10) {
            Eigen::MatrixXd firmer = matrix;
            firmer.diagonal().array() *= 1 + jitter;
            factor.compute(firmer);
        }
        return factor;
    }

    // Log posterior of the hyper-parameters and its slope.
    double posterior(const Rows& rows, const Eigen::VectorXd& theta, Eigen::VectorXd& slope) {
        const Eigen::Index n = rows.residual.size();
        const KernelParameters parameters = parameters_of(theta);
        const double nugget = std::exp(theta[kNuggetAt]);
        kernel_.set(parameters);
        const auto factor = factorise(rows, nugget);
        const Eigen::VectorXd alpha = factor.solve(rows.residual);
        const Eigen::MatrixXd inverse = factor.solve(Eigen::MatrixXd::Identity(n, n));
        double value = -0.5 * rows.residual.dot(alpha) - factor.matrixLLT().diagonal().array().log().sum();

        KernelGradient gradient;
        gradient.column.assign(domain_.columns.size(), 0);
        double diagonal = 0;
        for (Eigen::Index j = 0; j < n; ++j) {
            for (Eigen::Index i = j; i < n; ++i) {
                const double weight = (alpha[i] * alpha[j] - inverse(i, j)) * (i == j ? 0.5 : 1.0);
                kernel_.add_gradient(rows.points[static_cast<std::size_t>(i)],
                                     rows.points[static_cast<std::size_t>(j)], weight, gradient);
                if (i == j) diagonal += weight;
            }
        }
        slope = Eigen::VectorXd::Zero(theta.size());
        slope[kSelectorAt] = gradient.selector;
        slope[kNuisanceAt] = gradient.nuisance;
        slope[kLengthAt] = gradient.length;
        slope[kInteractionAt] = gradient.interaction;
        slope[kNuggetAt] = diagonal * nugget;
        for (std::size_t i = 0; i < used_.size(); ++i) {
            const auto at = kColumnsAt + static_cast<Eigen::Index>(i);
            slope[at] = gradient.column[used_[i]] + student_slope(theta[at]);
            slope[kTypicalAt] += gradient.column[used_[i]];
            value += student_log_density(theta[at]);
        }
        const auto believe = [&](Eigen::Index at, const LogNormal& prior) {
            value += prior.log_density(theta[at]);
            slope[at] += prior.slope(theta[at]);
        };
        believe(kTypicalAt, kTypical);
        believe(kSelectorAt, kSelector);
        believe(kNuisanceAt, kNuisance);
        believe(kLengthAt, kLength);
        believe(kNuggetAt, kNugget);
        if (options_.interactions) {
            believe(kInteractionAt, kInteraction);
        } else {
            slope[kInteractionAt] = 0;
        }
        return value;
    }

    // Resilient back-propagation: steps by the signs of the slope, one a parameter; needs no scaling and no
    // line search. Source: Riedmiller, Braun, ICNN 1993; iRprop- after Igel, Huesken, Neurocomputing 50
    // (2003).
    Eigen::VectorXd learn(const Rows& rows) {
        Eigen::VectorXd theta = start(), best = theta, slope, before;
        if (rows.points.empty()) return theta;
        Eigen::VectorXd step = Eigen::VectorXd::Constant(theta.size(), 0.4);
        before = Eigen::VectorXd::Zero(theta.size());
        double highest = -std::numeric_limits<double>::infinity();
        for (int iteration = 0; iteration < options_.iterations; ++iteration) {
            const double value = posterior(rows, theta, slope);
            if (!std::isfinite(value) || !slope.allFinite()) break;
            if (value > highest) {
                highest = value;
                best = theta;
            }
            for (Eigen::Index i = 0; i < theta.size(); ++i) {
                const double turn = slope[i] * before[i];
                if (turn > 0) step[i] = std::min(step[i] * 1.3, 2.0);
                if (turn < 0) {
                    step[i] = std::max(step[i] * 0.5, 1e-3);
                    slope[i] = 0;
                }
                const double sign = slope[i] > 0 ? 1 : slope[i] < 0 ? -1 : 0;
                theta[i] = std::clamp(theta[i] + sign * step[i], -kFurthest, kFurthest);
            }
            before = slope;
        }
        return best;
    }

    Eigen::VectorXd cross_covariance(const SparsePoint& at) const {
        Eigen::VectorXd result(rows_.residual.size());
        for (Eigen::Index i = 0; i < result.size(); ++i) {
            result[i] = kernel_.covariance(rows_.points[static_cast<std::size_t>(i)], at);
        }
        return result;
    }

    Prediction predict_sparse(const SparsePoint& at) const {
        double mean = intercept_ + kernel_.prior_mean(at), variance = kernel_.covariance(at, at);
        if (rows_.residual.size() > 0) {
            Eigen::VectorXd cross = cross_covariance(at);
            mean += cross.dot(alpha_);
            factor_.matrixL().solveInPlace(cross);
            variance -= cross.squaredNorm();
        }
        return {mean, std::sqrt(std::max(variance, 0.0))};
    }

    Domain domain_;
    PriorBelief prior_;
    GaussianProcessOptions options_;
    AdditiveKernel kernel_;
    std::vector<std::size_t> used_;  // columns that any row sets
    Rows all_, rows_;                // rows_: those in the matrix
    std::vector<std::size_t> kept_indices_;
    Eigen::LLT<Eigen::MatrixXd> factor_;
    Eigen::VectorXd alpha_;
    double intercept_ = 0, nugget_ = std::exp(kNugget.center);
};

}  // namespace

std::unique_ptr<Surrogate> make_gaussian_process(Domain domain, PriorBelief prior,
                                                 const GaussianProcessOptions& options) {
    return std::make_unique<GaussianProcess>(std::move(domain), std::move(prior), options);
}

}  // namespace fsadvise::models
