// git: clone a repository as over a network, collect its garbage, delete the clone.
//
// Slices are whole runs. The repository is made up from a seed.
// Source: git 2.39 documentation of clone --no-local, gc and core.fsync (the defaults are kept).
#include <chrono>
#include <filesystem>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "tuner/drivers/registry.h"
#include "tuner/drivers/workplace.h"
#include "tuner/engine/random.h"

namespace fsadvise::tuner {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kFolders = 20;
constexpr int kCommits = 4;
// Working files of origin and clone, objects of both, loose and packed.
constexpr std::uint64_t kBytesPerFile = 40 * kKiB;

RunOptions git_options() {
    RunOptions options;
    options.environment = {"GIT_CONFIG_NOSYSTEM=1",
                           "GIT_CONFIG_GLOBAL=/dev/null",
                           "GIT_AUTHOR_NAME=fsadvise",
                           "GIT_AUTHOR_EMAIL=fsadvise@localhost",
                           "GIT_COMMITTER_NAME=fsadvise",
                           "GIT_COMMITTER_EMAIL=fsadvise@localhost",
                           "GIT_AUTHOR_DATE=1700000000 +0000",
                           "GIT_COMMITTER_DATE=1700000000 +0000"};
    return options;
}

std::string file_content(Random& random) {
    std::string text;
    for (std::uint64_t lines = 40 + random.next() % 120; lines > 0; --lines)
        text += fmt::format("line {:x} of some source text {:016x}\n", lines, random.next());
    return text;
}

class GitSession final : public DriverSession {
  public:
    using DriverSession::DriverSession;

    Result<Slice> run_slice(double) override {
        Workplace& place = workplace();
        const std::string clone = place.data("clone");
        const auto begin = Clock::now();
        FSADVISE_TRY(place.run_checked({"git", "clone", "--quiet", "--no-local", place.data("origin"), clone},
                                       git_options()));
        FSADVISE_TRY(place.run_checked({"git", "-C", clone, "gc", "--quiet", "--prune=now"}, git_options()));
        std::error_code error;
        fs::remove_all(clone, error);
        if (error) return fail(ErrorCode::kRunFailed, "cannot delete the clone: " + error.message(), clone);
        return Slice{1, std::chrono::duration<double>(Clock::now() - begin).count(), 0, {}, 0};
    }
};

class GitDriver final : public Driver {
  public:
    [[nodiscard]] std::string id() const override { return "git"; }
    [[nodiscard]] std::string title() const override { return "git clone and gc"; }
    [[nodiscard]] std::string about() const override {
        return "clones a repository through the network protocol, repacks the clone, deletes it";
    }
    [[nodiscard]] std::string operation() const override { return "clone"; }
    [[nodiscard]] std::vector<Program> programs() const override { return {{"git", "git"}}; }
    [[nodiscard]] std::vector<DriverOption> options() const override {
        return {{"files", "1000", "files of the repository", {}, 1, 1'000'000}};
    }
    [[nodiscard]] Footprint footprint(const DriverTask& task) const override {
        return {2 * kMiB, static_cast<std::uint64_t>(task.number("files")) * kBytesPerFile};
    }
    [[nodiscard]] double slice_seconds() const override { return 0; }
    [[nodiscard]] bool whole_runs() const override { return true; }
    [[nodiscard]] bool flush_counts() const override { return true; }

    Result<void> initialise(Workplace& place, const DriverTask& task) const override {
        const std::string origin = place.data("origin");
        FSADVISE_TRY(place.run_checked({"git", "init", "--quiet", "-b", "main", origin}, git_options()));
        for (int folder = 0; folder < kFolders; ++folder)
            FSADVISE_TRY(place.make_folder(fmt::format("{}/d{}", origin, folder)));
        Random random(task.seed);
        const std::int64_t files = task.scaled("files");
        for (int commit = 0; commit < kCommits; ++commit) {
            if (task.stopped()) return fail(ErrorCode::kInterrupted, "stopped");
            // Each commit after the first changes a quarter of the files.
            for (std::int64_t file = 0; file < files; ++file) {
                if (commit > 0 && file % 4 != commit) continue;
                FSADVISE_TRY(place.write(fmt::format("{}/d{}/f{}.txt", origin, file % kFolders, file),
                                         file_content(random)));
            }
            FSADVISE_TRY(place.run_checked({"git", "-C", origin, "add", "--all"}, git_options()));
            FSADVISE_TRY(place.run_checked({"git", "-C", origin, "commit", "--quiet", "--allow-empty", "-m",
                                            fmt::format("step {}", commit)},
                                           git_options()));
        }
        return {};
    }
    Result<std::unique_ptr<DriverSession>> start(std::unique_ptr<Workplace> place,
                                                 const DriverTask&) const override {
        return std::make_unique<GitSession>(std::move(place));
    }
};

}  // namespace

const Driver& git_driver() {
    static const GitDriver driver;
    return driver;
}

}  // namespace fsadvise::tuner
