#include "tuner/engine/failure.h"

#include <cerrno>

namespace fsadvise::tuner {

Error operation_error(const std::string& operation, const std::string& directory, const std::string& path,
                      int error_number) {
    Error error{ErrorCode::kRunFailed, operation + " failed: " + errno_text(error_number), directory, {}};
    if (!path.empty()) error.context += "/" + path;
    if (error_number == ENOSPC)
        error.hint = "the area is too small for this load: use a larger area or a smaller scale";
    if (error_number == ENOENT) error.hint = "the files of the load are laid out before it runs";
    if (error_number == EIO)
        error.hint = "the device or the filesystem on it is failing: look into the kernel log";
    if (error_number == EOPNOTSUPP)
        error.hint = "this filesystem does not offer the operation: leave the step out of the load";
    if (error_number == EMFILE || error_number == ENFILE)
        error.hint = "raise the limit of open files: ulimit -n";
    return error;
}

}  // namespace fsadvise::tuner
