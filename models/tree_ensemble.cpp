#include "models/tree_ensemble.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "models/prior_part.h"

namespace fsadvise::models {
namespace {

constexpr double kUnknownVariance = 0.2 * 0.2;  // of the targets before any row, and worth one row
constexpr double kParentRows = 1;               // a leaf borrows as much from its parent as from one row
constexpr std::size_t kFewestToSplit = 3;
constexpr std::size_t kMostRowsOfTree = 300;   // of a bootstrap: bounds the cost of a fit
constexpr double kTriedColumns = 2.0 / 3;      // of those that differ within a node
constexpr std::size_t kFewestTreesForRow = 5;  // out of bag
constexpr double kCalibrationRows = 5;         // as many rows does it take to doubt the deviations
constexpr double kLeastVariance = 1e-9;

// Uniform in [0, bound). Not std::uniform_int_distribution, whose numbers differ between libraries.
std::size_t below(std::mt19937_64& random, std::size_t bound) {
    return static_cast<std::size_t>(random() % bound);
}

struct Node {
    int column = -1;                // -1: a leaf
    std::vector<bool> left_levels;  // by level + 1, so that inactive comes first
    int left = -1, right = -1;
    double mean = 0, variance = 0;  // variance: of latent values within, noise taken off
};

struct Row {
    const Point* point = nullptr;
    double target = 0, weight = 1, noise = 0;
};

class Tree {
  public:
    // `bag`: indices into rows, repeats allowed.
    void build(const std::vector<Row>& rows, std::vector<std::size_t> bag, const std::vector<Column>& columns,
               const std::vector<std::size_t>& split_columns, std::mt19937_64& random) {
        rows_ = &rows;
        columns_ = &columns;
        split_columns_ = &split_columns;
        nodes_.clear();
        Node root;
        root.mean = 0;
        root.variance = kUnknownVariance;
        grow(std::move(bag), root.mean, root.variance, random);
        rows_ = nullptr;
        columns_ = nullptr;
        split_columns_ = nullptr;
    }
    const Node& leaf(const Point& point) const {
        const Node* node = &nodes_[0];
        while (node->column >= 0) {
            const int level = point.level[static_cast<std::size_t>(node->column)];
            const auto at = static_cast<std::size_t>(level + 1);
            const bool left = at < node->left_levels.size() ? node->left_levels[at] : node->left_levels[0];
            node = &nodes_[static_cast<std::size_t>(left ? node->left : node->right)];
        }
        return *node;
    }

  private:
    int grow(std::vector<std::size_t> bag, double parent_mean, double parent_variance,
             std::mt19937_64& random) {
        Node node;
        double weight = 0, sum = 0;
        for (const std::size_t i : bag) {
            weight += row(i).weight;
            sum += row(i).weight * row(i).target;
        }
        const auto count = static_cast<double>(bag.size());
        const double borrowed = kParentRows * weight / count;
        node.mean = (sum + borrowed * parent_mean) / (weight + borrowed);
        double squares = 0, noise = 0;
        for (const std::size_t i : bag) {
            squares += row(i).weight * std::pow(row(i).target - node.mean, 2);
            noise += row(i).weight * row(i).noise;
        }
        const double own = std::max(0.0, (squares - noise) / weight);
        node.variance = (count * own + kParentRows * parent_variance) / (count + kParentRows);

        const auto index = static_cast<int>(nodes_.size());
        nodes_.push_back(node);
        if (bag.size() < kFewestToSplit || !(own > kLeastVariance)) return index;
        auto best = best_split(bag, sum / weight, random);
        const int column = best.first;
        std::vector<bool> left_levels = std::move(best.second);
        if (column < 0) return index;
        const auto middle = std::partition(bag.begin(), bag.end(), [&](std::size_t i) {
            return left_levels[static_cast<std::size_t>(level(i, static_cast<std::size_t>(column)) + 1)];
        });
        std::vector<std::size_t> right_bag(middle, bag.end());
        bag.erase(middle, bag.end());
        const int left = grow(std::move(bag), node.mean, node.variance, random);
        const int right = grow(std::move(right_bag), node.mean, node.variance, random);
        Node& stored = nodes_[static_cast<std::size_t>(index)];
        stored.column = column;
        stored.left_levels = std::move(left_levels);
        stored.left = left;
        stored.right = right;
        return index;
    }

