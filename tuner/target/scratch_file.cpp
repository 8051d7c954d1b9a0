#include "tuner/target/scratch_file.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/text.h"
#include "base/units.h"
#include "host/mount_table.h"
#include "tuner/target/area_layout.h"
#include "tuner/target/loop_device.h"

namespace fsadvise::tuner {

namespace {

constexpr const char* kNotOurs = "name a file that does not exist, or remove this one yourself";

std::string folder_of(const std::string& path) {
    std::error_code error;
    const std::string folder = std::filesystem::absolute(path, error).parent_path().string();
    const std::string real = std::filesystem::canonical(folder, error).string();
    return error ? folder : real;
}

bool carries_marker(int fd) {
    std::string head(kMarkerSearchBytes, '\0');
    const ssize_t length = ::pread(fd, head.data(), head.size(), 0);
    return length > 0 &&
           std::string_view(head).substr(0, static_cast<std::size_t>(length)).find(kScratchMarker) !=
               std::string_view::npos;
}

// Opens a leftover of a killed run and makes sure that nobody uses it.
Result<Fd> open_marked(const std::string& path, int flags) {
    auto file = Fd::open(path, flags | O_NOFOLLOW | O_NONBLOCK);
    if (!file) return fail(ErrorCode::kUnavailable, "exists and cannot be opened", path, kNotOurs);
    struct stat status {};
    if (::fstat(file->get(), &status) != 0 || !S_ISREG(status.st_mode) || !carries_marker(file->get())) {
        return fail(ErrorCode::kUnavailable, "exists and is no scratch file of fsadvise", path, kNotOurs);
    }
    if (::flock(file->get(), LOCK_EX | LOCK_NB) != 0) {
        return fail(ErrorCode::kUnavailable, "is in use by another run", path, "name another scratch file");
    }
    return file;
}

bool exists(const std::string& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0;
}

std::uint64_t allocated_bytes(const std::string& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_blocks) * 512 : 0;
}

std::optional<std::uint64_t> available_memory_bytes(const FileReader& files) {
    const std::string meminfo = files.read("/proc/meminfo").value_or("");
    for (const std::string& line : split(meminfo, '\n')) {
        if (!line.starts_with("MemAvailable:")) continue;
        const std::string_view text = trim(std::string_view(line).substr(13));
        std::uint64_t kib = 0;
        if (std::from_chars(text.data(), text.data() + text.size(), kib).ec == std::errc{}) return kib * kKiB;
    }
    return std::nullopt;
}

Result<void> check_space(const TargetRequest& request, const FileReader& files) {
    const std::string folder = folder_of(request.scratch_file);
    struct statvfs space {};
    if (::statvfs(folder.c_str(), &space) != 0) {
        return fail(ErrorCode::kUnavailable, "cannot ask for free space: " + errno_text(errno), folder);
    }
    const std::uint64_t free_bytes = space.f_bavail * space.f_frsize + allocated_bytes(request.scratch_file);
    if (free_bytes < request.size_bytes) {
        return fail(ErrorCode::kUnavailable,
                    fmt::format("not enough free space: {} wanted, {} free",
                                human_size(static_cast<double>(request.size_bytes)),
                                human_size(static_cast<double>(free_bytes))),
                    folder, "name a smaller size or another folder");
    }
    const auto memory = available_memory_bytes(files);
    if (backing_place(files, request.scratch_file).in_memory() && memory && *memory < request.size_bytes) {
        return fail(ErrorCode::kUnavailable,
                    fmt::format("not enough free memory for a file in RAM: {} wanted, {} available",
                                human_size(static_cast<double>(request.size_bytes)),
                                human_size(static_cast<double>(*memory))),
                    folder, "name a smaller size or a folder on a disk");
    }
    return {};
}

Result<Fd> create_marked(const std::string& path) {
    if (exists(path)) return open_marked(path, O_RDWR);
    auto file = Fd::open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (!file) {
        return fail(ErrorCode::kUnavailable, "cannot make the scratch file: " + file.error().message, path,
                    "name a folder that is writable");
    }
    if (::flock(file->get(), LOCK_EX | LOCK_NB) != 0 ||
        ::pwrite(file->get(), kScratchMarker.data(), kScratchMarker.size(), 0) !=
            static_cast<ssize_t>(kScratchMarker.size())) {
        const int error = errno;
        ::unlink(path.c_str());
        return fail(ErrorCode::kUnavailable, "cannot write the scratch file: " + errno_text(error), path);
    }
    return file;
}

// The second area has a file of its own, which never has a name: mkfs.btrfs takes two loop devices over one file for
// one device, and refuses to format the one while the other is mounted.
Result<Fd> create_nameless(const std::string& path) {
    const std::string folder = folder_of(path);
    if (auto file = Fd::open(folder, O_RDWR | O_TMPFILE, 0600)) return file;
    std::string pattern = path + ".XXXXXX";
    const int fd = ::mkostemp(pattern.data(), O_CLOEXEC);
    if (fd < 0) {
        return fail(ErrorCode::kUnavailable, "cannot make a second scratch file: " + errno_text(errno), folder,
                    "name a folder that is writable");
    }
    ::unlink(pattern.c_str());
    return Fd(fd);
}

using AreaFiles = std::array<Fd, kAreas>;

Result<Ground> attach_areas(std::shared_ptr<AreaFiles> files, const std::string& path, const AreaLayout& layout) {
    Ground ground;
    ground.area_bytes = layout.area_bytes;
    for (const Fd& file : *files) {
        if (::ftruncate(file.get(), static_cast<off_t>(kAreaStartBytes + layout.area_bytes)) != 0) {
            return fail(ErrorCode::kUnavailable, "cannot size the scratch file: " + errno_text(errno), path,
                        "some filesystems limit the size of a file");
        }
        FSADVISE_ASSIGN(LoopDevice loop, LoopDevice::attach(file.get(), path, kAreaStartBytes, layout.area_bytes));
        ground.areas.push_back({loop.path(), loop.release_descriptor()});
    }
    ground.owner = std::move(files);
    return ground;
}

// Gives the holes that mkfs left or punched their blocks.
Result<void> reserve_area(int fd, const std::string& path, std::uint64_t offset, std::uint64_t size) {
    if (::fallocate(fd, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset), static_cast<off_t>(size)) == 0)
        return {};
    if (errno != ENOSPC && errno != EDQUOT) return {};  // this filesystem cannot reserve
    return fail(ErrorCode::kRunFailed, "the filesystem below the scratch file is full", path,
                "free space there, or name a smaller size");
}

}  // namespace

