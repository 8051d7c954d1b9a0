// Samplers without a model: random, Sobol and Latin hypercube points, and a genetic algorithm. They are the
// measure of the others, and a check of any table.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <boost/random/sobol.hpp>

#include "base/text.h"
#include "tuner/search/history.h"
#include "tuner/search/sampler.h"

namespace fsadvise::tuner {
namespace {

constexpr int kAttempts = 64;
constexpr std::size_t kPopulation = 10;  // of the genetic sampler: small, as budgets are

class PlainSampler : public Sampler {
  public:
    PlainSampler(std::string name, std::shared_ptr<const Pool> pool, std::uint64_t seed)
        : name_(std::move(name)), pool_(std::move(pool)), seed_(seed) {}
    std::string name() const override { return name_; }
    std::string stopped() const override { return stopped_; }

    std::vector<Proposal> ask(const std::vector<Trial>& trials, std::size_t count) override {
        History history(trials);
        std::vector<Proposal> result;
        for (const Configuration& configuration : history.interrupted) {
            if (result.size() < count) result.push_back({configuration, name_, 0});
        }
        stopped_.clear();
        std::size_t number = history.trials;
        while (result.size() < count) {
            std::mt19937_64 random(seed_ * 0x9e3779b97f4a7c15u + number);
            auto made = fresh(history, number, random);
            if (!made) {
                if (result.empty()) stopped_ = "nothing is left to try";
                break;
            }
            history.index.emplace(canonical_text(*made), history.tried.size());
            history.tried.push_back({*made, {}, true, false});
            result.push_back({std::move(*made), name_, 0});
            ++number;
        }
        return result;
    }

    std::optional<BestFound> recommend(const std::vector<Trial>& trials) override {
        const History history(trials);
        const Tried* best = nullptr;
        for (const Tried& tried : history.tried) {
            if (!tried.measured.empty() && (best == nullptr || tried.mean() > best->mean())) best = &tried;
        }
        if (best == nullptr) return std::nullopt;
        return BestFound{best->configuration, best->mean(), 0, false};
    }

  protected:
    virtual std::optional<Configuration> propose(const History& history, std::size_t number,
                                                 std::mt19937_64& random) = 0;
    const Pool& pool() const { return *pool_; }
    std::uint64_t seed() const { return seed_; }

    // Level of every column for a point of the unit cube.
    models::Point decode(const std::vector<double>& cube) const {
        models::Point point;
        for (std::size_t c = 0; c < pool_->columns().size(); ++c) {
            const auto levels = static_cast<double>(pool_->columns()[c].levels);
            point.level.push_back(static_cast<int>(std::min(cube[c] * levels, levels - 1)));
        }
        return point;
    }

  private:
    std::optional<Configuration> fresh(const History& history, std::size_t number, std::mt19937_64& random) {
        if (auto made = propose(history, number, random); made && !history.has(*made)) return made;
        for (int attempt = 0; attempt < kAttempts; ++attempt) {
            if (auto made = pool_->sample(random); made && !history.has(*made)) return made;
        }
        if (pool_->all() == nullptr) return std::nullopt;
        std::vector<const Configuration*> left;
        for (const Configuration& configuration : *pool_->all()) {
            if (!history.has(configuration)) left.push_back(&configuration);
        }
        if (left.empty()) return std::nullopt;
        return *left[random() % left.size()];
    }

    std::string name_, stopped_;
    std::shared_ptr<const Pool> pool_;
    std::uint64_t seed_;
};

class RandomSampler final : public PlainSampler {
  public:
    using PlainSampler::PlainSampler;

  protected:
    std::optional<Configuration> propose(const History&, std::size_t, std::mt19937_64& random) override {
        return pool().sample(random);
    }
};

class SobolSampler final : public PlainSampler {
  public:
    using PlainSampler::PlainSampler;

  protected:
    std::optional<Configuration> propose(const History&, std::size_t number,
                                         std::mt19937_64& random) override {
        const std::size_t dimensions = pool().columns().size();
        boost::random::sobol engine(dimensions);
        engine.discard(static_cast<boost::uintmax_t>(number * dimensions));
        // A seeded shift keeps the evenness and makes seeds differ (Cranley, Patterson 1976).
        std::mt19937_64 shift(seed());
        std::vector<double> cube;
        for (std::size_t c = 0; c < dimensions; ++c) {
            const double x = std::ldexp(static_cast<double>(engine()), -64) +
                             std::uniform_real_distribution<double>()(shift);
            cube.push_back(x - std::floor(x));
        }
        return pool().near(decode(cube), random);
    }
};

class LatinHypercubeSampler final : public PlainSampler {
  public:
    using PlainSampler::PlainSampler;

