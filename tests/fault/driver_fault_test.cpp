// Applications that meet trouble: a server killed in mid-run, a full filesystem, a missing program, fsadvise
// killed.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/process.h"
#include "tuner/drivers/child.h"
#include "tuner/drivers/driver_run.h"
#include "tuner/target/mount_namespace.h"

#include "support/driver.h"
#include "support/loop.h"

using namespace fsadvise;
using namespace fsadvise::tuner;

namespace {

template <class Condition>
bool soon(Condition condition) {
    for (int attempt = 0; attempt < 200; ++attempt) {
        if (condition()) return true;
        ::usleep(50'000);
    }
    return condition();
}

bool lives(pid_t process) {
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(stat, text);
    return !text.empty() && text.find(") Z ") == std::string::npos;
}

// PostgreSQL's segments of shared memory, which a killed server would not remove: it must have none there.
std::set<std::string> segments() {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
        if (entry.path().filename().string().starts_with("PostgreSQL.")) found.insert(entry.path());
    }
    return found;
}

void kill_in_mid_run(const std::string& id) {
    if (!test::can_drive(id)) return;
    const auto segments_before = segments();
    const test::OpenFolder folder;
    auto session = prepare(test::tiny_task(id), folder.file("area"));
    REQUIRE_MESSAGE(session, to_text(session.error()));
    REQUIRE((*session)->run_slice(0.2));
    const pid_t server = (*session)->server_process();
    REQUIRE(server > 0);
    CHECK(segments() == segments_before);
    std::jthread killer([server] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        ::kill(server, SIGKILL);
    });
    Result<Slice> slice = (*session)->run_slice(1);
    for (int more = 0; slice && more < 5; ++more) slice = (*session)->run_slice(1);
    REQUIRE_FALSE(slice);
    CAPTURE(to_text(slice.error()));
    CHECK(slice.error().code == ErrorCode::kRunFailed);
    CHECK(slice.error().message.find("killed by signal 9") != std::string::npos);
    killer.join();
    session->reset();
    CHECK(descendants(::getpid()).empty());
    CHECK_FALSE(std::filesystem::exists(folder.file("area")));
    CHECK(test::private_folders() == 0);
    CHECK(segments() == segments_before);
}

// An ext4 in RAM whose free space is taken but for `free_mib`.
class SmallFilesystem {
  public:
    SmallFilesystem(const test::SparseLoop& loop, const std::string& directory) : directory_(directory) {
        SystemProcessRunner runner;
        std::filesystem::create_directory(directory);
        const auto formatted = runner.run({{"mkfs.ext4", "-q", "-F", "-m", "0", loop.device()}, {}});
        mounted_ = formatted && formatted->ok() &&
                   ::mount(loop.device().c_str(), directory.c_str(), "ext4", 0, nullptr) == 0;
    }
    ~SmallFilesystem() {
        if (mounted_) ::umount2(directory_.c_str(), 0);
    }
    SmallFilesystem(const SmallFilesystem&) = delete;
    SmallFilesystem& operator=(const SmallFilesystem&) = delete;
    [[nodiscard]] bool mounted() const { return mounted_; }
    // Plain writes: an area for the taking cannot be reserved to its last block.
    void leave_free(std::uint64_t bytes) const {
        auto ballast = Fd::open(directory_ + "/ballast", O_WRONLY | O_CREAT, 0644);
        REQUIRE(ballast);
        const std::string block(128 * 1024, 'b');
        while (std::filesystem::space(directory_).free > bytes) {
            if (::write(ballast->get(), block.data(), block.size()) <= 0) break;
        }
        ::fsync(ballast->get());
    }

  private:
    std::string directory_;
    bool mounted_ = false;
};

void fill_in_mid_run(const std::string& id, std::uint64_t area_bytes,
                     std::map<std::string, std::string> options) {
    if (!test::can_drive(id)) return;
    if (const auto reason = test::no_loop_devices()) {
        MESSAGE("SKIPPED: ", *reason);
        return;
    }
    REQUIRE(enter_private_mount_namespace());
    const test::OpenFolder folder;
    const test::SparseLoop loop(area_bytes, "driver");
    REQUIRE_FALSE(loop.device().empty());
    {
        const SmallFilesystem area(loop, folder.file("area"));
        REQUIRE(area.mounted());
        DriverTask task = test::tiny_task(id);
        for (const auto& [name, value] : options) task.options[name] = value;
        auto session = prepare(task, folder.file("area") + "/load");
        REQUIRE_MESSAGE(session, to_text(session.error()));
        area.leave_free(256 * 1024);
        Result<Slice> slice = (*session)->run_slice(0.5);
        for (int more = 0; slice && more < 60; ++more) slice = (*session)->run_slice(0.5);
        REQUIRE_FALSE(slice);
        CAPTURE(to_text(slice.error()));
        CHECK(slice.error().code == ErrorCode::kRunFailed);
        CHECK(slice.error().message.find("no space left on the area") != std::string::npos);
        CHECK(slice.error().hint.find("larger area") != std::string::npos);
        session->reset();
        CHECK(descendants(::getpid()).empty());
        CHECK_FALSE(std::filesystem::exists(folder.file("area") + "/load"));
    }
    CHECK(test::private_folders() == 0);
}

}  // namespace

