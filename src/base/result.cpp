#include "base/result.h"

#include <cstring>

namespace fsadvise {

int exit_status(ErrorCode code) {
    switch (code) {
        case ErrorCode::kUsage:
            return 2;
        case ErrorCode::kBadInput:
            return 3;
        case ErrorCode::kUnavailable:
            return 4;
        case ErrorCode::kRunFailed:
            return 5;
        case ErrorCode::kInterrupted:
            return 130;
    }
    return 5;
}

std::string to_text(const Error& error) {
    std::string text;
    if (!error.context.empty()) text += error.context + ": ";
    text += error.message;
    if (!error.hint.empty()) text += " (" + error.hint + ")";
    return text;
}

std::string errno_text(int number) {
    char buffer[256];
    // The GNU variant returns the text, which need not be in `buffer`.
    return strerror_r(number, buffer, sizeof buffer);
}

}  // namespace fsadvise
