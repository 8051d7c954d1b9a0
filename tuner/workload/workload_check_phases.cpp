// Phases, and the signals between the streams that run together.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "tuner/workload/phases.h"
#include "tuner/workload/workload_check.h"

namespace fsadvise::tuner {
namespace {

std::vector<std::string> stream_names(const Load& load) {
    std::vector<std::string> names;
    for (const Stream& stream : load.streams) names.push_back(stream.name);
    return names;
}

// Lets every stream run as far as the signals given so far allow. A signal once given is taken as given for
// ever: what is stuck even then is stuck for good. Returns the first wait that nothing ends.
struct Stuck {
    std::size_t stream, step;
};
std::optional<Stuck> first_stuck(const Load& load, const std::vector<bool>& runs) {
    std::set<std::string> given;
    std::vector<std::size_t> reached(load.streams.size(), 0);
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t i = 0; i < load.streams.size(); ++i) {
            const auto& steps = load.streams[i].steps;
            while (runs[i] && reached[i] < steps.size()) {
                const Step& step = steps[reached[i]];
                if (step.operation == "wait" && step.probability >= 1 && !given.contains(step.signal)) break;
                if (step.operation == "signal") given.insert(step.signal);
                ++reached[i];
                moved = true;
            }
        }
    }
    for (std::size_t i = 0; i < load.streams.size(); ++i) {
        if (runs[i] && reached[i] < load.streams[i].steps.size()) return Stuck{i, reached[i]};
    }
    return std::nullopt;
}

Result<void> check_signals(const Load& load) {
    std::set<std::string> given, awaited;
    for (const Stream& stream : load.streams) {
        for (const Step& step : stream.steps) {
            if (step.operation == "signal") given.insert(step.signal);
            if (step.operation == "wait") awaited.insert(step.signal);
        }
    }
    for (std::size_t i = 0; i < load.streams.size(); ++i) {
        for (std::size_t j = 0; j < load.streams[i].steps.size(); ++j) {
            const Step& step = load.streams[i].steps[j];
            const bool signals = step.operation == "signal", waits = step.operation == "wait";
            if (!signals && !waits) continue;
            const auto& partners = signals ? awaited : given;
            if (partners.contains(step.signal)) continue;
            return bad_load(fmt::format("/streams/{}/steps/{}/signal", i, j),
                            fmt::format("no stream {} '{}'{}", signals ? "waits for" : "signals", step.signal,
                                        did_you_mean(step.signal, std::vector<std::string>(partners.begin(),
                                                                                           partners.end()))));
        }
    }
    return {};
}

Result<void> check_waits(const Load& load, const std::vector<bool>& runs, const std::string& where) {
    const auto stuck = first_stuck(load, runs);
    if (!stuck) return {};
    return bad_load(
        fmt::format("/streams/{}/steps/{}/signal", stuck->stream, stuck->step),
        fmt::format("stream '{}' would wait for '{}' for ever{}", load.streams[stuck->stream].name,
                    load.streams[stuck->stream].steps[stuck->step].signal, where),
        "let a stream that runs with it signal without waiting for it first");
}

Result<void> check_phase(const Load& load, std::size_t index, const std::string& at) {
    const Phase& phase = load.phases[index];
    if (!is_plain_name(phase.name)) {
        return bad_load(at + "/name",
                        fmt::format("'{}' is not a name of letters, digits, - and _", phase.name));
    }
    if (!(phase.seconds >= 0 && phase.seconds <= 86'400)) {
        return bad_load(at + "/seconds", "a phase is at most a day long");
    }
    if (phase.streams.empty()) return bad_load(at + "/streams", "no stream runs in this phase");
    const auto names = stream_names(load);
    std::set<std::string> seen;
    for (std::size_t i = 0; i < phase.streams.size(); ++i) {
        const std::string& name = phase.streams[i];
        const std::string here = fmt::format("{}/streams/{}", at, i);
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            return bad_load(here, fmt::format("unknown stream '{}'{}", name, did_you_mean(name, names)));
        }
        if (!seen.insert(name).second) return bad_load(here, fmt::format("stream '{}' is named twice", name));
    }
    const bool counting = index == counting_phase(load);
    if (!counting && phase.seconds <= 0 && phase.operations == 0) {
        return bad_load(at, fmt::format("phase '{}' has no end", phase.name),
                        "give it 'seconds' or 'operations'");
    }
    const auto runs = phase_streams(load, index);
    bool counts = false;
    for (std::size_t i = 0; i < runs.size(); ++i) counts = counts || (runs[i] && load.streams[i].counts);
    if (counting && !counts) {
        return bad_load(
            at + "/streams",
            fmt::format("no counting stream runs in phase '{}', which is the one that counts", phase.name));
    }
    return check_waits(load, runs, fmt::format(" in phase '{}'", phase.name));
}

}  // namespace

std::size_t counting_phase(const Load& load) {
    if (load.counting_phase.empty()) return load.phases.empty() ? 0 : load.phases.size() - 1;
    const auto found = std::find_if(load.phases.begin(), load.phases.end(),
                                    [&](const Phase& phase) { return phase.name == load.counting_phase; });
    return static_cast<std::size_t>(found - load.phases.begin());
}

std::vector<bool> phase_streams(const Load& load, std::size_t phase) {
    std::vector<bool> runs(load.streams.size(), load.phases.empty());
    if (load.phases.empty()) return runs;
    const auto& names = load.phases[phase].streams;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        runs[i] = std::find(names.begin(), names.end(), load.streams[i].name) != names.end();
    }
    return runs;
}

Result<void> check_phases(const Load& load) {
    FSADVISE_TRY(check_signals(load));
    if (load.phases.empty()) {
        if (!load.counting_phase.empty()) {
            return bad_load("/counting_phase", "a counting phase is named, and there are no phases");
        }
        return check_waits(load, phase_streams(load, 0), "");
    }
    std::set<std::string> phases, streams;
    std::vector<std::string> names;
    for (const Phase& phase : load.phases) names.push_back(phase.name);
    if (counting_phase(load) >= load.phases.size()) {
        return bad_load("/counting_phase", fmt::format("unknown phase '{}'{}", load.counting_phase,
                                                       did_you_mean(load.counting_phase, names)));
    }
    for (std::size_t i = 0; i < load.streams.size(); ++i) {
        if (!streams.insert(load.streams[i].name).second) {
            return bad_load(
                fmt::format("/streams/{}/name", i),
                fmt::format("two streams are named '{}', and phases name streams", load.streams[i].name));
        }
    }
    for (std::size_t i = 0; i < load.phases.size(); ++i) {
        const std::string at = fmt::format("/phases/{}", i);
        if (!phases.insert(load.phases[i].name).second) {
            return bad_load(at + "/name", fmt::format("two phases are named '{}'", load.phases[i].name));
        }
        FSADVISE_TRY(check_phase(load, i, at));
    }
    return {};
}

}  // namespace fsadvise::tuner
