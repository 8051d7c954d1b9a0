// Who takes part in a study or a recorded grid on this machine, and against which configuration.
//
// Errors: kUnavailable when no filesystem is left; the message says why each fell out.
#pragma once

#include <string>
#include <vector>

#include "base/process.h"
#include "space/context.h"
#include "space/knowledge.h"

namespace fsadvise::tuner {

struct Contenders {
    std::vector<std::string> filesystems;  // usable by request and host, their mkfs installed
    Configuration anchor;                  // the default configuration, or that of the first that is usable
};

Result<Contenders> contenders(const Knowledge& knowledge, const Request& request, ProcessRunner& runner);

}  // namespace fsadvise::tuner
