// A capture of a load whose truth is known: direct 8 KiB overwrites of one file, each followed by fdatasync.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/mount.h>
#include <unistd.h>

#include "base/fd.h"
#include "tuner/workload/workload.h"

#include "support/command.h"
#include "support/loop.h"
#include "support/temporary_folder.h"

using namespace fsadvise;
using fsadvise::test::run_fsadvise;
using fsadvise::test::SparseLoop;
using fsadvise::test::TemporaryFolder;

namespace {

class Mounted {
  public:
    Mounted(const std::string& device, std::string directory) : directory_(std::move(directory)) {
        std::filesystem::create_directories(directory_);
        mounted_ = ::mount(device.c_str(), directory_.c_str(), "ext4", 0, nullptr) == 0;
    }
    ~Mounted() {
        if (mounted_) ::umount(directory_.c_str());
    }
    Mounted(const Mounted&) = delete;
    Mounted& operator=(const Mounted&) = delete;
    [[nodiscard]] bool ok() const { return mounted_; }

  private:
    std::string directory_;
    bool mounted_ = false;
};

constexpr std::uint64_t kFile = 32u << 20, kBlock = 8192;

// Writes until told to stop, about 100 blocks a second; returns how many.
std::uint64_t write_blocks(const std::string& path, const std::atomic<bool>& stop) {
    const Fd file(::open(path.c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC));
    void* memory = nullptr;
    if (!file.valid() || ::posix_memalign(&memory, 4096, kBlock) != 0) return 0;
    std::memset(memory, 0x5a, kBlock);
    std::uint64_t done = 0;
    while (!stop) {
        const auto block = static_cast<off_t>(done * 7919 % (kFile / kBlock) * kBlock);
        if (::pwrite(file.get(), memory, kBlock, block) != static_cast<ssize_t>(kBlock) ||
            ::fdatasync(file.get()) != 0)
            break;
        ++done;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::free(memory);
    return done;
}

std::string notes_of(const nlohmann::json& document) {
    std::string text;
    for (const auto& note : document["notes"]) text += note.get<std::string>() + "\n";
    return text;
}

}  // namespace

TEST_CASE("a capture sees what a known writer does") {
    if (const auto reason = test::no_loop_devices()) {
        MESSAGE("SKIPPED: " << *reason);
        return;
    }
    const SparseLoop loop(256u << 20, "capture");
    SystemProcessRunner runner;
    if (loop.device().empty() || runner.find("mkfs.ext4").empty()) {
        MESSAGE("SKIPPED: no free loop device, or no mkfs.ext4");
        return;
    }
    const auto made =
        runner.run({{"mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", loop.device()}, {}});
    REQUIRE(made.has_value());
    REQUIRE(made->ok());
    const TemporaryFolder folder("capture");
    const std::string mount = folder.path("mnt");
    const Mounted mounted(loop.device(), mount);
    REQUIRE(mounted.ok());
    for (int i = 0; i < 30; ++i)
        std::ofstream(mount + "/small" + std::to_string(i)) << std::string(1000, 'x');
    std::ofstream(mount + "/data") << std::string(kFile, 'y');
    ::sync();

    std::atomic<bool> stop = false;
    std::uint64_t written = 0;
    std::thread writer([&] { written = write_blocks(mount + "/data", stop); });
    const auto captured = run_fsadvise(
        {"capture", "--path", mount, "--seconds", "4", "--id", "known", "-o", folder.path("known.json")});
    stop = true;
    writer.join();
    CAPTURE(captured.errors);
    REQUIRE(captured.exit_code == 0);
    REQUIRE(written > 20);
    const auto text = read_file(folder.path("known.json"));
    REQUIRE(text.has_value());
    const auto document = nlohmann::json::parse(*text);
    CAPTURE(notes_of(document));
    const auto load = tuner::load_from_json(document["load"].dump(), "known.json");
    REQUIRE(load.has_value());
    const tuner::Stream& stream = load->streams[0];
    CHECK(stream.direct);
    double writes = 0, syncs = 0;
    for (const tuner::Step& step : stream.steps) {
        const double times = step.probability * step.repeat;
        if (step.operation == "write") {
            writes += times;
            CHECK(step.block_bytes == kBlock);
            CHECK_FALSE(step.sequential);
        }
        if (step.operation == "fdatasync" || step.operation == "fsync") syncs += times;
    }
    // Each fdatasync of an overwritten file is one flush; the filesystem may add a few of its own.
    CHECK(syncs / writes == doctest::Approx(1).epsilon(0.15));
    CHECK(document["mount_point"] == mount);
    CHECK(notes_of(document).find("O_DIRECT") != std::string::npos);
    bool tree = false, open = false;
    for (const tuner::FileSet& set : load->file_sets) {
        if (set.name == "tree") tree = set.files == 31;
        if (set.name == "open") open = set.files == 1 && set.size_bytes == kFile;
    }
    CHECK(tree);
    CHECK(open);
    CHECK(run_fsadvise({"--workload", folder.path("known.json"), "--kernel", "6.1"}).exit_code == 0);
}

TEST_CASE("a capture that is interrupted keeps what it saw") {
    const TemporaryFolder folder("capture-stop");
    const auto target = folder.write("data", std::string(1u << 20, 'x'));
    std::atomic<bool> stop = false;
    std::thread writer([&] {
        const Fd file(::open(target.c_str(), O_WRONLY | O_CLOEXEC));
        const std::string block(4096, 'z');
        for (off_t at = 0; !stop; at = (at + 4096) % (1 << 20)) {
            if (::pwrite(file.get(), block.data(), block.size(), at) < 0) break;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    });
    SystemProcessRunner runner;
    // timeout sends SIGINT after two seconds of the minute.
    const auto result =
        runner.run({{"timeout", "--preserve-status", "-s", "INT", "2", FSADVISE_BINARY, "capture", "--path",
                     folder.path(""), "--seconds", "60", "--id", "stopped"},
                    {}});
    stop = true;
    writer.join();
    REQUIRE(result.has_value());
    CAPTURE(result->errors);
    CHECK(result->exit_code == 130);
    const auto document = nlohmann::json::parse(result->output, nullptr, false);
    REQUIRE_FALSE(document.is_discarded());
    CHECK(notes_of(document).find("stopped early") != std::string::npos);
}
