// A filesystem plus a value for every explicitly chosen parameter: canonical, hashable, comparable.
#pragma once

#include <map>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "space/value.h"

namespace fsadvise {

class Knowledge;

// Passive: parameters not in `values` take their default. An explicit value equal to the default is a different
// configuration for lint but the same for search; see canonical().
struct Configuration {
    std::string filesystem;
    std::map<std::string, Value> values;  // by parameter id, sorted

    friend bool operator==(const Configuration& a, const Configuration& b) {
        return a.filesystem == b.filesystem && a.values == b.values;
    }
};

// "xfs{xfs.mkfs.agcount=8,xfs.mount.atime=noatime}": identity, sorted, stable over releases.
std::string canonical_text(const Configuration& configuration);
// Short name for logs and databases: fingerprint(canonical_text()).
std::string configuration_id(const Configuration& configuration);
nlohmann::json to_json(const Configuration& configuration);
Result<Configuration> configuration_from_json(const nlohmann::json& json, const Knowledge& knowledge);

}  // namespace fsadvise