    // The best of one random split each of some random columns; -1 where all rows are alike.
    std::pair<int, std::vector<bool>> best_split(const std::vector<std::size_t>& bag, double center,
                                                 std::mt19937_64& random) const {
        std::vector<std::size_t> differing;
        for (const std::size_t column : *split_columns_) {
            const int first = level(bag[0], column);
            if (std::any_of(bag.begin(), bag.end(),
                            [&](std::size_t i) { return level(i, column) != first; })) {
                differing.push_back(column);
            }
        }
        const auto tried =
            static_cast<std::size_t>(std::ceil(kTriedColumns * static_cast<double>(differing.size())));
        std::pair<int, std::vector<bool>> best{-1, {}};
        double best_gain = 0;
        for (std::size_t k = 0; k < tried; ++k) {
            std::swap(differing[k], differing[k + below(random, differing.size() - k)]);
            const std::size_t column = differing[k];
            auto left_levels = random_split(bag, column, random);
            double left_weight = 0, left_sum = 0, right_weight = 0, right_sum = 0;
            for (const std::size_t i : bag) {
                const double weight = row(i).weight, part = weight * (row(i).target - center);
                if (left_levels[static_cast<std::size_t>(level(i, column) + 1)]) {
                    left_weight += weight;
                    left_sum += part;
                } else {
                    right_weight += weight;
                    right_sum += part;
                }
            }
            if (!(left_weight > 0) || !(right_weight > 0)) continue;
            // Weighted squares between the two sides; those within are the rest.
            const double gain = left_sum * left_sum / left_weight + right_sum * right_sum / right_weight;
            if (gain > best_gain) {
                best_gain = gain;
                best = {static_cast<int>(column), std::move(left_levels)};
            }
        }
        return best;
    }

    // Both sides hold a row: levels present go left and right at random (a threshold if ordered); absent ones
    // are sent anywhere, so that trees disagree about what none of them has seen.
    std::vector<bool> random_split(const std::vector<std::size_t>& bag, std::size_t column,
                                   std::mt19937_64& random) const {
        const Column& about = (*columns_)[column];
        std::vector<bool> present(about.levels + 1, false), left(about.levels + 1, false);
        for (const std::size_t i : bag) present[static_cast<std::size_t>(level(i, column) + 1)] = true;
        const bool ordered = about.positions.size() == about.levels && !about.positions.empty();
        std::vector<std::size_t> numbers;  // levels present, without inactive
        for (std::size_t at = 1; at < present.size(); ++at) {
            if (present[at]) numbers.push_back(at);
        }
        if (numbers.size() < 2) {  // only inactive against active
            left[0] = true;
            return left;
        }
        left[0] = below(random, 2) == 0;
        if (ordered) {
            const auto position = [&](std::size_t at) { return about.positions[at - 1]; };
            double low = position(numbers[0]), high = low;
            for (const std::size_t at : numbers) {
                low = std::min(low, position(at));
                high = std::max(high, position(at));
            }
            const double share = static_cast<double>(random() >> 11) * 0x1p-53;
            const double threshold = low + share * (high - low);  // below `high`: both sides have a row
            for (std::size_t at = 1; at < left.size(); ++at) left[at] = position(at) <= threshold;
            return left;
        }
        for (std::size_t at = 1; at < left.size(); ++at) left[at] = below(random, 2) == 0;
        const std::size_t one = below(random, numbers.size());
        const std::size_t other = (one + 1 + below(random, numbers.size() - 1)) % numbers.size();
        left[numbers[one]] = true;
        left[numbers[other]] = false;
        return left;
    }

    const Row& row(std::size_t i) const { return (*rows_)[i]; }
    int level(std::size_t i, std::size_t column) const { return row(i).point->level[column]; }

    std::vector<Node> nodes_;
    // Only while building.
    const std::vector<Row>* rows_ = nullptr;
    const std::vector<Column>* columns_ = nullptr;
    const std::vector<std::size_t>* split_columns_ = nullptr;
};

struct Moments {
    double mean = 0, variance = 0;
    std::size_t trees = 0;
};

class TreeEnsemble final : public Surrogate {
  public:
    TreeEnsemble(Domain domain, PriorBelief prior, const TreeEnsembleOptions& options)
        : domain_(std::move(domain)), prior_(std::move(prior)), options_(options), linear_(domain_, prior_) {
        for (std::size_t column = 0; column < domain_.columns.size(); ++column) {
            const bool nuisance =
                std::find(domain_.nuisance.begin(), domain_.nuisance.end(), column) != domain_.nuisance.end();
            if (!nuisance) split_columns_.push_back(column);
        }
    }

