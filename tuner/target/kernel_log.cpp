#include "tuner/target/kernel_log.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "base/text.h"

namespace fsadvise::tuner {

namespace {

constexpr std::size_t kRecordBytes = 8192;  // the kernel's own limit for one record
constexpr int kMostRecords = 10'000;        // another program may flood the log while we read

}  // namespace

std::string kernel_message(std::string_view record) {
    const auto start = record.find(';');
    if (start == std::string_view::npos) return {};
    const std::string_view rest = record.substr(start + 1);
    return std::string(trim(rest.substr(0, rest.find('\n'))));
}

KernelLog::KernelLog() {
    auto log = Fd::open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
    if (log && ::lseek(log->get(), 0, SEEK_END) >= 0) log_ = std::move(*log);
}

std::vector<std::string> KernelLog::lines_about(const std::vector<std::string>& subjects) {
    std::vector<std::string> lines;
    if (!log_.valid()) return lines;
    char record[kRecordBytes];
    for (int count = 0; count < kMostRecords; ++count) {
        const ssize_t length = ::read(log_.get(), record, sizeof record);
        if (length < 0 && errno == EPIPE) continue;  // records were overwritten; the next read goes on
        if (length <= 0) break;
        std::string message = kernel_message({record, static_cast<std::size_t>(length)});
        const std::string searchable = lower(message);
        const bool wanted = std::any_of(subjects.begin(), subjects.end(), [&](const std::string& subject) {
            return searchable.find(lower(subject)) != std::string::npos;
        });
        if (wanted && std::find(lines.begin(), lines.end(), message) == lines.end())
            lines.push_back(std::move(message));
    }
    return lines;
}

}  // namespace fsadvise::tuner
