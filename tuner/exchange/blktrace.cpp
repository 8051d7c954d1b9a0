// Binary traces of the block layer (blktrace), one file or the files of several CPUs merged by time.
//
// Source: struct blk_io_trace in linux/blktrace_api.h, Linux 6.1; version 7 of the format.
#include <bit>
#include <cmath>
#include <cstring>
#include <queue>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/blktrace_api.h>
#include <unistd.h>

#include "base/fd.h"
#include "tuner/exchange/importers.h"
#include "tuner/exchange/trace_summary.h"

namespace fsadvise::tuner {
namespace {

constexpr std::size_t kBuffer = 256u << 10;
constexpr std::size_t kMostFiles = 1024;  // CPUs

void swap_bytes(blk_io_trace& event) {
    event.magic = __builtin_bswap32(event.magic);
    event.sequence = __builtin_bswap32(event.sequence);
    event.time = __builtin_bswap64(event.time);
    event.sector = __builtin_bswap64(event.sector);
    event.bytes = __builtin_bswap32(event.bytes);
    event.action = __builtin_bswap32(event.action);
    event.pid = __builtin_bswap32(event.pid);
    event.device = __builtin_bswap32(event.device);
    event.cpu = __builtin_bswap32(event.cpu);
    event.error = __builtin_bswap16(event.error);
    event.pdu_len = __builtin_bswap16(event.pdu_len);
}

// Events of one file. Invariant: `at_` is the position of the next byte that take() returns.
class EventReader {
  public:
    EventReader(Fd file, std::string path) : file_(std::move(file)), path_(std::move(path)) {
        buffer_.resize(kBuffer);
    }

    // False at the end of the file.
    Result<bool> next(blk_io_trace& event) {
        const std::uint64_t begin = at_;
        FSADVISE_ASSIGN(const std::size_t got, take(reinterpret_cast<char*>(&event), sizeof event));
        if (got == 0) return false;
        if (got < sizeof event) return cut(begin);
        constexpr std::uint32_t kMagic = BLK_IO_TRACE_MAGIC;
        if ((event.magic & 0xffffff00u) != kMagic) swap_bytes(event);
        if ((event.magic & 0xffffff00u) != kMagic) {
            return fail(ErrorCode::kBadInput, "no event of blktrace: wrong magic number", place(begin),
                        begin == 0 ? "name a file NAME.blktrace.CPU" : "the file is damaged from here on");
        }
        if ((event.magic & 0xff) != BLK_IO_TRACE_VERSION) {
            return fail(ErrorCode::kBadInput,
                        fmt::format("blktrace format {}, known is 7", event.magic & 0xff), place(begin));
        }
        char skipped[4096];
        for (std::size_t left = event.pdu_len; left > 0;) {
            FSADVISE_ASSIGN(const std::size_t count, take(skipped, std::min(left, sizeof skipped)));
            if (count == 0) return cut(begin);
            left -= count;
        }
        return true;
    }

  private:
    [[nodiscard]] std::string place(std::uint64_t byte) const {
        return fmt::format("{}, byte {}", path_, byte);
    }
    [[nodiscard]] tl::unexpected<Error> cut(std::uint64_t byte) const {
        return fail(ErrorCode::kBadInput, "the trace is cut off in the middle of an event", place(byte),
                    "--lenient takes the events before it");
    }
    Result<std::size_t> take(char* to, std::size_t wanted) {
        std::size_t done = 0;
        while (done < wanted) {
            if (begin_ == end_) {
                const ssize_t count = ::read(file_.get(), buffer_.data(), buffer_.size());
                if (count < 0) return fail(ErrorCode::kBadInput, "cannot read: " + errno_text(errno), path_);
                if (count == 0) break;
                begin_ = 0;
                end_ = static_cast<std::size_t>(count);
            }
            const std::size_t part = std::min(wanted - done, end_ - begin_);
            std::memcpy(to + done, buffer_.data() + begin_, part);
            begin_ += part;
            done += part;
        }
        at_ += done;
        return done;
    }

    Fd file_;
    std::string path_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0, end_ = 0;
    std::uint64_t at_ = 0;
};

// Requests as the filesystem queued them, and as the driver got them: the first are wanted, the second are
// there if only those were recorded.
class BlktraceSummary {
  public:
    void add(const blk_io_trace& event) {
        const std::uint32_t category = event.action >> BLK_TC_SHIFT;
        if ((category & BLK_TC_NOTIFY) != 0) return;
        // BLK_TA_SPLIT and the like have no category of their own; the low half is what happened.
        const std::uint32_t what = event.action & 0xffu;
        if (what == __BLK_TA_ISSUE) in_flight(event, 1);
        if (what == __BLK_TA_COMPLETE) in_flight(event, -1);
        if (what == __BLK_TA_QUEUE) queued.add(request_of(event, category));
        if (what == __BLK_TA_QUEUE) count_flush(queued, event, category);
        if (what == __BLK_TA_ISSUE) issued.add(request_of(event, category));
        if (what == __BLK_TA_ISSUE) count_flush(issued, event, category);
        if (what == __BLK_TA_REMAP) ++remapped;
        ++events;
    }
    // Mean number in flight while there was any.
    [[nodiscard]] double depth() const {
        return busy_ns_ > 0 ? static_cast<double>(area_) / static_cast<double>(busy_ns_) : 0;
    }
    TraceSummary queued, issued;
    std::uint64_t events = 0, remapped = 0;

