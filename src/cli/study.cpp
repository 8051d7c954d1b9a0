// `study serve`: another program's optimizer drives trials. `study effects`: what tables teach, for later
// searches.
#include <cerrno>
#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "cli/replay.h"
#include "tuner/replay/serve.h"

namespace fsadvise::cli {
namespace {

class StandardChannel final : public tuner::LineChannel {
  public:
    bool read(std::string& line) override {
        line.clear();
        while (true) {
            if (const auto end = buffer_.find('\n'); end != std::string::npos) {
                line = buffer_.substr(0, end);
                buffer_.erase(0, end + 1);
                return true;
            }
            char block[65536];
            const ssize_t got = ::read(STDIN_FILENO, block, sizeof block);
            if (got < 0 && errno == EINTR && interrupted() == 0) continue;
            if (got <= 0 || buffer_.size() > (std::size_t{8} << 20)) {
                // What came without its end of line may be half a request: it is not run.
                torn_ = !trim(buffer_).empty();
                return false;
            }
            buffer_.append(block, static_cast<std::size_t>(got));
        }
    }
    Result<void> write(const std::string& line) override {
        const std::string whole = line + "\n";
        for (std::size_t done = 0; done < whole.size();) {
            const ssize_t sent = ::write(STDOUT_FILENO, whole.data() + done, whole.size() - done);
            if (sent < 0 && errno == EINTR) continue;
            if (sent < 0) {
                return fail(ErrorCode::kRunFailed, "the optimizer no longer reads: " + errno_text(errno),
                            "standard output",
                            "start it again; trials of a table can be repeated with the same --seed");
            }
            done += static_cast<std::size_t>(sent);
        }
        return {};
    }
    [[nodiscard]] bool torn() const { return torn_; }

  private:
    std::string buffer_;
    bool torn_ = false;
};

Outcome serve(const ReplayCommand& options, const Common& common) {
    if (options.table.empty()) {
        return fail(ErrorCode::kUsage, "no table named", "--replay", "add --replay TABLE");
    }
    FSADVISE_ASSIGN(const PreparedReplay prepared, prepare_replay(options, common));
    install_interrupt_handlers();
    StandardChannel channel;
    FSADVISE_ASSIGN(const tuner::ServeSummary summary,
                    tuner::serve_replay(prepared.table, *prepared.sampler,
                                        {options.seed, options.noise, options.trials}, channel));
    if (interrupted() != 0) return fail(ErrorCode::kInterrupted, "stopped");
    if (!common.quiet) {
        std::fprintf(stderr, "fsadvise: %d trials, %d of them failed, %d bad requests%s\n", summary.trials,
                     summary.failed, summary.refused,
                     channel.torn() ? "; the last line was cut short and not run" : "");
    }
    return 0;
}

Outcome effects(const std::vector<std::string>& files, const Common& common) {
    std::vector<tuner::LearnedEffects> learned;
    for (const std::string& file : files) {
        FSADVISE_ASSIGN(const tuner::ReplayTable table, tuner::read_replay_table(file));
        learned.push_back(tuner::learn_effects(table));
    }
    FSADVISE_TRY(emit(common, tuner::to_json(learned).dump(1) + "\n"));
    return 0;
}

}  // namespace

void add_study(CLI::App& app, Invocation& invocation) {
    CLI::App* command = app.add_subcommand("study", "drive trials from another program; learn from tables");
    command->require_subcommand(1);
    auto options = std::make_shared<ReplayCommand>();
    CLI::App* served =
        command->add_subcommand("serve", "answer an optimizer's requests, JSON lines on stdin and stdout");
    add_replay_options(*served, *options);
    served->add_option("--trials", options->trials, "refuse further trials after so many")
        ->check(CLI::Range(1, 1000000))
        ->type_name("N");
    served->add_option("--seed", options->seed, "order of the repeats, and seed of the sampler")
        ->type_name("N");
    add_common(*served, invocation.common);
    served->callback([options, &invocation] {
        invocation.action = [options, &invocation] { return serve(*options, invocation.common); };
    });
    auto files = std::make_shared<std::vector<std::string>>();
    CLI::App* learned = command->add_subcommand(
        "effects", "effects that tables show, as a start for 'tune --replay --effects'");
    learned->add_option("tables", *files, "replay tables")->required()->type_name("TABLE");
    add_common(*learned, invocation.common);
    learned->callback([files, &invocation] {
        invocation.action = [files, &invocation] { return effects(*files, invocation.common); };
    });
}

}  // namespace fsadvise::cli
