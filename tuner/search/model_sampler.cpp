// The sampler of this program: sparse effects, expected gain of the recommendation, and repeats of
// contenders.
//
// One measure decides whether to try something new or to repeat a contender: by how much the recommendation
// is expected to improve. A new configuration can win outright; a repeat can unmask a lucky run.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "models/acquisition.h"
#include "tuner/search/history.h"
#include "tuner/search/sampler.h"

namespace fsadvise::tuner {
namespace {

constexpr int kRandomCandidates = 250;  // of spaces
constexpr std::size_t kCentres = 3;     // best ones whose neighbours are candidates
// A further trial that promises less is not worth its time; calibrated by replays (docs/search.md).
constexpr double kNegligibleGain = 0.0012;
constexpr double kMaterial = 0.02;
// Every so many trials one is drawn blindly from what is untried: a model that is wrong about it would never
// look.
constexpr std::size_t kBlindEvery = 8, kBlindFrom = 16;
constexpr double kBlindBelow = 0.004;  // while the model sees more to gain than this, it is not disturbed

struct Knowing {
    std::vector<Configuration> rows;  // the tried ones first, then candidates
    std::vector<std::string> names;
    std::size_t tried = 0;
    std::vector<bool> usable;  // may be recommended: has a measurement, or is the anchor
    std::vector<bool> open;    // may be proposed
    std::vector<std::size_t> running;
    models::SparseDraws draws;
    std::optional<std::size_t> anchor;  // row
    std::size_t observations = 0;
};

double mean_of(const models::SparseDraws& draws, std::size_t row) {
    return draws.rows.col(static_cast<Eigen::Index>(row)).mean();
}

class ModelSampler final : public Sampler {
  public:
    ModelSampler(std::shared_ptr<const Pool> pool, SamplerOptions options)
        : pool_(std::move(pool)), options_(std::move(options)) {
        name_features();
    }
    std::string name() const override { return "model"; }
    std::string stopped() const override { return stopped_; }

    std::vector<Proposal> ask(const std::vector<Trial>& trials, std::size_t count) override {
        const History history(trials);
        stopped_.clear();
        std::vector<Proposal> result;
        for (const Configuration& configuration : history.interrupted) {
            if (result.size() < count) result.push_back({configuration, "interrupted", 0});
        }
        for (const Proposal& proposal : options_.first) {
            if (result.size() >= count) break;
            const bool asked = std::any_of(result.begin(), result.end(), [&](const Proposal& other) {
                return other.configuration == proposal.configuration;
            });
            if (!asked && !history.has(proposal.configuration) && pool_->contains(proposal.configuration)) {
                result.push_back(proposal);
            }
        }
        if (result.size() >= count) return result;
        improve(history, learn(history), count, result);
        return result;
    }

    std::optional<BestFound> recommend(const std::vector<Trial>& trials) override {
        const Knowing& knowing = learn(History(trials));
        const auto best = incumbent(knowing);
        if (!best) return std::nullopt;
        const auto column = knowing.draws.rows.col(static_cast<Eigen::Index>(*best));
        BestFound found{knowing.rows[*best], column.mean(), 0, false};
        found.deviation = std::sqrt((column.array() - found.expected).square().mean());
        const std::size_t base = knowing.anchor.value_or(0);
        if (knowing.usable[base] && base != *best) {
            const auto gain = (column - knowing.draws.rows.col(static_cast<Eigen::Index>(base))).array();
            found.material = (gain > std::log1p(kMaterial)).cast<double>().mean() >= 0.975;
        }
        return found;
    }

  private:
    // Features: every filesystem; of a parameter "differs from the default", and its value if there are
    // several.
    void name_features() {
        const auto& columns = pool_->columns();
        for (std::size_t c = 0; c < columns.size(); ++c) {
            first_.push_back(features_.size());
            const bool several = c > 0 && columns[c].levels > 2;
            if (several) features_.push_back({});
            for (std::size_t level = c == 0 ? 0 : 1; level < columns[c].levels; ++level) {
                models::SparseFeature feature;
                feature.group = c == 0;
                const auto known = options_.memory.find(pool_->level_name(c, static_cast<int>(level)));
                if (known != options_.memory.end()) feature.prior = known->second;
                features_.push_back(feature);
            }
        }
    }
    std::vector<int> features_of(const Configuration& configuration) const {
        const models::Point point = pool_->point(configuration);
        std::vector<int> result;
        for (std::size_t c = 0; c < point.level.size(); ++c) {
            const int level = point.level[c];
            if (level < 0 || (c > 0 && level == 0)) continue;
            const int first = static_cast<int>(first_[c]);
            if (c == 0) {
                result.push_back(first + level);
            } else if (pool_->columns()[c].levels > 2) {
                result.push_back(first);
                result.push_back(first + level);
            } else {
                result.push_back(first);
            }
        }
        return result;
    }

