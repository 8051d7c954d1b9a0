// A load as a fio job file. Source: fio(1) of fio 3.33.
//
// A loop of fio is one transfer, so a loop of several steps becomes the mix of its transfers; what that loses
// is said in comments and warnings.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "base/text.h"
#include "tuner/exchange/exchange.h"
#include "tuner/workload/step_kind.h"

namespace fsadvise::tuner {
namespace {

// What one stream does to one file set, counted a loop.
struct Part {
    const FileSet* set = nullptr;
    double reads = 0, random_reads = 0, writes = 0, random_writes = 0, fsyncs = 0, fdatasyncs = 0;
    bool appends = false, by_file = false;
    std::map<std::uint64_t, double> read_blocks, write_blocks;
};

struct Pauses {
    double count = 0, ns = 0;  // a loop
};

class FioWriter {
  public:
    explicit FioWriter(const Load& load) : load_(load) {}

    Result<FioExport> run(const std::string& title) {
        std::string jobs;
        for (const Stream& stream : load_.streams) jobs += stream_text(stream);
        if (jobs.empty()) {
            return fail(ErrorCode::kBadInput,
                        "nothing of this load can be said in fio's words: " +
                            (warnings_.empty() ? std::string("no transfer") : warnings_.front()),
                        title);
        }
        FioExport out;
        out.text = "# " + printable(title) + "\n";
        for (const std::string& warning : warnings_) out.text += "# lost: " + warning + "\n";
        out.text +=
            "# Run it with --directory=DIR on the filesystem in question.\n"
            "[global]\ntime_based=1\nruntime=60\ngroup_reporting=1\nnorandommap=1\nrefill_buffers=1\n" +
            jobs;
        out.warnings = std::move(warnings_);
        return out;
    }

  private:
    const FileSet* set_of(const Stream& stream, const Step& step) const {
        const std::string& name = step.file_set.empty() ? stream.file_set : step.file_set;
        for (const FileSet& set : load_.file_sets) {
            if (set.name == name) return &set;
        }
        return nullptr;
    }
    void warn(std::string text) {
        if (std::find(warnings_.begin(), warnings_.end(), text) == warnings_.end())
            warnings_.push_back(std::move(text));
    }

    std::string stream_text(const Stream& stream) {
        std::vector<Part> parts;
        Pauses pauses;
        for (const Step& step : stream.steps) {
            for (const Step& part : transfers_of(stream, step)) count(stream, part, parts, pauses);
        }
        tell_what_jobs_lack(stream);
        std::erase_if(parts, [&](const Part& part) {
            if (part.reads + part.writes > 0) return false;
            if (part.fsyncs + part.fdatasyncs > 0) {
                warn(fmt::format("stream {}: syncs of '{}', which it does not write", stream.name,
                                 part.set->name));
            }
            return true;
        });
        if (parts.size() > 1) {
            warn(
                fmt::format("stream {}: its steps on {} file sets run side by side as jobs of their own, at "
                            "the rates they "
                            "reach and not at those of the loop",
                            stream.name, parts.size()));
        }
        if (!stream.counts && !parts.empty())
            warn(fmt::format("stream {}: is a background, fio counts it with the others", stream.name));
        if (parts.size() > 1 && pauses.count > 0) {
            warn(fmt::format("stream {}: its pauses are kept in the first job only", stream.name));
        }
        std::string text;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const std::string name = parts.size() == 1 ? stream.name : stream.name + "-" + parts[i].set->name;
            text += job_text(name, stream, parts[i], i == 0 ? pauses : Pauses{});
        }
        return text;
    }

    // What a step is made of, as far as a job has words for it.
    std::vector<Step> transfers_of(const Stream& stream, const Step& step) {
        if (!step.blocks.empty())
            warn(fmt::format("stream {}: a distribution of block sizes, of which the largest is kept",
                             stream.name));
        std::vector<Step> parts = {step};
        if (step.operation == "read-write") {
            Step write = step;
            parts.front().operation = "read";
            parts.front().probability *= step.read_share;
            write.operation = "write";
            write.probability *= 1 - step.read_share;
            parts.push_back(write);
        } else if (step.operation == "commit") {
            warn(fmt::format("stream {}: commits that wait for one flush together; each job syncs for itself",
                             stream.name));
            parts.front().operation = "write";
            parts.front().sequential = true;
            Step sync = step;
            sync.operation = step.data_only ? "fdatasync" : "fsync";
            parts.push_back(sync);
        }
        if (stream.sync != SyncPolicy::kNone && parts.back().operation == "write") {
            Step sync = step;
            const bool whole = stream.sync == SyncPolicy::kFsync || stream.sync == SyncPolicy::kOSync;
            sync.operation = whole ? "fsync" : "fdatasync";
            sync.probability = parts.back().probability / std::max(1, stream.sync_every);
            parts.push_back(sync);
        }
        return parts;
    }

