#include "base/fd.h"

#include <cerrno>
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

Result<void> write_file_atomically(const std::string& path, std::string_view content) {
    const std::string temporary = path + ".tmp-" + std::to_string(::getpid());
    const auto broken = [&](const char* what) {
        const int number = errno;
        ::unlink(temporary.c_str());
        return fail(ErrorCode::kRunFailed, std::string(what) + errno_text(number), path,
                    "nothing was changed");
    };
    auto opened = Fd::open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0644);
    if (!opened) return broken("cannot write: ");
    Fd file = std::move(*opened);
    while (!content.empty()) {
        const ssize_t count = ::write(file.get(), content.data(), content.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return broken("cannot write: ");
        content.remove_prefix(static_cast<std::size_t>(count));
    }
    if (::fsync(file.get()) != 0) return broken("cannot write: ");
    file.reset();
    if (::rename(temporary.c_str(), path.c_str()) != 0) return broken("cannot replace: ");
    return {};
}

}  // namespace fsadvise
