// What a sampler may propose: the valid configurations of some spaces, or a finite set of them.
//
// Both are seen as points: column 0 is the filesystem, then one column a parameter; level 0 is the default
// (in a finite set without defaults: the commonest value), -1 a parameter of another filesystem. Threads:
// any, all members are const.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "models/encoder.h"
#include "space/space.h"

namespace fsadvise::tuner {

class Pool {
  public:
    virtual ~Pool() = default;
    [[nodiscard]] virtual const std::vector<models::Column>& columns() const = 0;
    // "xfs", "xfs.mkfs.agcount=8": names that mean the same in every pool.
    [[nodiscard]] virtual std::string level_name(std::size_t column, int level) const = 0;
    [[nodiscard]] virtual models::Point point(const Configuration& configuration) const = 0;
    [[nodiscard]] virtual bool contains(const Configuration& configuration) const = 0;
    // The configuration of these levels, or one near it; levels of other filesystems' columns are ignored.
    [[nodiscard]] virtual std::optional<Configuration> near(const models::Point& wish,
                                                            std::mt19937_64& random) const = 0;
    [[nodiscard]] virtual std::optional<Configuration> sample(std::mt19937_64& random) const = 0;
    // Single changes of it, in an order of no meaning; a finite set may give none.
    [[nodiscard]] virtual std::vector<Configuration> neighbours(const Configuration& centre) const = 0;
    // All of a finite set; nullptr for spaces.
    [[nodiscard]] virtual const std::vector<Configuration>* all() const { return nullptr; }
    // Column of the filesystem (0) or parameters active for this filesystem.
    [[nodiscard]] virtual bool active(std::size_t column, int filesystem) const = 0;
};

std::unique_ptr<Pool> make_space_pool(std::vector<Space> spaces);
// At least one configuration; duplicates count once.
std::unique_ptr<Pool> make_set_pool(std::vector<Configuration> configurations);

}  // namespace fsadvise::tuner
