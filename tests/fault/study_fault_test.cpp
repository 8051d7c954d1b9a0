// Studies that meet trouble: a writer killed at any point, truncated and scribbled files, full and read-only
// disks.
#include <csignal>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/study/study.h"
#include "tuner/target/mount_namespace.h"

using namespace fsadvise;
using namespace fsadvise::tuner;

namespace {

namespace fs = std::filesystem;

class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string pattern = fs::temp_directory_path().string() + "/fsadvise-fault.XXXXXX";
        path_ = ::mkdtemp(pattern.data());
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
};

Configuration candidate(std::int64_t groups) {
    return {"xfs", {{"xfs.mkfs.agcount", Value(groups)}}};
}

const std::string kMetrics = "{\"windows\": \"" + std::string(2000, '7') + "\"}";

Result<void> write_trials(Study& study, int count) {
    for (int i = 0; i < count; ++i) {
        FSADVISE_ASSIGN(const int number, study.begin_trial(candidate(i), "random"));
        FSADVISE_TRY(study.add_measurement(number, {0, "search", 0.1, 0.01, kMetrics, "{}"}));
        FSADVISE_TRY(study.finish_trial(number, "complete", ""));
    }
    return {};
}

// Everything acknowledged is whole: trials without gaps, complete ones with their measurement.
void check_consistent(const std::vector<Trial>& trials) {
    for (std::size_t i = 0; i < trials.size(); ++i) {
        CHECK(trials[i].number == static_cast<int>(i));
        if (trials[i].state == "complete") {
            CHECK(trials[i].measurements.size() == 1);
        } else {
            CHECK(trials[i].state == "interrupted");
            CHECK(i + 1 == trials.size());  // only the trial in hand is lost
        }
    }
}

}  // namespace

TEST_CASE("a killed writer loses at most the trial in hand") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.study");
    REQUIRE(Study::create(path));
    std::size_t before = 0;
    for (int round = 0; round < 8; ++round) {
        int ends[2];
        REQUIRE(::pipe(ends) == 0);
        const pid_t child = ::fork();
        if (child == 0) {
            auto study = Study::open(path);
            if (!study) ::_exit(1);
            for (std::int64_t i = 0;; ++i) {
                const auto number = (*study)->begin_trial(candidate(i + round * 1'000'000), "random");
                if (!number ||
                    !(*study)->add_measurement(*number, {0, "search", 0.1, 0.01, kMetrics, "{}"}) ||
                    !(*study)->finish_trial(*number, "complete", "")) {
                    ::_exit(1);
                }
                [[maybe_unused]] const auto told = ::write(ends[1], "x", 1);
            }
        }
        ::close(ends[1]);
        // The kill falls at another point of the loop each time.
        char letter = 0;
        for (int i = 0; i < 3; ++i) REQUIRE(::read(ends[0], &letter, 1) == 1);
        ::usleep(static_cast<useconds_t>(137 * round));
        ::kill(child, SIGKILL);
        REQUIRE(::waitpid(child, nullptr, 0) == child);
        ::close(ends[0]);

        auto study = Study::open(path);
        REQUIRE_MESSAGE(study, to_text(study.error()));
        const auto trials = (*study)->trials();
        REQUIRE(trials);
        CHECK(trials->size() >= before + 3);
        before = trials->size();
        // A resumed run takes the stopped trial first; then the study is whole again.
        if (trials->back().state == "interrupted") {
            check_consistent(*trials);
            const auto again = (*study)->begin_trial(trials->back().configuration, "random");
            REQUIRE(again);
            CHECK(*again == trials->back().number);
            REQUIRE((*study)->add_measurement(*again, {0, "search", 0.1, 0.01, kMetrics, "{}"}));
            REQUIRE((*study)->finish_trial(*again, "complete", ""));
        }
        check_consistent(*(*study)->trials());
    }
}

