#include "tuner/exchange/fio_mix.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"

namespace fsadvise::tuner {
namespace {

Result<double> percent(const FioJob& job, const IniEntry& entry, std::string_view text) {
    double value = 0;
    const auto trimmed = trim(text);
    const auto [end, code] = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), value);
    if (code != std::errc{} || end != trimmed.data() + trimmed.size() || !(value >= 0 && value <= 100)) {
        return fail(ErrorCode::kBadInput,
                    fmt::format("{}: '{}' is no percentage", entry.key, printable(text)), job.place(entry),
                    "write 0 to 100");
    }
    return value;
}

// "4k/60:64k/40"; an empty percentage shares what the others leave.
Result<std::vector<BlockShare>> split_blocks(const FioJob& job, const IniEntry& entry,
                                             const std::string& text) {
    std::vector<BlockShare> blocks;
    std::vector<std::size_t> open;
    double given = 0;
    for (const auto& part : split(text, ':')) {
        const auto slash = part.find('/');
        BlockShare block{0, 0};
        FSADVISE_ASSIGN(block.bytes, job.size(entry, part.substr(0, slash)));
        if (slash == std::string::npos || slash + 1 == part.size()) {
            open.push_back(blocks.size());
        } else {
            FSADVISE_ASSIGN(block.share, percent(job, entry, part.substr(slash + 1)));
            given += block.share;
        }
        blocks.push_back(block);
    }
    if (given > 100.001) {
        return fail(ErrorCode::kBadInput, "bssplit: the percentages sum to more than 100", job.place(entry));
    }
    for (const std::size_t index : open)
        blocks[index].share = (100 - given) / static_cast<double>(open.size());
    return blocks;
}

// Uniform over the multiples of the smaller size: a few sizes in equal shares stand for it.
std::vector<BlockShare> range_blocks(std::uint64_t low, std::uint64_t high) {
    constexpr std::uint64_t kFew = 4;
    const std::uint64_t count = high / low;
    if (count <= kFew) {
        std::vector<BlockShare> all;
        for (std::uint64_t i = 1; i <= count; ++i) all.push_back({i * low, 1});
        return all;
    }
    std::vector<BlockShare> blocks;
    for (std::uint64_t i = 0; i < kFew; ++i)
        blocks.push_back({(2 * i + 1) * (count + 1) / (2 * kFew) * low, 1});
    return blocks;
}

Result<void> read_ranges(const FioJob& job, const IniEntry& entry, AccessMix& mix, Notes& notes) {
    const auto sides = split(entry.value, ',');
    for (std::size_t side = 0; side < std::min<std::size_t>(sides.size(), 2); ++side) {
        const auto dash = sides[side].find('-');
        if (dash == std::string::npos) {
            return fail(ErrorCode::kBadInput, "bsrange is no range such as 4k-64k", job.place(entry));
        }
        FSADVISE_ASSIGN(std::uint64_t low, job.size(entry, sides[side].substr(0, dash)));
        FSADVISE_ASSIGN(std::uint64_t high, job.size(entry, sides[side].substr(dash + 1)));
        if (low == 0 || low > high) return fail(ErrorCode::kBadInput, "bsrange is empty", job.place(entry));
        const auto blocks = range_blocks(low, high);
        if (blocks.size() * low < high) {
            notes.add(fmt::format("{}: the block sizes {} are stood for by {} sizes in equal shares",
                                  job.place(entry), entry.value, blocks.size()));
        }
        if (side == 0) mix.read_blocks = blocks;
        mix.write_blocks = blocks;
    }
    return {};
}

// bssplit wins over bsrange, and that over bs.
Result<void> read_blocks(const FioJob& job, AccessMix& mix, Notes& notes) {
    if (const auto* entry = job.find({"bssplit"})) {
        const auto sides = split(entry->value, ',');
        FSADVISE_ASSIGN(mix.read_blocks, split_blocks(job, *entry, sides[0]));
        mix.write_blocks = mix.read_blocks;
        if (sides.size() > 1 && !sides[1].empty()) {
            FSADVISE_ASSIGN(mix.write_blocks, split_blocks(job, *entry, sides[1]));
        }
    } else if (const auto* range = job.find({"bsrange", "blocksize_range"})) {
        FSADVISE_TRY(read_ranges(job, *range, mix, notes));
    } else {
        FSADVISE_ASSIGN(const auto blocks, job.two({"bs", "blocksize"}, 4096));
        mix.read_blocks = {{blocks.first, 1}};
        mix.write_blocks = {{blocks.second, 1}};
    }
    for (const auto* blocks : {&mix.read_blocks, &mix.write_blocks}) {
        for (const BlockShare& block : *blocks) {
            if (block.bytes == 0) return fail(ErrorCode::kBadInput, "a block size of zero", job.place());
        }
    }
    return {};
}