  private:
    static TraceRequest request_of(const blk_io_trace& event, std::uint32_t category) {
        TraceRequest request;
        request.time_ns = event.time;
        request.file = 0;  // partitions and their disk are one address space after the remap
        request.offset = event.sector * 512;
        request.bytes = event.bytes;
        request.operation = (category & BLK_TC_WRITE) != 0 ? TraceOperation::kWrite : TraceOperation::kRead;
        if ((category & BLK_TC_DISCARD) != 0) request.operation = TraceOperation::kDiscard;
        request.force_unit_access = (category & BLK_TC_FUA) != 0;
        request.synchronous = (category & BLK_TC_SYNC) != 0;
        request.metadata = (category & BLK_TC_META) != 0;
        request.read_ahead = (category & BLK_TC_AHEAD) != 0;
        return request;
    }
    // A flush comes alone, without bytes, or before the write that carries it.
    static void count_flush(TraceSummary& summary, const blk_io_trace& event, std::uint32_t category) {
        if ((category & BLK_TC_FLUSH) == 0) return;
        if ((category & BLK_TC_FUA) != 0 && event.bytes > 0) return;  // counted once, as FUA
        TraceRequest flush;
        flush.operation = TraceOperation::kFlush;
        flush.time_ns = event.time;
        summary.add(flush);
    }
    void in_flight(const blk_io_trace& event, int change) {
        if (count_ > 0 && event.time > since_ns_) {
            area_ += static_cast<std::uint64_t>(count_) * (event.time - since_ns_);
            busy_ns_ += event.time - since_ns_;
        }
        since_ns_ = std::max<std::uint64_t>(since_ns_, event.time);
        // Completions of requests that were issued before the recording began are no requests of it.
        count_ = std::max(0, count_ + change);
    }
    int count_ = 0;
    std::uint64_t since_ns_ = 0, area_ = 0, busy_ns_ = 0;
};

struct Next {
    blk_io_trace event;
    std::size_t reader;
    bool operator<(const Next& other) const { return event.time > other.event.time; }  // earliest first
};

Result<void> read_all(const std::vector<std::string>& paths, bool lenient, BlktraceSummary& summary,
                      Notes& notes) {
    std::vector<EventReader> readers;
    for (const std::string& path : paths) {
        FSADVISE_ASSIGN(Fd file, Fd::open(path, O_RDONLY));
        readers.emplace_back(std::move(file), path);
    }
    std::priority_queue<Next> next;
    const auto advance = [&](std::size_t reader) -> Result<void> {
        Next item{{}, reader};
        const auto more = readers[reader].next(item.event);
        if (!more) {
            if (!lenient || summary.events == 0) return tl::unexpected(more.error());
            notes.add("not carried over: " + more.error().context + ": " + more.error().message);
            return {};
        }
        if (*more) next.push(item);
        return {};
    };
    for (std::size_t i = 0; i < readers.size(); ++i) FSADVISE_TRY(advance(i));
    while (!next.empty()) {
        const Next item = next.top();
        next.pop();
        summary.add(item.event);
        FSADVISE_TRY(advance(item.reader));
    }
    return {};
}

}  // namespace

Result<WorkloadDocument> import_blktrace(const std::vector<std::string>& paths,
                                         const ImportOptions& options) {
    if (paths.size() > kMostFiles) return fail(ErrorCode::kUsage, "more than 1024 files", "import");
    Notes notes(options.lenient);
    BlktraceSummary all;
    FSADVISE_TRY(read_all(paths, options.lenient, all, notes));
    if (all.events == 0) {
        return fail(ErrorCode::kBadInput, "the trace holds no event", paths.front(),
                    "record it while the load runs");
    }
    const bool queued = all.queued.transfers() > 0;
    const TraceSummary& summary = queued ? all.queued : all.issued;
    WorkloadDocument document;
    TraceFacts facts;
    facts.what = "a blktrace recording";
    facts.depth = all.depth();
    facts.files = 0;
    // Below the page cache everything is direct: what was traced is what reached the disk.
    facts.direct = true;
    FSADVISE_TRY(fill_from_trace(summary, facts, paths.front(), notes, document));
    notes.add("not seen: files and their names; one file of the size of the working set stands for them");
    notes.add(
        "the load repeats what reached the disk, with O_DIRECT; what the page cache answered is not in a "
        "block trace");
    if (!queued)
        notes.add(
            "only requests to the driver were recorded: neighbouring ones may be merged into larger ones");
    document.notes = notes.take();
    return document;
}

}  // namespace fsadvise::tuner