  protected:
    std::optional<Configuration> propose(const History&, std::size_t number,
                                         std::mt19937_64& random) override {
        constexpr std::size_t kStrata = 20;  // one hypercube after the other
        std::mt19937_64 plan(seed() * 0x9e3779b97f4a7c15u + number / kStrata);
        std::vector<double> cube;
        for (std::size_t c = 0; c < pool().columns().size(); ++c) {
            std::vector<std::size_t> order(kStrata);
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::shuffle(order.begin(), order.end(), plan);
            const double jitter = std::uniform_real_distribution<double>()(random);
            cube.push_back((static_cast<double>(order[number % kStrata]) + jitter) / kStrata);
        }
        return pool().near(decode(cube), random);
    }
};

// Steady state: parents by tournament among the best so far, uniform crossover, mutation.
class GeneticSampler final : public PlainSampler {
  public:
    using PlainSampler::PlainSampler;

  protected:
    std::optional<Configuration> propose(const History& history, std::size_t,
                                         std::mt19937_64& random) override {
        std::vector<const Tried*> ranked;
        for (const Tried& tried : history.tried) {
            if (!tried.measured.empty()) ranked.push_back(&tried);
        }
        if (ranked.size() < kPopulation) return pool().sample(random);
        std::sort(ranked.begin(), ranked.end(),
                  [](const Tried* a, const Tried* b) { return a->mean() > b->mean(); });
        const auto parent = [&] {
            return pool().point(
                ranked[std::min(random() % kPopulation, random() % kPopulation)]->configuration);
        };
        const models::Point a = parent(), b = parent();
        models::Point child = a;
        const auto& columns = pool().columns();
        int active = 0;
        for (const int level : a.level) active += level >= 0 ? 1 : 0;
        for (std::size_t c = 1; c < columns.size(); ++c) {
            if (b.level[0] == a.level[0] && b.level[c] >= 0 && random() % 2 == 0) child.level[c] = b.level[c];
            if (child.level[c] >= 0 && random() % static_cast<std::uint64_t>(active) == 0) {
                child.level[c] = static_cast<int>(random() % columns[c].levels);
            }
        }
        if (random() % 10 == 0) {  // the filesystem mutates too; its parameters start at their defaults
            child.level[0] = static_cast<int>(random() % columns[0].levels);
            for (std::size_t c = 1; c < columns.size(); ++c) child.level[c] = 0;
        }
        return pool().near(child, random);
    }
};

}  // namespace

std::unique_ptr<Sampler> make_random_sampler(std::shared_ptr<const Pool> pool, std::uint64_t seed) {
    return std::make_unique<RandomSampler>("random", std::move(pool), seed);
}
std::unique_ptr<Sampler> make_sobol_sampler(std::shared_ptr<const Pool> pool, std::uint64_t seed) {
    return std::make_unique<SobolSampler>("sobol", std::move(pool), seed);
}
std::unique_ptr<Sampler> make_latin_hypercube_sampler(std::shared_ptr<const Pool> pool, std::uint64_t seed) {
    return std::make_unique<LatinHypercubeSampler>("latin-hypercube", std::move(pool), seed);
}
std::unique_ptr<Sampler> make_genetic_sampler(std::shared_ptr<const Pool> pool, std::uint64_t seed) {
    return std::make_unique<GeneticSampler>("genetic", std::move(pool), seed);
}

const std::vector<std::string>& sampler_names() {
    static const std::vector<std::string> kNames = {"model", "genetic", "sobol", "latin-hypercube", "random"};
    return kNames;
}

Result<std::unique_ptr<Sampler>> make_sampler(const std::string& name, std::shared_ptr<const Pool> pool,
                                              SamplerOptions options) {
    if (name == "model") return make_model_sampler(std::move(pool), std::move(options));
    if (name == "random") return make_random_sampler(std::move(pool), options.seed);
    if (name == "sobol") return make_sobol_sampler(std::move(pool), options.seed);
    if (name == "latin-hypercube") return make_latin_hypercube_sampler(std::move(pool), options.seed);
    if (name == "genetic") return make_genetic_sampler(std::move(pool), options.seed);
    return fail(ErrorCode::kUsage, "unknown sampler '" + name + "'" + did_you_mean(name, sampler_names()),
                "--sampler", join(sampler_names(), ", "));
}

}  // namespace fsadvise::tuner