// Random positions concentrate on a part of the file.
Result<double> read_skew(const FioJob& job, Notes& notes) {
    const auto* entry = job.find({"random_distribution"});
    if (entry == nullptr) return 0;
    const auto parts = split(entry->value, ':');
    if (parts[0] == "random") return 0;
    double value = 0;
    if (parts.size() > 1) {
        const std::string& text = parts[1];
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (code != std::errc{} || end == text.data()) value = -1;
    }
    if (parts[0] == "zipf") {
        if (!(value > 0 && value <= 5)) {
            return fail(ErrorCode::kBadInput, "zipf needs an exponent, as in zipf:1.1", job.place(*entry));
        }
        return value;
    }
    if (parts[0] == "pareto") {
        if (!(value > 0 && value < 1)) {
            return fail(ErrorCode::kBadInput, "pareto needs a share, as in pareto:0.2", job.place(*entry));
        }
        // The share h of the blocks gets 1 - h of the accesses. Under a Zipf law with exponent s over many
        // blocks the first f of them get f^(1-s).
        const double exponent = std::clamp(1 - std::log(1 - value) / std::log(value), 0.0, 5.0);
        notes.add(fmt::format("{}: {} is said as a Zipf exponent of {:.2f}", job.place(*entry), entry->value,
                              exponent));
        return std::round(exponent * 1000) / 1000;
    }
    FSADVISE_TRY(notes.lost(
        job.place(*entry),
        fmt::format("random_distribution={}: only zipf and pareto are known to a load", entry->value)));
    return 0;
}

Result<void> read_pattern(const FioJob& job, FioAccess& access, Notes& notes) {
    static const std::vector<std::string> kKnown = {"read", "write",     "randread", "randwrite",
                                                    "rw",   "readwrite", "randrw"};
    const auto* entry = job.find({"rw", "readwrite"});
    std::string pattern = job.text({"rw", "readwrite"}, "read");
    const auto colon = pattern.find(':');
    if (colon != std::string::npos) {
        FSADVISE_TRY(
            notes.lost(job.place(*entry), fmt::format("rw={}: runs and gaps of positions", pattern)));
        pattern.resize(colon);
    }
    if (pattern.find("trim") != std::string::npos) {
        return fail(ErrorCode::kBadInput, fmt::format("rw={}: a load has no trim", pattern),
                    job.place(*entry), "remove the job, or name another one with --section");
    }
    if (std::find(kKnown.begin(), kKnown.end(), pattern) == kKnown.end()) {
        return fail(ErrorCode::kBadInput,
                    fmt::format("unknown rw={}{}", printable(pattern), did_you_mean(pattern, kKnown)),
                    job.place(*entry));
    }
    access.random = pattern.starts_with("rand");
    access.reads = pattern.ends_with("read") || pattern.ends_with("rw") || pattern == "readwrite";
    access.writes = pattern.ends_with("write") || pattern.ends_with("rw");
    if (pattern == "readwrite") access.writes = true;
    return {};
}

}  // namespace

Result<FioAccess> fio_access(const FioJob& job, Notes& notes) {
    FioAccess access;
    AccessMix& mix = access.mix;
    FSADVISE_TRY(read_pattern(job, access, notes));
    FSADVISE_TRY(read_blocks(job, mix, notes));
    mix.read_share = access.reads ? 1 : 0;
    if (access.reads && access.writes) {
        FSADVISE_ASSIGN(double read, job.real({"rwmixread"}, 50));
        if (const auto* entry = job.find({"rwmixwrite"})) {
            FSADVISE_ASSIGN(const double write, job.real({"rwmixwrite"}, 50));
            const auto* other = job.find({"rwmixread"});
            if (other == nullptr || other->line < entry->line) read = 100 - write;
        }
        if (!(read >= 0 && read <= 100)) {
            return fail(ErrorCode::kBadInput, "rwmixread is no percentage", job.place());
        }
        mix.read_share = read / 100;
    }
    mix.random_read_share = mix.random_write_share = access.random ? 1 : 0;
    if (const auto* entry = job.find({"percentage_random"}); entry != nullptr && access.random) {
        const auto sides = split(entry->value, ',');
        FSADVISE_ASSIGN(const double first, percent(job, *entry, sides[0]));
        double second = first;
        if (sides.size() > 1) {
            FSADVISE_ASSIGN(second, percent(job, *entry, sides[1]));
        }
        mix.random_read_share = first / 100;
        mix.random_write_share = second / 100;
    }
    FSADVISE_ASSIGN(access.skew, read_skew(job, notes));
    if (access.writes) {
        FSADVISE_ASSIGN(const auto fsync, job.number({"fsync"}, 0));
        FSADVISE_ASSIGN(const auto fdatasync, job.number({"fdatasync"}, 0));
        if (fsync > 0) mix.fsyncs_per_write = 1 / static_cast<double>(fsync);
        if (fdatasync > 0) mix.fdatasyncs_per_write = 1 / static_cast<double>(fdatasync);
        if (const auto* entry = job.find({"sync"});
            entry != nullptr && entry->value != "0" && entry->value != "none") {
            access.sync = entry->value == "dsync" ? SyncPolicy::kODsync : SyncPolicy::kOSync;
        }
    }
    if (const auto* entry = job.find({"thinktime"})) {
        const auto pause = fio_time_ns(entry->value, "us");
        if (!pause)
            return fail(ErrorCode::kBadInput, "thinktime is no time", job.place(*entry),
                        "write microseconds");
        FSADVISE_ASSIGN(const auto blocks, job.number({"thinktime_blocks"}, 1));
        mix.think_ns = *pause;
        mix.thinks_per_io = 1 / static_cast<double>(std::max<std::uint64_t>(blocks, 1));
    }
    return access;
}

}  // namespace fsadvise::tuner
