// Options of a replay, shared by `tune --replay` and `study serve`.
#pragma once

#include <memory>

#include "cli/command.h"
#include "tuner/replay/replay.h"

namespace fsadvise::cli {

struct ReplayCommand {
    std::string table, sampler = "model", metric, effects;
    bool minimize = false, no_advice = false;
    int trials = 0;
    std::uint64_t seed = 1;
    double noise = 0;
};

void add_replay_options(CLI::App& command, ReplayCommand& options);
// Table and sampler as asked for.
struct PreparedReplay {
    tuner::ReplayTable table;
    std::unique_ptr<tuner::Sampler> sampler;
};
Result<PreparedReplay> prepare_replay(const ReplayCommand& options, const Common& common);
Outcome tune_replay(const ReplayCommand& options, bool json, const Common& common);
void add_study(CLI::App& app, Invocation& invocation);

}  // namespace fsadvise::cli
