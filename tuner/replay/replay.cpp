#include "tuner/replay/replay.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace fsadvise::tuner {

TableOracle::TableOracle(const ReplayTable& table, std::uint64_t seed, double added_noise)
    : table_(&table), seed_(seed), added_noise_(added_noise), asked_(table.rows.size(), 0) {}

const ReplayRepeat* TableOracle::measure(const Configuration& configuration) {
    const auto row = table_->find(configuration);
    if (!row) return nullptr;
    const auto& repeats = table_->rows[*row].repeats;
    std::mt19937_64 random(seed_ * 0x9e3779b97f4a7c15u + *row);
    std::vector<std::size_t> order(repeats.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    answer_ = repeats[order[asked_[*row] % order.size()]];
    random.discard(asked_[*row] * 16);
    if (!answer_.failed && added_noise_ > 0)
        answer_.value += std::normal_distribution<double>(0, added_noise_)(random);
    ++asked_[*row];
    return &answer_;
}

double regret_of(const ReplayTable& table, const std::optional<Configuration>& recommended) {
    double worst = table.best();
    for (const ReplayRow& row : table.rows) worst = std::min(worst, row.truth.value_or(worst));
    double truth = worst;
    if (recommended) {
        const auto row = table.find(*recommended);
        if (row && table.rows[*row].truth)
            truth = *table.rows[*row].truth;
        else if (!row && table.is_log_ratio && table.anchor == recommended)
            truth = 0;
    }
    return std::max(0.0, table.best() - truth);
}

std::optional<int> trials_to_within(const std::vector<double>& regret, double share) {
    const double bound = -std::log1p(-share) + 1e-12;
    const auto hit = std::find_if(regret.begin(), regret.end(), [&](double value) { return value <= bound; });
    if (hit == regret.end()) return std::nullopt;
    return static_cast<int>(hit - regret.begin()) + 1;
}

ReplayRun run_replay(const ReplayTable& table, Sampler& sampler, const ReplayOptions& options) {
    ReplayRun run;
    TableOracle oracle(table, options.seed, options.added_noise);
    const auto budget = static_cast<std::size_t>(options.trials);
    while (run.trials.size() < budget) {
        const auto proposals = sampler.ask(run.trials, std::min(options.batch, budget - run.trials.size()));
        if (proposals.empty()) {
            run.stopped = sampler.stopped();
            break;
        }
        for (const Proposal& proposal : proposals) {
            Trial trial;
            trial.number = static_cast<int>(run.trials.size());
            trial.configuration = proposal.configuration;
            trial.origin = proposal.origin;
            const ReplayRepeat* answer = oracle.measure(proposal.configuration);
            trial.state = answer == nullptr || answer->failed ? "failed" : "complete";
            if (trial.state == "complete") {
                trial.measurements.push_back({0, "search", answer->value, answer->deviation, "{}", "{}"});
            } else {
                trial.reason = answer == nullptr ? "not in the table" : answer->reason;
            }
            run.trials.push_back(std::move(trial));
        }
        run.best = sampler.recommend(run.trials);
        const double regret =
            regret_of(table, run.best ? std::optional(run.best->configuration) : std::nullopt);
        run.regret.resize(run.trials.size(), regret);
    }
    return run;
}

std::shared_ptr<const Pool> pool_of(const ReplayTable& table) {
    std::vector<Configuration> configurations;
    for (const ReplayRow& row : table.rows) configurations.push_back(row.configuration);
    return make_set_pool(std::move(configurations));
}

LearnedEffects learn_effects(const ReplayTable& table) {
    const auto pool = pool_of(table);
    const auto& columns = pool->columns();
    std::vector<models::SparseFeature> features;
    std::vector<std::size_t> first;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        first.push_back(features.size());
        for (std::size_t level = c == 0 ? 0 : 1; level < columns[c].levels; ++level)
            features.push_back({{}, c == 0});
    }
    std::vector<std::vector<int>> rows;
    std::vector<models::SparseObservation> observations;
    for (const ReplayRow& row : table.rows) {
        const models::Point point = pool->point(row.configuration);
        std::vector<int> on;
        for (std::size_t c = 0; c < columns.size(); ++c) {
            if (point.level[c] < 0 || (c > 0 && point.level[c] == 0)) continue;
            on.push_back(static_cast<int>(first[c]) + point.level[c] - (c == 0 ? 0 : 1));
        }
        rows.push_back(std::move(on));
        for (const ReplayRepeat& repeat : row.repeats) {
            if (!repeat.failed) observations.push_back({rows.size() - 1, repeat.value, repeat.deviation});
        }
    }
    models::SparseOptions options;
    options.burn_in = 400;
    options.draws = 1200;
    const auto draws = models::draw_sparse_effects(features, rows, observations, options);
    const std::string base =
        table.anchor ? table.anchor->filesystem : table.rows.front().configuration.filesystem;
    Eigen::ArrayXd level = Eigen::ArrayXd::Zero(draws.effects.rows());
    for (std::size_t l = 0; l < columns[0].levels; ++l) {
        if (pool->level_name(0, static_cast<int>(l)) == base)
            level = draws.effects.col(static_cast<Eigen::Index>(l)).array();
    }
    LearnedEffects learned{table.workload, {}};
    for (std::size_t c = 0; c < columns.size(); ++c) {
        for (std::size_t l = c == 0 ? 0 : 1; l < columns[c].levels; ++l) {
            const std::string name = pool->level_name(c, static_cast<int>(l));
            if (name.empty()) continue;
            Eigen::ArrayXd own =
                draws.effects.col(static_cast<Eigen::Index>(first[c] + l - (c == 0 ? 0 : 1))).array();
            if (c == 0) own -= level;
            const double mean = own.mean();
            learned.effects[name] = {mean, std::sqrt((own - mean).square().mean())};
        }
    }
    return learned;
}

}  // namespace fsadvise::tuner