    std::string name() const override { return "tree ensemble"; }

    Result<void> fit(const TrainingData& data) override {
        FSADVISE_TRY(check_training_data(domain_, prior_, data));
        const std::size_t n = data.points.size();
        linear_.fit(data);
        std::vector<Row> rows(n);
        // Harmonic mean, so that a few hopeless rows do not make all others look alike.
        double precision = 0;
        for (const double variance : data.noise_variance) precision += 1 / (variance + kLeastVariance);
        const double typical = n == 0 ? 0 : static_cast<double>(n) / precision;
        for (std::size_t i = 0; i < n; ++i) {
            // Half of the weight's noise is the common one: a lucky pair of repeats must not rule a leaf.
            const double variance = (data.noise_variance[i] + typical) / 2 + kLeastVariance;
            rows[i] = {&data.points[i], linear_.residual(data, i), 1 / variance, data.noise_variance[i]};
        }
        double mean_weight = 0;
        for (const Row& row : rows) mean_weight += row.weight / static_cast<double>(n);
        for (Row& row : rows) row.weight /= mean_weight;

        std::mt19937_64 random(options_.seed);
        trees_.assign(n == 0 ? 0 : options_.trees, {});
        std::vector<std::vector<bool>> in_bag(trees_.size(), std::vector<bool>(n, false));
        for (std::size_t t = 0; t < trees_.size(); ++t) {
            std::vector<std::size_t> bag(std::min(n, kMostRowsOfTree));
            for (std::size_t& i : bag) {
                i = below(random, n);
                in_bag[t][i] = true;
            }
            trees_[t].build(rows, std::move(bag), domain_.columns, split_columns_, random);
        }
        evaluate_out_of_bag(data, rows, in_bag);
        return {};
    }

    Prediction predict(const Point& point) const override {
        const Prediction linear = linear_.predict(point);
        if (trees_.empty()) return linear;
        const Moments trees = moments(known(point), nullptr, 0);
        return {linear.mean + trees.mean,
                std::sqrt(linear.deviation * linear.deviation + calibration_ * trees.variance)};
    }

    Eigen::MatrixXd draws(std::span<const Point> points, std::size_t count,
                          std::uint64_t seed) const override {
        std::mt19937_64 random(seed);
        std::normal_distribution<double> normal;
        Eigen::MatrixXd result(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(points.size()));
        std::vector<Point> levels;
        std::vector<double> centers;
        std::map<std::vector<int>, Eigen::Index> first;  // equal points have one value
        std::vector<Eigen::Index> same;
        for (const Point& point : points) {
            levels.push_back(known(point));
            centers.push_back(trees_.empty() ? 0 : moments(levels.back(), nullptr, 0).mean);
            same.push_back(
                first.emplace(levels.back().level, static_cast<Eigen::Index>(same.size())).first->second);
        }
        const double scale = std::sqrt(calibration_);
        const JointNormal linear = linear_.coefficients();
        for (Eigen::Index row = 0; row < result.rows(); ++row) {
            const Eigen::VectorXd coefficients = linear.draw(random);
            // A tree is a draw of the whole function; what it leaves open within a leaf is each point's own.
            const Tree* tree = trees_.empty() ? nullptr : &trees_[below(random, trees_.size())];
            for (Eigen::Index i = 0; i < result.cols(); ++i) {
                const auto at = static_cast<std::size_t>(i);
                if (same[at] < i) {
                    result(row, i) = result(row, same[at]);
                    continue;
                }
                double value = linear_.value(coefficients, levels[at]);
                if (tree != nullptr) {
                    const Node& leaf = tree->leaf(levels[at]);
                    value += centers[at] +
                             scale * (leaf.mean - centers[at] + std::sqrt(leaf.variance) * normal(random));
                }
                result(row, i) = value;
            }
        }
        return result;
    }

    LeaveOneOut leave_one_out() const override { return out_of_bag_; }
    double extra_noise_variance() const override { return extra_noise_; }

