// fsadvise: parse the command line, run one subcommand, turn its error into one line and an exit status.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/interrupt.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/apply.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/man_pages.h"
#include "cli/replay.h"
#include "cli/shipped_model.h"
#include "cli/terraform_query.h"

namespace fsadvise::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  fsadvise --workload postgres --cores 4              advise, touching nothing\n"
    "  fsadvise check /etc/fstab                           find options that fail or endanger data\n"
    "  fsadvise tune --workload postgres --scratch-file ./scratch --size 4G --budget 10m\n"
    "                                                      measure it here and confirm the gain\n";

// `fsadvise --workload W` is short for `fsadvise recommend --workload W`.
void imply_recommend(std::vector<std::string>& words, const CLI::App& app) {
    static const std::vector<std::string> kOwn = {"-h", "--help", "--version"};
    if (words.empty() || words.front().front() != '-') return;
    if (std::find(kOwn.begin(), kOwn.end(), words.front()) != kOwn.end()) return;
    for (const std::string& word : words) {
        for (const CLI::App* command : app.get_subcommands({})) {
            if (command->get_name() == word) return;
        }
    }
    words.insert(words.begin(), "recommend");
}

std::vector<std::string> option_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
}

// CLI11's own message for a word nobody knows says neither which one is near nor what to do.
std::string explain_parse_error(const CLI::App& app, const CLI::ParseError& error,
                                const std::vector<std::string>& words) {
    // `knowledge verify`: the options of every command on the way are known.
    const CLI::App* command = &app;
    std::vector<std::string> known = option_names(app), commands;
    std::string path;
    std::size_t depth = 0;
    for (auto chosen = app.get_subcommands(); !chosen.empty(); chosen = command->get_subcommands()) {
        command = chosen.front();
        path += command->get_name() + " ";
        ++depth;
        for (std::string& name : option_names(*command)) known.push_back(std::move(name));
    }
    for (const CLI::App* sub : command->get_subcommands({})) commands.push_back(sub->get_name());
    const std::string help = "; see: fsadvise " + path + "--help";
    const auto unknown = [&](const char* kind, const std::string& name,
                             const std::vector<std::string>& names) {
        return fmt::format("unknown {} '{}'{}{}", kind, name, did_you_mean(name, names), help);
    };
    if (!commands.empty() && depth < words.size() && !words[depth].starts_with('-'))
        return unknown("command", words[depth], commands);
    for (const std::string& word : words) {
        const std::string name = word.substr(0, word.find('='));
        if (name.size() > 2 && name.starts_with("--") &&
            std::find(known.begin(), known.end(), name) == known.end())
            return unknown("option", name, known);
    }
    if (!commands.empty() && depth == words.size())
        return fmt::format("{}needs a subcommand: {}{}", path, fmt::join(commands, ", "), help);
    return error.what() + help;
}

int report_error(const Error& error) {
    std::fprintf(stderr, "fsadvise: %s\n", to_text(error).c_str());
    if (error.code == ErrorCode::kInterrupted && interrupted() != 0) return 128 + interrupted();
    return exit_status(error.code);
}

}  // namespace

int run_words(std::vector<std::string> words) {
    CLI::App app(
        "Which filesystem, which mkfs parameters, which mount options: advice with reasons, proved on your "
        "disk.",
        "fsadvise");
    Invocation invocation;
    app.set_version_flag("--version", "fsadvise " FSADVISE_VERSION);
    app.require_subcommand(1);
    app.footer(kExamples);
    add_recommend(app, invocation);
    add_tune(app, invocation);
    add_bench(app, invocation);
    add_check(app, invocation);
    add_report(app, invocation);
    add_study(app, invocation);
    add_probe(app, invocation);
    add_explain(app, invocation);
    add_knowledge(app, invocation);
    add_workload(app, invocation);
    add_capture(app, invocation);
    add_apply(app, invocation);
    add_hook(app, invocation);
    add_model(app, invocation);
    add_completion(app, invocation);
    add_ask(app, invocation);
    add_man_pages(app, invocation);
    if (words.empty()) {
        std::fputs(
            "fsadvise advises a filesystem, its mkfs parameters and mount options, and proves the "
            "advice.\n\n",
            stdout);
        std::fputs(kExamples, stdout);
        std::fputs("\nAll commands: fsadvise --help\n", stdout);
        return 0;
    }
    imply_recommend(words, app);
    if (const auto query = add_terraform_query(words); !query) return report_error(query.error());
    std::vector<std::string> reversed(words.rbegin(), words.rend());  // the order CLI11 wants
    try {
        app.parse(reversed);
    } catch (const CLI::Success& success) {
        return app.exit(success);
    } catch (const CLI::ParseError& error) {
        std::fprintf(stderr, "fsadvise: %s\n", explain_parse_error(app, error, words).c_str());
        return exit_status(ErrorCode::kUsage);
    }
    if (invocation.common.verbose) set_log_level(LogLevel::kDebug);
    if (invocation.common.quiet) set_log_level(LogLevel::kError);
    const Outcome outcome = invocation.action();
    return outcome ? *outcome : report_error(outcome.error());
}

}  // namespace fsadvise::cli

int main(int argc, char** argv) {
    return fsadvise::cli::run_words({argv + 1, argv + argc});
}
