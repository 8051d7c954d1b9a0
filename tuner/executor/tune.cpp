#include "tuner/executor/tune.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

#include "advice/advise.h"
#include "base/fd.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/text.h"
#include "space/space.h"
#include "tuner/executor/contenders.h"
#include "tuner/executor/measure.h"
#include "tuner/executor/plan.h"
#include "tuner/executor/study_facts.h"
#include "tuner/search/search.h"

namespace fsadvise::tuner {
namespace {

constexpr int kFinalists = 2;

Error stopped_error(const StudyFacts& facts) {
    std::string again = "fsadvise tune --resume --study " + shell_quote(facts.options.study_path);
    // A device has to be named twice at every start; a study cannot vouch for it.
    if (const std::string& device = facts.options.target.device; !device.empty()) {
        again += " --device " + shell_quote(device) + " --erase " + shell_quote(device);
    }
    return {ErrorCode::kInterrupted,
            "stopped; everything is unmounted and detached, the study is kept",
            {},
            "go on with: " + again};
}

class TuneRun {
  public:
    TuneRun(const Knowledge& knowledge, const RuleNetwork& network, ProcessRunner& runner,
            const FileReader& files, const ProgressSink& progress)
        : knowledge_(knowledge), network_(network), runner_(runner), files_(files), progress_(progress) {}

    Result<Advice> run(const Request& request, const TuneOptions& options) {
        FSADVISE_TRY(open(request, options));
        auto outcome = work();
        // Time counts over all sittings, so that a resumed study does not spend its budget twice.
        FSADVISE_TRY(write_elapsed(*study_, elapsed_ns()));
        if (!outcome) {
            if (outcome.error().code == ErrorCode::kInterrupted) return tl::unexpected(stopped_error(facts_));
            return tl::unexpected(outcome.error());
        }
        return advice_from_study(knowledge_, network_, *study_);
    }

  private:
    std::int64_t elapsed_ns() const {
        return facts_.elapsed_ns +
               std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start_)
                   .count();
    }

    // Everything that can be refused is refused before the first format.
    Result<void> open(const Request& request, const TuneOptions& options) {
        if (options.resume) {
            FSADVISE_ASSIGN(study_, Study::open(options.study_path));
            FSADVISE_TRY(lock_study(options.study_path));
            FSADVISE_ASSIGN(facts_, read_facts(*study_, knowledge_));
            if (!request.workload.empty() && request.workload != facts_.request.workload) {
                return fail(ErrorCode::kUsage,
                            fmt::format("the study is of workload '{}', not '{}'", facts_.request.workload,
                                        request.workload),
                            options.study_path, "leave --workload out, or name another --study");
            }
            facts_.options.target.erase = options.target.erase;
            if (!options.target.device.empty()) facts_.options.target.device = options.target.device;
            if (!options.target.scratch_file.empty())
                facts_.options.target.scratch_file = options.target.scratch_file;
            if (options.budget_ns > 0) facts_.options.budget_ns = options.budget_ns;
            if (options.trials > 0) facts_.options.trials = options.trials;
            if (facts_.knowledge_digest != knowledge_.digest()) {
                log_warning("the knowledge has changed since this study began; finished trials are kept");
            }
        } else {
            if (::access(options.study_path.c_str(), F_OK) == 0) {
                return fail(ErrorCode::kUsage, "the study file exists already", options.study_path,
                            "go on with it by --resume, or name another with --study");
            }
            facts_.request = request;
            facts_.options = options;
            facts_.knowledge_digest = knowledge_.digest();
            const WorkloadDescription* workload = knowledge_.workload(request.workload);
            if (workload == nullptr) return fail(ErrorCode::kUsage, "unknown workload", request.workload);
            facts_.load = options.load.empty() ? workload->load : options.load;
        }
        FSADVISE_ASSIGN(load_, load_source_from_json(facts_.load, facts_.request.workload));
        FSADVISE_TRY(load_->check());
        FSADVISE_TRY(check_target(facts_.options.target));
        FSADVISE_TRY(choose_space(facts_.options.target));
        if (!options.resume) {
            FSADVISE_TRY(guess_scale());
            FSADVISE_TRY(check_budget());
        }
        FSADVISE_ASSIGN(target_, open_target(facts_.options.target, runner_));
        if (target_->areas() < 2)
            return fail(ErrorCode::kUnavailable, "no room for two areas", {}, "give a larger one");
        return options.resume ? Result<void>{} : begin_study();
    }

    // For the time that an application takes to fill its data. The area is not made yet; its size is known.
    Result<void> guess_scale() {
        const std::uint64_t area = facts_.request.host.device->size_bytes.value_or(0);
        if (area == 0) return {};
        FSADVISE_ASSIGN(facts_.scale, load_->fitting_scale(area));
        return {};
    }

