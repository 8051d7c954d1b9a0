// The error of a failed file operation, in the words the user needs: which operation, which file, which
// errno.
#pragma once

#include <string>

#include "base/result.h"

namespace fsadvise::tuner {

// kRunFailed; `path` is relative to `directory` and may be empty.
Error operation_error(const std::string& operation, const std::string& directory, const std::string& path,
                      int error_number);

}  // namespace fsadvise::tuner
