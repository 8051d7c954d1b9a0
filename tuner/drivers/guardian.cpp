#include "tuner/drivers/guardian.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fsadvise::tuner {
namespace {

// Kills what is directly below; what these leave behind becomes ours and is met in the next round.
void kill_children() {
    const int file = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    char text[4096];
    pid_t number = 0;
    for (ssize_t count; (count = ::read(file, text, sizeof text)) > 0;) {
        for (ssize_t i = 0; i < count; ++i) {
            if (text[i] >= '0' && text[i] <= '9') {
                number = number * 10 + (text[i] - '0');
            } else if (number > 0) {
                ::kill(number, SIGKILL);
                number = 0;
            }
        }
    }
    ::close(file);
}

[[noreturn]] void end_tree(int program, bool program_ended, int code) {
    if (!program_ended) ::kill(program, SIGKILL);
    for (;;) {
        kill_children();
        int status = 0;
        const pid_t ended = ::waitpid(-1, &status, 0);
        if (ended < 0 && errno == ECHILD) _exit(code);
        if (ended == program) code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
}

// Collects the dead; true with the program's status once that is among them.
bool reap(int program, int& code) {
    int status = 0;
    for (pid_t ended; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;) {
        if (ended != program) continue;
        code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        return true;
    }
    return false;
}

}  // namespace

int open_pidfd(int process) {
#ifdef SYS_pidfd_open
    return static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
#else
    (void)process;
    return -1;
#endif
}

void close_others(const int* kept, int count) {
    unsigned from = 3;
    for (int i = 0; i <= count; ++i) {
        const unsigned to = i < count ? static_cast<unsigned>(kept[i]) : ~0U;
        if (to > from || i == count) {
#ifdef SYS_close_range
            if (::syscall(SYS_close_range, from, i < count ? to - 1 : ~0U, 0) != 0)
#endif
            {
                const unsigned last = to < 65536 ? to : 65536;  // an older kernel: one by one
                for (unsigned fd = from; fd < last; ++fd) ::close(static_cast<int>(fd));
            }
        }
        if (i < count && to >= from) from = to + 1;
    }
}

void guard(int program, int control) {
    const int ended = open_pidfd(program);
    for (;;) {
        pollfd waits[2] = {{control, POLLIN, 0}, {ended, POLLIN, 0}};
        // Without a pidfd the program's end is looked for every 5 ms; with one, dead orphans are collected
        // now and then.
        ::poll(waits, 2, ended < 0 ? 5 : 500);
        int code = 0;
        if (reap(program, code)) end_tree(program, true, code);
        if (waits[0].revents == 0) continue;
        unsigned char number = 0;
        const ssize_t count = ::read(control, &number, 1);
        if (count == 1) ::kill(program, number);
        if (count == 0 || (count < 0 && errno != EINTR)) end_tree(program, false, 128 + SIGKILL);
    }
}

}  // namespace fsadvise::tuner
