#include "space/space.h"

#include <algorithm>
#include <numeric>

#include "space/parameter_value.h"
#include "space/validity.h"

namespace fsadvise {
namespace {

constexpr int kSampleAttempts = 200;

bool held_by(const std::vector<Value>& values, const Value& value) {
    return std::any_of(values.begin(), values.end(), [&](const Value& other) { return equal(other, value); });
}

// Judges the value alone: rules about combinations may still be met by the other parameters.
bool possible(const Knowledge& knowledge, const Request& request, const Parameter& parameter,
              const Value& value) {
    const Configuration alone{parameter.filesystem, {{parameter.id, value}}};
    const std::vector<Violation> found = violations(Context(knowledge, request, alone));
    return std::none_of(found.begin(), found.end(), [&](const Violation& violation) {
        return violation.id == parameter.id + ".domain" || violation.id == parameter.id + ".version" ||
               violation.id == parameter.id + ".durability";
    });
}

std::optional<Dimension> dimension_of(const Knowledge& knowledge, const Request& request,
                                      const Parameter& parameter) {
    const Context context(knowledge, request, {parameter.filesystem, {}});
    const auto usual = default_value(parameter, context);
    Dimension dimension{parameter.id, {usual ? *usual : Value{std::string{}}}};
    for (const Expression& candidate : parameter.search) {
        const auto evaluated = candidate.evaluate(context);
        const auto value = evaluated ? coerce(parameter, *evaluated) : std::nullopt;
        if (!value || held_by(dimension.values, *value)) continue;
        if (possible(knowledge, request, parameter, *value)) dimension.values.push_back(*value);
    }
    if (dimension.values.size() < 2) return std::nullopt;
    return dimension;
}

}  // namespace

Space::Space(const Knowledge& knowledge, const Request& request, std::string filesystem)
    : knowledge_(&knowledge), request_(&request), filesystem_(std::move(filesystem)) {
    for (const Parameter* parameter : knowledge.parameters_of(filesystem_)) {
        if (parameter->layer == Layer::kBlock || parameter->search.empty()) continue;
        if (auto dimension = dimension_of(knowledge, request, *parameter))
            dimensions_.push_back(std::move(*dimension));
    }
}

Configuration Space::configuration(const std::vector<std::size_t>& indices) const {
    Configuration configuration{filesystem_, {}};
    for (std::size_t i = 0; i < dimensions_.size() && i < indices.size(); ++i) {
        const Dimension& dimension = dimensions_[i];
        if (indices[i] > 0 && indices[i] < dimension.values.size())
            configuration.values[dimension.parameter] = dimension.values[indices[i]];
    }
    return configuration;
}

std::vector<std::size_t> Space::indices(const Configuration& configuration) const {
    std::vector<std::size_t> result(dimensions_.size(), 0);
    for (std::size_t i = 0; i < dimensions_.size(); ++i) {
        const auto set = configuration.values.find(dimensions_[i].parameter);
        if (set == configuration.values.end()) continue;
        const std::vector<Value>& values = dimensions_[i].values;
        const auto place = std::find_if(values.begin(), values.end(),
                                        [&](const Value& value) { return equal(value, set->second); });
        if (place != values.end()) result[i] = static_cast<std::size_t>(place - values.begin());
    }
    return result;
}

bool Space::valid(const Configuration& configuration) const {
    return configuration.filesystem == filesystem_ &&
           is_valid(Context(*knowledge_, *request_, configuration));
}

std::optional<Configuration> Space::sample(std::mt19937_64& random, std::size_t changes) const {
    if (dimensions_.empty() || changes > dimensions_.size()) return std::nullopt;
    const auto below = [&](std::size_t bound) {
        return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
    };
    std::vector<std::size_t> order(dimensions_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (int attempt = 0; attempt < kSampleAttempts; ++attempt) {
        const std::size_t count = changes > 0 ? changes : 1 + below(dimensions_.size());
        std::vector<std::size_t> choice(dimensions_.size(), 0);
        for (std::size_t i = 0; i < count; ++i) {
            std::swap(order[i], order[i + below(order.size() - i)]);
            const std::size_t place = order[i];
            choice[place] = 1 + below(dimensions_[place].values.size() - 1);
        }
        Configuration candidate = configuration(choice);
        if (valid(candidate)) return candidate;
    }
    return std::nullopt;
}

}  // namespace fsadvise
