// The figures of a trace as a load.
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "base/units.h"
#include "tuner/exchange/importers.h"
#include "tuner/exchange/trace_summary.h"

namespace fsadvise::tuner {
namespace {

double share(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// Transfers are whole multiples of 512 bytes where the file is opened for direct I/O.
std::vector<BlockShare> usable(std::vector<BlockShare> blocks, std::uint64_t file_bytes, bool direct) {
    constexpr std::uint64_t kLargest = 64u << 20;
    for (BlockShare& block : blocks) {
        block.bytes = std::min({block.bytes, kLargest, file_bytes});
        if (direct) block.bytes = std::max<std::uint64_t>(block.bytes / 512 * 512, 512);
    }
    return blocks;
}

std::string block_text(const std::vector<BlockShare>& blocks) {
    double total = 0;
    for (const BlockShare& block : blocks) total += block.share;
    std::string text;
    for (const BlockShare& block : blocks) {
        text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", size_text(block.bytes),
                            100 * block.share / total);
    }
    return text;
}

void describe(const TraceSummary& summary, const TraceFacts& facts, double skew, Notes& notes) {
    const double seconds = summary.seconds();
    const auto transfers = summary.transfers();
    if (seconds > 0) {
        notes.add(
            fmt::format("seen: {} transfers in {:.3g} s, {:.4g} a second; the load runs as fast as it can",
                        transfers, seconds, static_cast<double>(transfers) / seconds));
    } else {
        notes.add(
            fmt::format("seen: {} transfers; the trace has no times, so their rate is unknown", transfers));
    }
    const auto direction = [&](const char* name, const TraceSummary::Direction& one) {
        if (one.requests == 0) return;
        notes.add(fmt::format("seen: {} {:.1f} % of the transfers, {:.1f} % of them sequential; blocks {}",
                              name, 100 * share(one.requests, transfers),
                              100 * share(one.sequential, one.requests),
                              block_text(fewer_blocks(one.blocks(), 6))));
    };
    direction("reads", summary.reads);
    direction("writes", summary.writes);
    notes.add(fmt::format(
        "seen: working set {} (counted in pieces of {}), Zipf exponent of the random accesses about {:.2f}",
        human_size(static_cast<double>(summary.regions.touched_bytes())),
        size_text(summary.regions.granule()), skew));
    if (facts.depth > 0) {
        notes.add(fmt::format("seen: {:.2f} requests in flight while there were any", facts.depth));
    } else {
        notes.add(
            "not seen: how many requests were in flight; one client is assumed, raise \"depth\" if there "
            "were more");
    }
    if (summary.discards > 0) notes.add(fmt::format("not carried over: {} discards", summary.discards));
    if (summary.forced > 0)
        notes.add(fmt::format("seen: {} writes with FUA, counted as synced", summary.forced));
    if (summary.metadata > 0) {
        notes.add(
            fmt::format("seen: {:.1f} % of the transfers were marked as metadata of a filesystem; the load "
                        "counts them as data",
                        100 * share(summary.metadata, transfers)));
    }
    if (summary.read_ahead > 0) {
        notes.add(fmt::format("seen: {:.1f} % of the transfers were read-ahead of the kernel",
                              100 * share(summary.read_ahead, transfers)));
    }
}

}  // namespace

Result<void> fill_from_trace(const TraceSummary& summary, const TraceFacts& facts, const std::string& path,
                             Notes& notes, WorkloadDocument& document) {
    const std::uint64_t transfers = summary.transfers();
    if (transfers == 0) {
        return fail(ErrorCode::kBadInput, "the trace holds no read and no write", path,
                    "record it while the load runs");
    }
    FileSet set;
    set.name = "data";
    set.files = std::max<std::uint64_t>(facts.files, 1);
    std::uint64_t extent = 0;
    for (const auto& [file, end] : summary.file_ends) extent += end;
    // Of a device only a part is in use: what was touched. Of files the extent is known.
    std::uint64_t bytes = facts.files == 0 ? summary.regions.touched_bytes() : extent;
    bytes = std::max<std::uint64_t>(bytes / set.files, 4096);
    set.size_bytes = (bytes + 4095) / 4096 * 4096;

    AccessMix mix;
    const auto& reads = summary.reads;
    const auto& writes = summary.writes;
    mix.read_share = share(reads.requests, transfers);
    mix.random_read_share = 1 - share(reads.sequential, reads.requests);
    mix.random_write_share = 1 - share(writes.sequential, writes.requests);
    mix.read_blocks = usable(reads.blocks(), set.size_bytes, facts.direct);
    mix.write_blocks = usable(writes.blocks(), set.size_bytes, facts.direct);
    mix.fsyncs_per_write = std::min(share(summary.fsyncs, writes.requests), 4.0);
    // A flush of a device stands for a sync above it.
    mix.fdatasyncs_per_write =
        std::min(share(summary.fdatasyncs + summary.flushes + summary.forced, writes.requests), 4.0);
    const double skew = summary.regions.zipf_exponent();

    Stream stream;
    stream.name = "trace";
    stream.file_set = set.name;
    stream.direct = facts.direct;
    stream.skew = skew;
    std::tie(stream.threads, stream.depth) =
        spread_clients(1, static_cast<std::uint64_t>(std::max(1.0, std::round(facts.depth))));
    stream.steps = steps_of(mix);
    document.load.file_sets = {set};
    document.load.streams = {std::move(stream)};
    document.load.flush_in_window = writes_without_flush(document.load);
    document.mean_file_bytes = set.size_bytes;
    document.summary =
        fmt::format("Reduced from {}: {:.0f} % reads, working set {}.", facts.what, 100 * mix.read_share,
                    human_size(static_cast<double>(summary.regions.touched_bytes())));
    describe(summary, facts, skew, notes);
    if (mix.random_read_share < 1 && mix.random_read_share > 0) {
        notes.add(
            "a share of sequential accesses is said by steps of their own; runs of a certain length are not "
            "kept");
    }
    return {};
}

}  // namespace fsadvise::tuner
