#include "tuner/search/design.h"

#include <algorithm>
#include <cmath>

namespace fsadvise::tuner {
namespace {

// Sizes and counts act by their order of magnitude; two values say no more as a line than as categories.
models::Column column_of(const Dimension& dimension) {
    models::Column column{dimension.parameter, {}, dimension.values.size()};
    if (dimension.values.size() < 3) return column;
    std::vector<double> positions;
    for (const Value& value : dimension.values) {
        const auto number = positive_number(value);
        if (!number) return column;
        positions.push_back(std::log2(*number));
    }
    column.positions = std::move(positions);
    return column;
}

std::vector<models::Column> columns_of(const std::vector<Space>& spaces) {
    std::vector<models::Column> columns = {{"filesystem", {}, spaces.size()}};
    for (const Space& space : spaces) {
        for (const Dimension& dimension : space.dimensions()) columns.push_back(column_of(dimension));
    }
    return columns;
}

}  // namespace

std::optional<double> positive_number(const Value& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value); whole != nullptr && *whole > 0)
        return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&value); real != nullptr && *real > 0) return *real;
    return std::nullopt;
}

Design::Design(const std::vector<Space>& spaces) : spaces_(&spaces), encoder_(columns_of(spaces)) {
    std::size_t column = 1;
    for (const Space& space : spaces) {
        first_column_.push_back(column);
        column += space.dimensions().size();
    }
}

std::size_t Design::space_of(const Configuration& configuration) const {
    const auto found = std::find_if(spaces_->begin(), spaces_->end(), [&](const Space& space) {
        return space.filesystem() == configuration.filesystem;
    });
    return static_cast<std::size_t>(found - spaces_->begin());
}

models::Point Design::point(const Configuration& configuration) const {
    models::Point point{std::vector<int>(encoder_.columns().size(), -1)};
    const std::size_t index = space_of(configuration);
    if (index == spaces_->size()) return point;
    point.level[0] = static_cast<int>(index);
    const auto& dimensions = (*spaces_)[index].dimensions();
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        int level = 0;
        const auto set = configuration.values.find(dimensions[i].parameter);
        if (set != configuration.values.end()) {
            const auto found = std::find_if(dimensions[i].values.begin(), dimensions[i].values.end(),
                                            [&](const Value& value) { return equal(value, set->second); });
            level = found == dimensions[i].values.end()
                        ? -1
                        : static_cast<int>(found - dimensions[i].values.begin());
        }
        point.level[first_column_[index] + i] = level;
    }
    return point;
}

models::Point Design::contrast(std::size_t space, std::size_t dimension, std::size_t level) const {
    models::Point point{std::vector<int>(encoder_.columns().size(), -1)};
    point.level[first_column_[space] + dimension] = static_cast<int>(level);
    return point;
}

}  // namespace fsadvise::tuner
