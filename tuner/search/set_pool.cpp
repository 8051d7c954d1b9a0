#include <cmath>
#include <map>
#include <set>

#include "tuner/search/design.h"
#include "tuner/search/pool.h"

namespace fsadvise::tuner {
namespace {

// Column of a parameter: its values in the set; nullopt = not set.
struct Factor {
    std::string filesystem, parameter;
    std::vector<std::optional<Value>> values;  // [0] = the reference
};

class SetPool final : public Pool {
  public:
    explicit SetPool(std::vector<Configuration> configurations) {
        std::set<std::string> seen;
        for (Configuration& configuration : configurations) {
            if (seen.insert(canonical_text(configuration)).second) all_.push_back(std::move(configuration));
        }
        std::map<std::string, std::map<std::string, std::map<std::string, std::pair<Value, int>>>> found;
        std::map<std::string, int> sizes;
        for (const Configuration& configuration : all_) {
            ++sizes[configuration.filesystem];
            found[configuration.filesystem];
            for (const auto& [id, value] : configuration.values) {
                auto& entry =
                    found[configuration.filesystem][id].try_emplace(to_text(value), value, 0).first->second;
                ++entry.second;
            }
        }
        for (const auto& [filesystem, parameters] : found) {
            filesystems_.push_back(filesystem);
            for (const auto& [id, values] : parameters) add_factor(filesystem, id, values, sizes[filesystem]);
        }
        columns_.push_back({"filesystem", {}, filesystems_.size()});
        for (const Factor& factor : factors_) columns_.push_back(column_of(factor));
        for (std::size_t i = 0; i < all_.size(); ++i) {
            index_[canonical_text(all_[i])] = i;
            points_.push_back(point(all_[i]));
        }
    }

    const std::vector<models::Column>& columns() const override { return columns_; }
    const std::vector<Configuration>* all() const override { return &all_; }
    bool contains(const Configuration& configuration) const override {
        return index_.contains(canonical_text(configuration));
    }
    bool active(std::size_t column, int filesystem) const override {
        return column == 0 ||
               factors_[column - 1].filesystem == filesystems_[static_cast<std::size_t>(filesystem)];
    }
    std::string level_name(std::size_t column, int level) const override {
        if (level < 0) return {};
        const auto index = static_cast<std::size_t>(level);
        if (column == 0) return filesystems_[index];
        const Factor& factor = factors_[column - 1];
        return factor.values[index] ? factor.parameter + "=" + to_text(*factor.values[index]) : "";
    }
    models::Point point(const Configuration& configuration) const override {
        models::Point result{std::vector<int>(factors_.size() + 1, -1)};
        const auto name = std::find(filesystems_.begin(), filesystems_.end(), configuration.filesystem);
        if (name == filesystems_.end()) return result;
        result.level[0] = static_cast<int>(name - filesystems_.begin());
        for (std::size_t f = 0; f < factors_.size(); ++f) {
            const Factor& factor = factors_[f];
            if (factor.filesystem != configuration.filesystem) continue;
            const auto set = configuration.values.find(factor.parameter);
            const auto same =
                std::find_if(factor.values.begin(), factor.values.end(), [&](const auto& value) {
                    return set == configuration.values.end() ? !value : value && equal(*value, set->second);
                });
            result.level[f + 1] =
                same == factor.values.end() ? -1 : static_cast<int>(same - factor.values.begin());
        }
        return result;
    }
    std::optional<Configuration> near(const models::Point& wish, std::mt19937_64& random) const override {
        std::vector<std::size_t> nearest;
        int least = std::numeric_limits<int>::max();
        for (std::size_t i = 0; i < points_.size(); ++i) {
            if (wish.level[0] >= 0 && points_[i].level[0] != wish.level[0]) continue;
            int distance = 0;
            for (std::size_t c = 1; c < wish.level.size(); ++c) {
                if (points_[i].level[c] >= 0 && points_[i].level[c] != wish.level[c]) ++distance;
            }
            if (distance < least) nearest.clear();
            least = std::min(least, distance);
            if (distance == least) nearest.push_back(i);
        }
        if (nearest.empty()) return std::nullopt;
        return all_[nearest[std::uniform_int_distribution<std::size_t>(0, nearest.size() - 1)(random)]];
    }
    std::optional<Configuration> sample(std::mt19937_64& random) const override {
        return all_[std::uniform_int_distribution<std::size_t>(0, all_.size() - 1)(random)];
    }
    std::vector<Configuration> neighbours(const Configuration&) const override { return {}; }

  private:
    void add_factor(const std::string& filesystem, const std::string& id,
                    const std::map<std::string, std::pair<Value, int>>& values, int rows) {
        Factor factor{filesystem, id, {}};
        int set = 0, most = 0;
        std::string commonest;
        std::vector<Value> ordered;
        for (const auto& [text, entry] : values) {
            set += entry.second;
            if (entry.second > most) most = entry.second, commonest = text;
            ordered.push_back(entry.first);
        }
        std::sort(ordered.begin(), ordered.end(), [](const Value& a, const Value& b) {
            const auto x = positive_number(a), y = positive_number(b);
            return x && y ? *x < *y : false;
        });
        if (set < rows) {
            factor.values.push_back(std::nullopt);
        } else {
            factor.values.push_back(values.at(commonest).first);
        }
        for (const Value& value : ordered) {
            if (set == rows && to_text(value) == commonest) continue;
            factor.values.push_back(value);
        }
        if (factor.values.size() > 1) factors_.push_back(std::move(factor));
    }
    static models::Column column_of(const Factor& factor) {
        models::Column column{factor.parameter, {}, factor.values.size()};
        if (factor.values.size() < 3 || !factor.values[0]) return column;
        for (const auto& value : factor.values) {
            const auto number = positive_number(*value);
            if (!number) return {factor.parameter, {}, factor.values.size()};
            column.positions.push_back(std::log2(*number));
        }
        return column;
    }

    std::vector<Configuration> all_;
    std::vector<std::string> filesystems_;
    std::vector<Factor> factors_;
    std::vector<models::Column> columns_;
    std::vector<models::Point> points_;
    std::map<std::string, std::size_t> index_;
};

}  // namespace

std::unique_ptr<Pool> make_set_pool(std::vector<Configuration> configurations) {
    return std::make_unique<SetPool>(std::move(configurations));
}

}  // namespace fsadvise::tuner
