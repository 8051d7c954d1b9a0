// The examples of a rule and the requests they stand for; format in docs/knowledge.md.
//
// Errors: kBadInput with the JSON pointer; an unknown key is an error with the nearest known key.
#pragma once

#include <string>
#include <string_view>

#include "space/context.h"

namespace fsadvise {

struct RequestExample {
    Request request;
    std::string filesystem;  // candidate for rules about one filesystem; may be empty
};

Result<RequestExample> request_from_example(std::string_view text);

}  // namespace fsadvise
