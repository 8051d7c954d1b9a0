// Traits that the operations of a load show. The thresholds are our choice; a wrong trait is edited in the
// file.
#include <cmath>

#include "tuner/exchange/exchange.h"
#include "tuner/exchange/plain_steps.h"
#include "tuner/workload/step_kind.h"

namespace fsadvise::tuner {
namespace {

constexpr std::uint64_t kSmallFile = 1u << 20, kLargeFile = 16u << 20, kSmallBlock = 64u << 10;
constexpr std::uint64_t kManyFiles = 1000, kLargeDirectory = 500;

// Expected operations and bytes of a loop, weighted by the actors.
struct Sums {
    double reads = 0, random_small_reads = 0, overwrites = 0, small_overwrites = 0, appends = 0, creates = 0,
           removals = 0, renames = 0, names = 0, syncs = 0, all = 0;
    double read_bytes = 0, sequential_read_bytes = 0, written_bytes = 0, sequential_written_bytes = 0;
    int writers = 0;
    bool direct = false, buffered_writes_unsynced = false, create_sync = false, small_files = false,
         large_files = false, large_directories = false;
    double skew = 0;
};

const FileSet* set_of(const Load& load, const Stream& stream, const Step& step) {
    const std::string& name = step.file_set.empty() ? stream.file_set : step.file_set;
    for (const FileSet& set : load.file_sets) {
        if (set.name == name) return &set;
    }
    return nullptr;
}

void add_step(Sums& sums, const Step& step, const FileSet& set, double actors) {
    const auto kind = step_kind(step.operation);
    if (!kind || is_idle(*kind)) return;
    const double count = step.probability * step.repeat * actors;
    const auto block = static_cast<double>(step.block_bytes), file = static_cast<double>(set.size_bytes);
    const bool small = step.block_bytes <= kSmallBlock;
    sums.all += count;
    const auto sequential_write = [&](double bytes) {
        sums.written_bytes += bytes;
        sums.sequential_written_bytes += bytes;
    };
    switch (*kind) {
        case StepKind::kRead:
            sums.reads += count;
            sums.read_bytes += count * block;
            if (step.sequential) sums.sequential_read_bytes += count * block;
            if (!step.sequential && small) sums.random_small_reads += count;
            break;
        case StepKind::kReadFile:
            sums.reads += count;
            sums.read_bytes += count * file;
            if (set.size_bytes > kSmallFile) sums.sequential_read_bytes += count * file;
            break;
        case StepKind::kWrite:
            if (step.sequential) return sequential_write(count * block);
            sums.overwrites += count;
            if (small) sums.small_overwrites += count;
            sums.written_bytes += count * block;
            break;
        case StepKind::kAppend:
            sums.appends += count;
            sequential_write(count * block);
            break;
        case StepKind::kCreate:
            sums.creates += count;
            sums.names += count;
            sums.written_bytes += count * file;
            if (set.size_bytes > kSmallFile) sums.sequential_written_bytes += count * file;
            break;
        case StepKind::kRename:
            sums.renames += count;
            sums.names += count;
            break;
        case StepKind::kUnlink:
            sums.removals += count;
            sums.names += count;
            break;
        case StepKind::kFsync:
        case StepKind::kFdatasync:
            sums.syncs += count;
            break;
        case StepKind::kTruncate:
        case StepKind::kFallocate:
        case StepKind::kPunchHole:
            break;  // neither a transfer nor a name
        default:
            sums.names += count;
            break;
    }
}

Sums sum_up(const Load& load) {
    Sums sums;
    for (const Stream& stream : load.streams) {
        const double actors = static_cast<double>(stream.threads) * stream.depth;
        bool writes = false, syncs = false, created = false;
        std::vector<Step> steps;
        for (const Step& step : stream.steps) {
            for (Step& part : plain_steps(stream, step)) steps.push_back(std::move(part));
        }
        for (const Step& step : steps) {
            const FileSet* set = set_of(load, stream, step);
            if (set == nullptr) continue;
            add_step(sums, step, *set, actors);
            const bool sync = step.operation == "fsync" || step.operation == "fdatasync";
            if (sync && created) sums.create_sync = true;
            created = created || step.operation == "create";
            syncs = syncs || sync;
            writes = writes || step.operation == "write" || step.operation == "append" ||
                     step.operation == "create";
        }
        if (writes) sums.writers += stream.threads * stream.depth;
        sums.direct = sums.direct || stream.direct;
        sums.buffered_writes_unsynced = sums.buffered_writes_unsynced || (writes && !syncs && !stream.direct);
        sums.skew = std::max(sums.skew, stream.skew);
    }
    for (const FileSet& set : load.file_sets) {
        sums.small_files = sums.small_files || (set.files >= kManyFiles && set.size_bytes <= kSmallFile);
        sums.large_files = sums.large_files || set.size_bytes >= kLargeFile;
        const std::uint64_t width = set.directory_width > 0 ? set.directory_width : set.files;
        sums.large_directories =
            sums.large_directories || (width > kLargeDirectory && set.files >= kManyFiles);
    }
    return sums;
}

}  // namespace

std::vector<std::string> derive_traits(const Load& load) {
    const Sums sums = sum_up(load);
    const double all = std::max(sums.all, 1e-9), bytes = std::max(sums.read_bytes + sums.written_bytes, 1.0);
    const double writes = sums.overwrites + sums.appends + sums.creates;
    std::vector<std::string> traits;
    const auto add = [&](bool shown, const char* trait) {
        if (shown) traits.emplace_back(trait);
    };
    const bool commits = sums.syncs >= 0.02 * all && sums.syncs > 0;
    const bool overwrite = sums.overwrites >= 0.05 * all;
    const bool random_read = sums.random_small_reads >= 0.2 * all;
    const bool database = commits && sums.large_files && (sums.small_overwrites >= 0.05 * all || random_read);
    add(database, "database");
    add(commits, "synchronous-commits");
    add(overwrite, "random-overwrite");
    add(random_read, "random-read");
    add(sums.sequential_read_bytes >= 0.3 * bytes, "sequential-read");
    add(sums.sequential_written_bytes >= 0.3 * bytes, "sequential-write");
    add(sums.appends > 0 && sums.overwrites == 0 && sums.written_bytes >= 0.2 * bytes, "append-only");
    add(sums.written_bytes < 0.1 * bytes && writes < 0.1 * all, "mostly-read");
    add(sums.large_files, "large-files");
    add(sums.small_files, "many-small-files");
    add(sums.large_directories, "large-directories");
    add(sums.names >= 0.3 * all, "namespace-heavy");
    add(sums.renames >= 0.1 * all, "rename-heavy");
    add(sums.create_sync, "create-fsync");
    add(sums.creates > 0 && sums.removals >= 0.5 * sums.creates, "short-lived-files");
    add(sums.buffered_writes_unsynced, "buffered-writes");
    add(database && !sums.direct, "buffered-database");
    add(sums.direct, "direct-io");
    add(sums.writers >= 4, "concurrent-writers");
    add(sums.skew >= 0.8, "skewed-access");
    double least = 1, most = 0;
    for (const FileSet& set : load.file_sets) {
        least = std::min(least, set.compressible);
        most = std::max(most, set.compressible);
    }
    add(most <= 0.1, "incompressible");
    add(least >= 0.6, "compressible");
    return traits;
}

}  // namespace fsadvise::tuner
