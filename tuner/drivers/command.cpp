// Any program of the user's: run on the directory, its metric read from what it prints.
//
// Slices are whole runs, as the user who runs fsadvise. No shell takes part: {dir} in a word is the
// directory.
#include <filesystem>
#include <regex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "advice/lint_shell.h"
#include "base/text.h"
#include "tuner/drivers/registry.h"
#include "tuner/drivers/workplace.h"

namespace fsadvise::tuner {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlace = "{dir}";

// Words of the command as a shell would split them; empty if it is more than one simple command.
std::vector<std::string> words_of(const std::string& command) {
    const auto commands = split_shell(command);
    if (commands.size() != 1 || commands.front().piped || !commands.front().outputs.empty()) return {};
    return commands.front().words;
}

Result<std::regex> compile(const std::string& pattern) {
    try {
        return std::regex(pattern);
    } catch (const std::regex_error& error) {
        return fail(ErrorCode::kUsage, fmt::format("not a regular expression: {}", error.what()), pattern,
                    "the first group is the number, e.g. 'IOPS=([0-9.]+)'");
    }
}

Result<double> as_number(const std::string& text, const std::string& where) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end != text.c_str() && value > 0) return value;
    return fail(ErrorCode::kRunFailed,
                fmt::format("the metric '{}' is not a number above 0", printable(text)), where);
}

Result<double> metric_by_regex(const std::string& pattern, const ProgramRun& run) {
    FSADVISE_ASSIGN(const std::regex expression, compile(pattern));
    for (const std::string* text : {&run.output, &run.errors}) {
        std::smatch match;
        if (std::regex_search(*text, match, expression))
            return as_number(match.size() > 1 ? match[1].str() : match[0].str(), pattern);
    }
    return fail(
        ErrorCode::kRunFailed,
        "the regular expression matches nothing the command printed: " + last_lines(run.output + run.errors),
        pattern);
}

Result<double> metric_by_pointer(const std::string& pointer, const ProgramRun& run) {
    const auto document = nlohmann::json::parse(run.output, nullptr, false);
    if (document.is_discarded()) {
        return fail(ErrorCode::kRunFailed, "the command printed no JSON: " + last_lines(run.output), pointer,
                    "its standard output must be one JSON document");
    }
    try {
        const auto& value = document.at(nlohmann::json::json_pointer(pointer));
        return as_number(value.is_string() ? value.get<std::string>() : value.dump(), pointer);
    } catch (const nlohmann::json::exception&) {
        return fail(ErrorCode::kRunFailed, "the JSON that the command printed has no such entry", pointer);
    }
}

class CommandSession final : public DriverSession {
  public:
    CommandSession(std::unique_ptr<Workplace> workplace, const DriverTask& task)
        : DriverSession(std::move(workplace)), task_(task) {}

    Result<Slice> run_slice(double) override {
        const std::string directory = workplace().data("command");
        FSADVISE_TRY(workplace().make_folder(directory));
        auto words = words_of(task_.text("command"));
        for (std::string& word : words) {
            for (std::size_t at = 0; (at = word.find(kPlace, at)) != std::string::npos;
                 at += directory.size())
                word.replace(at, std::string(kPlace).size(), directory);
        }
        RunOptions options;
        options.timeout_seconds = static_cast<double>(task_.number("timeout"));
        options.directory = directory;
        options.as_caller = true;
        FSADVISE_ASSIGN(const ProgramRun run, workplace().run_checked(std::move(words), options));
        Slice slice{1, run.seconds, 0, {}, 0};
        const std::string& regex = task_.text("metric-regex");
        const std::string& pointer = task_.text("metric-json-pointer");
        if (regex.empty() && pointer.empty()) return slice;  // runs a second
        auto metric = regex.empty() ? metric_by_pointer(pointer, run) : metric_by_regex(regex, run);
        if (!metric) return tl::unexpected(metric.error());
        slice.rate = task_.text("better") == "lower" ? 1 / *metric : *metric;
        return slice;
    }

  private:
    DriverTask task_;
};

class CommandDriver final : public Driver {
  public:
    [[nodiscard]] std::string id() const override { return "command"; }
    [[nodiscard]] std::string title() const override { return "a command of your own"; }
    [[nodiscard]] std::string about() const override {
        return "runs a program on the directory and reads its metric, or takes its time";
    }
    [[nodiscard]] std::string operation() const override { return "run"; }
    [[nodiscard]] std::vector<Program> programs() const override { return {}; }
    [[nodiscard]] std::vector<DriverOption> options() const override {
        return {{"command", "", "program and arguments; {dir} is the directory", {}, 0, 0},
                {"metric-regex", "", "regular expression whose first group is the metric", {}, 0, 0},
                {"metric-json-pointer", "", "place of the metric in the JSON that is printed", {}, 0, 0},
                {"better", "higher", "which metric is better", {"higher", "lower"}},
                {"timeout", "600", "seconds a run may take", {}, 1, 86400}};
    }
    [[nodiscard]] Footprint footprint(const DriverTask&) const override { return {}; }
    [[nodiscard]] double slice_seconds() const override { return 0; }
    [[nodiscard]] bool whole_runs() const override { return true; }

    [[nodiscard]] Result<void> check(const DriverTask& task) const override {
        const std::string& command = task.text("command");
        const auto words = words_of(command);
        if (words.empty()) {
            return fail(ErrorCode::kUsage,
                        command.empty() ? "no command given"
                                        : "not one simple command: pipes, redirections and ; "
                                          "need a script of your own",
                        "--command", "write for example 'fio --directory={dir} job.fio'");
        }
        if (command.find(kPlace) == std::string::npos) {
            return fail(ErrorCode::kUsage, "the command does not say where {dir} goes", "--command",
                        "the program must work in the directory under test");
        }
        if (program_path(words.front()).empty())
            return fail(ErrorCode::kUnavailable, "program not found", words.front(),
                        "give its whole path, or add its folder to PATH");
        if (!task.text("metric-regex").empty() && !task.text("metric-json-pointer").empty()) {
            return fail(ErrorCode::kUsage, "two ways to read the metric", "--metric-regex",
                        "give either a regular expression or a JSON pointer");
        }
        if (!task.text("metric-regex").empty()) FSADVISE_TRY(compile(task.text("metric-regex")));
        const std::string& pointer = task.text("metric-json-pointer");
        if (!pointer.empty() && pointer.front() != '/') {
            return fail(ErrorCode::kUsage, "a JSON pointer begins with /", pointer,
                        "for example /jobs/0/write/iops");
        }
        return {};
    }

    Result<void> initialise(Workplace&, const DriverTask&) const override { return {}; }
    Result<std::unique_ptr<DriverSession>> start(std::unique_ptr<Workplace> place,
                                                 const DriverTask& task) const override {
        return std::make_unique<CommandSession>(std::move(place), task);
    }
};

}  // namespace

const Driver& command_driver() {
    static const CommandDriver driver;
    return driver;
}

}  // namespace fsadvise::tuner
