#include <nlohmann/json.hpp>

#include "output/render.h"

namespace fsadvise {

std::string render_json(const Advice& advice, const Knowledge& knowledge) {
    return to_json(advice, knowledge).dump(2) + "\n";
}

}  // namespace fsadvise
