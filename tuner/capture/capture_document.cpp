// What was seen, as a load. Every guess and every blind spot becomes a note.
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "tuner/capture/capture.h"
#include "tuner/exchange/importers.h"
#include "tuner/exchange/mix.h"

namespace fsadvise::tuner {
namespace {

constexpr std::uint64_t kSector = 512, kUsualFile = 1u << 20, kLargestBlock = 64u << 20;
// Requests of a device below the first are taken for random accesses, above the second for runs; our choice.
constexpr double kRandomBelow = 48.0 * 1024, kSequentialAbove = 128.0 * 1024;

double ratio(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

// Transfers in one direction, at the level that stands for the load.
struct Traffic {
    double count = 0, bytes = 0;
    [[nodiscard]] double mean() const { return ratio(bytes, count); }
};

class CaptureDocument {
  public:
    CaptureDocument(const CaptureFacts& facts, Notes& notes) : facts_(facts), notes_(notes) {}

    Result<WorkloadDocument> run() {
        choose_level();
        if (reads_.count + writes_.count <= 0) {
            return fail(ErrorCode::kUnavailable,
                        fmt::format("no transfer was seen in {:.1f} s", facts_.seconds),
                        facts_.path.empty() ? facts_.device : facts_.path,
                        "run it as root while the load runs, for longer, and on the right path");
        }
        describe_sources();
        WorkloadDocument document;
        add_sets(document.load);
        add_stream(document.load);
        document.load.flush_in_window = writes_without_flush(document.load);
        document.traits = derive_traits(document.load);
        return document;
    }

  private:
    [[nodiscard]] bool direct() const {
        const OpenFiles& open = facts_.open;
        return open.direct > 0 && 2 * open.direct >= std::max(open.readable, open.writable);
    }

    // Buffered I/O is seen at the calls; direct I/O too, unless it goes through io_uring or libaio.
    void choose_level() {
        double calls_read = 0, calls_written = 0, read_bytes = 0, written_bytes = 0;
        for (const auto& [pid, use] : facts_.processes) {
            calls_read += static_cast<double>(use.read_calls);
            calls_written += static_cast<double>(use.write_calls);
            read_bytes += static_cast<double>(use.read_chars);
            written_bytes += static_cast<double>(use.written_chars);
        }
        Traffic device_reads, device_writes;
        if (facts_.disk) {
            device_reads = {static_cast<double>(facts_.disk->reads + facts_.disk->read_merges),
                            static_cast<double>(facts_.disk->read_sectors * kSector)};
            device_writes = {static_cast<double>(facts_.disk->writes + facts_.disk->write_merges),
                             static_cast<double>(facts_.disk->write_sectors * kSector)};
        }
        const bool calls_seen = calls_read + calls_written > 0 && read_bytes + written_bytes > 0;
        // Where the calls account for what the device did, they tell the sizes before the device splits them.
        const double device_bytes = device_reads.bytes + device_writes.bytes;
        const double explained = ratio(read_bytes + written_bytes, device_bytes);
        const bool calls_explain = explained > 0.7 && explained < 1.4;
        at_device_ = !calls_seen || (direct() && device_bytes > 0 && !calls_explain);
        if (at_device_) {
            reads_ = device_reads;
            writes_ = device_writes;
            notes_.add("reads and writes are those of the device, merged neighbours counted one by one");
        } else {
            reads_ = {read_bytes > 0 ? calls_read : 0, read_bytes};
            writes_ = {written_bytes > 0 ? calls_written : 0, written_bytes};
            notes_.add(
                "reads and writes are the calls of the processes that had files below the path open; calls "
                "on "
                "sockets and on files elsewhere are among them, those by io_uring and libaio are not");
        }
    }

    void describe_sources() {
        const std::string place = facts_.path.empty() ? facts_.device : facts_.path;
        notes_.add(fmt::format("seen: {} on {}{}{} for {:.1f} s{}", place,
                               facts_.device.empty() ? "a device unknown" : facts_.device,
                               facts_.filesystem.empty() ? "" : ", ", facts_.filesystem, facts_.seconds,
                               facts_.interrupted ? ", stopped early" : ""));
        describe_disk();
        describe_processes();
        describe_events();
        notes_.add(
            "not seen: positions of single requests, their sizes one by one and their latency (no block "
            "trace was made)");
    }

    void describe_disk() {
        if (!facts_.disk) {
            notes_.add("not seen: counters of the block device" +
                       std::string(facts_.device.empty() ? ", the filesystem has no single one" : ""));
            return;
        }
        const DiskCounters& disk = *facts_.disk;
        const double seconds = std::max(facts_.seconds, 1e-3);
        notes_.add(fmt::format("seen: device {:.4g} reads/s of {}, {:.4g} writes/s of {}, busy {:.0f} %",
                               static_cast<double>(disk.reads) / seconds,
                               human_size(ratio(static_cast<double>(disk.read_sectors * kSector),
                                                static_cast<double>(disk.reads))),
                               static_cast<double>(disk.writes) / seconds,
                               human_size(ratio(static_cast<double>(disk.write_sectors * kSector),
                                                static_cast<double>(disk.writes))),
                               100 * std::min(1.0, static_cast<double>(disk.busy_ms) / 1000 / seconds)));
        if (disk.reads + disk.writes > 0) {
            notes_.add(
                fmt::format("seen: mean latency {:.3g} ms a read, {:.3g} ms a write",
                            ratio(static_cast<double>(disk.read_ms), static_cast<double>(disk.reads)),
                            ratio(static_cast<double>(disk.write_ms), static_cast<double>(disk.writes))));
        }
        if (disk.flushes) {
            notes_.add(
                fmt::format("seen: {} flushes, {:.3g} ms each", *disk.flushes,
                            ratio(static_cast<double>(*disk.flush_ms), static_cast<double>(*disk.flushes))));
        } else {
            notes_.add("not seen: flushes, the kernel does not count them");
        }
        if (disk.discards && *disk.discards > 0) {
            notes_.add(
                fmt::format("seen: {} discards of {}; a load has no discard", *disk.discards,
                            human_size(static_cast<double>(disk.discard_sectors.value_or(0) * kSector))));
        }
    }

    void describe_processes() {
        if (facts_.path.empty()) {
            notes_.add("not seen: files and processes, the device is not mounted here");
            return;
        }
        const OpenFiles& open = facts_.open;
        if (open.processes_unseen > 0) {
            notes_.add(fmt::format("not seen: the open files of {} processes of other users (run it as root)",
                                   open.processes_unseen));
        }
        for (const auto& [pid, use] : facts_.processes) {
            if (use.read_calls + use.write_calls == 0) continue;
            notes_.add(
                fmt::format("seen: process {} ({}): {} read calls, {} write calls, {} read from and {} "
                            "written to the device",
                            use.name, pid, use.read_calls, use.write_calls,
                            human_size(static_cast<double>(use.read_bytes)),
                            human_size(static_cast<double>(use.written_bytes))));
            if (++listed_ == 10) break;
        }
        notes_.add(
            fmt::format("seen: {} open files, descriptors: {} readable, {} writable, {} O_DIRECT, {} O_SYNC, "
                        "{} O_DSYNC, {} O_APPEND",
                        open.paths.size(), open.readable, open.writable, open.direct, open.synchronous,
                        open.data_synchronous, open.append));
    }

    void describe_events() {
        if (facts_.path.empty()) return;
        if (!facts_.events) {
            notes_.add("not seen: opens, creates, deletes and renames, no notifications: " +
                       facts_.events_missing);
            return;
        }
        const FileEvents& events = *facts_.events;
        notes_.add(fmt::format(
            "seen: on the whole filesystem at least {} opens, {} reads, {} writes, {} closes after writing{} "
            "(equal ones close together are told once)",
            events.opens, events.reads, events.writes, events.writers_closed,
            events.names ? fmt::format(", {} creates, {} deletes, {} renames", events.creates, events.deletes,
                                       events.renames)
                         : ""));
        if (!events.names)
            notes_.add(
                "not seen: creates, deletes and renames, this kernel or filesystem does not tell them");
        if (events.overflowed) notes_.add("not seen: some notifications, their queue was full");
        if (events.thinned)
            notes_.add("not seen: reads and writes as notifications after a while, there were too many");
    }

    // The open files carry the transfers; the tree carries what is done by name.
    void add_sets(Load& load) {
        const OpenFiles& open = facts_.open;
        if (!open.paths.empty() && open.bytes > 0) {
            FileSet set;
            set.name = "open";
            set.files = open.paths.size();
            set.size_bytes = std::max<std::uint64_t>(open.bytes / set.files, 4096) / 4096 * 4096;
            load.file_sets.push_back(set);
        }
        if (facts_.tree && facts_.tree->files > 0) {
            load.file_sets.push_back(tree_set(*facts_.tree));
        }
        if (load.file_sets.empty()) {
            FileSet set;
            set.name = "data";
            const double bytes = std::max(reads_.bytes, writes_.bytes);
            set.size_bytes =
                std::max<std::uint64_t>(static_cast<std::uint64_t>(bytes) / 4096 * 4096, 1u << 30);
            load.file_sets.push_back(set);
            notes_.add(
                "not seen: files; one of the size of what was transferred, at least 1 GiB, stands for them");
        }
    }

    FileSet tree_set(const TreeFacts& tree) {
        FileSet set;
        set.name = "tree";
        set.files = tree.files;
        const auto quantile = [&](double share) {
            const auto last = static_cast<double>(tree.sizes.size() - 1);
            return tree.sizes[static_cast<std::size_t>(share * last)];
        };
        const std::uint64_t low = std::max<std::uint64_t>(quantile(0.1), 1),
                            high = std::max(quantile(0.9), low);
        set.size_bytes = std::max<std::uint64_t>(tree.bytes / tree.files, 1);
        if (high >= 4 * low) {
            set.size_min_bytes = low;
            set.size_max_bytes = high;
        }
        const std::uint64_t width = tree.files / std::max<std::uint64_t>(tree.directories, 1);
        if (tree.directories > 1 && width > 0) set.directory_width = width;
        notes_.add(fmt::format(
            "seen: {}{} files in {} directories, {}; sizes: median {}, 10 % below {}, 10 % above {}, largest "
            "{}",
            tree.complete ? "" : "at least ", tree.files, tree.directories,
            human_size(static_cast<double>(tree.bytes)), human_size(static_cast<double>(quantile(0.5))),
            human_size(static_cast<double>(low)), human_size(static_cast<double>(high)),
            human_size(static_cast<double>(tree.sizes.back()))));
        if (!tree.complete) notes_.add("not seen: the whole tree; its directories were sampled");
        return set;
    }

    static std::vector<BlockShare> block_of(const Traffic& traffic, const FileSet& set) {
        // A mean of calls of several sizes is no size of any; whole 512 bytes keep it usable.
        const double rounded = std::round(traffic.mean() / 512) * 512;
        auto bytes = static_cast<std::uint64_t>(std::max(rounded, 512.0));
        bytes = std::min({bytes, kLargestBlock,
                          std::max<std::uint64_t>(std::max(set.size_bytes, set.size_max_bytes), 512)});
        return {{bytes, 1}};
    }

    // Share of the accesses that are random.
    static double random_share(const Traffic& traffic, double moved_share) {
        const double guessed = traffic.mean() >= kSequentialAbove ? 0
                               : traffic.mean() <= kRandomBelow   ? 1
                                                                  : 0.5;
        return std::min(guessed, 1 - std::clamp(moved_share, 0.0, 1.0));
    }

    void add_stream(Load& load) {
        const OpenFiles& open = facts_.open;
        const FileSet& set = load.file_sets.front();
        AccessMix mix;
        mix.read_share = ratio(reads_.count, reads_.count + writes_.count);
        mix.read_blocks = block_of(reads_, set);
        mix.write_blocks = block_of(writes_, set);
        const double moved = ratio(static_cast<double>(open.moved_bytes), reads_.bytes + writes_.bytes);
        mix.random_read_share = random_share(reads_, moved);
        mix.random_write_share = random_share(writes_, moved);
        if (open.append > 0 && open.writable > 0) {
            mix.appends = true;
            mix.random_write_share *=
                1 - ratio(static_cast<double>(open.append), static_cast<double>(open.writable));
        }
        notes_.add(fmt::format(
            "guessed: {:.0f} % of the reads and {:.0f} % of the writes are random, from the size of the "
            "requests, "
            "positions that advanced ({:.0f} % of the bytes) and O_APPEND",
            100 * mix.random_read_share, 100 * mix.random_write_share, 100 * std::min(moved, 1.0)));
        set_syncs(mix);
        Stream stream;
        stream.name = "captured";
        stream.file_set = set.name;
        stream.direct = direct();
        double depth = 1;
        if (facts_.disk && facts_.disk->busy_ms > 0) {
            depth = std::max(1.0, std::round(ratio(static_cast<double>(facts_.disk->weighted_ms),
                                                   static_cast<double>(facts_.disk->busy_ms))));
            notes_.add(fmt::format("seen: {:.0f} requests of the device in flight while it was busy", depth));
        }
        std::tie(stream.threads, stream.depth) =
            spread_clients(1, static_cast<std::uint64_t>(std::min(depth, 1024.0)));
        stream.steps = steps_of(mix);
        add_names(load, stream);
        load.streams.push_back(std::move(stream));
    }

    void set_syncs(AccessMix& mix) {
        const OpenFiles& open = facts_.open;
        if (writes_.count <= 0) return;
        if (open.synchronous + open.data_synchronous > 0) {
            const bool data = open.data_synchronous >= open.synchronous;
            const double share =
                std::min(1.0, ratio(static_cast<double>(open.synchronous + open.data_synchronous),
                                    static_cast<double>(open.writable)));
            (data ? mix.fdatasyncs_per_write : mix.fsyncs_per_write) = share;
            notes_.add(
                fmt::format("{:.0f} % of the writable descriptors are O_SYNC or O_DSYNC: as many writes are "
                            "followed by a sync",
                            100 * share));
            return;
        }
        if (!facts_.disk || !facts_.disk->flushes) return;
        const double per_write = static_cast<double>(*facts_.disk->flushes) / writes_.count;
        // A filesystem flushes now and then on its own.
        constexpr double kOwnFlushes = 0.002;
        if (per_write < kOwnFlushes) return;
        mix.fdatasyncs_per_write = std::min(per_write, 1.0);
        notes_.add(
            fmt::format("{} flushes for {:.0f} writes: said as fdatasync, whether fsync, fdatasync or the "
                        "filesystem itself asked is not seen",
                        *facts_.disk->flushes, writes_.count));
    }

    // Names that were made and removed, in proportion to the transfers of a loop.
    void add_names(Load& load, Stream& stream) {
        if (!facts_.events || !facts_.events->names || facts_.events->creates == 0) return;
        const FileEvents& events = *facts_.events;
        const FileSet& set = load.file_sets.back();
        if (set.size_bytes == 0) return;
        double transfers = 0;
        for (const Step& step : stream.steps) {
            if (step.operation != "fsync" && step.operation != "fdatasync")
                transfers += step.probability * step.repeat;
        }
        const double loops = (reads_.count + writes_.count) / std::max(transfers, 1e-9);
        const auto add = [&](const char* operation, std::uint64_t count) {
            const double each = static_cast<double>(count) / std::max(loops, 1.0);
            if (each < 1e-4) return;
            Step step;
            step.operation = operation;
            if (set.name != stream.file_set) step.file_set = set.name;
            step.repeat = static_cast<int>(std::clamp(std::round(each), 1.0, 100.0));
            step.probability = std::clamp(std::round(each / step.repeat * 1e4) / 1e4, 1e-4, 1.0);
            step.block_bytes = std::min<std::uint64_t>(kUsualFile, 64u << 10);
            stream.steps.push_back(step);
        };
        add("create", events.creates);
        if (stream.steps.back().operation != "create") return;
        add("rename", events.renames);
        add("unlink", events.creates);
        notes_.add("created files are removed as often, so that their number stays level");
    }

    const CaptureFacts& facts_;
    Notes& notes_;
    Traffic reads_, writes_;
    bool at_device_ = false;
    int listed_ = 0;
};

}  // namespace

Result<WorkloadDocument> document_of(const CaptureFacts& facts, const std::string& id) {
    Notes notes(true);
    FSADVISE_ASSIGN(WorkloadDocument document, CaptureDocument(facts, notes).run());
    const std::string place = facts.path.empty() ? facts.device : facts.path;
    document.id = id.empty() ? plain_id(place, "captured") : id;
    document.title = document.id + " (captured)";
    document.summary = fmt::format("Seen on {} in {:.0f} s.", printable(place), facts.seconds);
    document.mount_point = facts.path.empty() ? "/srv/" + document.id : facts.path;
    document.derivation =
        "Captured on a running system; the notes say what was seen, guessed and not seen. The traits are "
        "derived "
        "from the operations; add what operations do not show.";
    document.sources = {"capture of " + printable(place)};
    if (facts.tree && facts.tree->files > 0)
        document.mean_file_bytes = std::max<std::uint64_t>(facts.tree->bytes / facts.tree->files, 1);
    document.notes = notes.take();
    if (auto checked = check(document.load); !checked) {
        Error error = checked.error();
        error.context = "the captured load, " + error.context;
        return tl::unexpected(std::move(error));
    }
    return document;
}

}  // namespace fsadvise::tuner