TEST_CASE("a truncated study is damaged, not empty") {
    const TemporaryFolder folder;
    const std::string whole = folder.file("whole.study");
    {
        auto study = Study::create(whole);
        REQUIRE(study);
        REQUIRE(write_trials(**study, 60));
    }
    const auto size = fs::file_size(whole);
    REQUIRE(size > 40'000);
    for (const std::uintmax_t left :
         {std::uintmax_t{1}, std::uintmax_t{100}, std::uintmax_t{4096}, size / 2, size - 4096}) {
        CAPTURE(left);
        const std::string path = folder.file("cut.study");
        fs::copy_file(whole, path, fs::copy_options::overwrite_existing);
        fs::resize_file(path, left);
        const auto study = Study::open(path);
        REQUIRE_FALSE(study);
        CHECK(study.error().code == ErrorCode::kBadInput);
        CHECK(study.error().context == path);
    }
}

TEST_CASE("a scribbled page is found when the study is opened") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.study");
    {
        auto study = Study::create(path);
        REQUIRE(study);
        REQUIRE(write_trials(**study, 60));
    }
    {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(4096 * 4);
        file << std::string(4096, '\xAA');
    }
    const auto study = Study::open(path);
    REQUIRE_FALSE(study);
    CHECK(study.error().code == ErrorCode::kBadInput);
    CHECK(study.error().message.starts_with("is damaged"));
}

TEST_CASE("a torn journal costs only what was not committed") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.study"), copy = folder.file("copy.study");
    auto study = Study::create(path);
    REQUIRE(study);
    REQUIRE(write_trials(**study, 10));
    REQUIRE(fs::exists(path + "-wal"));
    // As after a power cut: the file and a journal whose last write did not arrive in full.
    fs::copy_file(path, copy);
    fs::copy_file(path + "-wal", copy + "-wal");
    fs::resize_file(copy + "-wal", fs::file_size(copy + "-wal") - 1000);
    auto opened = Study::open(copy);
    REQUIRE_MESSAGE(opened, to_text(opened.error()));
    const auto trials = (*opened)->trials();
    REQUIRE(trials);
    CHECK(trials->size() == 10);
    check_consistent(*trials);
}

TEST_CASE("a full disk is said, and what was measured is kept") {
    if (::geteuid() != 0 || !enter_private_mount_namespace()) {
        MESSAGE("SKIPPED: a small filesystem of our own needs root");
        return;
    }
    const TemporaryFolder folder;
    const std::string disk = folder.file("disk");
    fs::create_directory(disk);
    REQUIRE(::mount("none", disk.c_str(), "tmpfs", 0, "size=300k") == 0);
    {
        auto study = Study::create(disk + "/a.study");
        REQUIRE_MESSAGE(study, to_text(study.error()));
        const auto written = write_trials(**study, 1000);
        REQUIRE_FALSE(written);
        CHECK(written.error().code == ErrorCode::kRunFailed);
        CHECK(written.error().message == "the disk is full");
        // Still usable and consistent.
        const auto trials = (*study)->trials();
        REQUIRE(trials);
        CHECK(trials->size() > 5);
    }
    {
        auto study = Study::open(disk + "/a.study");
        REQUIRE_MESSAGE(study, to_text(study.error()));
        check_consistent(*(*study)->trials());
    }
    REQUIRE(::umount(disk.c_str()) == 0);
}

TEST_CASE("a study in a read-only folder can be read and not written") {
    if (::geteuid() != 0 || !enter_private_mount_namespace()) {
        MESSAGE("SKIPPED: a read-only filesystem of our own needs root");
        return;
    }
    const TemporaryFolder folder;
    const std::string disk = folder.file("disk");
    fs::create_directory(disk);
    REQUIRE(::mount("none", disk.c_str(), "tmpfs", 0, "size=4m") == 0);
    {
        auto study = Study::create(disk + "/a%20 #1?.study");  // characters that mean something in a URI
        REQUIRE(study);
        REQUIRE(write_trials(**study, 3));
    }
    REQUIRE(::mount("none", disk.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0);
    {
        auto study = Study::open(disk + "/a%20 #1?.study");
        REQUIRE_MESSAGE(study, to_text(study.error()));
        CHECK((*study)->trials()->size() == 3);
        const auto written = (*study)->set("key", "value");
        REQUIRE_FALSE(written);
        CHECK(written.error().code == ErrorCode::kRunFailed);
        CHECK(written.error().message.starts_with("can only be read"));
        const auto made = Study::create(disk + "/b.study");
        REQUIRE_FALSE(made);
        CHECK(made.error().code == ErrorCode::kRunFailed);
    }
    REQUIRE(::umount(disk.c_str()) == 0);
}