TEST_CASE("PostgreSQL killed in mid-run is a named error and leaves nothing") {
    kill_in_mid_run("pgbench");
}
TEST_CASE("MariaDB killed in mid-run is a named error and leaves nothing") {
    kill_in_mid_run("mariadb");
}
TEST_CASE("nginx killed in mid-run is a named error and leaves nothing") {
    kill_in_mid_run("nginx");
}
TEST_CASE("a copy of SQLite killed in mid-run is a named error and leaves nothing") {
    kill_in_mid_run("sqlite");
}
TEST_CASE("dbench killed in mid-run is a named error and leaves nothing") {
    kill_in_mid_run("dbench");
}

TEST_CASE("a full filesystem is named by SQLite") {
    fill_in_mid_run("sqlite", 64 << 20, {});
}
TEST_CASE("a full filesystem is named by PostgreSQL") {
    fill_in_mid_run("pgbench", 400 << 20, {});
}
TEST_CASE("a full filesystem is named by dbench") {
    fill_in_mid_run("dbench", 200 << 20, {});
}

TEST_CASE("a filesystem too small for the data fails to be filled and is left empty") {
    if (const auto reason = test::no_loop_devices()) {
        MESSAGE("SKIPPED: ", *reason);
        return;
    }
    REQUIRE(enter_private_mount_namespace());
    const test::OpenFolder folder;
    const test::SparseLoop loop(16 << 20, "driver");
    REQUIRE_FALSE(loop.device().empty());
    const SmallFilesystem area(loop, folder.file("area"));
    REQUIRE(area.mounted());
    DriverTask task = test::tiny_task("sqlite");
    task.options["rows"] = "400000";
    const auto session = prepare(task, folder.file("area") + "/load");
    REQUIRE_FALSE(session);
    CAPTURE(to_text(session.error()));
    CHECK(session.error().message.find("no space left on the area") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder.file("area") + "/load"));
    CHECK(test::private_folders() == 0);
}

TEST_CASE("a missing program names the Debian package") {
    if (::access("/usr/bin/dbench", F_OK) == 0 && ::getenv("PATH") == nullptr) return;
    const std::string path = ::getenv("PATH");
    ::setenv("PATH", "/nonexistent", 1);
    const auto driver = find_driver("mariadb");
    REQUIRE(driver);
    const auto programs = check_programs(**driver);
    const auto filled = initialise(test::tiny_task("mariadb"), "/dev/shm/fsadvise-never-made");
    ::setenv("PATH", path.c_str(), 1);
    REQUIRE_FALSE(programs);
    CHECK(programs.error().code == ErrorCode::kUnavailable);
    CHECK(programs.error().hint.find("apt-get install") != std::string::npos);
    CHECK(programs.error().hint.find("sysbench") != std::string::npos);
    REQUIRE_FALSE(filled);
    CHECK(filled.error().code == ErrorCode::kUnavailable);
    CHECK_FALSE(std::filesystem::exists("/dev/shm/fsadvise-never-made"));
}

TEST_CASE("a directory with files of somebody is refused and kept") {
    const test::OpenFolder folder;
    std::filesystem::create_directory(folder.file("area"));
    std::ofstream(folder.file("area") + "/precious") << "content";
    const auto session = prepare(test::tiny_task("sqlite"), folder.file("area"));
    REQUIRE_FALSE(session);
    CHECK(session.error().code == ErrorCode::kUnavailable);
    CHECK(std::filesystem::file_size(folder.file("area") + "/precious") == 7);
}

TEST_CASE("what a program leaves behind ends with it, and everything ends when fsadvise is killed") {
    const test::OpenFolder folder;
    // A stand-in for fsadvise that starts a program whose child has left its session, stops them all, and is
    // killed.
    const std::string pids = folder.file("pids");
    const pid_t owner = ::fork();
    if (owner == 0) {
        ChildRequest request;
        request.argv = {
            "/bin/sh", "-c",
            "setsid sleep 1000 & echo $! >> " + pids + "; sleep 1000 & echo $! >> " + pids + "; wait"};
        auto child = Child::start(request);
        if (!child) ::_exit(1);
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        if (!child->freeze()) ::_exit(1);
        std::ofstream(pids, std::ios::app) << child->program() << "\nready\n";
        ::pause();
        ::_exit(0);
    }
    std::vector<pid_t> processes;
    REQUIRE(soon([&] {
        std::ifstream file(pids);
        processes.clear();
        for (std::string line; std::getline(file, line);) {
            if (line == "ready") return true;
            processes.push_back(std::atoi(line.c_str()));
        }
        return false;
    }));
    REQUIRE(processes.size() == 3);
    for (const pid_t process : processes) CHECK(lives(process));
    ::kill(owner, SIGKILL);
    int status = 0;
    ::waitpid(owner, &status, 0);
    for (const pid_t process : processes) {
        CAPTURE(process);
        CHECK(soon([&] { return !lives(process); }));
    }
}

TEST_CASE("a child reports how it ended and refuses to start what is not there") {
    ChildRequest request;
    request.argv = {"/bin/sh", "-c", "exit 7"};
    auto child = Child::start(request);
    REQUIRE_MESSAGE(child, to_text(child.error()));
    CHECK(child->wait(10).value_or(-1) == 7);
    CHECK_FALSE(child->alive());
    request.argv = {"/bin/sleep", "1000"};
    auto sleeper = Child::start(request);
    REQUIRE(sleeper);
    CHECK_FALSE(sleeper->wait(0.05));
    sleeper->stop(SIGTERM, 10);
    CHECK(sleeper->exit_code().value_or(0) == 128 + SIGTERM);
    request.argv = {"/nonexistent/program"};
    const auto none = Child::start(request);
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::kUnavailable);
    CHECK(none.error().message.find("No such file") != std::string::npos);
}
