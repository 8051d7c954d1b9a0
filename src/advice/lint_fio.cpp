// fio job files: what they really measure. Source: fio(1) of fio 3.33.
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "advice/lint_format.h"
#include "advice/lint_ini.h"
#include "advice/lint_shell.h"
#include "base/text.h"
#include "base/units.h"

namespace fsadvise {
namespace {

constexpr std::uint64_t kMiB = 1u << 20, kGiB = 1u << 30;
// Below this a solid-state disk answers from its own memory or its fast cells. Source: SNIA Solid State
// Storage Performance Test Specification, active range and pre-conditioning (recollection); our choice of the
// figure.
constexpr std::uint64_t kDeviceCacheBytes = 4 * kGiB;
constexpr std::int64_t kShortestSeconds = 60;
constexpr std::uint64_t kSmallBlock = 64u << 10;

constexpr auto kPatterns =
    std::to_array<std::string_view>({"read", "write", "trim", "randread", "randwrite", "randtrim", "rw",
                                     "readwrite", "randrw", "trimwrite", "randtrimwrite"});
constexpr auto kSynchronousEngines = std::to_array<std::string_view>(
    {"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "ftruncate", "filecreate"});

struct Job {
    const IniSection* section = nullptr;
    const IniSection* global = nullptr;

    [[nodiscard]] const IniEntry* find(std::initializer_list<std::string_view> keys) const {
        for (const auto* place : {section, global}) {
            if (place == nullptr) continue;
            for (const auto key : keys) {
                if (const auto* entry = place->find(key)) return entry;
            }
        }
        return nullptr;
    }
    [[nodiscard]] std::string value(std::initializer_list<std::string_view> keys) const {
        const auto* entry = find(keys);
        return entry != nullptr ? entry->value : std::string();
    }
    [[nodiscard]] bool flag(std::initializer_list<std::string_view> keys) const {
        const auto* entry = find(keys);
        return entry != nullptr && entry->value != "0";
    }
    // nullopt if absent, a percentage or a range.
    [[nodiscard]] std::optional<std::uint64_t> bytes(std::initializer_list<std::string_view> keys) const {
        const auto text = value(keys);
        if (text.empty()) return std::nullopt;
        const auto parsed = parse_size(text.substr(0, text.find_first_of(",-")));
        return parsed ? std::optional(*parsed) : std::nullopt;
    }
    [[nodiscard]] std::uint64_t count(std::initializer_list<std::string_view> keys,
                                      std::uint64_t usual) const {
        return bytes(keys).value_or(usual);
    }
};

class FioJob {
  public:
    FioJob(const LintChecker& checker, const Job& job, LintResult& result)
        : checker_(checker), job_(job), result_(result) {
        pattern_ = job.value({"rw", "readwrite"});
        if (pattern_.empty()) pattern_ = "read";
        pattern_ = pattern_.substr(0, pattern_.find(':'));
        block_ = job.bytes({"bs", "blocksize"}).value_or(4096);
        jobs_ = std::clamp<std::uint64_t>(job.count({"numjobs"}, 1), 1, 1u << 20);
        direct_ = job.flag({"direct"}) || job.value({"buffered"}) == "0";
        engine_ = job.value({"ioengine"});
        if (engine_.empty()) engine_ = "psync";
        engine_ = engine_.substr(0, engine_.find(','));
        depth_ = job.count({"iodepth"}, 1);
        if (const auto size = job.bytes({"size", "filesize"})) {
            const bool shared = job.find({"filename"}) != nullptr;
            total_ = *size > UINT64_MAX / jobs_ ? UINT64_MAX : (shared ? *size : *size * jobs_);
        }
    }

    void run() {
        ++result_.checked;
        if (std::ranges::find(kPatterns, pattern_) == kPatterns.end()) {
            unknown_pattern();
            return;
        }
        engine();
        alignment();
        classify();
        place();
        cache();
        size_and_time();
        depth();
    }

  private:
    Finding& add(std::string id, Severity severity, int line, std::string subject) {
        result_.findings.push_back(checker_.finding(std::move(id), severity, line, std::move(subject)));
        result_.findings.back().sources = {"fio(1)"};
        return result_.findings.back();
    }
    [[nodiscard]] int line_of(std::initializer_list<std::string_view> keys) const {
        const auto* entry = job_.find(keys);
        return entry != nullptr ? entry->line : job_.section->line;
    }
    [[nodiscard]] bool random() const { return pattern_.starts_with("rand"); }
    [[nodiscard]] bool reads() const {
        return pattern_.ends_with("read") || pattern_.ends_with("rw") || pattern_ == "readwrite";
    }
    [[nodiscard]] bool writes() const {
        return pattern_.find("write") != std::string::npos || pattern_.ends_with("rw");
    }
    [[nodiscard]] bool flushes() const {
        const auto every = [&](std::string_view key) {
            const auto text = job_.value({key});
            return !text.empty() && text != "0";
        };
        return every("fsync") || every("fdatasync") || every("sync") || every("write_barrier");
    }
    [[nodiscard]] bool flushes_at_end() const {
        return flushes() || job_.flag({"end_fsync"}) || job_.flag({"fsync_on_close"});
    }
    [[nodiscard]] bool rated() const { return job_.find({"rate", "rate_iops", "thinktime"}) != nullptr; }

    void unknown_pattern() {
        const std::vector<std::string> known(kPatterns.begin(), kPatterns.end());
        const auto line = line_of({"rw", "readwrite"});
        auto& item = add("fio-pattern", Severity::kError, line, pattern_);
        item.what = fmt::format("'{}' is no pattern of fio{}", pattern_, did_you_mean(pattern_, known));
        item.consequence = "fio stops with an error";
        item.fix = "use one of: " + join(known, ", ");
    }

    // Source: fio(1) 3.33, I/O engine.
    void engine() {
        static const std::vector<std::string> kEngines = {
            "sync",      "psync",     "vsync",      "pvsync",     "pvsync2",    "io_uring", "io_uring_cmd",
            "libaio",    "posixaio",  "solarisaio", "windowsaio", "mmap",       "splice",   "sg",
            "libzbc",    "null",      "net",        "netsplice",  "cpuio",      "rdma",     "falloc",
            "ftruncate", "e4defrag",  "rados",      "rbd",        "http",       "gfapi",    "gfapi_async",
            "libhdfs",   "mtd",       "dev-dax",    "external",   "filecreate", "filestat", "filedelete",
            "libpmem",   "ime_psync", "ime_psyncv", "ime_aio",    "libiscsi",   "nbd",      "libcufile",
            "dfs",       "nfs",       "exec",       "xnvme",      "libblkio",   "pmemblk",  "guasi"};
        const auto meant = nearest(engine_, kEngines);
        if (std::ranges::find(kEngines, engine_) != kEngines.end() || !meant || has_placeholder(engine_) ||
            engine_.starts_with("external:"))
            return;
        auto& item = add("fio-engine", Severity::kError, line_of({"ioengine"}), engine_);
        item.what = fmt::format("fio has no engine '{}' (did you mean '{}'?)", engine_, *meant);
        item.consequence = "fio stops with an error";
        item.fix = "write ioengine=" + *meant;
        item.sources = {"fio(1), ioengine"};
    }

    // Direct I/O moves whole logical sectors; the smallest are 512 bytes.
    void alignment() {
        constexpr std::uint64_t kSmallestSector = 512;
        if (!direct_ || block_ % kSmallestSector == 0) return;
        auto& item = add("fio-unaligned", Severity::kError, line_of({"bs", "blocksize"}),
                         job_.value({"bs", "blocksize"}));
        item.what = fmt::format("direct=1 with blocks of {} bytes, which are no whole sectors", block_);
        item.consequence = "every request fails: invalid argument";
        item.fix = "use a multiple of 512, and of 4096 on disks with sectors of that size";
        item.sources = {"open(2), O_DIRECT"};
    }

    // What people run that looks like this, and the workload to ask for.
    [[nodiscard]] std::pair<std::string, std::string> likeness() const {
        if (random() && block_ <= kSmallBlock) {
            if (reads() && writes()) return {"database point I/O: small random reads and writes", "postgres"};
            if (writes()) return {"database page writes: small random writes", "postgres"};
            return {"index look-ups: small random reads", "postgres"};
        }
        if (random()) return {"random access in large pieces, as virtual machine images see it", "vm-images"};
        if (writes() && !reads()) {
            if (flushes() && block_ <= kSmallBlock)
                return {"a commit log: small appends, each made durable", "etcd"};
            if (jobs_ > 8 && rated()) {
                return {"many slow appenders that write big files side by side, as in video ingest",
                        "video-ingest"};
            }
            if (jobs_ > 8)
                return {"many writers of big files side by side, as in a checkpoint", "checkpoint"};
            return {"one big file after the other, as a backup target sees it", "backup"};
        }
        if (reads() && !writes()) return {"streaming reads of big files", "media-streaming"};
        return {"mixed sequential reads and writes", "file-server"};
    }

    void classify() {
        auto [likeness_text, workload] = likeness();
        auto& item = add("fio-measures", Severity::kInfo, job_.section->line, job_.section->name);
        item.what =
            fmt::format("{} B blocks, {}, {} job{}, {}, depth {}: {}", block_, pattern_, jobs_,
                        jobs_ == 1 ? "" : "s", direct_ ? "direct" : "buffered", depth_, likeness_text);
        item.consequence = "the figures speak for loads like that and for no others";
        const bool known = checker_.knowledge().workload(workload) != nullptr;
        item.fix = known ? "for advice ask: fsadvise recommend --workload " + workload
                         : "for advice ask: fsadvise recommend";
        if (workload == "video-ingest") {
            item.what += "; buffered writes are right for it";
            item.fix += " (XFS with a large allocation size keeps such files whole)";
        }
        item.ignore_if = "that is what you want to know";
    }

    void place() {
        const auto* directory = job_.find({"directory"});
        const auto* file = job_.find({"filename"});
        if (file != nullptr && file->value.starts_with("/dev/") && !file->value.starts_with("/dev/shm/") &&
            writes()) {
            auto& item = add("fio-writes-device", Severity::kError, file->line, file->value);
            item.what = fmt::format("the job writes to {} itself", file->value);
            item.consequence = "the filesystem on it is destroyed";
            item.fix =
                "use directory= on a mounted scratch filesystem; a filesystem is not measured this way";
            item.ignore_if = "the device is empty and the raw device is what you measure";
        }
        const auto* entry = directory != nullptr ? directory : file;
        if (entry == nullptr) return;
        const auto below = [&](const std::string& path) {
            return entry->value == path || entry->value.starts_with(path + "/");
        };
        const bool memory = below("/dev/shm") || below("/run");
        if (!memory && !below("/tmp")) return;
        auto& item = add("fio-memory-filesystem", memory ? Severity::kError : Severity::kWarning, entry->line,
                         entry->value);
        item.what = fmt::format("{} {} a tmpfs: memory, no disk", entry->value, memory ? "is" : "may be");
        item.consequence = "no disk and no disk filesystem is measured";
        item.fix = "name a directory on the filesystem in question";
        if (!memory) item.ignore_if = "findmnt -T /tmp shows a disk filesystem";
        item.sources = {"fio(1), directory", "file-hierarchy(7), /tmp"};
    }

    void cache() {
        if (direct_ || engine_ == "null") return;
        const auto memory = checker_.request().host.memory_bytes;
        const bool fits = !total_ || !memory || *total_ < *memory;
        if (reads() && !writes() && !fits) return;
        if (writes() && (flushes_at_end() || rated()) && !reads()) return;
        if (!fits) return;
        auto& item = add("fio-page-cache", Severity::kWarning, line_of({"direct", "buffered", "size"}),
                         total_ ? job_.value({"size", "filesize"}) : job_.section->name);
        item.what = "no direct=1";
        if (total_) item.what += fmt::format(", and {} MiB fit into memory", *total_ / kMiB);
        item.what += ": the page cache answers";
        item.consequence = "memory is measured, not the disk or the filesystem";
        item.fix = "set direct=1, or use several times the memory and end_fsync=1";
        item.ignore_if = "the cached case is what you want to know";
        item.sources = {"fio(1), direct and invalidate"};
    }

    void size_and_time() {
        if (direct_ && total_ && *total_ < kDeviceCacheBytes) {
            auto& item = add("fio-small-set", Severity::kWarning, line_of({"size", "filesize"}),
                             job_.value({"size", "filesize"}));
            item.what = fmt::format("{} MiB are too small: they fit into the cache of a disk or controller",
                                    *total_ / kMiB);
            item.consequence = "the figures are better than on data of real size";
            item.fix = "use some per cent of the disk, at least 4 GiB";
            item.sources = {
                "SNIA Solid State Storage Performance Test Specification: active range (recollection)"};
        }
        const auto* runtime = job_.find({"runtime"});
        if (runtime == nullptr) return;
        const bool has_unit = runtime->value.find_first_not_of("0123456789") != std::string::npos;
        const auto nanoseconds = parse_duration_ns(has_unit ? runtime->value : runtime->value + "s");
        if (!nanoseconds || *nanoseconds / 1'000'000'000 >= kShortestSeconds) return;
        auto& item = add("fio-short", Severity::kWarning, runtime->line, runtime->value);
        item.what = fmt::format("runtime={} is too short for a steady state", runtime->value);
        if (!job_.flag({"time_based"}))
            item.what += ", and without time_based it ends even earlier when size is reached";
        item.consequence =
            "the figures describe the fresh state: caches empty or full, no write-back, no garbage "
            "collection";
        item.fix = "set time_based and runtime=5m or more, with ramp_time";
        item.ignore_if = "it is a smoke test";
        item.sources = {
            "SNIA Solid State Storage Performance Test Specification: steady state (recollection)",
            "fio(1), runtime"};
    }

    void depth() {
        if (depth_ <= 1) return;
        const bool synchronous = std::ranges::find(kSynchronousEngines, engine_) != kSynchronousEngines.end();
        const bool buffered_aio = engine_ == "libaio" && !direct_;
        if (!synchronous && !buffered_aio) return;
        auto& item = add("fio-depth-ignored", Severity::kWarning, line_of({"iodepth"}),
                         fmt::format("iodepth={}", depth_));
        item.what =
            synchronous
                ? fmt::format("ioengine={} has one request in flight a job, whatever iodepth says", engine_)
                : "libaio without direct=1 works synchronously: one request in flight a job";
        item.consequence = "the depth that the figures claim was never reached";
        item.fix = synchronous ? "use io_uring or libaio, or more jobs" : "set direct=1 or use io_uring";
        item.sources = {"fio(1), iodepth and ioengine"};
    }

    const LintChecker& checker_;
    const Job& job_;
    LintResult& result_;
    std::string pattern_, engine_;
    std::uint64_t block_ = 4096, jobs_ = 1, depth_ = 1;
    std::optional<std::uint64_t> total_;
    bool direct_ = false;
};

bool recognises(std::string_view name, std::string_view text) {
    if (name.ends_with(".fio")) return true;
    const auto start = trim(text.substr(0, 4096));
    if (start.starts_with('{') || text.starts_with("#!") || !has_line_starting(text, "[")) return false;
    return has_line_starting(text, "rw=") || has_line_starting(text, "readwrite=") ||
           has_line_starting(text, "ioengine=");
}

Result<void> check(const LintInput& input, LintResult& result) {
    const auto checker = input.checker();
    const auto sections = split_ini(input.text, 1, false);
    IniSection global;
    int jobs = 0;
    for (const auto& section : sections) {
        for (const auto& entry : section.entries) {
            if (!entry.key.starts_with("include ")) continue;
            auto item = checker.finding("fio-include", Severity::kInfo, entry.line, entry.key);
            item.what = "included files are not read";
            item.consequence = "what they set is not known here";
            item.fix = "check the output of: fio --showcmd FILE";
            item.sources = {"fio(1), include"};
            result.findings.push_back(std::move(item));
        }
        if (section.name == "global") {
            // A later [global] adds to the earlier ones, for the jobs after it.
            global.entries.insert(global.entries.end(), section.entries.begin(), section.entries.end());
            continue;
        }
        if (section.name.empty()) continue;
        ++jobs;
        FioJob(checker, {&section, &global}, result).run();
    }
    if (jobs == 0)
        return fail(ErrorCode::kBadInput, "has no job section", input.file, "a job starts with [name]");
    return {};
}

}  // namespace

LintFormat fio_format() {
    return {"fio job", recognises, check};
}

}  // namespace fsadvise
