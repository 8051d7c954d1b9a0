#include "tuner/search/design.h"
#include "tuner/search/pool.h"

namespace fsadvise::tuner {
namespace {

class SpacePool final : public Pool {
  public:
    explicit SpacePool(std::vector<Space> spaces) : spaces_(std::move(spaces)), design_(spaces_) {
        for (std::size_t s = 0; s < spaces_.size(); ++s) {
            for (std::size_t d = 0; d < spaces_[s].dimensions().size(); ++d) places_.emplace_back(s, d);
        }
    }

    const std::vector<models::Column>& columns() const override { return design_.encoder().columns(); }
    std::string level_name(std::size_t column, int level) const override {
        if (level < 0) return {};
        const auto index = static_cast<std::size_t>(level);
        if (column == 0) return index < spaces_.size() ? spaces_[index].filesystem() : "";
        const Dimension& dimension = dimension_of(column);
        return index < dimension.values.size() ? dimension.parameter + "=" + to_text(dimension.values[index])
                                               : "";
    }
    models::Point point(const Configuration& configuration) const override {
        return design_.point(configuration);
    }
    bool contains(const Configuration& configuration) const override {
        return std::any_of(spaces_.begin(), spaces_.end(),
                           [&](const Space& space) { return space.valid(configuration); });
    }
    bool active(std::size_t column, int filesystem) const override {
        return column == 0 || places_[column - 1].first == static_cast<std::size_t>(filesystem);
    }

    std::optional<Configuration> near(const models::Point& wish, std::mt19937_64& random) const override {
        if (wish.level[0] < 0 || static_cast<std::size_t>(wish.level[0]) >= spaces_.size())
            return std::nullopt;
        const auto index = static_cast<std::size_t>(wish.level[0]);
        const Space& space = spaces_[index];
        std::vector<std::size_t> levels(space.dimensions().size(), 0), changed;
        for (std::size_t column = 1; column < wish.level.size(); ++column) {
            if (places_[column - 1].first != index || wish.level[column] <= 0) continue;
            levels[places_[column - 1].second] = static_cast<std::size_t>(wish.level[column]);
            changed.push_back(places_[column - 1].second);
        }
        // What does not go together is taken back, one change at a time.
        while (true) {
            Configuration made = space.configuration(levels);
            if (space.valid(made)) return made;
            if (changed.empty()) return std::nullopt;
            const std::size_t k = std::uniform_int_distribution<std::size_t>(0, changed.size() - 1)(random);
            levels[changed[k]] = 0;
            changed.erase(changed.begin() + static_cast<long>(k));
        }
    }
    std::optional<Configuration> sample(std::mt19937_64& random) const override {
        const std::size_t start = std::uniform_int_distribution<std::size_t>(0, spaces_.size() - 1)(random);
        for (std::size_t turn = 0; turn < spaces_.size(); ++turn) {
            if (auto made = spaces_[(start + turn) % spaces_.size()].sample(random)) return made;
        }
        return std::nullopt;
    }
    std::vector<Configuration> neighbours(const Configuration& centre) const override {
        std::vector<Configuration> result;
        const std::size_t index = design_.space_of(centre);
        if (index == spaces_.size()) return result;
        for (const Dimension& dimension : spaces_[index].dimensions()) {
            for (std::size_t level = 0; level < dimension.values.size(); ++level) {
                Configuration made = centre;
                made.values.erase(dimension.parameter);
                if (level > 0) made.values[dimension.parameter] = dimension.values[level];
                if (!(made == centre) && spaces_[index].valid(made)) result.push_back(std::move(made));
            }
        }
        return result;
    }

  private:
    const Dimension& dimension_of(std::size_t column) const {
        const auto& [space, dimension] = places_[column - 1];
        return spaces_[space].dimensions()[dimension];
    }

    std::vector<Space> spaces_;
    Design design_;                                            // refers to spaces_
    std::vector<std::pair<std::size_t, std::size_t>> places_;  // of column + 1: space, dimension
};

}  // namespace

std::unique_ptr<Pool> make_space_pool(std::vector<Space> spaces) {
    return std::make_unique<SpacePool>(std::move(spaces));
}

}  // namespace fsadvise::tuner