  private:
    Point known(const Point& point) const {
        Point result{std::vector<int>(domain_.columns.size(), -1)};
        for (std::size_t c = 0; c < std::min(result.level.size(), point.level.size()); ++c) {
            if (point.level[c] < static_cast<int>(domain_.columns[c].levels))
                result.level[c] = std::max(point.level[c], -1);
        }
        return result;
    }

    // Over all trees, or over those that have not seen `row`.
    Moments moments(const Point& point, const std::vector<std::vector<bool>>* in_bag, std::size_t row) const {
        Moments result;
        double squares = 0, within = 0;
        for (std::size_t t = 0; t < trees_.size(); ++t) {
            if (in_bag != nullptr && (*in_bag)[t][row]) continue;
            const Node& leaf = trees_[t].leaf(point);
            ++result.trees;
            result.mean += leaf.mean;
            squares += leaf.mean * leaf.mean;
            within += leaf.variance;
        }
        if (result.trees == 0) return result;
        const auto count = static_cast<double>(result.trees);
        result.mean /= count;
        result.variance = std::max(0.0, squares / count - result.mean * result.mean) + within / count;
        return result;
    }

    void evaluate_out_of_bag(const TrainingData& data, const std::vector<Row>& rows,
                             const std::vector<std::vector<bool>>& in_bag) {
        const std::size_t n = rows.size();
        std::vector<Moments> seen(n);
        extra_noise_ = repeats_variance(data);
        double misses = kCalibrationRows, claimed = kCalibrationRows;  // in mean variances
        double mean_variance = 0;
        for (std::size_t i = 0; i < n; ++i) {
            seen[i] = moments(*rows[i].point, &in_bag, i);
            if (seen[i].trees < kFewestTreesForRow) seen[i] = {0, kUnknownVariance, 0};
            mean_variance += seen[i].variance / static_cast<double>(n);
        }
        const auto shift = [&](std::size_t i) {
            return linear_.leave_one_out_mean(i) - linear_.predict(*rows[i].point).mean;
        };
        for (std::size_t i = 0; i < n && mean_variance > 0; ++i) {
            const double miss = rows[i].target - shift(i) - seen[i].mean;
            misses += (miss * miss - rows[i].noise - extra_noise_) / mean_variance;
            claimed += seen[i].variance / mean_variance;
        }
        calibration_ = std::clamp(misses / claimed, 0.1, 10.0);

        out_of_bag_ = {};
        for (std::size_t i = 0; i < n; ++i) {
            const double linear = linear_.predict(*rows[i].point).deviation;
            const double mean = linear_.leave_one_out_mean(i) + seen[i].mean;
            const double deviation = std::sqrt(calibration_ * seen[i].variance + linear * linear +
                                               rows[i].noise + extra_noise_ + kLeastVariance);
            out_of_bag_.mean.push_back(mean);
            out_of_bag_.deviation.push_back(deviation);
            out_of_bag_.log_density.push_back(log_normal_density(data.targets[i], mean, deviation));
        }
    }

    // Rows of one point differ by noise alone: what they differ by beyond the noise given.
    static double repeats_variance(const TrainingData& data) {
        std::map<std::vector<int>, std::vector<std::size_t>> groups;
        for (std::size_t i = 0; i < data.points.size(); ++i) groups[data.points[i].level].push_back(i);
        double squares = 0, freedom = 0;
        for (const auto& [levels, group] : groups) {
            if (group.size() < 2) continue;
            double center = 0, noise = 0;
            for (const std::size_t i : group) {
                center += data.targets[i] / static_cast<double>(group.size());
                noise += data.noise_variance[i] / static_cast<double>(group.size());
            }
            const auto own = static_cast<double>(group.size() - 1);
            for (const std::size_t i : group) squares += std::pow(data.targets[i] - center, 2);
            squares -= own * noise;
            freedom += own;
        }
        return freedom > 0 ? std::max(0.0, squares / freedom) : 0;
    }

    Domain domain_;
    PriorBelief prior_;
    TreeEnsembleOptions options_;
    PriorPart linear_;
    std::vector<std::size_t> split_columns_;
    std::vector<Tree> trees_;
    LeaveOneOut out_of_bag_;
    double calibration_ = 1, extra_noise_ = 0;
};

}  // namespace

std::unique_ptr<Surrogate> make_tree_ensemble(Domain domain, PriorBelief prior,
                                              const TreeEnsembleOptions& options) {
    return std::make_unique<TreeEnsemble>(std::move(domain), std::move(prior), options);
}

}  // namespace fsadvise::models
