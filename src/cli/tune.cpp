#include "tuner/executor/tune.h"

#include <cmath>
#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/driver_options.h"
#include "cli/live_line.h"
#include "cli/record_grid.h"
#include "cli/replay.h"
#include "cli/target_options.h"
#include "output/render.h"
#include "tuner/executor/load_source.h"

namespace fsadvise::cli {
namespace {

struct TuneCommand {
    RequestOptions request;
    HostOptions host;
    DriverOptions driver;
    tuner::TuneOptions tune;
    TargetOptions place;
    RecordGridOptions record;
    std::string budget, objective, front;
    std::vector<std::string> limits;
    ReplayCommand replay;
    std::string format = "text";
    bool json = false;
};

std::string progress_text(const tuner::TuneProgress& progress) {
    return fmt::format("{} {} of {}, best {:+.1f} % against the default, about {} left: {}",
                       progress.phase == "confirm" ? "confirming, replicate" : "trial", progress.trial,
                       progress.trials, 100 * (progress.best_ratio - 1), human_duration(progress.left_ns),
                       progress.now);
}

Result<void> parse_amounts(TuneCommand& command) {
    FSADVISE_TRY(parse_target_size(command.place));
    command.tune.target = command.place.target;
    if (!std::isfinite(command.tune.trial_seconds)) {
        return fail(ErrorCode::kUsage, "not a number", "--trial-seconds", "write for example 5");
    }
    if (!command.budget.empty()) {
        auto budget = parse_duration_ns(command.budget);
        if (!budget || *budget <= 0) {
            return fail(ErrorCode::kUsage, budget ? "a budget of zero" : budget.error().message, "--budget",
                        "write for example 5m or 1h30m");
        }
        command.tune.budget_ns = *budget;
    }
    return {};
}

// A real application instead of the workload's load; the rules still see the workload.
Result<void> choose_load(TuneCommand& command) {
    if (!command.driver.given()) return {};
    if (command.tune.resume) {
        return fail(ErrorCode::kUsage, "a resumed study keeps its load", "--driver", "leave it out");
    }
    FSADVISE_ASSIGN(const tuner::DriverTask task, driver_task(command.driver));
    command.tune.load = tuner::load_json(task);
    return {};
}

// Facts for the space: this machine with its real tool versions, and the medium the areas will have.
Result<Request> tune_request(const TuneCommand& command, const Knowledge& knowledge, ProcessRunner& runner) {
    FSADVISE_ASSIGN(Host host, measuring_host(command.host, command.tune.target, knowledge, runner));
    return resolve_request(command.request, knowledge, std::move(host));
}

// The words that both kinds of run share.
Outcome record_command(TuneCommand& command, const LoadedKnowledge& loaded, const Request& request,
                       ProcessRunner& runner, const Common& common) {
    const tuner::TuneOptions& tune = command.tune;
    tuner::RecordOptions& record = command.record.record;
    record.target = tune.target;
    record.budget_ns = tune.budget_ns;
    record.seed = tune.seed;
    record.cores = tune.cores;
    record.load = tune.load;
    if (tune.trial_seconds > 0) record.seconds = tune.trial_seconds;
    install_interrupt_handlers();
    return record_grid_command(command.record, loaded.knowledge, request, runner, common);
}

Outcome tune_command(TuneCommand& command, const Common& common) {
    if (!command.replay.table.empty()) {
        command.replay.trials = command.tune.trials;
        command.replay.seed = command.tune.seed;
        return tune_replay(command.replay, command.json || command.format == "json", common);
    }
    FSADVISE_TRY(parse_amounts(command));
    if (command.record.given() &&
        (command.tune.resume || !command.tune.study_path.empty() || command.tune.trials > 0)) {
        return fail(ErrorCode::kUsage, "a table is no study", "--record-grid",
                    "leave out --resume, --study and --trials; the same command goes on with a table");
    }
    FSADVISE_ASSIGN(command.tune.goal, tuner::read_goal(command.objective, command.front, command.limits));
    if (command.tune.goal.asks() && (command.tune.resume || command.record.given())) {
        return fail(ErrorCode::kUsage,
                    command.tune.resume ? "a resumed study keeps its goal" : "a table records every figure",
                    "--objective, --pareto, --constraint", "leave them out");
    }
    if (!command.tune.resume) FSADVISE_TRY(check_target_words(command.place, "tune"));
    FSADVISE_TRY(choose_load(command));
    if (names_workload_file(command.request.workload)) {
        FSADVISE_ASSIGN(command.tune.workload_document, read_workload_file(command.request.workload));
    }
    const bool of_study =
        command.tune.resume && command.request.workload.empty() && !command.tune.study_path.empty();
    FSADVISE_ASSIGN(const LoadedKnowledge loaded,
                    of_study ? load_knowledge_of_study(common, command.tune.study_path)
                             : load_knowledge(common, command.request.workload));
    SystemProcessRunner runner;
    Request request;
    if (!command.tune.resume) {
        FSADVISE_ASSIGN(request, tune_request(command, loaded.knowledge, runner));
    } else if (!command.request.workload.empty()) {
        FSADVISE_ASSIGN(request, resolve_request(command.request, loaded.knowledge, Host{}));
    }
    if (command.record.given()) return record_command(command, loaded, request, runner, common);
    if (command.tune.study_path.empty()) {
        if (command.request.workload.empty()) {
            return fail(ErrorCode::kUsage, "no study named", "--resume",
                        "add --study FILE, or --workload as at the start");
        }
        const WorkloadDescription* workload = loaded.knowledge.workload(command.request.workload);
        command.tune.study_path =
            "fsadvise-" + (workload != nullptr ? workload->id : command.request.workload) + ".sqlite";
    }
    if (command.tune.budget_ns == 0 && command.tune.trials == 0 && !command.tune.resume) {
        command.tune.budget_ns = 600'000'000'000;  // ten minutes, as the advice suggests
    }
    install_interrupt_handlers();
    auto advice = [&] {
        LiveLine line(common.quiet);
        return tuner::tune(loaded.knowledge, loaded.network, request, command.tune, runner,
                           SystemFileReader(),
                           [&](const tuner::TuneProgress& progress) { line.show(progress_text(progress)); });
    }();
    if (!advice) return tl::unexpected(advice.error());
    // Without its confirmation a study supports no claim: the result is shown, and the status says so.
    const bool unfinished = advice->measured && !advice->measured->complete;
    const int status = unfinished ? exit_status(ErrorCode::kRunFailed) : 0;
    if (unfinished && !common.quiet) {
        std::fprintf(stderr,
                     "fsadvise: the budget ended before the confirmation; go on with: fsadvise tune --resume "
                     "--study %s --budget TIME\n",
                     shell_quote(command.tune.study_path).c_str());
    }
    if (command.json || command.format == "json") {
        FSADVISE_TRY(emit(common, render_json(*advice, loaded.knowledge)));
        return status;
    }
    if (command.format == "shell") {
        FSADVISE_TRY(emit(common, render_shell(*advice, loaded.knowledge)));
        return status;
    }
    const TextStyle style{use_color(common, STDOUT_FILENO), terminal_width(STDOUT_FILENO)};
    FSADVISE_TRY(emit(common, render_text(*advice, loaded.knowledge, style) + "\nStudy kept in " +
                                  command.tune.study_path + "; report: fsadvise report " +
                                  shell_quote(command.tune.study_path) + "\n"));
    return status;
}

}  // namespace

void add_tune(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<TuneCommand>();
    CLI::App* command =
        app.add_subcommand("tune", "measure candidates on a scratch file or an erased device");
    add_request_options(*command, options->request);
    add_driver_options(*command, options->driver);
    add_target_options(*command, options->place);
    add_record_options(*command, options->record);
    add_replay_options(*command, options->replay);
    command->add_option("--budget", options->budget, "time for the whole study, e.g. 20m")->type_name("TIME");
    command->add_option("--trials", options->tune.trials, "number of search trials")
        ->check(CLI::Range(1, 100000))
        ->type_name("N");
    command->add_option("--trial-seconds", options->tune.trial_seconds, "measuring time of one trial")
        ->check(CLI::Range(0.5, 3600.0))
        ->type_name("S");
    command->add_option("--confirm", options->tune.confirm_replicates, "fresh-format duets per finalist (3 give an interval, 6 allow a claim)")
        ->check(CLI::Range(2, 1000))
        ->type_name("N");
    command
        ->add_option(
            "--objective", options->objective,
            "judge by throughput, p99, commit-latency, space, space-amplification, cpu, mount-time or "
            "recovery-time, or by a sum: throughput:0.7,space:0.3")
        ->type_name("FIGURES");
    command
        ->add_option("--pareto", options->front,
                     "find the best compromises of these figures: throughput,space")
        ->type_name("FIGURES");
    command
        ->add_option("--constraint", options->limits,
                     "recommend nothing that breaks it: 'p99 < 5 ms', 'space < 1.1x' (of the default)")
        ->type_name("LIMIT");
    command->add_option("--study", options->tune.study_path, "study file (default fsadvise-WORKLOAD.sqlite)")
        ->type_name("FILE");
    command->add_flag("--resume", options->tune.resume, "go on with a stopped study");
    command->add_option("--seed", options->tune.seed, "seed of search and load")->type_name("N");
    command->add_option("--cores", options->tune.cores, "threads of the load at most")
        ->check(CLI::Range(1, 4096))
        ->type_name("N");
    command->add_option("--format", options->format, "text, json or shell")
        ->check(CLI::IsMember({"text", "json", "shell"}))
        ->type_name("F");
    command->add_flag("--json", options->json, "the same as --format json");
    add_common(*command, invocation.common);
    command->callback([options, &invocation] {
        invocation.action = [options, &invocation] { return tune_command(*options, invocation.common); };
    });
}

}  // namespace fsadvise::cli