    // ask() and recommend() of one history share the work.
    const Knowing& learn(const History& history) {
        std::string seen;
        for (const Tried& tried : history.tried) {
            seen +=
                canonical_text(tried.configuration) + (tried.running ? "r" : "") + (tried.failed ? "f" : "");
            for (const auto& [value, deviation] : tried.measured)
                seen += fmt::format(" {} {}", value, deviation);
        }
        seen = fingerprint(seen);
        if (seen != learned_from_) learned_ = learn_anew(history);
        learned_from_ = std::move(seen);
        return learned_;
    }

    Knowing learn_anew(const History& history) const {
        Knowing knowing;
        std::vector<models::SparseObservation> observations;
        std::map<std::string, std::size_t> index;
        const auto add = [&](const Configuration& configuration, bool usable, bool open) {
            std::string name = canonical_text(configuration);
            if (!index.emplace(name, knowing.rows.size()).second) return false;
            knowing.rows.push_back(configuration);
            knowing.names.push_back(std::move(name));
            knowing.usable.push_back(usable);
            knowing.open.push_back(open);
            return true;
        };
        for (const Tried& tried : history.tried) {
            add(tried.configuration, !tried.measured.empty(), !tried.failed && !tried.running);
            if (tried.running) knowing.running.push_back(knowing.rows.size() - 1);
            for (const auto& [value, deviation] : tried.measured) {
                observations.push_back({knowing.rows.size() - 1, value, deviation});
            }
        }
        knowing.observations = observations.size();
        knowing.tried = knowing.rows.size();
        if (options_.anchor) {
            // Compared with itself it gives 0, measured or not.
            if (add(*options_.anchor, true, pool_->contains(*options_.anchor)))
                knowing.tried = knowing.rows.size();
            knowing.anchor = index.at(canonical_text(*options_.anchor));
            knowing.usable[*knowing.anchor] = true;
            double usual = options_.usual_noise;
            if (!observations.empty() && observations.front().deviation > 0)
                usual = observations.front().deviation;
            observations.push_back({*knowing.anchor, 0.0, 0.1 * usual});
        }
        for (const Configuration& configuration : candidates(history)) add(configuration, false, true);
        std::vector<std::vector<int>> rows;
        for (const Configuration& configuration : knowing.rows) rows.push_back(features_of(configuration));
        models::SparseOptions sparse;
        sparse.seed = options_.seed;
        sparse.usual_noise = options_.usual_noise;
        knowing.draws = models::draw_sparse_effects(features_, rows, observations, sparse);
        return knowing;
    }

    std::vector<Configuration> candidates(const History& history) const {
        if (pool_->all() != nullptr) return *pool_->all();
        std::vector<Configuration> result;
        std::vector<const Tried*> best;
        for (const Tried& tried : history.tried) {
            if (!tried.measured.empty()) best.push_back(&tried);
        }
        std::sort(best.begin(), best.end(),
                  [](const Tried* a, const Tried* b) { return a->mean() > b->mean(); });
        best.resize(std::min(best.size(), kCentres));
        for (const Tried* centre : best) {
            for (Configuration& near : pool_->neighbours(centre->configuration))
                result.push_back(std::move(near));
        }
        // Seeded by what has been tried, so that a resumed study goes on as an unbroken one would.
        std::mt19937_64 random(options_.seed * 0x9e3779b97f4a7c15u + history.tried.size());
        for (int i = 0; i < kRandomCandidates; ++i) {
            if (auto sample = pool_->sample(random)) result.push_back(std::move(*sample));
        }
        return result;
    }

    static std::optional<std::size_t> incumbent(const Knowing& knowing) {
        std::optional<std::size_t> best;
        for (std::size_t r = 0; r < knowing.tried; ++r) {
            if (knowing.usable[r] && (!best || mean_of(knowing.draws, r) > mean_of(knowing.draws, *best)))
                best = r;
        }
        return best;
    }

