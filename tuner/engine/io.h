// File operations of actors: through the ring, or as the plain system call where the ring would gain nothing.
//
// `int n = co_await io.read(fd, buffer, length, offset);` gives the kernel's result, >= 0 or -errno, on both
// ways. The plain way is taken
//   - where the kernel lacks the opcode, and
//   - where io_uring hands the operation to a kernel worker thread although the application would simply call
//     it: for an actor that is alone on its thread (depth 1), and for buffered writes that nothing forces,
//     and
//   - for direct writes of an actor alone: nothing overlaps with them, and the call is the shorter way.
//     See docs/adr/0006-plain-calls.md.
// Threads: one Io a thread, like its Ring.
#pragma once

#include <cerrno>
#include <cstdint>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/engine/ring.h"

namespace fsadvise::tuner {

class Io {
  public:
    // `alone`: the thread runs one actor only, so nothing could use the time that an operation takes.
    Io(Ring& ring, bool alone);

    // `Prepare` fills the SQE, `Call` is the same operation as a system call (-1 and errno).
    template <class Prepare, class Call>
    struct Issued {
        Ring::Awaitable<Prepare> queued;
        Call call;
        bool plain;
        std::uint64_t& suspensions;
        bool await_ready() {
            if (!plain) return false;
            const auto result = call();
            queued.operation.result = result < 0 ? -errno : static_cast<int>(result);
            return true;
        }
        void await_suspend(std::coroutine_handle<> handle) {
            ++suspensions;
            queued.await_suspend(handle);
        }
        int await_resume() const noexcept { return queued.operation.result; }
    };

    auto read(int fd, void* data, std::uint64_t length, std::uint64_t offset, bool direct) {
        const auto size = static_cast<unsigned>(length);
        return issue(
            direct ? plain_direct_read_ : plain_read_,
            [=](io_uring_sqe* sqe) { io_uring_prep_read(sqe, fd, data, size, offset); },
            [=] { return ::pread(fd, data, size, static_cast<off_t>(offset)); });
    }
    // `forced`: the file is open for O_DSYNC or O_SYNC, so the write takes as long as a sync.
    auto write(int fd, const void* data, std::uint64_t length, std::uint64_t offset, bool direct,
               bool forced = false) {
        const auto size = static_cast<unsigned>(length);
        return issue(
            direct   ? plain_direct_write_
            : forced ? plain_forced_
                     : plain_write_,
            [=](io_uring_sqe* sqe) { io_uring_prep_write(sqe, fd, data, size, offset); },
            [=] { return ::pwrite(fd, data, size, static_cast<off_t>(offset)); });
    }
    auto sync(int fd, bool data_only) {
        return issue(
            plain_sync_,
            [=](io_uring_sqe* sqe) { io_uring_prep_fsync(sqe, fd, data_only ? IORING_FSYNC_DATASYNC : 0); },
            [=] { return data_only ? ::fdatasync(fd) : ::fsync(fd); });
    }
    auto open(int root, const char* path, int flags) {
        return issue(
            plain_open_,
            [=](io_uring_sqe* sqe) { io_uring_prep_openat(sqe, root, path, flags | O_CLOEXEC, 0644); },
            [=] { return ::openat(root, path, flags | O_CLOEXEC, 0644); });
    }
    auto close(int fd) {
        return issue(
            plain_close_, [=](io_uring_sqe* sqe) { io_uring_prep_close(sqe, fd); },
            [=] { return ::close(fd); });
    }
    auto stat(int root, const char* path, struct statx* result) {
        return issue(
            plain_stat_,
            [=](io_uring_sqe* sqe) { io_uring_prep_statx(sqe, root, path, 0, STATX_BASIC_STATS, result); },
            [=] { return ::statx(root, path, 0, STATX_BASIC_STATS, result); });
    }
    auto unlink(int root, const char* path, int flags) {
        return issue(
            plain_unlink_, [=](io_uring_sqe* sqe) { io_uring_prep_unlinkat(sqe, root, path, flags); },
            [=] { return ::unlinkat(root, path, flags); });
    }
    auto rename(int root, const char* from, const char* to) {
        return issue(
            plain_rename_, [=](io_uring_sqe* sqe) { io_uring_prep_renameat(sqe, root, from, root, to, 0); },
            [=] { return ::renameat(root, from, root, to); });
    }
    auto mkdir(int root, const char* path) {
        return issue(
            plain_mkdir_, [=](io_uring_sqe* sqe) { io_uring_prep_mkdirat(sqe, root, path, 0755); },
            [=] { return ::mkdirat(root, path, 0755); });
    }
    auto link(int root, const char* from, const char* to) {
        return issue(
            plain_link_, [=](io_uring_sqe* sqe) { io_uring_prep_linkat(sqe, root, from, root, to, 0); },
            [=] { return ::linkat(root, from, root, to, 0); });
    }
    auto symlink(int root, const char* target, const char* path) {
        return issue(
            plain_symlink_, [=](io_uring_sqe* sqe) { io_uring_prep_symlinkat(sqe, target, root, path); },
            [=] { return ::symlinkat(target, root, path); });
    }
    auto allocate(int fd, int mode, std::uint64_t offset, std::uint64_t size) {
        const auto from = static_cast<off_t>(offset), length = static_cast<off_t>(size);
        return issue(
            plain_allocate_, [=](io_uring_sqe* sqe) { io_uring_prep_fallocate(sqe, fd, mode, from, length); },
            [=] { return ::fallocate(fd, mode, from, length); });
    }
    auto truncate(int fd, std::uint64_t size) {
        return issue(
            plain_truncate_,
            [=](io_uring_sqe* sqe) { io_uring_prep_rw(kOpFtruncate, sqe, fd, nullptr, 0, size); },
            [=] { return ::ftruncate(fd, static_cast<off_t>(size)); });
    }

    // For other ways to give way than an operation.
    void count_suspension() { ++suspensions_; }
    // Grows whenever an actor of the thread gave way to others.
    [[nodiscard]] std::uint64_t suspensions() const { return suspensions_; }

  private:
    template <class Prepare, class Call>
    Issued<Prepare, Call> issue(bool plain, Prepare prepare, Call call) {
        return {ring_.submit(prepare), call, plain, suspensions_};
    }

    // IORING_OP_FTRUNCATE of Linux 6.9, younger than the liburing of some distributions.
    static constexpr int kOpFtruncate = 55;

    Ring& ring_;
    std::uint64_t suspensions_ = 0;
    bool plain_read_, plain_write_, plain_forced_, plain_link_, plain_symlink_, plain_truncate_,
        plain_direct_read_, plain_direct_write_, plain_sync_, plain_open_, plain_close_, plain_stat_,
        plain_unlink_, plain_rename_, plain_mkdir_, plain_allocate_;
};

}  // namespace fsadvise::tuner
