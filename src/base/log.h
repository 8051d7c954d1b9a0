// Logging to standard error: levels and one setup call. Results never go through here.
#pragma once

#include <string_view>

#include <fmt/format.h>

namespace fsadvise {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };
void set_log_level(LogLevel level);
void log_message(LogLevel level, std::string_view text);

template <class... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
    log_message(LogLevel::kDebug, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
    log_message(LogLevel::kInfo, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
    log_message(LogLevel::kWarning, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace fsadvise
