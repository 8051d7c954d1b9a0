// Completion scripts, sourced by the shells that are installed.
#include <doctest/doctest.h>

#include "base/text.h"

#include "support/command.h"
#include "support/temporary_folder.h"

using namespace fsadvise;
using test::run_fsadvise;

namespace {

// What bash offers after these words, the last of them begun.
std::vector<std::string> offered(const std::string& script, const std::vector<std::string>& words) {
    SystemProcessRunner runner;
    const std::string body =
        "source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _fsadvise; printf '%s\\n' "
        "\"${COMPREPLY[@]}\"";
    std::vector<std::string> argv = {"bash", "-c", body, "bash", script};
    argv.insert(argv.end(), words.begin(), words.end());
    const auto result = runner.run({argv, {}});
    REQUIRE(result.has_value());
    CHECK(result->errors == "");
    return split(result->output, '\n');
}

bool has(const std::vector<std::string>& words, const std::string& word) {
    return std::ranges::find(words, word) != words.end();
}

}  // namespace

TEST_CASE("bash completes commands, options, words and files") {
    const test::TemporaryFolder folder("completion");
    const auto made = run_fsadvise({"completion", "bash"});
    REQUIRE(made.exit_code == 0);
    const std::string script = folder.write("fsadvise.bash", made.output);
    CHECK(has(offered(script, {"fsadvise", "tu"}), "tune"));
    CHECK_FALSE(has(offered(script, {"fsadvise", "tu"}), "check"));
    CHECK(has(offered(script, {"fsadvise", "--work"}),
              "--workload"));  // of recommend, which need not be written
    CHECK(has(offered(script, {"fsadvise", "--workload", "postg"}), "postgres"));
    CHECK(has(offered(script, {"fsadvise", "recommend", "--format", "cloud"}), "cloud-init"));
    CHECK(has(offered(script, {"fsadvise", "knowledge", "ver"}), "verify"));
    CHECK(has(offered(script, {"fsadvise", "knowledge", "verify", "--gu"}), "--guest"));
    CHECK_FALSE(has(offered(script, {"fsadvise", "check", "--gu"}), "--guest"));
    const std::string file = folder.write("some.fstab", "");
    CHECK(has(offered(script, {"fsadvise", "check", folder.path("some")}), file));
}

TEST_CASE("zsh and fish accept their scripts") {
    SystemProcessRunner runner;
    const test::TemporaryFolder folder("completion-other");
    for (const auto& [shell, flag] : {std::pair{"zsh", "-n"}, std::pair{"fish", "--no-execute"}}) {
        const auto made = run_fsadvise({"completion", shell});
        CHECK(made.exit_code == 0);
        CHECK(made.output.find("postgres") != std::string::npos);
        CHECK(made.output.find("--guest") + made.output.find("-l guest") != std::string::npos);
        if (runner.find(shell).empty()) {
            MESSAGE("SKIPPED: " << std::string(shell) << " is not installed, its script is not read back");
            continue;
        }
        const auto read = runner.run({{shell, flag, folder.write(shell, made.output)}, {}});
        REQUIRE(read.has_value());
        CAPTURE(read->errors);
        CHECK(read->exit_code == 0);
    }
    test::check_refusal({"completion", "tcsh"}, 2, {"bash"});
}