    // A budget that cannot even try the first design and confirm once would end in a shrug.
    Result<void> check_budget() const {
        const std::int64_t least =
            TimePlan(plan_input()).trial_ns() *
            (static_cast<std::int64_t>(first_design_) + facts_.options.confirm_replicates);
        if (facts_.options.budget_ns == 0 || facts_.options.trials > 0 || facts_.options.budget_ns >= least)
            return {};
        return fail(ErrorCode::kUsage,
                    fmt::format("{} is too short: {} first trials and {} confirmation runs take about {}",
                                human_duration(facts_.options.budget_ns), first_design_,
                                facts_.options.confirm_replicates, human_duration(least)),
                    "--budget",
                    "give at least " + std::to_string(least / 1'000'000'000 + 1) + "s, better some minutes");
    }

    // Two runs on one study would measure the same trials at the same time, and disturb each other.
    Result<void> lock_study(const std::string& path) {
        FSADVISE_ASSIGN(lock_, Fd::open(path, O_RDONLY));
        if (::flock(lock_.get(), LOCK_EX | LOCK_NB) == 0) return {};
        return fail(ErrorCode::kUnavailable, "another run is working on this study", path,
                    "wait for it, or stop it");
    }

    // Space, first design and anchor for an area of the size that the target will give.
    Result<void> choose_space(const TargetRequest& target) {
        if (!facts_.request.host.device) facts_.request.host.device = BlockDevice{};
        BlockDevice& device = *facts_.request.host.device;
        if (!facts_.options.resume && target.device.empty()) device.size_bytes = target.size_bytes / 2;
        FSADVISE_ASSIGN(const Contenders chosen, contenders(knowledge_, facts_.request, runner_));
        const std::vector<std::string>& usable = chosen.filesystems;
        facts_.anchor = chosen.anchor;
        std::vector<Space> spaces;
        std::vector<Proposal> first = {{facts_.anchor, "default:" + facts_.anchor.filesystem, 0}};
        for (const std::string& id : usable) {
            spaces.emplace_back(knowledge_, facts_.request, id);
            if (id != facts_.anchor.filesystem) first.push_back({Configuration{id, {}}, "default:" + id, 0});
        }
        FSADVISE_ASSIGN(const Advice expert, advise(knowledge_, network_, facts_.request));
        for (const Recommendation& recommendation : expert.ranked) {
            if (std::find(usable.begin(), usable.end(), recommendation.configuration.filesystem) ==
                usable.end())
                continue;
            first.push_back({recommendation.configuration, "expert", 0});
        }
        first_design_ = first.size();
        search_ = make_model_search(std::move(spaces), std::move(first), facts_.options.seed);
        return {};
    }

    Result<void> begin_study() {
        FSADVISE_ASSIGN(facts_.scale, load_->fitting_scale(target_->area_bytes()));
        facts_.stands_for = target_->stands_for();
        facts_.medium = target_->medium();
        facts_.trial_seconds = TimePlan(plan_input()).trial_seconds();
        FSADVISE_ASSIGN(study_, Study::create(facts_.options.study_path));
        FSADVISE_TRY(lock_study(facts_.options.study_path));
        return write_facts(*study_, facts_);
    }

    PlanInput plan_input() const {
        const TuneOptions& options = facts_.options;
        return {options.budget_ns, options.trials,        options.confirm_replicates,
                kFinalists,        options.trial_seconds, 2 * load_->filling_seconds(facts_.scale)};
    }

    Result<void> work() {
        setup_.knowledge = &knowledge_;
        setup_.target = target_.get();
        setup_.load = load_.get();
        setup_.runner = &runner_;
        setup_.files = &files_;
        setup_.scale = facts_.scale;
        setup_.anchor = facts_.anchor;
        setup_.cores = facts_.options.cores;
        setup_.seed = facts_.options.seed;
        setup_.recovery = facts_.options.goal.wants(Figure::kRecoveryTime);
        TimePlan plan(plan_input());
        FSADVISE_TRY(search(plan));
        return confirm(plan);
    }

    Result<void> search(TimePlan& plan) {
        while (true) {
            FSADVISE_ASSIGN(const std::vector<Trial> trials, study_->trials());
            const auto done =
                static_cast<int>(std::count_if(trials.begin(), trials.end(), [](const Trial& trial) {
                    return trial.state != "interrupted";
                }));
            // Once confirmation has begun, a resumed study does not go back to searching.
            const bool confirming = std::any_of(trials.begin(), trials.end(), [](const Trial& trial) {
                return std::any_of(trial.measurements.begin(), trial.measurements.end(),
                                   [](const Measurement& m) { return m.phase == "confirm"; });
            });
            if (confirming || !plan.may_search(elapsed_ns(), done)) return {};
            const Goal& goal = facts_.options.goal;
            const auto proposal = search_->next(for_goal(trials, goal_of_turn(goal, trials.size())));
            if (!proposal) return {};
            report("search", proposal->configuration, done + 1, trials, plan);
            FSADVISE_ASSIGN(const int number, study_->begin_trial(proposal->configuration, proposal->origin));
            const auto before = elapsed_ns();
            auto measured = measure_duet(setup_, proposal->configuration, plan.trial_seconds(),
                                         candidate_area(number) == 1);
            if (interrupted() != 0) return fail(ErrorCode::kInterrupted, "stopped");
            if (measured) {
                measured->phase = "search";
                FSADVISE_TRY(study_->add_measurement(number, *measured));
                FSADVISE_TRY(study_->finish_trial(number, "complete", ""));
                plan.record_trial(elapsed_ns() - before);
            } else {
                // One bad candidate must not end the study; an anchor that fails would fail every trial.
                log_debug("trial {} failed: {}", number, to_text(measured.error()));
                FSADVISE_TRY(study_->finish_trial(number, "failed", to_text(measured.error())));
                if (proposal->configuration == facts_.anchor) return tl::unexpected(measured.error());
            }
        }
    }

    Result<void> confirm(TimePlan& plan) {
        FSADVISE_ASSIGN(const std::vector<Trial> trials, study_->trials());
        std::vector<int> finalists;
        for (const int number : search_->finalists(for_goal(trials, facts_.options.goal), kFinalists + 1)) {
            // The anchor itself needs no confirming.
            if (trials[static_cast<std::size_t>(number)].configuration == facts_.anchor) continue;
            if (static_cast<int>(finalists.size()) < plan.finalists()) finalists.push_back(number);
        }
        if (finalists.empty()) return study_->set("finished", "yes");
        std::set<int> broken;
        for (int replicate = 0; replicate < facts_.options.confirm_replicates; ++replicate) {
            for (const int number : finalists) {
                FSADVISE_ASSIGN(const std::vector<Trial> now, study_->trials());
                const Trial& trial = now[static_cast<std::size_t>(number)];
                const bool have = std::any_of(
                    trial.measurements.begin(), trial.measurements.end(),
                    [&](const auto& m) { return m.phase == "confirm" && m.replicate == replicate; });
                if (have || broken.contains(number)) continue;
                // An unfinished confirmation is reported as such; a resumed study with more budget completes
                // it.
                if (!plan.may_confirm(elapsed_ns())) return {};
                report("confirm", trial.configuration, replicate + 1, now, plan);
                auto measured = measure_duet(setup_, trial.configuration, plan.trial_seconds(),
                                             candidate_area(replicate) == 1);
                if (interrupted() != 0) return fail(ErrorCode::kInterrupted, "stopped");
                if (!measured) {
                    log_warning("confirming trial {}: {}", number, to_text(measured.error()));
                    broken.insert(number);
                    continue;
                }
                measured->phase = "confirm";
                measured->replicate = replicate;
                FSADVISE_TRY(study_->add_measurement(number, *measured));
            }
        }
        return study_->set("finished", "yes");
    }

    void report(const std::string& phase, const Configuration& now, int k, const std::vector<Trial>& trials,
                const TimePlan& plan) const {
        if (!progress_) return;
        TuneProgress progress;
        progress.phase = phase;
        progress.now = canonical_text(now);
        progress.trial = k;
        progress.elapsed_ns = elapsed_ns();
        const auto done = static_cast<int>(trials.size());
        if (phase == "search") {
            progress.trials = std::max(k, plan.expected_trials(progress.elapsed_ns, done));
            progress.left_ns = plan.left_ns(progress.elapsed_ns, done);
        } else {
            progress.trials = facts_.options.confirm_replicates;
            progress.left_ns = plan.trial_ns() * plan.finalists() * (progress.trials - k + 1);
        }
        // Means, so that one lucky duet does not promise what the confirmation will take back.
        for (const Trial& trial : for_goal(trials, facts_.options.goal)) {
            if (trial.measurements.empty() || trial.state == "failed") continue;
            double sum = 0;
            for (const Measurement& measurement : trial.measurements) sum += measurement.log_ratio;
            progress.best_ratio =
                std::max(progress.best_ratio, std::exp(sum / static_cast<double>(trial.measurements.size())));
        }
        progress_(progress);
    }

    const Knowledge& knowledge_;
    const RuleNetwork& network_;
    ProcessRunner& runner_;
    const FileReader& files_;
    const ProgressSink& progress_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    Fd lock_;  // before study_: closing any descriptor of the file would drop SQLite's own locks
    std::unique_ptr<Study> study_;
    StudyFacts facts_;
    std::size_t first_design_ = 0;
    std::unique_ptr<LoadSource> load_;
    std::unique_ptr<Target> target_;
    std::unique_ptr<Search> search_;
    MeasureSetup setup_;
};

}  // namespace

Result<Advice> tune(const Knowledge& knowledge, const RuleNetwork& network, const Request& request,
                    const TuneOptions& options, ProcessRunner& runner, const FileReader& files,
                    const ProgressSink& progress) {
    return TuneRun(knowledge, network, runner, files, progress).run(request, options);
}

}  // namespace fsadvise::tuner
