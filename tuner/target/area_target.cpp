#include "tuner/target/area_target.h"

#include <cerrno>
#include <chrono>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mount.h>

#include "base/log.h"
#include "base/text.h"
#include "base/units.h"
#include "tuner/target/kernel_log.h"

namespace fsadvise::tuner {

namespace {

using namespace std::chrono_literals;

constexpr auto kFormatTimeout = 10min;  // plus a second a GiB
constexpr auto kUnmountPatience = 5s;   // what indexers and udev need to let go
constexpr auto kUnmountPause = 50ms;

std::string base_name(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

// Every format starts from an area without content: discarded where the device can, at least without a
// signature.
void wipe_area(const std::string& device, std::uint64_t size_bytes) {
    const auto writer = Fd::open(device, O_RDWR);
    if (!writer) return;  // mkfs will say it better
    std::uint64_t range[2] = {0, size_bytes};
    if (::ioctl(writer->get(), BLKDISCARD, range) == 0) return;
    range[1] = kMiB;
    (void)::ioctl(writer->get(), BLKZEROOUT, range);
}

void unmount(const std::string& directory) {
    const auto deadline = std::chrono::steady_clock::now() + kUnmountPatience;
    while (::umount2(directory.c_str(), 0) != 0) {
        const int error = errno;
        if (error == EBUSY && std::chrono::steady_clock::now() < deadline) {
            std::this_thread::sleep_for(kUnmountPause);
            continue;
        }
        log_warning("cannot unmount {}: {}; detaching it", directory, errno_text(error));
        ::umount2(directory.c_str(), MNT_DETACH);
        return;
    }
}

}  // namespace

std::string reason_of_tool(const ProcessResult& result) {
    std::string first;
    for (const std::string& raw : split(result.errors.empty() ? result.output : result.errors, '\n')) {
        const std::string line(trim(raw));
        const std::string searchable = lower(line);
        // mke2fs opens with a banner; warnings do not end a run.
        if (line.empty() || searchable.starts_with("mke2fs ") || searchable.starts_with("warning")) continue;
        if (searchable.starts_with("usage")) break;
        if (searchable.starts_with("error")) return line;
        if (first.empty()) first = line;
    }
    if (result.timed_out) return "did not end in time";
    return first.empty() ? fmt::format("exit status {}", result.exit_code) : first;
}

Result<double> AreaTarget::format(int area, const Commands& commands, const std::vector<std::string>& force) {
    const std::string& device = at(area).device;
    ProcessRequest request;
    request.argv = commands.mkfs_argv(device);
    request.argv.insert(request.argv.begin() + 1, force.begin(), force.end());
    request.timeout = kFormatTimeout + std::chrono::seconds(ground_.area_bytes / kGiB);
    wipe_area(device, ground_.area_bytes);
    const auto start = std::chrono::steady_clock::now();
    FSADVISE_ASSIGN(const ProcessResult result, runner_.run(request));
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (!result.ok()) {
        return fail(ErrorCode::kRunFailed, "formatting failed: " + reason_of_tool(result),
                    shell_join(request.argv));
    }
    if (ground_.reserve) FSADVISE_TRY(ground_.reserve(area));
    return elapsed.count();
}

Result<std::unique_ptr<Mount>> AreaTarget::mount(int area, const Commands& commands) {
    const std::string& device = at(area).device;
    FSADVISE_ASSIGN(const std::string directory, work_directory_.folder(fmt::format("area{}", area)));
    ProcessRequest request;
    request.argv = commands.mount_argv(device, directory);
    KernelLog log;
    FSADVISE_ASSIGN(const ProcessResult result, runner_.run(request));
    if (!result.ok()) {
        const auto lines = log.lines_about({base_name(device), commands.filesystem});
        const std::string reason =
            lines.empty() ? reason_of_tool(result) : "the kernel says " + join(lines, "; ");
        return fail(ErrorCode::kRunFailed, "mounting failed: " + reason, shell_join(request.argv));
    }
    return std::make_unique<Mount>(directory, [directory] { unmount(directory); });
}

}  // namespace fsadvise::tuner
