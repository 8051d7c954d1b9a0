// Which configurations a grid measures: every default, every single change, and valid points that fill the
// rest.
//
// Deterministic: the same spaces, count and seed give the same grid. Configurations that are written with the
// same words as an earlier one are left out, because mkfs and mount could not tell them apart. Bounds: at
// least the defaults; at most the number asked for, fewer where a small space has no more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "space/space.h"

namespace fsadvise::tuner {

struct GridPoint {
    Configuration configuration;
    std::string origin;  // "default", "single", "space-filling", "given"
};

// `count` 0: all defaults and all single changes, and a third as many again that fill the space. Where
// `count` is too small for all single changes, they get two thirds of it, spread over the parameters.
std::vector<GridPoint> design_grid(const Knowledge& knowledge, const std::vector<Space>& spaces,
                                   std::size_t count, std::uint64_t seed);

// Lines as configuration_from_text() takes them; empty lines and lines that begin with '#' are skipped.
// Errors: kBadInput with file and line.
Result<std::vector<GridPoint>> read_grid(const Knowledge& knowledge, const Request& request,
                                         const std::string& text, const std::string& name);

}  // namespace fsadvise::tuner
