#include "tuner/exchange/fio_job_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace fsadvise::tuner {
namespace {

class JobText {
  public:
    JobText(const FioJobParts& job, std::vector<std::string>& warnings) : job_(job), warnings_(warnings) {}

    std::string run() {
        std::string text = fmt::format("[{}]\n", job_.name) + pattern_text() + blocks_text() + files_text();
        if (job_.stream.direct) text += "direct=1\n";
        const bool waits = job_.part.fsyncs + job_.part.fdatasyncs + job_.pauses.count > 0;
        // Clients that sync or pause each wait for themselves, so each is a job; a queue of one job would
        // wait as a whole.
        const auto clients = clients_of(job_.stream);
        double clones = clients;
        if (job_.stream.depth > 1 && !waits && job_.stream.direct) {
            clones = job_.stream.threads;
            text += fmt::format("ioengine=io_uring\nnumjobs={}\niodepth={}\n", job_.stream.threads,
                                job_.stream.depth);
        } else {
            text += fmt::format("ioengine=psync\nnumjobs={:.0f}\n", clients);
        }
        if (job_.part.set->files <= 1 && job_.part.appends && job_.stream.threads * job_.stream.depth > 1) {
            warn(fmt::format(
                "stream {}: its clients append to one file; the jobs of fio each write from its beginning",
                job_.name));
        }
        if (job_.stream.skew > 0 && job_.part.random_reads + job_.part.random_writes > 0) {
            // fio refuses an exponent of exactly 1.
            const double theta = std::abs(job_.stream.skew - 1) < 1e-6 ? 0.999 : job_.stream.skew;
            text += fmt::format("random_distribution=zipf:{:.4g}\n", theta);
        }
        text += sync_text();
        if (opens_for_sync(job_.stream) && job_.part.writes > 0)
            text += job_.stream.sync == SyncPolicy::kODsync ? "sync=dsync\n" : "sync=sync\n";
        if (job_.pauses.count > 0 && job_.pauses.ns >= 1000) {
            const double ios = job_.part.transfers();
            text += fmt::format("thinktime={:.0f}us\n", job_.pauses.ns / job_.pauses.count / 1000);
            text += fmt::format("thinktime_blocks={}\n", std::max(1l, std::lround(ios / job_.pauses.count)));
        }
        text += rate_text(clones) + phase_text(clients, clones);
        return text;
    }

  private:
    void warn(std::string text) { add_once(warnings_, std::move(text)); }

    // Whole percentages that sum to 100.
    std::string block_shares(const std::map<std::uint64_t, double>& blocks) {
        double total = 0;
        for (const auto& [bytes, times] : blocks) total += times;
        std::string text;
        int left = 100;
        std::size_t rest = blocks.size();
        for (const auto& [bytes, times] : blocks) {
            const int share =
                --rest == 0 ? left : std::clamp(static_cast<int>(std::lround(100 * times / total)), 0, left);
            left -= share;
            if (std::abs(100 * times / total - share) > 0.05) {
                warn(fmt::format(
                    "stream {}: blocks of {} are {:.2f} % of their kind, fio takes whole per cent", job_.name,
                    bytes, 100 * times / total));
            }
            if (share > 0) text += fmt::format("{}{}/{}", text.empty() ? "" : ":", bytes, share);
        }
        return text;
    }

    std::string blocks_text() {
        if (job_.part.read_blocks.size() <= 1 && job_.part.write_blocks.size() <= 1) {
            const auto read = job_.part.read_blocks.empty() ? job_.part.write_blocks.begin()->first
                                                            : job_.part.read_blocks.begin()->first;
            const auto write = job_.part.write_blocks.empty() ? read : job_.part.write_blocks.begin()->first;
            return read == write ? fmt::format("bs={}\n", read) : fmt::format("bs={},{}\n", read, write);
        }
        const auto& reads = job_.part.read_blocks.empty() ? job_.part.write_blocks : job_.part.read_blocks;
        const auto& writes = job_.part.write_blocks.empty() ? job_.part.read_blocks : job_.part.write_blocks;
        return fmt::format("bssplit={},{}\n", block_shares(reads), block_shares(writes));
    }

    std::string pattern_text() {
        const bool random = job_.part.random_reads + job_.part.random_writes > 0;
        std::string text = std::string("rw=") + (random ? "rand" : "");
        if (job_.part.writes <= 0) {
            text += "read\n";
        } else if (job_.part.reads <= 0) {
            text += "write\n";
        } else {
            const double share = 100 * job_.part.reads / (job_.part.reads + job_.part.writes);
            text += fmt::format("rw\nrwmixread={:.0f}\n", share);
            if (std::abs(share - std::round(share)) > 0.05) {
                warn(fmt::format("stream {}: reads are {:.2f} % of the transfers, fio takes whole per cent",
                                 job_.name, share));
            }
        }
        const auto percent = [](double part_of, double whole) {
            return whole > 0 ? std::lround(100 * part_of / whole) : 100l;
        };
        const auto reads = percent(job_.part.random_reads, job_.part.reads),
                   writes = percent(job_.part.random_writes, job_.part.writes);
        if (random && (reads < 100 || writes < 100))
            text += fmt::format("percentage_random={},{}\n", reads, writes);
        return text;
    }

