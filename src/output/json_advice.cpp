#include <nlohmann/json.hpp>

#include "output/render.h"

namespace fsadvise {

std::string render_json(const Advice& advice, const Knowledge& knowledge) {
    return to_json(advice, knowledge).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace fsadvise
