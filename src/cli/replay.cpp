// `tune --replay`: a search on a table of measurements instead of on a device.
#include "cli/replay.h"

#include <cmath>
#include <cstdio>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "tuner/replay/session.h"

namespace fsadvise::cli {
namespace {

constexpr std::size_t kEffectsLimit = std::size_t{16} << 20;

double percent(double log) {
    return 100 * -std::expm1(-log);
}

std::string number_or(const std::optional<int>& trials) {
    return trials ? std::to_string(*trials) : "not reached";
}

}  // namespace

void add_replay_options(CLI::App& command, ReplayCommand& options) {
    command
        .add_option("--replay", options.table,
                    "search this table of measurements, no device (docs/replay-table.md)")
        ->type_name("TABLE");
    command
        .add_option("--sampler", options.sampler,
                    "with --replay: model, genetic, sobol, latin-hypercube or random")
        ->type_name("S");
    command.add_option("--metric", options.metric, "with --replay: which metric of the table counts")
        ->type_name("NAME");
    command.add_flag("--minimize", options.minimize, "with --replay: less of the metric is better");
    command
        .add_option("--effects", options.effects,
                    "with --replay: effects learned elsewhere, of 'study effects'")
        ->type_name("FILE");
    command.add_option("--noise", options.noise, "with --replay: added noise, log metric")
        ->check(CLI::Range(0.0, 10.0))
        ->type_name("X");
    command.add_flag("--no-advice", options.no_advice, "with --replay: start without the rules' advice");
}

Result<PreparedReplay> prepare_replay(const ReplayCommand& options, const Common& common) {
    PreparedReplay prepared;
    FSADVISE_ASSIGN(prepared.table,
                    tuner::read_replay_table(options.table, {options.metric, options.minimize}));
    FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge(common));
    tuner::SamplerOptions sampler;
    sampler.seed = options.seed;
    if (!options.effects.empty()) {
        FSADVISE_ASSIGN(const std::string text, read_input(options.effects, kEffectsLimit));
        const auto document = nlohmann::json::parse(text, nullptr, false);
        FSADVISE_ASSIGN(const auto learned, tuner::learned_effects_from_json(document, options.effects));
        sampler.memory = tuner::combine(learned, prepared.table.workload, &loaded.knowledge);
    }
    tuner::prepare_first(sampler, prepared.table, options.no_advice ? nullptr : &loaded.knowledge);
    FSADVISE_ASSIGN(prepared.sampler,
                    tuner::make_sampler(options.sampler, tuner::pool_of(prepared.table), std::move(sampler)));
    return prepared;
}

Outcome tune_replay(const ReplayCommand& options, bool json, const Common& common) {
    FSADVISE_ASSIGN(const PreparedReplay prepared, prepare_replay(options, common));
    const tuner::ReplayTable& table = prepared.table;
    tuner::ReplayOptions replay;
    replay.trials = options.trials > 0 ? options.trials : 100;
    replay.seed = options.seed;
    replay.added_noise = options.noise;
    const tuner::ReplayRun run = tuner::run_replay(table, *prepared.sampler, replay);
    const double regret = run.regret.empty() ? 0 : run.regret.back();
    const auto five = tuner::trials_to_within(run.regret, 0.05),
               two = tuner::trials_to_within(run.regret, 0.02);
    if (json) {
        nlohmann::json trials = nlohmann::json::array();
        for (std::size_t i = 0; i < run.trials.size(); ++i) {
            const tuner::Trial& trial = run.trials[i];
            nlohmann::json entry = {{"configuration", to_json(trial.configuration)},
                                    {"origin", trial.origin},
                                    {"state", trial.state},
                                    {"regret", run.regret[i]}};
            if (!trial.measurements.empty()) entry["value"] = trial.measurements.front().log_ratio;
            trials.push_back(std::move(entry));
        }
        nlohmann::json document = {{"schema_version", 1},
                                   {"table", table.file},
                                   {"sampler", options.sampler},
                                   {"seed", options.seed},
                                   {"metric", table.metric},
                                   {"configurations", table.rows.size()},
                                   {"measurements", table.measurements},
                                   {"failed_rows", table.failed},
                                   {"uneven_configurations", table.uneven},
                                   {"unmeasured_configurations", table.unmeasured},
                                   {"trials_used", run.trials.size()},
                                   {"stopped", run.stopped},
                                   {"regret", regret},
                                   {"regret_percent", percent(regret)},
                                   {"trials_to_5_percent", five ? nlohmann::json(*five) : nlohmann::json()},
                                   {"trials_to_2_percent", two ? nlohmann::json(*two) : nlohmann::json()},
                                   {"trials", std::move(trials)}};
        if (run.best) {
            document["best"] = {{"configuration", to_json(run.best->configuration)},
                                {"expected", run.best->expected},
                                {"deviation", run.best->deviation},
                                {"material", run.best->material}};
        }
        FSADVISE_TRY(
            emit(common, document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"));
        return 0;
    }
    std::string text = fmt::format("Replay of {}: {} configurations, {} measurements", printable(table.file),
                                   table.rows.size(), table.measurements);
    if (table.failed > 0) text += fmt::format(", {} of them failed", table.failed);
    if (table.unmeasured > 0) text += fmt::format(", {} configurations without a success", table.unmeasured);
    if (table.uneven > 0) text += fmt::format(", {} with fewer repeats than the others", table.uneven);
    text += fmt::format("\nSampler {}, seed {}: {} trials{}{}\n", options.sampler, options.seed,
                        run.trials.size(), run.stopped.empty() ? "" : "; ended because ", run.stopped);
    if (run.best) {
        text += fmt::format("Best found: {}\nRegret: {:.2f} % below the best of the table\n",
                            printable(canonical_text(run.best->configuration)), percent(regret));
    } else {
        text += "Nothing found: every trial failed\n";
    }
    text += fmt::format("Trials to within 5 %: {}; to within 2 %: {}\n", number_or(five), number_or(two));
    FSADVISE_TRY(emit(common, text));
    return 0;
}

}  // namespace fsadvise::cli