    std::string files_text() {
        const FileSet& set = *job_.part.set;
        // One name for all jobs: the set is shared, as in the load.
        std::string text = fmt::format("filename_format={}.$filenum\nnrfiles={}\n", set.name, set.files);
        text += set.size_max_bytes > 0
                    ? fmt::format("filesize={}-{}\n", set.size_min_bytes, set.size_max_bytes)
                    : fmt::format("filesize={}\n", set.size_bytes);
        if (set.files > 1) text += fmt::format("openfiles={}\n", std::min<std::uint64_t>(set.files, 1024));
        if (set.files > 1 && job_.part.by_file) text += "file_service_type=sequential\n";
        if (set.directory_width > 0)
            warn(fmt::format("file set {}: fio puts all files into one directory", set.name));
        if (set.compressible >= 1) {
            text += "zero_buffers=1\n";
        } else if (set.compressible > 0) {
            text += fmt::format("buffer_compress_percentage={:.0f}\n", 100 * set.compressible);
        }
        if (job_.part.writes > 0 && job_.part.reads <= 0) {
            if (set.fill && !set.preallocate) text += "overwrite=1\n";
            if (!set.preallocate && !set.fill) text += "fallocate=none\n";
        }
        return text;
    }

    std::string sync_text() {
        std::string text;
        const auto add = [&](const char* key, double times) {
            if (times <= 0) return;
            if (job_.part.writes <= 0)
                return warn(
                    fmt::format("stream {}: {} of files that the job does not write", job_.name, key));
            const double every = job_.part.writes / times;
            const auto whole = std::max(1l, std::lround(every));
            text += fmt::format("{}={}\n", key, whole);
            if (std::abs(every - static_cast<double>(whole)) > 0.05 * every) {
                warn(fmt::format("stream {}: one {} every {:.2f} writes, fio takes whole numbers", job_.name,
                                 key, every));
            }
        };
        add("fsync", job_.part.fsyncs);
        add("fdatasync", job_.part.fdatasyncs);
        return text;
    }

    // What each clone of the job may do a second: its share of the stream's limit, by direction.
    std::string rate_text(double clones) {
        const bool in_bytes = job_.stream.rate_bytes > 0;
        if (!in_bytes && job_.stream.rate_operations <= 0) return {};
        const double scale = (in_bytes ? job_.stream.rate_bytes / std::max(job_.all.bytes(), 1e-9)
                                       : job_.stream.rate_operations) /
                             clones;
        const double reads = scale * (in_bytes ? job_.part.read_bytes : job_.part.reads);
        const double writes = scale * (in_bytes ? job_.part.written_bytes : job_.part.writes);
        const auto whole = [&](double rate) {
            const double rounded = std::max(1.0, std::round(rate));
            if (std::abs(rounded - rate) > 0.01 * rate) {
                warn(fmt::format(
                    "stream {}: a rate of {:.3g} a second for each job, fio takes whole numbers above 0",
                    job_.stream.name, rate));
            }
            return fmt::format("{:.0f}", rounded);
        };
        std::string text = in_bytes ? "rate=" : "rate_iops=";
        if (reads > 0) text += whole(reads);
        if (reads > 0 && writes > 0) text += ",";
        if (writes > 0) text += whole(writes);
        text += "\n";
        if (job_.stream.exponential_arrivals) text += "rate_process=poisson\n";
        return text;
    }

    std::string phase_text(double clients, double clones) const {
        std::string text = job_.phase.waits ? "stonewall=1\n" : "";
        if (job_.phase.seconds > 0) text += fmt::format("runtime={:.0f}ms\n", 1000 * job_.phase.seconds);
        if (job_.phase.operations == 0) return text;
        const double loops = static_cast<double>(job_.phase.operations) * clients / job_.phase.clients;
        const double transfers = std::max(1.0, std::round(loops * job_.part.transfers() / clones));
        std::uint64_t largest = 0;
        for (const auto* blocks : {&job_.part.read_blocks, &job_.part.write_blocks}) {
            if (!blocks->empty()) largest = std::max(largest, blocks->rbegin()->first);
        }
        text += "time_based=0\n";
        if (job_.phase.seconds <= 0) text += "runtime=0\n";
        // io_size lets the job go on beyond the size of its files.
        text += fmt::format("number_ios={:.0f}\nio_size={:.0f}\n", transfers,
                            transfers * static_cast<double>(largest));
        return text;
    }

    const FioJobParts& job_;
    std::vector<std::string>& warnings_;
};

}  // namespace

double clients_of(const Stream& stream) {
    return static_cast<double>(stream.threads) * stream.depth;
}

bool opens_for_sync(const Stream& stream) {
    return stream.sync == SyncPolicy::kODsync || stream.sync == SyncPolicy::kOSync;
}

void add_once(std::vector<std::string>& list, std::string text) {
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

std::string fio_job_text(const FioJobParts& job, std::vector<std::string>& warnings) {
    return JobText(job, warnings).run();
}

}  // namespace fsadvise::tuner