    void tell_what_jobs_lack(const Stream& stream) {
        if (stream.rate_operations > 0 || stream.rate_bytes > 0)
            warn(fmt::format("stream {}: its rate limit, which counts loops and not transfers", stream.name));
        if (stream.hot_accesses > 0) warn(fmt::format("stream {}: its hot spot", stream.name));
        if (stream.working_set < 1)
            warn(fmt::format("stream {}: the part of its data that is never touched", stream.name));
    }

    void count(const Stream& stream, const Step& step, std::vector<Part>& parts, Pauses& pauses) {
        const auto kind = step_kind(step.operation);
        if (!kind) return;
        const double times = step.probability * step.repeat;
        if (*kind == StepKind::kThink) {
            pauses.count += times;
            pauses.ns += times * static_cast<double>(step.think_ns);
            return;
        }
        const FileSet* set = set_of(stream, step);
        if (set == nullptr) return;
        auto found =
            std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return part.set == set; });
        if (found == parts.end()) {
            parts.push_back({});
            found = parts.end() - 1;
            found->set = set;
        }
        Part& part = *found;
        const auto file_blocks =
            std::max(1.0, static_cast<double>(set->size_bytes) / static_cast<double>(step.block_bytes));
        switch (*kind) {
            case StepKind::kRead:
                part.reads += times;
                if (!step.sequential) part.random_reads += times;
                part.read_blocks[step.block_bytes] += times;
                break;
            case StepKind::kWrite:
                part.writes += times;
                if (!step.sequential) part.random_writes += times;
                part.write_blocks[step.block_bytes] += times;
                break;
            case StepKind::kAppend:
                part.writes += times;
                part.appends = true;
                part.write_blocks[step.block_bytes] += times;
                break;
            case StepKind::kReadFile:
            case StepKind::kCreate: {
                const bool read = *kind == StepKind::kReadFile;
                warn(fmt::format(
                    "stream {}: {} is said as transfers one after the other; files are not {} each time",
                    stream.name, step.operation, read ? "opened" : "made anew"));
                (read ? part.reads : part.writes) += times * file_blocks;
                (read ? part.read_blocks : part.write_blocks)[step.block_bytes] += times * file_blocks;
                part.by_file = true;
                break;
            }
            case StepKind::kFsync:
                part.fsyncs += times;
                break;
            case StepKind::kFdatasync:
                part.fdatasyncs += times;
                break;
            default:
                warn(fmt::format("stream {}: {} has no word in a job of transfers", stream.name,
                                 step.operation));
                break;
        }
    }

    // Whole percentages that sum to 100.
    static std::string block_shares(const std::map<std::uint64_t, double>& blocks) {
        double total = 0;
        for (const auto& [bytes, times] : blocks) total += times;
        std::string text;
        int left = 100;
        std::size_t rest = blocks.size();
        for (const auto& [bytes, times] : blocks) {
            const int share =
                --rest == 0 ? left : std::clamp(static_cast<int>(std::lround(100 * times / total)), 0, left);
            left -= share;
            if (share > 0) text += fmt::format("{}{}/{}", text.empty() ? "" : ":", bytes, share);
        }
        return text;
    }

    std::string blocks_text(const Part& part) {
        if (part.read_blocks.size() <= 1 && part.write_blocks.size() <= 1) {
            const auto read =
                part.read_blocks.empty() ? part.write_blocks.begin()->first : part.read_blocks.begin()->first;
            const auto write = part.write_blocks.empty() ? read : part.write_blocks.begin()->first;
            return read == write ? fmt::format("bs={}\n", read) : fmt::format("bs={},{}\n", read, write);
        }
        const auto& reads = part.read_blocks.empty() ? part.write_blocks : part.read_blocks;
        const auto& writes = part.write_blocks.empty() ? part.read_blocks : part.write_blocks;
        return fmt::format("bssplit={},{}\n", block_shares(reads), block_shares(writes));
    }

    std::string pattern_text(const std::string& name, const Part& part) {
        const bool random = part.random_reads + part.random_writes > 0;
        std::string text = std::string("rw=") + (random ? "rand" : "");
        if (part.writes <= 0) {
            text += "read\n";
        } else if (part.reads <= 0) {
            text += "write\n";
        } else {
            const double share = 100 * part.reads / (part.reads + part.writes);
            text += fmt::format("rw\nrwmixread={:.0f}\n", share);
            if (std::abs(share - std::round(share)) > 0.05) {
                warn(fmt::format("stream {}: reads are {:.2f} % of the transfers, fio takes whole per cent",
                                 name, share));
            }
        }
        const auto percent = [](double part_of, double whole) {
            return whole > 0 ? std::lround(100 * part_of / whole) : 100l;
        };
        const auto reads = percent(part.random_reads, part.reads),
                   writes = percent(part.random_writes, part.writes);
        if (random && (reads < 100 || writes < 100))
            text += fmt::format("percentage_random={},{}\n", reads, writes);
        return text;
    }

    std::string files_text(const Part& part) {
        const FileSet& set = *part.set;
        // One name for all jobs: the set is shared, as in the load.
        std::string text = fmt::format("filename_format={}.$filenum\nnrfiles={}\n", set.name, set.files);
        text += set.size_max_bytes > 0
                    ? fmt::format("filesize={}-{}\n", set.size_min_bytes, set.size_max_bytes)
                    : fmt::format("filesize={}\n", set.size_bytes);
        if (set.files > 1) text += fmt::format("openfiles={}\n", std::min<std::uint64_t>(set.files, 1024));
        if (set.files > 1 && part.by_file) text += "file_service_type=sequential\n";
        if (set.directory_width > 0)
            warn(fmt::format("file set {}: fio puts all files into one directory", set.name));
        if (set.compressible >= 1) {
            text += "zero_buffers=1\n";
        } else if (set.compressible > 0) {
            text += fmt::format("buffer_compress_percentage={:.0f}\n", 100 * set.compressible);
        }
        if (part.writes > 0 && part.reads <= 0) {
            if (set.fill && !set.preallocate) text += "overwrite=1\n";
            if (!set.preallocate && !set.fill) text += "fallocate=none\n";
        }
        return text;
    }

    std::string sync_text(const std::string& name, const Part& part) {
        std::string text;
        const auto add = [&](const char* key, double times) {
            if (times <= 0) return;
            if (part.writes <= 0)
                return warn(fmt::format("stream {}: {} of files that the job does not write", name, key));
            const double every = part.writes / times;
            const auto whole = std::max(1l, std::lround(every));
            text += fmt::format("{}={}\n", key, whole);
            if (std::abs(every - static_cast<double>(whole)) > 0.05 * every) {
                warn(fmt::format("stream {}: one {} every {:.2f} writes, fio takes whole numbers", name, key,
                                 every));
            }
        };
        add("fsync", part.fsyncs);
        add("fdatasync", part.fdatasyncs);
        return text;
    }

    std::string job_text(const std::string& name, const Stream& stream, const Part& part,
                         const Pauses& pauses) {
        std::string text =
            fmt::format("[{}]\n", name) + pattern_text(name, part) + blocks_text(part) + files_text(part);
        if (stream.direct) text += "direct=1\n";
        const bool waits = part.fsyncs + part.fdatasyncs + pauses.count > 0;
        // Clients that sync or pause each wait for themselves, so each is a job; a queue of one job would
        // wait as a whole.
        if (stream.depth > 1 && !waits && stream.direct) {
            text += fmt::format("ioengine=io_uring\nnumjobs={}\niodepth={}\n", stream.threads, stream.depth);
        } else {
            const auto clients = static_cast<long>(stream.threads) * stream.depth;
            text += fmt::format("ioengine=psync\nnumjobs={}\n", clients);
        }
        if (part.set->files <= 1 && part.appends && stream.threads * stream.depth > 1) {
            warn(fmt::format(
                "stream {}: its clients append to one file; the jobs of fio each write from its beginning",
                name));
        }
        if (stream.skew > 0 && part.random_reads + part.random_writes > 0) {
            // fio refuses an exponent of exactly 1.
            const double theta = std::abs(stream.skew - 1) < 1e-6 ? 0.999 : stream.skew;
            text += fmt::format("random_distribution=zipf:{:.4g}\n", theta);
        }
        text += sync_text(name, part);
        if (pauses.count > 0 && pauses.ns >= 1000) {
            const double ios = part.reads + part.writes;
            text += fmt::format("thinktime={:.0f}us\n", pauses.ns / pauses.count / 1000);
            text += fmt::format("thinktime_blocks={}\n", std::max(1l, std::lround(ios / pauses.count)));
        }
        return text;
    }

    const Load& load_;
    std::vector<std::string> warnings_;
};

}  // namespace

Result<FioExport> export_fio(const Load& load, const std::string& title) {
    return FioWriter(load).run(title);
}

}  // namespace fsadvise::tuner
