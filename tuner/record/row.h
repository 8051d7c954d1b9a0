// One measurement as a row of a replay table, and the header above the rows.
//
// Units: in the names. The text of a failure loses device names and mount points: tables
// travel.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "tuner/study/study.h"

namespace fsadvise::tuner {

// Name, unit, direction and meaning of every number in "metrics" and "anchor", as the header lists them.
nlohmann::json table_metrics();

// {"metrics": {...}, "anchor": {...}, "pairs": n, "steady": bool} out of Measurement::metrics.
nlohmann::json row_metrics(const Measurement& measurement);

// Words that name a device or a directory of this machine are replaced.
std::string without_places(const std::string& reason, const std::vector<std::string>& devices);

}  // namespace fsadvise::tuner
