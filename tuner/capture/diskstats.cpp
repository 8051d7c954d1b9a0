#include <charconv>

#include "base/text.h"
#include "tuner/capture/capture.h"

namespace fsadvise::tuner {
namespace {

std::uint64_t minus(std::uint64_t later, std::uint64_t earlier) {
    return later > earlier ? later - earlier : 0;  // a device that came anew begins at zero
}
std::optional<std::uint64_t> minus(const std::optional<std::uint64_t>& later,
                                   const std::optional<std::uint64_t>& earlier) {
    if (!later || !earlier) return std::nullopt;
    return minus(*later, *earlier);
}

}  // namespace

std::optional<DiskCounters> parse_diskstats(const std::string& text, const std::string& name) {
    for (const auto& line : split(text, '\n')) {
        std::vector<std::string> words;
        for (auto& word : split(line, ' ')) {
            if (!word.empty()) words.push_back(std::move(word));
        }
        constexpr std::size_t kFirst = 3, kLeast = 11;
        if (words.size() < kFirst + kLeast || words[2] != name) continue;
        std::vector<std::uint64_t> numbers;
        for (std::size_t i = kFirst; i < words.size(); ++i) {
            std::uint64_t value = 0;
            const auto [end, code] =
                std::from_chars(words[i].data(), words[i].data() + words[i].size(), value);
            if (code != std::errc{} || end != words[i].data() + words[i].size()) return std::nullopt;
            numbers.push_back(value);
        }
        DiskCounters disk{numbers[0], numbers[1], numbers[2],  numbers[3], numbers[4], numbers[5], numbers[6],
                          numbers[7], numbers[9], numbers[10], {},         {},         {},         {}};
        if (numbers.size() > 13) {
            disk.discards = numbers[11];
            disk.discard_sectors = numbers[13];
        }
        if (numbers.size() > 16) {
            disk.flushes = numbers[15];
            disk.flush_ms = numbers[16];
        }
        return disk;
    }
    return std::nullopt;
}

DiskCounters difference(const DiskCounters& later, const DiskCounters& earlier) {
    DiskCounters disk;
    disk.reads = minus(later.reads, earlier.reads);
    disk.read_merges = minus(later.read_merges, earlier.read_merges);
    disk.read_sectors = minus(later.read_sectors, earlier.read_sectors);
    disk.read_ms = minus(later.read_ms, earlier.read_ms);
    disk.writes = minus(later.writes, earlier.writes);
    disk.write_merges = minus(later.write_merges, earlier.write_merges);
    disk.write_sectors = minus(later.write_sectors, earlier.write_sectors);
    disk.write_ms = minus(later.write_ms, earlier.write_ms);
    disk.busy_ms = minus(later.busy_ms, earlier.busy_ms);
    disk.weighted_ms = minus(later.weighted_ms, earlier.weighted_ms);
    disk.discards = minus(later.discards, earlier.discards);
    disk.discard_sectors = minus(later.discard_sectors, earlier.discard_sectors);
    disk.flushes = minus(later.flushes, earlier.flushes);
    disk.flush_ms = minus(later.flush_ms, earlier.flush_ms);
    return disk;
}

}  // namespace fsadvise::tuner
