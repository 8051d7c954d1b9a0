#include "tuner/bench/bench.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "base/units.h"
#include "models/steady_state.h"

namespace fsadvise::tuner {
namespace {

// A folder of our own in a directory of the user's; removed with all that is in it.
class OwnFolder {
  public:
    static Result<OwnFolder> make(const std::string& directory) {
        std::string name = directory + "/fsadvise-bench-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) {
            return fail(ErrorCode::kUnavailable,
                        std::string("cannot make a folder here: ") + std::strerror(errno), directory,
                        "name a directory that this user may write to");
        }
        // An application that runs as another user has to get through.
        (void)::chmod(name.c_str(), 0711);
        return OwnFolder(name);
    }
    ~OwnFolder() {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    }
    OwnFolder(OwnFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    OwnFolder& operator=(OwnFolder&&) = delete;
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    explicit OwnFolder(std::string path) : path_(std::move(path)) {}
    std::string path_;
};

// Where the load of a place runs during one replicate.
struct Ground {
    std::optional<PreparedSide> side;
    std::optional<OwnFolder> folder;
    [[nodiscard]] std::string directory() const {
        return side ? side->load_directory() : folder->path() + "/load";
    }
};

Result<void> check_room(const BenchSetup& setup, const std::string& directory) {
    struct statvfs status {};
    if (::statvfs(directory.c_str(), &status) != 0) {
        return fail(ErrorCode::kUnavailable, std::strerror(errno), directory, "name an existing directory");
    }
    const auto free_bytes = static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
    const auto needed_bytes = setup.load->data_bytes(setup.engine.scale);
    if (free_bytes / 10 * 9 >= needed_bytes) return {};
    return fail(ErrorCode::kUnavailable,
                "the load needs " + human_size(static_cast<double>(needed_bytes)) + " and " +
                    human_size(static_cast<double>(free_bytes)) + " are free",
                directory, "give a smaller --data");
}

Result<Ground> prepare(const BenchSetup& setup, const BenchPlace& place, int area) {
    Ground ground;
    if (place.configuration) {
        FSADVISE_ASSIGN(ground.side, prepare_side(setup.workshop, *place.configuration, area));
    } else {
        FSADVISE_TRY(check_room(setup, place.directory));
        FSADVISE_ASSIGN(auto folder, OwnFolder::make(place.directory));
        ground.folder.emplace(std::move(folder));
    }
    FSADVISE_TRY(setup.load->lay_out(ground.directory(), setup.engine));
    if (ground.side) FSADVISE_TRY(mount_cold(setup.workshop, *ground.side));
    if (interrupted() != 0) return fail(ErrorCode::kInterrupted, "stopped by a signal");
    return ground;
}

void add(SideResult& sum, const SideResult& part) {
    sum.operations += part.operations;
    sum.read_bytes += part.read_bytes;
    sum.written_bytes += part.written_bytes;
    sum.seconds += part.seconds;
    sum.cpu_seconds += part.cpu_seconds;
    sum.latency.merge(part.latency);
    sum.sync_latency.merge(part.sync_latency);
    sum.window_rates.insert(sum.window_rates.end(), part.window_rates.begin(), part.window_rates.end());
}

void record(BenchSide& side, const BenchPlace& place, const Ground& ground, const SideResult& result) {
    side.label = place.label;
    add(side.result, result);
    side.rates.push_back(result.rate());
    if (!ground.side) return;
    const PreparedSide& prepared = *ground.side;
    side.configuration = canonical_text(prepared.configuration);
    side.commands = {join(prepared.commands.mkfs_argv("DEVICE"), " "),
                     join(prepared.commands.mount_argv("DEVICE", "DIRECTORY"), " ")};
    side.mount_options = prepared.read_back.mount_options;
    side.format_seconds = prepared.format_seconds;
    side.mount_seconds = prepared.mount_seconds;
    side.used_bytes = prepared.used_bytes();
}

Result<void> run_one(const BenchSetup& setup, const BenchPlace& place, BenchResult& result) {
    FSADVISE_ASSIGN(const Ground ground, prepare(setup, place, 0));
    FSADVISE_ASSIGN(const SideResult run, setup.load->run_single(ground.directory(), setup.engine));
    record(result.sides[0], place, ground, run);
    // The rule speaks of rounds: five of them.
    constexpr std::size_t kRounds = 5;
    if (run.window_rates.size() >= kRounds) {
        result.steady = result.steady && models::is_steady(std::span(run.window_rates).last(kRounds));
    }
    return {};
}

Result<void> run_pair(const BenchSetup& setup, const std::vector<BenchPlace>& places, bool swap,
                      BenchResult& result) {
    FSADVISE_ASSIGN(const Ground first, prepare(setup, places[0], swap ? 1 : 0));
    FSADVISE_ASSIGN(const Ground second, prepare(setup, places[1], swap ? 0 : 1));
    FSADVISE_ASSIGN(const DuetResult duet,
                    setup.load->run_duet(first.directory(), second.directory(), setup.engine));
    if (duet.stopped) return fail(ErrorCode::kInterrupted, "stopped by a signal");
    record(result.sides[0], places[0], first, duet.candidate);
    record(result.sides[1], places[1], second, duet.anchor);
    result.replicates.push_back({swap, duet.log_ratio, duet.log_ratio_deviation, duet.steady});
    result.window_seconds = duet.window_seconds;
    result.steady = result.steady && duet.steady;
    return {};
}

std::optional<models::RatioEstimate> estimate(const std::vector<BenchReplicate>& replicates) {
    std::vector<double> straight, swapped, all;
    for (const BenchReplicate& replicate : replicates) {
        (replicate.swapped ? swapped : straight).push_back(replicate.log_ratio);
        all.push_back(replicate.log_ratio);
    }
    if (swapped.empty()) return models::ratio_from_logs(all);
    return models::ratio_from_swapped_logs(straight, swapped);
}

}  // namespace

Result<void> check_places(const std::vector<BenchPlace>& places) {
    if (places.size() != 2 || places[0].configuration.has_value() == places[1].configuration.has_value())
        return {};
    return fail(ErrorCode::kUsage,
                "a directory and a configuration cannot be compared: they are not on the same disk",
                "--compare", "name two configurations, or two directories");
}

Result<BenchResult> bench(const BenchSetup& setup, const std::vector<BenchPlace>& places) {
    FSADVISE_TRY(check_places(places));
    const bool pair = places.size() == 2;
    const bool formatted = places[0].configuration.has_value();
    BenchResult result;
    result.sides.resize(places.size());
    for (int replicate = 0; replicate < setup.replicates; ++replicate) {
        if (setup.progress) setup.progress(replicate + 1);
        // Directories are what they are: only configurations can change areas.
        const bool swap = formatted && replicate % 2 == 1;
        FSADVISE_TRY(pair ? run_pair(setup, places, swap, result) : run_one(setup, places[0], result));
        if (interrupted() != 0) return fail(ErrorCode::kInterrupted, "stopped by a signal");
    }
    if (pair) result.ratio = estimate(result.replicates);
    return result;
}

}  // namespace fsadvise::tuner
