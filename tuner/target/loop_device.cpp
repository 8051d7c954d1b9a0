#include "tuner/target/loop_device.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/loop.h>
#include <sys/ioctl.h>

namespace fsadvise::tuner {

namespace {

// Another process may take the number between asking and attaching; that many losses in a row are no
// accident.
constexpr int kAttempts = 16;
constexpr const char* kLoopHint = "free one (losetup -a lists them) or load the driver: modprobe loop";

int configure(int loop_fd, int backing_fd, const std::string& label, std::uint64_t offset_bytes,
              std::uint64_t size_bytes, unsigned flags) {
    loop_config config{};
    config.fd = static_cast<unsigned>(backing_fd);
    config.info.lo_offset = offset_bytes;
    config.info.lo_sizelimit = size_bytes;
    config.info.lo_flags = flags;
    std::strncpy(reinterpret_cast<char*>(config.info.lo_file_name), label.c_str(), LO_NAME_SIZE - 1);
    return ::ioctl(loop_fd, LOOP_CONFIGURE, &config) == 0 ? 0 : errno;
}

bool uses_direct_io(int loop_fd) {
    loop_info64 info{};
    return ::ioctl(loop_fd, LOOP_GET_STATUS64, &info) == 0 && (info.lo_flags & LO_FLAGS_DIRECT_IO) != 0;
}

}  // namespace

Result<LoopDevice> LoopDevice::attach(int backing_fd, const std::string& label, std::uint64_t offset_bytes,
                                      std::uint64_t size_bytes) {
    const auto control = Fd::open("/dev/loop-control", O_RDWR);
    if (!control) {
        return fail(ErrorCode::kUnavailable, "no loop devices here: " + control.error().message,
                    "/dev/loop-control", kLoopHint);
    }
    int error = EBUSY;
    for (int attempt = 0; attempt < kAttempts && error == EBUSY; ++attempt) {
        const int number = ::ioctl(control->get(), LOOP_CTL_GET_FREE);
        if (number < 0) {
            return fail(ErrorCode::kUnavailable, "no free loop device: " + errno_text(errno),
                        "/dev/loop-control", kLoopHint);
        }
        std::string path = fmt::format("/dev/loop{}", number);
        auto writer = Fd::open(path, O_RDWR);
        if (!writer) {
            return fail(ErrorCode::kUnavailable, "no free loop device: " + writer.error().message, path,
                        kLoopHint);
        }
        error = configure(writer->get(), backing_fd, label, offset_bytes, size_bytes,
                          LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO);
        if (error == EINVAL) {  // the backing filesystem has no direct I/O
            error = configure(writer->get(), backing_fd, label, offset_bytes, size_bytes, LO_FLAGS_AUTOCLEAR);
        }
        if (error != 0) continue;
        auto keeper = Fd::open(path, O_RDONLY);
        if (!keeper) return tl::unexpected(keeper.error());
        const bool direct_io = uses_direct_io(writer->get());
        return LoopDevice(std::move(*keeper), std::move(path), direct_io);
    }
    return fail(ErrorCode::kUnavailable, "cannot attach a loop device: " + errno_text(error), label,
                kLoopHint);
}

}  // namespace fsadvise::tuner
