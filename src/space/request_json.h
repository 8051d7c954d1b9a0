// A Request as JSON and back: kept in studies and in advice documents, so that both can be reproduced.
//
// Errors: kBadInput with a JSON pointer.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "space/context.h"

namespace fsadvise {

nlohmann::json to_json(const Request& request);
Result<Request> request_from_json(const nlohmann::json& document, const std::string& name);

}  // namespace fsadvise
