#include "tuner/exchange/mix.h"

#include <cmath>

#include "base/text.h"

namespace fsadvise::tuner {
namespace {

constexpr std::size_t kMostBlocks = 16;  // sizes of a distribution
constexpr double kSmallestProbability = 1e-4;
constexpr double kMostRepeats = 4096;

double rounded(double probability) {
    return std::clamp(std::round(probability * 1e4) / 1e4, kSmallestProbability, 1.0);
}

// A step that happens `per_loop` times on average.
void add_step(std::vector<Step>& steps, Step step, double per_loop) {
    if (per_loop < kSmallestProbability) return;
    const double repeats = std::max(1.0, std::round(per_loop));
    step.repeat = static_cast<int>(std::min(repeats, kMostRepeats));
    step.probability = rounded(per_loop / repeats);
    steps.push_back(std::move(step));
}

struct Part {
    Step step;
    double weight;
};

void add_part(std::vector<Part>& parts, const char* operation, bool sequential, double share,
              const std::vector<BlockShare>& blocks) {
    if (share <= 0 || blocks.empty()) return;
    Step step;
    step.operation = operation;
    step.sequential = sequential;
    step.block_bytes = blocks.back().bytes;  // the largest
    double total = 0;
    for (const BlockShare& block : blocks) total += block.share;
    for (const BlockShare& block : blocks) {
        if (blocks.size() > 1) step.blocks.push_back({block.bytes, block.share / total});
    }
    parts.push_back({std::move(step), share});
}

// N if the rate is one in N, else 0.
int one_in(double rate) {
    if (rate <= 0 || rate > 1) return 0;
    const double n = std::round(1 / rate);
    return n <= kMostRepeats && std::abs(1 / rate - n) < 1e-6 * n ? static_cast<int>(n) : 0;
}

}  // namespace

std::vector<BlockShare> fewer_blocks(std::vector<BlockShare> blocks, std::size_t most) {
    std::erase_if(blocks, [](const BlockShare& block) { return block.share <= 0 || block.bytes == 0; });
    std::sort(blocks.begin(), blocks.end(),
              [](const BlockShare& a, const BlockShare& b) { return a.bytes < b.bytes; });
    for (std::size_t i = 1; i < blocks.size();) {
        if (blocks[i].bytes != blocks[i - 1].bytes) {
            ++i;
            continue;
        }
        blocks[i - 1].share += blocks[i].share;
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(i));
    }
    while (blocks.size() > most) {
        const auto rarest =
            std::min_element(blocks.begin(), blocks.end(),
                             [](const BlockShare& a, const BlockShare& b) { return a.share < b.share; });
        const auto ratio = [&](auto other) {
            return std::abs(std::log(static_cast<double>(other->bytes) / static_cast<double>(rarest->bytes)));
        };
        auto neighbour = rarest == blocks.begin() ? rarest + 1 : rarest - 1;
        if (rarest != blocks.begin() && rarest + 1 != blocks.end() && ratio(rarest + 1) < ratio(rarest - 1)) {
            neighbour = rarest + 1;
        }
        neighbour->share += rarest->share;
        blocks.erase(rarest);
    }
    return blocks;
}

std::vector<Step> steps_of(const AccessMix& mix) {
    std::vector<Part> parts;
    const auto reads = fewer_blocks(mix.read_blocks, kMostBlocks);
    const auto writes = fewer_blocks(mix.write_blocks, kMostBlocks);
    const double write_share = 1 - mix.read_share;
    add_part(parts, "read", false, mix.read_share * mix.random_read_share, reads);
    add_part(parts, "read", true, mix.read_share * (1 - mix.random_read_share), reads);
    add_part(parts, "write", false, write_share * mix.random_write_share, writes);
    add_part(parts, mix.appends ? "append" : "write", true, write_share * (1 - mix.random_write_share),
             writes);
    double largest = 0;
    for (const Part& part : parts) largest = std::max(largest, part.weight);
    if (largest <= 0) return {};

    // One kind of access and one in N of them synced, or thought about: said exactly by repeating it N times.
    int scale = 1;
    if (parts.size() == 1) {
        const int fsync = one_in(mix.fsyncs_per_write), fdatasync = one_in(mix.fdatasyncs_per_write),
                  think = mix.think_ns > 0 ? one_in(mix.thinks_per_io) : 0;
        scale = std::max({1, fsync, fdatasync, think});
    }
    std::vector<Step> steps;
    double ios = 0, written = 0;
    for (const Part& part : parts) {
        const double per_loop = scale * part.weight / largest;
        add_step(steps, part.step, per_loop);
        ios += per_loop;
        if (part.step.operation != "read") written += per_loop;
    }
    Step sync;
    sync.operation = "fsync";
    add_step(steps, sync, written * mix.fsyncs_per_write);
    sync.operation = "fdatasync";
    add_step(steps, sync, written * mix.fdatasyncs_per_write);
    if (mix.think_ns > 0) {
        Step think;
        think.operation = "think";
        think.think_ns = mix.think_ns;
        add_step(steps, think, ios * mix.thinks_per_io);
    }
    return steps;
}

std::pair<int, int> spread_clients(std::uint64_t jobs, std::uint64_t depth) {
    constexpr std::uint64_t kFewThreads = 4, kMostActors = 4096;
    jobs = std::max<std::uint64_t>(jobs, 1);
    depth = std::max<std::uint64_t>(depth, 1);
    std::uint64_t threads = std::min(jobs, kFewThreads);
    while (jobs % threads != 0) --threads;
    const std::uint64_t actors = std::min(jobs / threads * std::min(depth, kMostActors), kMostActors);
    return {static_cast<int>(threads), static_cast<int>(actors)};
}

std::string plain_name(std::string_view text, std::string_view fallback) {
    std::string name;
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           c == '-' || c == '_';
        if (plain) {
            name += c;
        } else if (!name.empty() && name.back() != '-') {
            name += '-';
        }
        if (name.size() == 56) break;  // room for a number that makes it unique
    }
    while (name.ends_with('-')) name.pop_back();
    return name.empty() ? std::string(fallback) : name;
}

std::string plain_id(std::string_view text, std::string_view fallback) {
    std::string id = lower(plain_name(text, fallback));
    std::replace(id.begin(), id.end(), '_', '-');
    return id;
}

void Notes::add(std::string text) {
    text = printable(text);
    if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(std::move(text));
}

Result<void> Notes::lost(const std::string& where, const std::string& what, const std::string& hint) {
    if (!lenient_) {
        const std::string go_on = "--lenient leaves it out and notes that";
        return fail(ErrorCode::kBadInput, printable(what), where, hint.empty() ? go_on : hint + "; " + go_on);
    }
    add("not carried over: " + where + ": " + what);
    return {};
}

}  // namespace fsadvise::tuner
