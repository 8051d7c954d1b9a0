#include "tuner/apply/execute.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "base/units.h"
#include "space/read_back.h"
#include "tuner/apply/plan_parts.h"
#include "tuner/apply/record.h"
#include "tuner/target/area_target.h"
#include "tuner/target/device_use.h"
#include "tuner/target/kernel_log.h"

namespace fsadvise::tuner {

namespace {

using namespace std::chrono_literals;

constexpr auto kFormatTimeout = 10min;  // plus a second a GiB

class Executor {
  public:
    Executor(const Machine& machine, const Plan& plan, const ExecuteOptions& options, Record record)
        : machine_(machine), plan_(plan), options_(options), record_(std::move(record)) {}

    Result<Executed> run() {
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
            const PlanStep& step = plan_.steps[i];
            if (interrupted() != 0)
                return tl::unexpected(at(step, i, {ErrorCode::kInterrupted, "stopped", "", ""}));
            if (options_.tell) options_.tell(step, i + 1, plan_.steps.size());
            // Before the record says that a format was begun, which is leave to write over what it left.
            if (step.kind == PlanStepKind::kFormat) {
                if (auto proved = prove_still_empty(); !proved)
                    return tl::unexpected(at(step, i, proved.error()));
            }
            if (auto told = record_.tell(step, i + 1, "begun"); !told)
                return tl::unexpected(at(step, i, told.error()));
            if (auto done = carry(step); !done) return tl::unexpected(at(step, i, done.error()));
            if (auto told = record_.tell(step, i + 1, "done"); !told)
                return tl::unexpected(at(step, i, told.error()));
        }
        FSADVISE_TRY(record_.finish());
        return std::move(executed_);
    }

  private:
    [[nodiscard]] const Wish& wish() const { return plan_.wish; }

    // Where it stopped, for every error.
    [[nodiscard]] Error at(const PlanStep& step, std::size_t index, Error error) const {
        error.message +=
            fmt::format("; stopped at step {} of {} ({})", index + 1, plan_.steps.size(), to_text(step.kind));
        error.hint += fmt::format("{}{} has how far it came; the same command goes on from there",
                                  error.hint.empty() ? "" : "; ", record_.path());
        return error;
    }

    Result<void> carry(const PlanStep& step) {
        switch (step.kind) {
            case PlanStepKind::kFormat:
                return format(step);
            case PlanStepKind::kDirectory:
                return make_directory(step);
            case PlanStepKind::kMount:
                return mount(step);
            case PlanStepKind::kReadBack:
                return prove();
            case PlanStepKind::kRegister:
                return register_mount(step);
            case PlanStepKind::kQueue:
                return set_queue(step);
            case PlanStepKind::kPersist:
                return persist(step);
            case PlanStepKind::kReload:
            case PlanStepKind::kChange:
                changed_.insert(step.parameter);
                return run_tool(step, 2min);
        }
        return {};
    }

    Result<void> run_tool(const PlanStep& step, std::chrono::milliseconds timeout) {
        ProcessRequest request;
        request.argv = step.argv;
        request.timeout = timeout;
        FSADVISE_ASSIGN(const ProcessResult result, machine_.runner.run(request));
        if (result.ok()) return {};
        return fail(ErrorCode::kRunFailed, to_text(step.kind) + " failed: " + reason_of_tool(result),
                    shell_join(step.argv));
    }

    // Once more at the last moment, and with a claim that no other user of the disk would allow.
    Result<void> prove_still_empty() {
        FSADVISE_ASSIGN(const DiskState state, look_at_disk(wish().device, machine_.files));
        if (const std::string changed = difference(plan_.disk, state.identity); !changed.empty())
            return fail(ErrorCode::kUnavailable, "is another disk now: " + changed, wish().device,
                        "nothing was formatted");
        const bool leftovers = wish().format_begun && state.in_use.empty() && state.signatures.empty();
        if (!state.is_empty() && !leftovers)
            return fail(ErrorCode::kUnavailable, "is not empty any more: " + state.occupied_by(),
                        wish().device, "nothing was formatted");
        FSADVISE_TRY(open_claimed(wish().device, O_RDWR));
        return {};
    }

    Result<void> format(const PlanStep& step) {
        FSADVISE_TRY(run_tool(step, kFormatTimeout + std::chrono::seconds(plan_.disk.size_bytes / kGiB)));
        FSADVISE_ASSIGN(const DiskState state, look_at_disk(wish().device, machine_.files));
        const Signature* made = state.filesystem();
        if (made != nullptr && made->uuid == wish().uuid && made->type == wish().configuration.filesystem &&
            made->label == wish().label)
            return {};
        return fail(ErrorCode::kRunFailed,
                    made == nullptr
                        ? "carries no filesystem after formatting"
                        : fmt::format("carries {} with UUID {} after formatting", to_text(*made), made->uuid),
                    wish().device,
                    "it was to be " + wish().configuration.filesystem + " with UUID " + wish().uuid);
    }

