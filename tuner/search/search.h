// Proposes the next configuration from what has been measured. Deterministic: same seed and trials, same
// proposal.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "space/space.h"
#include "tuner/study/study.h"

namespace fsadvise::tuner {

// Area of the candidate in the search trial of this number: they alternate, so that no candidate keeps the
// better one.
constexpr int candidate_area(int number) {
    return number % 2;
}

struct Proposal {
    Configuration configuration;
    std::string origin;
    double expected_improvement = 0;  // on the log metric; 0 for the first design
};

struct ParameterEffect {
    std::string parameter;
    std::string value;
    double effect = 0, low = 0, high = 0;  // relative to the default, log metric
};

// How well the fit behind the effects predicts trials that were left out of it.
struct FitQuality {
    static constexpr std::size_t kFewestTrials = 10;
    // Less is what a fit to noise reaches by chance.
    static constexpr double kLeastExplained = 0.25;

    std::size_t trials = 0;  // complete ones
    // Share of their squared deviations from the mean of the other trials of their filesystem; below 0 the
    // mean is the better prediction.
    double explained = 0;
    [[nodiscard]] bool holds() const { return trials >= kFewestTrials && explained >= kLeastExplained; }
};

class Search {
  public:
    virtual ~Search() = default;
    // nullopt: nothing new is left to try, or the remaining improvement is below the noise.
    virtual std::optional<Proposal> next(const std::vector<Trial>& trials) = 0;
    // Trial numbers worth confirming, best first.
    virtual std::vector<int> finalists(const std::vector<Trial>& trials, int count) = 0;
    virtual std::vector<ParameterEffect> effects(const std::vector<Trial>& trials) = 0;
    // Of what effects() returns.
    virtual FitQuality quality(const std::vector<Trial>& trials) = 0;
};

// `first`: defaults of every filesystem, then expert configurations; tried in this order before the model
// proposes.
std::unique_ptr<Search> make_model_search(std::vector<Space> spaces, std::vector<Proposal> first,
                                          std::uint64_t seed);

}  // namespace fsadvise::tuner
