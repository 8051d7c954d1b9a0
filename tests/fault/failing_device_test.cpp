// A device that begins to fail in the middle of a study: a loop device over a file whose filesystem is filled
// up answers writes with EIO. The trial in hand fails with its reason, and when the device works again the
// study goes on.
#include <fstream>
#include <thread>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "tuner/study/study.h"
#include "tuner/target/loop_device.h"
#include "tuner/target/mount_namespace.h"

#include "support/command.h"
#include "support/loop.h"
#include "support/temporary_folder.h"

using namespace fsadvise;
using namespace fsadvise::tuner;

namespace {

constexpr std::uint64_t kDeviceBytes = 1ull << 30;

// Space that others take away from the file of the device.
class Filler {
  public:
    explicit Filler(std::string path) : path_(std::move(path)) {}
    void grow() const {
        std::ofstream file(path_, std::ios::app | std::ios::binary);
        const std::string block(1u << 20, 'x');
        while (file.write(block.data(), static_cast<std::streamsize>(block.size())) && file.flush()) {
        }
    }
    void remove() const { ::unlink(path_.c_str()); }

  private:
    std::string path_;
};

std::size_t trials_in(const std::string& study, const std::string& state) {
    const auto opened = Study::open(study);
    if (!opened) return 0;
    const auto trials = (*opened)->trials();
    if (!trials) return 0;
    return static_cast<std::size_t>(std::count_if(trials->begin(), trials->end(),
                                                  [&](const Trial& trial) { return trial.state == state; }));
}

}  // namespace

TEST_CASE("a device that fails for a while fails a trial, and the study goes on") {
    if (const auto reason = test::no_loop_devices()) {
        MESSAGE("SKIPPED: " << *reason);
        return;
    }
    REQUIRE(enter_private_mount_namespace());
    const test::TemporaryFolder folder("failing-device");
    const std::string memory = folder.path("memory"), study = folder.path("study.sqlite");
    REQUIRE(::mkdir(memory.c_str(), 0700) == 0);
    REQUIRE(::mount("none", memory.c_str(), "tmpfs", 0, "size=600m") == 0);
    auto file = Fd::open(memory + "/disk", O_RDWR | O_CREAT | O_EXCL, 0600);
    REQUIRE(file.has_value());
    REQUIRE(::ftruncate(file->get(), kDeviceBytes) == 0);
    auto loop = LoopDevice::attach(file->get(), "fsadvise-test-failing", 0, kDeviceBytes);
    REQUIRE(loop.has_value());

    ProcessResult result;
    std::thread tuning([&] {
        result = test::run_fsadvise({"tune", "--workload", "sqlite", "--fs", "ext4", "--device", loop->path(),
                                     "--erase", loop->path(), "--trials", "8", "--trial-seconds", "0.5",
                                     "--confirm", "2", "--study", study});
    });
    const Filler filler(memory + "/filler");
    const auto wait_for = [&](const std::string& state, const auto& meanwhile) {
        for (int i = 0; i < 600 && trials_in(study, state) == 0; ++i) {
            meanwhile();
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
    };
    wait_for("complete", [] {});
    wait_for("failed", [&] { filler.grow(); });
    filler.remove();
    tuning.join();
    CAPTURE(result.output);
    CAPTURE(result.errors);
    CHECK(result.exit_code == 0);
    const auto opened = Study::open(study);
    REQUIRE(opened.has_value());
    const auto trials = (*opened)->trials();
    REQUIRE(trials.has_value());
    int failed = 0, after = 0;
    for (const Trial& trial : *trials) {
        CAPTURE(trial.number);
        CAPTURE(trial.reason);
        if (trial.state == "failed") {
            ++failed;
            CHECK_FALSE(trial.reason.empty());
            CHECK(trial.measurements.empty());
        } else if (failed > 0 && trial.state == "complete") {
            ++after;
        }
    }
    CHECK(failed >= 1);
    CHECK(after >= 1);
    CHECK(trials->size() == 8);
    // Nothing of the run holds the device any more.
    CHECK(Fd::open(loop->path(), O_RDWR | O_EXCL, 0).has_value());
    loop = fail(ErrorCode::kUnavailable, "released");
    file = fail(ErrorCode::kUnavailable, "closed");
    CHECK(::umount2(memory.c_str(), 0) == 0);
}

TEST_CASE("a device that fails under the default ends the study with the cause") {
    if (const auto reason = test::no_loop_devices()) {
        MESSAGE("SKIPPED: " << *reason);
        return;
    }
    REQUIRE(enter_private_mount_namespace());
    const test::TemporaryFolder folder("failed-device");
    const std::string memory = folder.path("memory"), study = folder.path("study.sqlite");
    REQUIRE(::mkdir(memory.c_str(), 0700) == 0);
    REQUIRE(::mount("none", memory.c_str(), "tmpfs", 0, "size=40m") == 0);
    auto file = Fd::open(memory + "/disk", O_RDWR | O_CREAT | O_EXCL, 0600);
    REQUIRE(file.has_value());
    REQUIRE(::ftruncate(file->get(), kDeviceBytes) == 0);
    auto loop = LoopDevice::attach(file->get(), "fsadvise-test-failed", 0, kDeviceBytes);
    REQUIRE(loop.has_value());
    const auto result = test::run_fsadvise({"tune", "--workload", "sqlite", "--device", loop->path(),
                                            "--erase", loop->path(), "--trials", "4", "--trial-seconds",
                                            "0.5", "--confirm", "2", "--study", study, "--quiet"});
    CAPTURE(result.errors);
    CHECK(result.exit_code == 5);
    CHECK(result.errors.find("Input/output error") != std::string::npos);
    CHECK(trials_in(study, "failed") == 1);
    CHECK(Fd::open(loop->path(), O_RDWR | O_EXCL, 0).has_value());
    loop = fail(ErrorCode::kUnavailable, "released");
    file = fail(ErrorCode::kUnavailable, "closed");
    CHECK(::umount2(memory.c_str(), 0) == 0);
}