    Result<void> make_directory(const PlanStep& step) {
        std::error_code error;
        std::filesystem::create_directories(step.path, error);
        if (!error) return {};
        return fail(ErrorCode::kRunFailed, "cannot make the mount point: " + error.message(), step.path,
                    "choose another --mount-point");
    }

    Result<void> mount(const PlanStep& step) {
        KernelLog log;
        auto mounted = run_tool(step, 5min);
        if (mounted) return {};
        const auto lines = log.lines_about({plan_.disk.name, wish().configuration.filesystem});
        Error error = mounted.error();
        if (!lines.empty()) error.message += "; the kernel says " + join(lines, "; ");
        if (!plan_.formats())
            error.hint =
                "if its format was cut off: wipefs --all " + wish().device + ", zero it, and run this again";
        return tl::unexpected(std::move(error));
    }

    // Exit status of mkfs and mount is no proof.
    Result<void> prove() {
        FSADVISE_ASSIGN(const ReadBackResult found,
                        read_back(machine_.knowledge, wish().configuration, wish().device, wish().directory,
                                  machine_.runner, machine_.files));
        std::vector<std::string> wrong;
        const bool all = plan_.situation != "mounted";
        for (const std::string& mismatch : found.mismatches)
            if (all || changed_.contains(mismatch.substr(0, mismatch.find(':')))) wrong.push_back(mismatch);
        if (wrong.empty()) return {};
        if (wish().adopt) {
            executed_.differs = std::move(wrong);
            return {};
        }
        if (all) {
            // Not as advised, so not registered; the data folder must not look ready either.
            (void)machine_.runner.run({{"umount", wish().directory}, {}});
        }
        return fail(ErrorCode::kRunFailed, "is not as asked: " + join(wrong, "; "), wish().directory,
                    all ? "it was unmounted and not registered; wipefs --all " + wish().device +
                              " and choose another --rank, and report it: fsadvise knowledge verify"
                        : "fsadvise recommend --existing shows what is possible");
    }

    Result<void> edit(const std::string& path, const std::optional<std::string>& before,
                      const std::string& after) {
        sweep_temporaries(path);
        FSADVISE_ASSIGN(const FileEdit edit, replace_file(path, before, after, options_.stamp));
        executed_.edits.push_back(edit);
        return record_.add(edit);
    }

    Result<void> register_mount(const PlanStep& step) {
        FSADVISE_ASSIGN(const auto before, read_if_there(step.path));
        FSADVISE_ASSIGN(const FstabEdit after,
                        fstab_after(machine_, wish(), plan_.disk, before.value_or("")));
        if (!after.changed) return {};
        if (after.line != step.text) {
            return fail(ErrorCode::kUnavailable,
                        "was changed meanwhile, the line would now be: " + after.line, step.path,
                        "look at it");
        }
        return edit(step.path, before, after.after);
    }

    Result<void> persist(const PlanStep& step) {
        FSADVISE_ASSIGN(const auto before, read_if_there(step.path));
        return edit(step.path, before, step.text);
    }

    Result<void> set_queue(const PlanStep& step) {
        FSADVISE_ASSIGN(const Fd file, Fd::open(step.path, O_WRONLY));
        const bool written =
            ::write(file.get(), step.text.data(), step.text.size()) == static_cast<ssize_t>(step.text.size());
        const int error = errno;
        const std::string now = chosen_word(machine_.files.read(step.path).value_or(""));
        if (written && now == step.text) return {};
        return fail(ErrorCode::kRunFailed,
                    written ? fmt::format("was set to {} and is {}", step.text, now)
                            : fmt::format("does not take {}: {}", step.text, errno_text(error)),
                    step.path, "leave the setting out of the advice");
    }

    const Machine& machine_;
    const Plan& plan_;
    const ExecuteOptions& options_;
    Record record_;
    Executed executed_;
    std::set<std::string> changed_;  // parameters, by steps of kChange
};

// Everything that will be written later has room and permission now, before the disk is touched.
Result<void> prove_files(const Machine& machine, const Plan& plan) {
    for (const PlanStep& step : plan.steps) {
        if (step.kind == PlanStepKind::kPersist) FSADVISE_TRY(prove_writable(step.path, step.text));
        if (step.kind != PlanStepKind::kRegister) continue;
        FSADVISE_ASSIGN(const auto text, read_if_there(step.path));
        FSADVISE_ASSIGN(const FstabEdit edit, fstab_after(machine, plan.wish, plan.disk, text.value_or("")));
        // Twice: the copy and the new file are there at once.
        FSADVISE_TRY(prove_writable(step.path, text.value_or("") + edit.after));
    }
    return {};
}

}  // namespace

Result<Executed> execute(const Machine& machine, const Plan& plan, const ExecuteOptions& options) {
    if (plan.steps.empty()) return Executed{};
    FSADVISE_TRY(prove_files(machine, plan));
    FSADVISE_ASSIGN(Record record, Record::begin(options.record, plan));
    return Executor(machine, plan, options, std::move(record)).run();
}

}  // namespace fsadvise::tuner
