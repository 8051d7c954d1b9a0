// The contract of everything that proposes trials: ask for some, measure them, ask again with all that is
// known.
//
// A sampler keeps nothing between calls: same pool, seed and history, same answer. So a stopped study goes on
// as an unbroken one, and trials may come from anywhere. Trials "running" are under way: not proposed again,
// not known. Errors: none. An empty answer to ask() ends the search; `stopped` says why. Threads: one a
// sampler.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "tuner/search/effect_memory.h"
#include "tuner/search/pool.h"
#include "tuner/search/search.h"

namespace fsadvise::tuner {

struct BestFound {
    Configuration configuration;
    double expected = 0, deviation = 0;  // log metric
    // Against the anchor (else the first trial): a gain of 2 % or more, with 97.5 % probability at least.
    bool material = false;
};

class Sampler {
  public:
    virtual ~Sampler() = default;
    [[nodiscard]] virtual std::string name() const = 0;
    // At most `count`, all of the pool. A configuration tried before means: measure it again.
    virtual std::vector<Proposal> ask(const std::vector<Trial>& history, std::size_t count) = 0;
    // What to use if the search ended now: one of the configurations tried (or the anchor); empty without any
    // success.
    virtual std::optional<BestFound> recommend(const std::vector<Trial>& history) = 0;
    // Why the last ask() gave nothing: "nothing is left to try", "what is left to gain is below the noise".
    [[nodiscard]] virtual std::string stopped() const { return {}; }
};

struct SamplerOptions {
    std::uint64_t seed = 1;
    std::vector<Proposal> first;          // defaults and expert configurations, proposed in this order
    std::optional<Configuration> anchor;  // whose log metric is 0 by definition
    EffectMemory memory;                  // effects known from elsewhere
    bool stop_early = true;               // when the remaining improvement is below the noise
    int trials_before_stop = 20;
    double usual_noise = 0.02;  // of one measurement, until the data tell
};

// Names of make_sampler(), the best first.
const std::vector<std::string>& sampler_names();
// "model", "random", "sobol", "latin-hypercube", "genetic". Errors: kUsage for another name.
Result<std::unique_ptr<Sampler>> make_sampler(const std::string& name, std::shared_ptr<const Pool> pool,
                                              SamplerOptions options);

std::unique_ptr<Sampler> make_random_sampler(std::shared_ptr<const Pool> pool, std::uint64_t seed);
std::unique_ptr<Sampler> make_sobol_sampler(std::shared_ptr<const Pool> pool, std::uint64_t seed);
std::unique_ptr<Sampler> make_latin_hypercube_sampler(std::shared_ptr<const Pool> pool, std::uint64_t seed);
std::unique_ptr<Sampler> make_genetic_sampler(std::shared_ptr<const Pool> pool, std::uint64_t seed);
std::unique_ptr<Sampler> make_model_sampler(std::shared_ptr<const Pool> pool, SamplerOptions options);

}  // namespace fsadvise::tuner
