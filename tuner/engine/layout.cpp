// Writes the file sets of a load: large files one after the other, so that both sides of a duet are placed
// alike; sets of many files by several threads, a directory at a time.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "tuner/engine/engine.h"
#include "tuner/engine/failure.h"
#include "tuner/engine/payload.h"
#include "tuner/engine/plan.h"
#include "tuner/engine/random.h"

namespace fsadvise::tuner {
namespace {

constexpr std::size_t kLayoutBlock = 1 << 20;
constexpr std::uint64_t kParallelFiles = 2048;
constexpr unsigned kMostThreads = 4;

// What all threads of a layout share; the first failure stops the others.
struct LayoutState {
    const SetPlan& set;
    int root;
    const std::string& directory;
    const EngineOptions& options;
    std::atomic<std::uint32_t> next_directory{0};
    std::atomic<bool> stop{false};
    std::mutex mutex;
    std::optional<Error> error;

    void report(Error failure) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::move(failure);
        stop = true;
    }
    bool stopped() {
        if (!stop && options.stop && options.stop()) {
            report(Error{ErrorCode::kInterrupted, "stopped while laying out files", directory, {}});
        }
        return stop;
    }
};

Result<void> make_directory(int root, const std::string& directory, const char* path) {
    if (::mkdirat(root, path, 0755) == 0 || errno == EEXIST) return {};
    return tl::unexpected(operation_error("mkdir", directory, path, errno));
}

// Writes one file; `buffer` is dense random data of kLayoutBlock bytes, stamped before each use.
Result<void> write_file(LayoutState& state, std::uint64_t index, std::byte* buffer) {
    PathBuffer path;
    state.set.file_path(path, index);
    const Fd file(::openat(state.root, path.data(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!file.valid()) return tl::unexpected(operation_error("create", state.directory, path.data(), errno));
    const std::uint64_t size = state.set.size_of(index);
    if (state.set.preallocate && size > 0) {
        if (::fallocate(file.get(), 0, 0, static_cast<off_t>(size)) == 0) return {};
        if (errno != EOPNOTSUPP) {
            return tl::unexpected(operation_error("fallocate", state.directory, path.data(), errno));
        }
    }
    for (std::uint64_t at = 0; at < size && !state.stop;) {
        if (at != 0 && at % (64 * kLayoutBlock) == 0 && state.stopped()) break;
        const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(kLayoutBlock, size - at));
        stamp_payload(buffer, length, mix(state.set.seed ^ index, at), state.set.duplicates.get());
        const ssize_t written = ::pwrite(file.get(), buffer, length, static_cast<off_t>(at));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0)
            return tl::unexpected(operation_error("write", state.directory, path.data(), errno));
        at += static_cast<std::uint64_t>(written);
    }
    return {};
}

// Takes directories until none is left.
void lay_out_directories(LayoutState& state) {
    const Buffer buffer = aligned_buffer(kLayoutBlock);
    fill_payload(buffer.get(), kLayoutBlock, state.set.compressible, state.set.seed);
    const std::uint64_t width = state.set.nested ? state.set.width : state.set.shape.files;
    for (;;) {
        const std::uint32_t directory = state.next_directory++;
        if (directory >= state.set.directories) return;
        PathBuffer path;
        for (int level = 1; level <= (state.set.nested ? state.set.tree_depth : 1); ++level) {
            state.set.directory_path(path, directory, level);
            if (auto made = make_directory(state.root, state.directory, path.data()); !made) {
                return state.report(std::move(made.error()));
            }
        }
        if (!state.set.fill) continue;
        const std::uint64_t first = directory * width;
        const std::uint64_t last = std::min(first + width, state.set.shape.files);
        for (std::uint64_t index = first; index < last; ++index) {
            if (index % 64 == 0 && state.stopped()) return;
            if (auto written = write_file(state, index, buffer.get()); !written) {
                return state.report(std::move(written.error()));
            }
        }
    }
}

Result<void> lay_out_set(const SetPlan& set, int root, const std::string& directory,
                         const EngineOptions& options) {
    FSADVISE_TRY(make_directory(root, directory, set.name.c_str()));
    LayoutState state{set, root, directory, options, {}, {}, {}, {}};
    unsigned count = 1;
    if (set.fill && set.shape.files >= kParallelFiles) {
        const unsigned cores =
            options.cores > 0 ? static_cast<unsigned>(options.cores) : std::thread::hardware_concurrency();
        count = std::clamp(cores, 1u, kMostThreads);
    }
    {
        std::vector<std::jthread> threads;
        for (unsigned i = 1; i < count; ++i) threads.emplace_back([&state] { lay_out_directories(state); });
        lay_out_directories(state);
    }
    if (state.error) return tl::unexpected(std::move(*state.error));
    return {};
}

}  // namespace

Result<void> lay_out(const Load& load, const std::string& directory, const EngineOptions& options) {
    FSADVISE_ASSIGN(const LoadPlan plan, make_plan(load, options));
    if (::mkdir(directory.c_str(), 0755) != 0 && errno != EEXIST) {
        return tl::unexpected(operation_error("mkdir", directory, "", errno));
    }
    FSADVISE_ASSIGN(const Fd root, Fd::open(directory, O_RDONLY | O_DIRECTORY));
    for (const SetPlan& set : plan.sets) FSADVISE_TRY(lay_out_set(set, root.get(), directory, options));
    if (::syncfs(root.get()) != 0) return tl::unexpected(operation_error("syncfs", directory, "", errno));
    return {};
}

}  // namespace fsadvise::tuner
