#include "tuner/exchange/fio_pace.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tuner/workload/step_kind.h"

namespace fsadvise::tuner {
namespace {

constexpr double kLongestPhase = 86'400;

double mean_bytes(const std::vector<BlockShare>& blocks) {
    double bytes = 0, shares = 0;
    for (const BlockShare& block : blocks) {
        bytes += static_cast<double>(block.bytes) * block.share;
        shares += block.share;
    }
    return bytes / std::max(shares, 1e-9);
}

// What a loop of the stream does on average.
struct Loop {
    double transfers = 0, bytes = 0, names = 0;
};

Loop loop_of(const Stream& stream) {
    Loop loop;
    for (const Step& step : stream.steps) {
        const auto kind = step_kind(step.operation);
        if (!kind || is_idle(*kind) || is_sync(*kind)) continue;
        const double times = step.probability * step.repeat;
        if (!transfers(*kind)) {
            loop.names += times;
            continue;
        }
        loop.transfers += times;
        double bytes = step.blocks.empty() ? static_cast<double>(step.block_bytes) : 0;
        for (const SizeShare& block : step.blocks) bytes += static_cast<double>(block.bytes) * block.share;
        loop.bytes += times * bytes;
    }
    return loop;
}

// Bytes that one clone of the job transfers before it ends by itself.
Result<double> bytes_of_clone(const FioJob& job) {
    FSADVISE_ASSIGN(const auto files, job.number({"nrfiles", "nr_files"}, 1));
    for (const auto* key : {"io_size", "io_limit", "size"}) {
        const auto* entry = job.find({key});
        if (entry == nullptr || entry->value.ends_with('%')) continue;
        FSADVISE_ASSIGN(const auto bytes, job.size(*entry, entry->value));
        if (bytes > 0) return static_cast<double>(bytes);
    }
    const auto* entry = job.find({"filesize"});
    if (entry == nullptr) return 0.0;
    const auto dash = entry->value.find('-');
    FSADVISE_ASSIGN(const auto low, job.size(*entry, entry->value.substr(0, dash)));
    auto high = low;
    if (dash != std::string::npos) {
        FSADVISE_ASSIGN(high, job.size(*entry, entry->value.substr(dash + 1)));
    }
    return static_cast<double>(files) * (static_cast<double>(low) + static_cast<double>(high)) / 2;
}

Result<double> runtime_seconds(const FioJob& job) {
    const auto* entry = job.find({"runtime", "timeout"});
    if (entry == nullptr) return 0.0;
    const auto ns = fio_time_ns(entry->value, "s");
    if (!ns)
        return fail(ErrorCode::kBadInput, entry->key + " is no time", job.place(*entry), "write seconds");
    return static_cast<double>(*ns) / 1e9;
}

// Loops of all clones of the job until each has transferred what it is asked to.
Result<double> loops_of(const FioJob& job, const Stream& stream) {
    FSADVISE_ASSIGN(const auto jobs, job.number({"numjobs"}, 1));
    FSADVISE_ASSIGN(const auto rounds, job.number({"loops"}, 1));
    FSADVISE_ASSIGN(const auto most, job.number({"number_ios"}, 0));
    const Loop loop = loop_of(stream);
    const double clones = static_cast<double>(jobs) * static_cast<double>(std::max<std::uint64_t>(rounds, 1));
    if (loop.transfers <= 0) {
        FSADVISE_ASSIGN(const auto files, job.number({"nrfiles", "nr_files"}, 1));
        return clones * static_cast<double>(files);
    }
    FSADVISE_ASSIGN(const double bytes, bytes_of_clone(job));
    double transfers = bytes * loop.transfers / loop.bytes;
    if (most > 0) transfers = std::min(transfers, static_cast<double>(most));
    return std::max(1.0, clones * transfers / loop.transfers);
}

}  // namespace

Result<void> set_fio_rate(const FioJob& job, const FioAccess& access, Stream& stream, Notes& notes) {
    const auto* entry = job.find({"rate_iops", "rate"});
    if (entry == nullptr) return {};
    FSADVISE_ASSIGN(const auto rate, job.two({entry->key}, 0));
    FSADVISE_ASSIGN(const auto jobs, job.number({"numjobs"}, 1));
    const bool in_bytes = entry->key == "rate";
    const double clone = (access.reads ? static_cast<double>(rate.first) : 0) +
                         (access.writes ? static_cast<double>(rate.second) : 0);
    if (clone <= 0) return {};
    const double all = clone * static_cast<double>(jobs);
    if (const auto* other = job.find({in_bytes ? "rate_iops" : "rate"}); other != nullptr) {
        notes.add(fmt::format("{}: {}={} beside {}={}: a stream has one limit, the later one is kept",
                              job.place(*other), other->key, other->value, entry->key, entry->value));
    }
    const std::string process = job.text({"rate_process"}, "linear");
    stream.exponential_arrivals = process == "poisson";
    if (in_bytes && !stream.exponential_arrivals) {
        stream.rate_bytes = all;
        return {};
    }
    double transfers_a_second = all;
    if (in_bytes) {
        const AccessMix& mix = access.mix;
        transfers_a_second /= mix.read_share * mean_bytes(mix.read_blocks) +
                              (1 - mix.read_share) * mean_bytes(mix.write_blocks);
    }
    stream.rate_operations = transfers_a_second / std::max(loop_of(stream).transfers, 1e-9);
    return {};
}

Result<void> FioPhases::add(const FioJob& job, const Stream& stream) {
    const auto* wall = job.find({"stonewall", "wait_for_previous"});
    const bool waits = wall != nullptr && wall->value != "0" && wall->value != "false";
    if (groups_.empty() || waits) groups_.push_back({waits ? job.place(*wall) : job.place(), {}});
    Member member;
    member.stream = stream.name;
    member.limited = stream.rate_operations > 0 || stream.rate_bytes > 0;
    FSADVISE_ASSIGN(member.seconds, runtime_seconds(job));
    FSADVISE_ASSIGN(const bool time_based, job.flag({"time_based"}, false));
    if (member.seconds <= 0 || !time_based) {
        FSADVISE_ASSIGN(member.operations, loops_of(job, stream));
    }
    groups_.back().members.push_back(std::move(member));
    return {};
}

// It ends with the last of its jobs: by the clock if one of them ends only so, else by what is transferred.
Phase FioPhases::phase_of(const Group& group, const Load& load) {
    Phase phase;
    const auto counts = [&](const Member& member) {
        return std::any_of(load.streams.begin(), load.streams.end(), [&](const Stream& stream) {
            return stream.name == member.stream && stream.counts;
        });
    };
    const bool some_count = std::any_of(group.members.begin(), group.members.end(), counts);
    double operations = 0, seconds = 0;
    bool by_clock = false, all_timed = true;
    for (const Member& member : group.members) {
        phase.streams.push_back(member.stream);
        if (some_count && !counts(member)) continue;
        operations += member.operations;
        seconds = std::max(seconds, member.seconds);
        by_clock = by_clock || member.operations <= 0;
        all_timed = all_timed && member.seconds > 0;
    }
    if (by_clock || all_timed) phase.seconds = std::min(seconds, kLongestPhase);
    if (!by_clock) phase.operations = static_cast<std::uint64_t>(std::llround(std::min(operations, 1e15)));
    return phase;
}

void FioPhases::finish(Load& load, Notes& notes) const {
    for (const Group& group : groups_) {
        const bool all = std::all_of(group.members.begin(), group.members.end(),
                                     [](const Member& member) { return member.limited; });
        for (const Member& member : group.members) {
            if (all || !member.limited) continue;
            for (Stream& stream : load.streams) {
                if (stream.name == member.stream) stream.counts = false;
            }
            notes.add(fmt::format("job {}: its rate is limited, so it is a background of the others",
                                  member.stream));
        }
    }
    if (groups_.size() < 2) return;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        const bool last = i + 1 == groups_.size();
        Phase phase;
        if (last) {
            // The phase that counts lasts as long as is measured.
            for (const Member& member : groups_[i].members) phase.streams.push_back(member.stream);
        } else {
            phase = phase_of(groups_[i], load);
        }
        phase.name = fmt::format("phase-{}", i + 1);
        load.phases.push_back(std::move(phase));
    }
    notes.add(fmt::format(
        "{}: jobs that wait for others are phases of the load; the last one is the result, name another as "
        "\"counting_phase\"",
        groups_[1].place));
}

}  // namespace fsadvise::tuner
