#include "tuner/exchange/trace_summary.h"

#include <bit>
#include <cmath>

namespace fsadvise::tuner {
namespace {

constexpr std::size_t kMostRegions = 1u << 17, kMostSizes = 4096, kMostFiles = 1u << 16;
constexpr int kFileBits = 16, kLargestShift = 48;

std::uint64_t key_of(std::uint32_t file, std::uint64_t offset, int shift) {
    return (offset >> shift) | (static_cast<std::uint64_t>(file) << (64 - kFileBits));
}

// Sum of k^-s for k = 1..n: the first terms one by one, the rest as an integral.
double harmonic(double n, double s) {
    constexpr double kExact = 1000;
    double sum = 0;
    const double head = std::min(n, kExact);
    for (double k = 1; k <= head; ++k) sum += std::pow(k, -s);
    if (n > head) {
        const double from = head + 0.5, to = n + 0.5;
        sum += std::abs(s - 1) < 1e-9 ? std::log(to / from)
                                      : (std::pow(to, 1 - s) - std::pow(from, 1 - s)) / (1 - s);
    }
    return sum;
}

}  // namespace

void RegionCounter::coarsen() {
    std::unordered_map<std::uint64_t, std::uint32_t> merged;
    merged.reserve(touched_.size());
    constexpr std::uint64_t kFileMask = ~0ull << (64 - kFileBits);
    for (const auto& [key, count] : touched_) merged[(key & kFileMask) | ((key & ~kFileMask) >> 1)] += count;
    touched_ = std::move(merged);
    ++shift_;
}

void RegionCounter::add(std::uint32_t file, std::uint64_t offset, std::uint64_t bytes, bool random) {
    if (bytes == 0) return;
    // A request above the limit of regions would be cut into as many pieces as the map holds; none is that
    // large.
    const std::uint64_t last = offset + std::min<std::uint64_t>(bytes, 1ull << 30) - 1;
    for (std::uint64_t at = offset >> shift_; at <= last >> shift_; ++at) {
        touched_.try_emplace(key_of(file, at << shift_, shift_), 0);
        if (touched_.size() > kMostRegions && shift_ < kLargestShift) {
            coarsen();
            at = offset >> shift_;
        }
    }
    if (random) ++touched_[key_of(file, offset, shift_)];
}

double RegionCounter::zipf_exponent() const {
    double regions = 0, accesses = 0, pairs = 0;
    for (const auto& [key, count] : touched_) {
        const auto n = static_cast<double>(count);
        regions += 1;
        accesses += n;
        pairs += n * (n - 1);
    }
    constexpr double kFewestAccesses = 1000;
    if (accesses < kFewestAccesses || regions < 16) return 0;
    const double meeting = pairs / (accesses * (accesses - 1));
    const auto expected = [&](double s) {
        const double norm = harmonic(regions, s);
        return harmonic(regions, 2 * s) / (norm * norm);
    };
    double low = 0, high = 2;
    if (meeting <= expected(low)) return 0;
    for (int i = 0; i < 30; ++i) {
        const double middle = (low + high) / 2;
        (expected(middle) < meeting ? low : high) = middle;
    }
    return std::round(low * 100) / 100;
}

std::vector<BlockShare> TraceSummary::Direction::blocks() const {
    std::vector<BlockShare> shares;
    for (const auto& [size, count] : sizes) shares.push_back({size, static_cast<double>(count)});
    return fewer_blocks(std::move(shares), 16);
}

int TraceSummary::continues(std::uint32_t file, std::uint64_t offset, std::uint64_t end) {
    Runs& runs = runs_[file];
    ++runs.requests;
    for (Run& run : runs.runs) {
        if (run.end != offset || run.end == 0) continue;
        run.end = end;
        run.used = runs.requests;
        if (run.steps == 2) return 1;
        return ++run.steps == 2 ? 2 : 0;
    }
    *std::min_element(runs.runs.begin(), runs.runs.end(), [](const Run& a, const Run& b) {
        return a.used < b.used;
    }) = {end, runs.requests, 0};
    return 0;
}

void TraceSummary::add(const TraceRequest& request) {
    first_ns = std::min(first_ns, request.time_ns);
    last_ns = std::max(last_ns, request.time_ns);
    switch (request.operation) {
        case TraceOperation::kFsync:
            ++fsyncs;
            return;
        case TraceOperation::kFdatasync:
            ++fdatasyncs;
            return;
        case TraceOperation::kFlush:
            ++flushes;
            return;
        case TraceOperation::kDiscard:
            ++discards;
            return;
        default:
            break;
    }
    if (request.bytes == 0) return;
    const std::uint32_t file = request.file % kMostFiles;
    Direction& direction = request.operation == TraceOperation::kRead ? reads : writes;
    ++direction.requests;
    direction.bytes += request.bytes;
    const std::uint64_t end = request.offset + request.bytes;
    const int sequential = continues(file, request.offset, end);
    // A run may change its direction between two requests.
    direction.sequential =
        std::min(direction.sequential + static_cast<std::uint64_t>(sequential), direction.requests);
    // Sizes of many kinds (compressed data, say) are counted by their power of two.
    const bool known = direction.sizes.contains(request.bytes);
    const bool full = !known && direction.sizes.size() >= kMostSizes;
    ++direction.sizes[full ? std::bit_floor(request.bytes) : request.bytes];
    regions.add(file, request.offset, request.bytes, sequential == 0);
    std::uint64_t& last = file_ends[file];
    last = std::max(last, end);
    if (request.force_unit_access) ++forced;
    if (request.synchronous) ++synchronous;
    if (request.metadata) ++metadata;
    if (request.read_ahead) ++read_ahead;
}

double TraceSummary::seconds() const {
    return last_ns > first_ns ? static_cast<double>(last_ns - first_ns) / 1e9 : 0;
}

}  // namespace fsadvise::tuner