    // What a repeat of `row` is expected to add to the recommendation: it may change places with another
    // contender.
    static double gain_of_repeat(const Knowing& knowing, std::size_t row, std::size_t best) {
        const auto& draws = knowing.draws.rows;
        const Eigen::ArrayXd own = draws.col(static_cast<Eigen::Index>(row)).array();
        const double own_mean = own.mean();
        const double variance = (own - own_mean).square().mean();
        const double noise = knowing.draws.noise_deviation[row] * knowing.draws.noise_deviation[row];
        double most = 0;
        for (std::size_t other = 0; other < knowing.tried; ++other) {
            // The pair must hold the incumbent: only its place can be lost.
            if (!knowing.usable[other] || other == row || (row != best && other != best)) continue;
            const Eigen::ArrayXd difference = own - draws.col(static_cast<Eigen::Index>(other)).array();
            const double gap = difference.mean();
            const double together = ((difference - gap) * (own - own_mean)).mean();
            const double spread = std::abs(together) / std::sqrt(variance + noise + 1e-12);
            if (spread <= 0) continue;
            most = std::max(most, models::expected_improvement(-std::abs(gap), spread, 0));
        }
        return most;
    }

    void improve(const History& history, const Knowing& knowing, std::size_t count,
                 std::vector<Proposal>& result) {
        const auto& draws = knowing.draws.rows;
        const auto best = incumbent(knowing);
        // The best of what is recommended and what is under way, draw by draw.
        Eigen::ArrayXd bar = best ? Eigen::ArrayXd(draws.col(static_cast<Eigen::Index>(*best)).array())
                                  : Eigen::ArrayXd::Constant(draws.rows(), -1e9);
        for (const std::size_t row : knowing.running)
            bar = bar.max(draws.col(static_cast<Eigen::Index>(row)).array());
        std::vector<bool> taken(knowing.rows.size(), false);
        for (std::size_t r = 0; r < knowing.rows.size(); ++r) {
            for (const Proposal& proposal : result)
                taken[r] = taken[r] || proposal.configuration == knowing.rows[r];
        }
        while (result.size() < count) {
            std::optional<std::size_t> chosen;
            double most = -1;
            for (std::size_t r = 0; r < knowing.rows.size(); ++r) {
                if (!knowing.open[r] || taken[r]) continue;
                double gain = 0;
                if (best && r < knowing.tried && knowing.usable[r]) {
                    gain = gain_of_repeat(knowing, r, *best);
                } else {
                    const Eigen::ArrayXd own = draws.col(static_cast<Eigen::Index>(r)).array();
                    const double variance = (own - own.mean()).square().mean();
                    const double noise = knowing.draws.noise_deviation[r];
                    // One noisy look does not tell a winner for sure.
                    gain = best ? (own - bar).max(0.0).mean() *
                                      std::sqrt(variance / (variance + noise * noise + 1e-12))
                                : own.mean() + 10;
                }
                if (gain > most) most = gain, chosen = r;
            }
            if (!chosen) {
                if (result.empty()) stopped_ = "nothing is left to try";
                return;
            }
            const std::size_t number = history.trials + result.size();
            if (best && number >= kBlindFrom && number % kBlindEvery == 0 && most < kBlindBelow) {
                std::vector<std::size_t> untried;
                for (std::size_t r = knowing.tried; r < knowing.rows.size(); ++r) {
                    if (!taken[r] && knowing.open[r]) untried.push_back(r);
                }
                std::mt19937_64 random(options_.seed * 0x9e3779b97f4a7c15u + number);
                if (!untried.empty()) chosen = untried[random() % untried.size()];
            }
            const bool enough = history.trials >= static_cast<std::size_t>(options_.trials_before_stop);
            if (options_.stop_early && enough && best && most < kNegligibleGain) {
                if (result.empty()) stopped_ = "what is left to gain is below the noise";
                return;
            }
            taken[*chosen] = true;
            const bool repeat = *chosen < knowing.tried && knowing.usable[*chosen];
            result.push_back({knowing.rows[*chosen], repeat ? "repeat" : "model", best ? most : 0});
            bar = bar.max(draws.col(static_cast<Eigen::Index>(*chosen)).array());
        }
    }

    std::shared_ptr<const Pool> pool_;
    SamplerOptions options_;
    std::vector<models::SparseFeature> features_;
    std::vector<std::size_t> first_;  // feature of each column
    std::string stopped_, learned_from_;
    Knowing learned_;
};

}  // namespace

std::unique_ptr<Sampler> make_model_sampler(std::shared_ptr<const Pool> pool, SamplerOptions options) {
    return std::make_unique<ModelSampler>(std::move(pool), std::move(options));
}

}  // namespace fsadvise::tuner
