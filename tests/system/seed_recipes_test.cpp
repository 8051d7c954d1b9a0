// Formats and mounts the six published recipes for real and compares with what lint says of them.
#include <cstdlib>
#include <filesystem>

#include <doctest/doctest.h>
#include <unistd.h>

#include "advice/lint.h"
#include "base/fd.h"
#include "base/process.h"
#include "host/host.h"
#include "space/knowledge_files.h"

using namespace fsadvise;

namespace {

// An image, a loop device on it and a directory; gone when the scope ends.
class LoopArea {
  public:
    explicit LoopArea(ProcessRunner& runner) : runner_(runner) {
        std::string name = "/dev/shm/fsadvise-recipes-XXXXXX";
        if (mkdtemp(name.data()) == nullptr) return;
        folder_ = name;
        std::filesystem::create_directory(folder_ + "/mnt");
        const auto image = folder_ + "/image";
        if (!run({"truncate", "-s", "2G", image})) return;
        const auto loop = runner_.run({{"losetup", "--find", "--show", image}, {}, kTimeout});
        if (!loop || !loop->ok()) return;
        device_ = loop->output.substr(0, loop->output.find('\n'));
    }
    LoopArea(const LoopArea&) = delete;
    LoopArea& operator=(const LoopArea&) = delete;
    ~LoopArea() {
        if (!device_.empty()) run({"losetup", "--detach", device_});
        if (folder_.empty()) return;
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    [[nodiscard]] bool ready() const { return !device_.empty(); }
    [[nodiscard]] const std::string& device() const { return device_; }

    bool format(std::vector<std::string> argv, const std::string& placeholder) {
        for (auto& word : argv) {
            if (word == placeholder) word = device_;
        }
        // The recipes are for an empty disk; here the one before is still on it.
        run({"wipefs", "--all", "--quiet", device_});
        return run(argv);
    }
    bool mounts(const std::string& filesystem, const std::string& options) {
        const auto directory = folder_ + "/mnt";
        if (!run({"mount", "-t", filesystem, "-o", options, device_, directory})) return false;
        return run({"umount", directory});
    }

  private:
    static constexpr std::chrono::milliseconds kTimeout{60'000};
    bool run(const std::vector<std::string>& argv) {
        const auto result = runner_.run({argv, {}, kTimeout});
        return result && result->ok();
    }

    ProcessRunner& runner_;
    std::string folder_, device_;
};

}  // namespace

TEST_CASE("lint and the kernel agree about the six published recipes") {
    if (geteuid() != 0) {
        MESSAGE("SKIPPED: needs root to mount");
        return;
    }
    SystemProcessRunner runner;
    for (const auto* tool : {"mkfs.ext4", "mkfs.xfs", "mkfs.btrfs", "losetup", "wipefs"}) {
        if (!runner.find(tool).empty()) continue;
        MESSAGE("SKIPPED: " << tool << " is not installed");
        return;
    }
    const auto knowledge = Knowledge::load(embedded_knowledge());
    if (!knowledge) FAIL(to_text(knowledge.error()));
    const auto text = read_file(std::string(FSADVISE_SOURCE_DIR) + "/tests/knowledge/data/seed_recipes.sh");
    REQUIRE(text);

    LintTarget target;
    target.host = probe_host(SystemFileReader());
    probe_tools(target.host, runner);
    const auto result = lint_script(*knowledge, target, *text, "seed_recipes.sh");
    REQUIRE(result);
    REQUIRE(result->pairs.size() == 6);

    LoopArea area(runner);
    if (!area.ready()) {
        MESSAGE("SKIPPED: no loop device");
        return;
    }
    for (const auto& pair : result->pairs) {
        CAPTURE(pair.mkfs_line);
        CAPTURE(pair.mount_options);
        if (target.host.filesystems && !target.host.filesystems->contains(pair.filesystem)) {
            MESSAGE("SKIPPED: the kernel has no " << pair.filesystem);
            continue;
        }
        const bool formats = area.format(pair.mkfs_argv, pair.device);
        CHECK(formats == pair.formats);
        const bool mounts = formats && area.mounts(pair.filesystem, pair.mount_options);
        CHECK(mounts == pair.mounts);
        MESSAGE(pair.filesystem << " " << pair.mount_options << ": "
                                << std::string(mounts ? "mounts" : "does not mount"));
    }
}
