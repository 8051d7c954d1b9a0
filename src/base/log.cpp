#include "base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace fsadvise {
namespace {

spdlog::level::level_enum level_of(LogLevel level) {
    switch (level) {
        case LogLevel::kDebug:
            return spdlog::level::debug;
        case LogLevel::kInfo:
            return spdlog::level::info;
        case LogLevel::kWarning:
            return spdlog::level::warn;
        case LogLevel::kError:
            return spdlog::level::err;
        case LogLevel::kOff:
            return spdlog::level::off;
    }
    return spdlog::level::off;
}

spdlog::logger& logger() {
    static const std::shared_ptr<spdlog::logger> kLogger = [] {
        auto made = spdlog::stderr_logger_mt("fsadvise");
        made->set_pattern("fsadvise: %l: %v");
        made->set_level(spdlog::level::warn);
        return made;
    }();
    return *kLogger;
}

}  // namespace

void set_log_level(LogLevel level) {
    logger().set_level(level_of(level));
}

void log_message(LogLevel level, std::string_view text) {
    logger().log(level_of(level), text);
}

}  // namespace fsadvise
