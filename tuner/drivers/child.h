// A program that runs beside fsadvise (a server, a load generator) and cannot outlive it.
//
// A guardian process stands between: it is told signals through a socket, adopts whatever the program leaves
// behind, and when fsadvise ends for any reason (kill -9 included) the socket closes and the guardian kills
// the whole tree. Errors: kUnavailable if the program cannot be started. Threads: one thread a Child.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/fd.h"
#include "base/result.h"

namespace fsadvise::tuner {

// Who runs the program: databases refuse root, and a benchmark needs no rights.
struct RunAs {
    uid_t uid = 0;
    gid_t gid = 0;
};

struct ChildRequest {
    std::vector<std::string> argv;         // argv[0] is a path
    std::vector<std::string> environment;  // NAME=value, replaces the caller's of that name
    std::string directory;                 // working directory, empty = /
    std::string output_path, error_path;   // appended to; the same file is allowed
    std::optional<RunAs> user;
    bool own_network = false;  // a network namespace with nothing but its own loopback
    int network_fd = -1;       // or join this one
    std::function<int()>
        body;  // instead of a program: runs in the forked process, its value is the exit status
    std::vector<int> body_fds;  // descriptors that the body uses; all others are closed
};

// Invariant: the guardian is not waited for yet, or exit_code_ is known.
class Child {
  public:
    static Result<Child> start(const ChildRequest& request);
    Child(Child&& other) noexcept;
    Child& operator=(Child&& other) noexcept;
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child();  // kills the tree

    [[nodiscard]] bool alive();
    // Exit status, 128 + signal if killed; nothing while it runs.
    [[nodiscard]] std::optional<int> exit_code();
    // Waits at most `seconds`; ends early without a value if `stop` says so (asked every 100 ms).
    std::optional<int> wait(double seconds, const std::function<bool()>& stop = {});
    void signal(int number);
    // The signal, then SIGKILL for everything that is left after `seconds`.
    void stop(int signal_number, double seconds);
    // The program's process id; only to be looked at (/proc), never to be signalled by others than this
    // class.
    [[nodiscard]] pid_t program() const { return program_; }

    // Stops or continues every process of the tree (all but the program itself if `descendants_only`).
    // freeze() returns when all have stopped, so when their system calls have ended. Errors: kRunFailed if a
    // process does not stop within ten seconds.
    Result<void> freeze(bool descendants_only = false);
    void thaw(bool descendants_only = false);

  private:
    Child() = default;
    void kill_tree();
    [[nodiscard]] std::vector<pid_t> tree(bool descendants_only) const;

    pid_t guardian_ = -1, program_ = -1;
    Fd control_, exited_;  // our end of the guardian's socket; its pidfd
    std::optional<int> exit_code_;
};

// All processes below this one, nearest first. Empty where the kernel does not list children.
std::vector<pid_t> descendants(pid_t process);

}  // namespace fsadvise::tuner
