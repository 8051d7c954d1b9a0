// What the tests themselves leave behind: nothing, even when they are killed.
#include <csignal>
#include <string>

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file_reader.h"
#include "base/process.h"

#include "support/interrupt.h"
#include "support/loop.h"

using namespace fsadvise;

namespace {

std::string backing_of(const std::string& device) {
    return SystemFileReader().read("/sys/block/" + device.substr(5) + "/loop/backing_file").value_or("");
}

// In the child: a loop device with a mounted filesystem, told to the parent; then waits to be killed.
[[noreturn]] void hold_a_mount(int answer) {
    for (const int number : {SIGTERM, SIGINT}) std::signal(number, SIG_DFL);
    // Its own, also where an earlier case has given this program one.
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
        ::_exit(1);
    const test::SparseLoop loop(64 << 20, "killed");
    SystemProcessRunner runner;
    const auto made = runner.run({{"mkfs.ext4", "-q", "-F", loop.device()}, {}});
    if (!made || !made->ok() || ::mount(loop.device().c_str(), "/mnt", "ext4", 0, "") != 0) ::_exit(1);
    const std::string told = loop.device() + "\n";
    if (::write(answer, told.data(), told.size()) < 0) ::_exit(1);
    while (true) ::pause();
}

}  // namespace

TEST_CASE("a killed test leaves no loop device, file or mount behind") {
    if (const auto reason = test::no_loop_devices()) {
        MESSAGE("SKIPPED: " << *reason);
        return;
    }
    for (const int signal : {SIGTERM, SIGKILL}) {
        CAPTURE(signal);
        int pipe[2];
        REQUIRE(::pipe(pipe) == 0);
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) hold_a_mount(pipe[1]);
        ::close(pipe[1]);
        std::string device(64, ' ');
        const auto length = ::read(pipe[0], device.data(), device.size());
        ::close(pipe[0]);
        int status = 0;
        if (length <= 1) (void)::waitpid(child, &status, 0);
        REQUIRE(length > 1);
        device.resize(static_cast<std::size_t>(length) - 1);
        const std::string backing = backing_of(device);
        CHECK(backing.find("(deleted)") != std::string::npos);
        REQUIRE(::kill(child, signal) == 0);
        REQUIRE(::waitpid(child, &status, 0) == child);
        CHECK(WIFSIGNALED(status));
        // The kernel detaches a moment later; the device may by then serve somebody else.
        bool gone = false;
        for (int attempt = 0; attempt < 100 && !gone; ++attempt) {
            gone = backing_of(device) != backing;
            if (!gone) ::usleep(50'000);
        }
        CHECK(gone);
    }
}

TEST_CASE("an interrupted test runs its destructors and then ends by the signal") {
    int pipe[2];
    REQUIRE(::pipe(pipe) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        std::signal(SIGTERM, SIG_DFL);
        {
            const test::ScopedInterrupts interrupts;
            struct Resource {
                int told;
                ~Resource() {
                    if (::write(told, "released", 8) < 0) ::_exit(1);
                }
            } const resource{pipe[1]};
            (void)::raise(SIGTERM);
            if (interrupted() != SIGTERM) ::_exit(1);
        }
        ::_exit(0);
    }
    ::close(pipe[1]);
    char text[16] = {};
    CHECK(::read(pipe[0], text, sizeof text) == 8);
    ::close(pipe[0]);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGTERM);
}
