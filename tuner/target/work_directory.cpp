#include "tuner/target/work_directory.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "tuner/target/mount_namespace.h"

namespace fsadvise::tuner {

namespace {

namespace fs = std::filesystem;

constexpr const char* kSystemParent = "/run/fsadvise";
constexpr std::string_view kPrefix = "fsadvise.";  // then the process id, then six letters
constexpr const char* kSharedMemory = "/dev/shm";  // a mount of its own nearly everywhere, also in a chroot
// Applications under test run as another user and must reach their area; what is in it is its own matter.
constexpr mode_t kOthersPass = 0711;
constexpr const char* kHint = "make it writable, or free space there";

std::string temporary_folder() {
    const char* named = std::getenv("TMPDIR");
    return named && *named ? named : "/tmp";
}

// 0 if the name is none of ours.
pid_t owner_of(const std::string& name) {
    if (!name.starts_with(kPrefix)) return 0;
    pid_t owner = 0;
    const char* start = name.data() + kPrefix.size();
    const auto [end, error] = std::from_chars(start, name.data() + name.size(), owner);
    return error == std::errc{} && end != name.data() + name.size() && *end == '.' && owner > 0 ? owner : 0;
}

// Removing a mount point that is busy in another mount namespace would unmount it there, so a folder is swept
// only if both signs of life are missing: the process, and the lock (the process may live in another pid
// namespace).
bool is_abandoned(const fs::path& folder, pid_t owner) {
    if (::kill(owner, 0) == 0 || errno != ESRCH) return false;
    const auto directory = Fd::open(folder.string(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    return directory && ::flock(directory->get(), LOCK_EX | LOCK_NB) == 0;
}

void remove_empty_tree(const std::string& path) {
    std::error_code error;
    for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
        ::rmdir(it->path().c_str());
    }
    ::rmdir(path.c_str());
}

// True if it had to be made.
Result<bool> make_parent(const std::string& parent) {
    if (::mkdir(parent.c_str(), kOthersPass) == 0) return true;
    if (errno == EEXIST) {
        // Ours alone, and perhaps made by a version that let nobody pass.
        if (parent == kSystemParent) ::chmod(parent.c_str(), kOthersPass);
        return false;
    }
    return fail(ErrorCode::kUnavailable, "cannot make the work directory: " + errno_text(errno), parent,
                kHint);
}

}  // namespace

Result<std::string> check_work_directory(const std::string& parent) {
    std::error_code error;
    if (parent.empty() && !can_mount_privately(kSystemParent) && can_mount_privately(kSharedMemory)) {
        return check_work_directory(kSharedMemory);
    }
    std::string place = parent.empty() ? kSystemParent : parent;
    if (!can_mount_privately(fs::absolute(place, error).string())) {
        return fail(ErrorCode::kUnavailable,
                    "this chroot's root is no mount point, so mounts made here could outlive a killed run",
                    place, "give a --work-dir on a mount of its own, or bind-mount the chroot on itself");
    }
    if (!fs::exists(place, error)) place = fs::path(place).parent_path().string();
    if (place.empty()) place = ".";
    if (::access(place.c_str(), W_OK | X_OK) == 0) return parent.empty() ? kSystemParent : parent;
    const int reason = errno;
    if (parent.empty() && ::access(temporary_folder().c_str(), W_OK | X_OK) == 0) return temporary_folder();
    return fail(ErrorCode::kUnavailable, "the work directory is not writable: " + errno_text(reason), place,
                kHint);
}

void sweep_work_directories(const std::string& parent) {
    std::error_code error;
    for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
        const pid_t owner = owner_of(it->path().filename().string());
        if (owner != 0 && is_abandoned(it->path(), owner)) remove_empty_tree(it->path().string());
    }
}

Result<WorkDirectory> WorkDirectory::make(const std::string& parent) {
    FSADVISE_ASSIGN(std::string place, check_work_directory(parent));
    FSADVISE_ASSIGN(const bool made, make_parent(place));
    sweep_work_directories(place);
    std::error_code ignored;
    std::string path =
        fs::absolute(place, ignored).string() + "/" + fmt::format("{}{}.XXXXXX", kPrefix, ::getpid());
    if (!::mkdtemp(path.data())) {
        return fail(ErrorCode::kUnavailable,
                    "the work directory is not writable or full: " + errno_text(errno), place, kHint);
    }
    ::chmod(path.c_str(), kOthersPass);
    auto lock = Fd::open(path, O_RDONLY | O_DIRECTORY);
    if (!lock || ::flock(lock->get(), LOCK_EX | LOCK_NB) != 0) {
        ::rmdir(path.c_str());
        return fail(ErrorCode::kUnavailable, "cannot lock the work directory", path, kHint);
    }
    // A folder that the user named and that was not there is ours to remove; /run/fsadvise is shared by all runs.
    return WorkDirectory(std::move(path), std::move(*lock), made && !parent.empty() ? place : std::string());
}

WorkDirectory::~WorkDirectory() {
    if (!lock_.valid()) return;
    remove_empty_tree(path_);
    if (!made_parent_.empty()) ::rmdir(made_parent_.c_str());
}

Result<std::string> WorkDirectory::folder(const std::string& name) {
    std::string path = path_ + "/" + name;
    if (::mkdir(path.c_str(), kOthersPass) != 0 && errno != EEXIST) {
        return fail(ErrorCode::kUnavailable,
                    "the work directory is not writable or full: " + errno_text(errno), path, kHint);
    }
    return path;
}

}  // namespace fsadvise::tuner
