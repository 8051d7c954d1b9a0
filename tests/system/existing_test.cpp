// The commands printed for an existing filesystem are carried out and found again in what the kernel and the tools
// tell: each has the effect claimed.
#include <algorithm>
#include <set>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include "advice/existing.h"
#include "base/text.h"
#include "space/change.h"
#include "space/knowledge_files.h"
#include "space/parameter_value.h"

#include "support/loop.h"

using namespace fsadvise;

namespace {

constexpr std::uint64_t kBytes = std::uint64_t{2} << 30U;

// Formatted and mounted, until it goes out of scope.
class Mounted {
  public:
    Mounted(const std::string& name, std::vector<std::string> mkfs) : loop_(kBytes, name) {
        directory_ = "/tmp/fsadvise-" + name + "-" + std::to_string(::getpid());
        std::filesystem::create_directory(directory_);
        mkfs.push_back(loop_.device());
        if (const auto made = run_checked(runner_, {mkfs, {}}); !made) problem_ = to_text(made.error());
        if (!problem_.empty()) return;
        const auto mounted = run_checked(runner_, {{"mount", loop_.device(), directory_}, {}});
        if (!mounted) problem_ = to_text(mounted.error());
    }
    ~Mounted() {
        (void)runner_.run({{"umount", "-q", directory_}, {}});
        std::filesystem::remove(directory_);
    }
    Mounted(const Mounted&) = delete;
    Mounted& operator=(const Mounted&) = delete;

    [[nodiscard]] const std::string& problem() const { return problem_; }
    [[nodiscard]] const std::string& directory() const { return directory_; }
    [[nodiscard]] std::string device() const { return loop_.device(); }
    // "" or what failed.
    std::string carry_out(const std::vector<std::vector<std::string>>& commands) {
        for (const auto& argv : commands) {
            const auto done = runner_.run({argv, {}});
            if (!done) return to_text(done.error());
            // e2fsck says 1 for "corrected".
            const bool corrected = argv.front() == "e2fsck" && done->exit_code == 1;
            if (!done->ok() && !corrected) return join(argv, " ") + ": " + done->errors + done->output;
        }
        return {};
    }
    ProcessRunner& runner() { return runner_; }

  private:
    SystemProcessRunner runner_;
    test::SparseLoop loop_;
    std::string directory_, problem_;
};

Host this_host(ProcessRunner& runner) {
    Host host = probe_host(SystemFileReader());
    probe_tools(host, runner);
    return host;
}

const Knowledge& knowledge() {
    static const Knowledge kLoaded = *Knowledge::load(embedded_knowledge());
    return kLoaded;
}

}  // namespace

TEST_CASE("the steps for an existing filesystem do what they say, and are then done") {
    if (const auto reason = test::no_loop_devices()) {
        MESSAGE("SKIPPED: " << *reason);
        return;
    }
    const auto network = RuleNetwork::build(knowledge());
    REQUIRE(network);
    for (const std::string filesystem : {"ext4", "xfs", "btrfs"}) {
        for (const std::string workload : {"web-static", "file-server", "log-aggregation"}) {
            CAPTURE(filesystem);
            CAPTURE(workload);
            Mounted area("existing", {"mkfs." + filesystem, "-q"});
            REQUIRE(area.problem() == "");
            Request request;
            request.workload = workload;
            request.host = this_host(area.runner());
            const auto look = [&] {
                auto facts = look_at(knowledge(), area.directory(), area.runner(), SystemFileReader());
                if (!facts) FAIL(to_text(facts.error()));
                CHECK(facts->superblock_seen);
                auto advice = advise_existing(knowledge(), *network, request, *facts);
                if (!advice) FAIL(to_text(advice.error()));
                return *advice;
            };
            std::set<std::string> done;
            for (const auto& step : look().steps) {
                if (step.moment == Moment::kReformat || step.moment == Moment::kNewFiles) continue;
                CAPTURE(step.parameter);
                CHECK_FALSE(step.commands.empty());
                CHECK(area.carry_out(step.commands) == "");
                done.insert(step.parameter);
            }
            for (const auto& step : look().steps) {
                CAPTURE(step.parameter);
                CHECK_FALSE(done.contains(step.parameter));
            }
        }
    }
}

TEST_CASE("every known way to change a parameter changes it on this machine") {
    if (const auto reason = test::no_loop_devices()) {
        MESSAGE("SKIPPED: " << *reason);
        return;
    }
    std::size_t changed = 0, impossible = 0;
    for (const Change& change : knowledge().changes()) {
        const Parameter* parameter = knowledge().parameter(change.parameter);
        REQUIRE(parameter != nullptr);
        if (change.state == "new-files" || change.value.empty() || !parameter->read_back) continue;
        CAPTURE(change.id);
        const auto value = value_of_text(*parameter, change.value);
        REQUIRE(value);
        // Start from the opposite where it can be written.
        Configuration start{parameter->filesystem, {}};
        if (const bool* on = std::get_if<bool>(&*value)) start.values[parameter->id] = !*on;
        auto argv = spell(knowledge(), start).mkfs;
        argv.insert(argv.begin() + 1, "-q");
        Mounted area("change", argv);
        Request request;
        request.host = this_host(area.runner());
        const Context now(knowledge(), request, start);
        const auto possible = change.when.empty() ? std::optional(true) : change.when.test(now);
        if (!area.problem().empty() || !possible || !*possible) {
            MESSAGE(change.id << " cannot be tried here: " << area.problem());
            ++impossible;
            continue;
        }
        std::vector<std::vector<std::string>> commands;
        for (const std::string& line : change.commands) {
            auto& words = commands.emplace_back();
            for (std::string word : split(line, ' ')) {
                if (word == "{device}") word = area.device();
                if (word == "{directory}") word = area.directory();
                if (const auto at = word.find("{options}"); at != std::string::npos) word.replace(at, 9, "noatime");
                words.push_back(word);
            }
        }
        // A kernel without quota or Unicode formats but does not mount with the feature.
        const bool needs_kernel_part = change.value == "true" && (change.parameter.ends_with(".quota") || change.parameter.ends_with(".project") ||
                                                                  change.parameter.ends_with(".casefold"));
        const auto problem = area.carry_out(commands);
        if (needs_kernel_part && problem.starts_with("mount")) {
            ++impossible;
            continue;
        }
        CHECK(problem == "");
        const auto facts = look_at(knowledge(), area.directory(), area.runner(), SystemFileReader());
        REQUIRE(facts);
        const auto found = facts->values.find(parameter->id);
        REQUIRE(found != facts->values.end());
        CHECK(to_text(found->second) == change.value);
        ++changed;
    }
    MESSAGE(changed << " changes proved, " << impossible << " not possible here");
    CHECK(changed > 5);
}