BackingPlace backing_place(const FileReader& files, const std::string& path) {
    const auto entries = parse_mountinfo(files.read("/proc/self/mountinfo").value_or(""));
    const MountEntry* entry = mount_of(entries, folder_of(path));
    return entry ? BackingPlace{entry->filesystem, entry->directory} : BackingPlace{};
}

Result<void> check_scratch_file(const TargetRequest& request, const FileReader& files) {
    const std::string& path = request.scratch_file;
    if (request.size_bytes == 0) {
        return fail(ErrorCode::kUsage, "a scratch file needs a size", path,
                    "add --size, for example --size 8G");
    }
    if (!layout_areas(request.size_bytes)) {
        return fail(ErrorCode::kUsage,
                    fmt::format("{} is too small: two areas need at least {}", size_text(request.size_bytes),
                                size_text(kMinimumTotalBytes)),
                    path, "name a larger --size");
    }
    const std::string folder = folder_of(path);
    struct stat status {};
    if (::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
        return fail(ErrorCode::kUnavailable, "the folder does not exist", folder,
                    "make it, or name another one");
    }
    if (::access(folder.c_str(), W_OK | X_OK) != 0) {
        return fail(ErrorCode::kUnavailable, "the folder is not writable: " + errno_text(errno), folder,
                    "name another one");
    }
    if (exists(path)) FSADVISE_TRY(open_marked(path, O_RDONLY));
    return check_space(request, files);
}

Result<Ground> open_scratch_file(const TargetRequest& request, const FileReader& files) {
    const std::string& path = request.scratch_file;
    const auto layout = layout_areas(request.size_bytes);
    if (!layout) return fail(ErrorCode::kUsage, "the scratch file is too small", path);
    const BackingPlace place = backing_place(files, path);
    FSADVISE_ASSIGN(Fd opened, create_marked(path));
    auto second = create_nameless(path);
    // With or without success: the file is ours and must not outlive this run.
    ::unlink(path.c_str());
    if (!second) return tl::unexpected(second.error());
    auto area_files = std::make_shared<AreaFiles>(AreaFiles{std::move(opened), std::move(*second)});
    auto ground = attach_areas(area_files, path, *layout);
    if (!ground) return ground;
    if (place.in_memory()) {
        ground->stands_for = fmt::format("a loop file in RAM ({})", place.filesystem);
        ground->medium = "ram";
        return ground;
    }
    ground->stands_for = place.filesystem.empty()
                             ? "a loop file"
                             : fmt::format("a loop file on {} ({})", place.filesystem, place.mount_point);
    ground->medium = "loop";
    ground->reserve = [area_files, path, bytes = layout->area_bytes](int area) {
        return reserve_area(area_files->at(static_cast<std::size_t>(area)).get(), path, kAreaStartBytes, bytes);
    };
    if (auto reserved = ground->reserve(0); !reserved) return tl::unexpected(reserved.error());
    if (auto reserved = ground->reserve(1); !reserved) return tl::unexpected(reserved.error());
    return ground;
}

}  // namespace fsadvise::tuner
