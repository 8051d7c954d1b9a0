// The joint encoding of several filesystems' spaces: one column for the filesystem, one for each dimension.
//
// A configuration of one filesystem is inactive (-1) in the dimensions of the others, so one regression
// learns the filesystem's own level and the effects of its parameters together.
#pragma once

#include <optional>
#include <vector>

#include "models/encoder.h"
#include "space/space.h"

namespace fsadvise::tuner {

// Of a value that can be placed on a logarithmic scale.
std::optional<double> positive_number(const Value& value);

class Design {
  public:
    explicit Design(const std::vector<Space>& spaces);
    // Index of the space of this filesystem; spaces.size() if there is none.
    [[nodiscard]] std::size_t space_of(const Configuration& configuration) const;
    // Values that are no level of their dimension (an expert's choice outside the search list) count as level
    // -1.
    [[nodiscard]] models::Point point(const Configuration& configuration) const;
    [[nodiscard]] const models::Encoder& encoder() const { return encoder_; }
    // The point in which only this value differs from the filesystem's default.
    [[nodiscard]] models::Point contrast(std::size_t space, std::size_t dimension, std::size_t level) const;

  private:
    const std::vector<Space>* spaces_;
    std::vector<std::size_t> first_column_;  // of each space
    models::Encoder encoder_;
};

}  // namespace fsadvise::tuner
