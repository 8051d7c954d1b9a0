#include "base/fd.h"

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fsadvise {

Result<Fd> Fd::open(const std::string& path, int flags, unsigned mode) {
    int fd = -1;
    do {
        fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0) return fail(ErrorCode::kBadInput, "cannot open: " + errno_text(errno), path);
    return Fd(fd);
}

void Fd::reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
}

Result<std::string> read_file(const std::string& path, std::size_t limit_bytes) {
    FSADVISE_ASSIGN(const Fd file, Fd::open(path, O_RDONLY));
    struct stat status {};
    if (::fstat(file.get(), &status) == 0 && S_ISDIR(status.st_mode)) {
        return fail(ErrorCode::kBadInput, "is a directory, a file is needed", path);
    }
    std::string content;
    char buffer[1 << 16];
    while (true) {
        const ssize_t count = ::read(file.get(), buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return fail(ErrorCode::kBadInput, "cannot read: " + errno_text(errno), path);
        if (count == 0) return content;
        content.append(buffer, static_cast<std::size_t>(count));
        if (content.size() > limit_bytes) {
            return fail(ErrorCode::kBadInput, "is larger than " + std::to_string(limit_bytes >> 20) + " MiB",
                        path);
        }
    }
}

namespace {

// Empty where all was written, else the reason.
std::string write_all(int descriptor, std::string_view content) {
    while (!content.empty()) {
        const ssize_t count = ::write(descriptor, content.data(), content.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno_text(errno);
        content.remove_prefix(static_cast<std::size_t>(count));
    }
    return {};
}

// A device, a FIFO or a socket is written to, not replaced by a file of its name.
Result<void> write_through(const std::string& path, std::string_view content) {
    FSADVISE_ASSIGN(const Fd file, Fd::open(path, O_WRONLY));
    const std::string problem = write_all(file.get(), content);
    if (problem.empty()) return {};
    return fail(ErrorCode::kRunFailed, "cannot write: " + problem, path);
}

// The file that a chain of links leads to, also where it does not exist yet; `path` itself if it is no link.
std::string link_target(std::string path) {
    constexpr int kMostLinks = 40;  // as the kernel
    for (int i = 0; i < kMostLinks; ++i) {
        std::array<char, PATH_MAX> target{};
        const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
        if (length <= 0) return path;
        const std::string next(target.data(), static_cast<std::size_t>(length));
        const auto slash = path.rfind('/');
        path = next.front() == '/' || slash == std::string::npos ? next : path.substr(0, slash + 1) + next;
    }
    return path;
}

}  // namespace

Result<void> write_file_atomically(const std::string& named, std::string_view content) {
    const std::string path = link_target(named);
    struct stat status {};
    const bool exists = ::stat(path.c_str(), &status) == 0;
    if (exists && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return write_through(path, content);
    const std::string temporary = path + ".tmp-" + std::to_string(::getpid());
    const auto broken = [&](const std::string& what) {
        ::unlink(temporary.c_str());
        return fail(ErrorCode::kRunFailed, what, path, "nothing was changed");
    };
    auto opened = Fd::open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0644);
    if (!opened) return broken("cannot write: " + errno_text(errno));
    Fd file = std::move(*opened);
    if (const std::string problem = write_all(file.get(), content); !problem.empty())
        return broken("cannot write: " + problem);
    // Who may read the old file may read the new one, and nobody else.
    if (exists && ::fchmod(file.get(), status.st_mode & 07777) != 0)
        return broken("cannot keep its mode: " + errno_text(errno));
    // Root writes for whom the file belongs to; others own what they write.
    if (exists) (void)!::fchown(file.get(), status.st_uid, status.st_gid);
    if (::fsync(file.get()) != 0) return broken("cannot write: " + errno_text(errno));
    file.reset();
    if (::rename(temporary.c_str(), path.c_str()) != 0) return broken("cannot replace: " + errno_text(errno));
    return {};
}

}  // namespace fsadvise
