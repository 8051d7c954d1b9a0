#include "tuner/drivers/child.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "tuner/drivers/guardian.h"

namespace fsadvise::tuner {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr double kFreezeSeconds = 10;

struct Pipe {
    Fd read, write;
};

Result<Pipe> make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return fail(ErrorCode::kRunFailed, "cannot make a pipe: " + errno_text(errno));
    return Pipe{Fd(ends[0]), Fd(ends[1])};
}

std::vector<std::string> environment_of(const ChildRequest& request) {
    std::vector<std::string> result = request.environment;
    const auto name_of = [](std::string_view entry) { return entry.substr(0, entry.find('=') + 1); };
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const auto name = name_of(*entry);
        if (std::none_of(request.environment.begin(), request.environment.end(),
                         [&](const std::string& own) { return own.starts_with(name); })) {
            result.emplace_back(*entry);
        }
    }
    return result;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> result;
    for (std::string& word : words) result.push_back(word.data());
    result.push_back(nullptr);
    return result;
}

// What the forked process needs, made ready before the fork.
struct Launch {
    const ChildRequest& request;
    std::vector<char*> argv, environment;
    std::vector<int> body_fds;
    int input, output, errors, status;
};

bool raise_loopback() {
    const int socket_fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket_fd < 0) return false;
    ifreq request{};
    std::strcpy(request.ifr_name, "lo");
    request.ifr_flags = IFF_UP;
    const bool ok = ::ioctl(socket_fd, SIOCSIFFLAGS, &request) == 0;
    ::close(socket_fd);
    return ok;
}

bool enter(const ChildRequest& request) {
    if (request.own_network && (::unshare(CLONE_NEWNET) != 0 || !raise_loopback())) return false;
    if (request.network_fd >= 0 && ::setns(request.network_fd, CLONE_NEWNET) != 0) return false;
    if (::chdir(request.directory.empty() ? "/" : request.directory.c_str()) != 0) return false;
    if (request.user) {
        if (::setgroups(0, nullptr) != 0 || ::setgid(request.user->gid) != 0 ||
            ::setuid(request.user->uid) != 0)
            return false;
    }
    // After the change of user, which clears it: should the guardian itself be killed.
    return ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
}

// Only async-signal-safe calls until exec; a body runs in a copy of a process that has no other thread
// working on what the body uses.
[[noreturn]] void become_program(const Launch& launch) {
    const bool ready = enter(launch.request);
    ::dup2(launch.input, 0);
    ::dup2(launch.output, 1);
    ::dup2(launch.errors, 2);
    if (ready && launch.request.body) {
        close_others(launch.body_fds.data(), static_cast<int>(launch.body_fds.size()));
        _exit(launch.request.body());
    }
    if (ready) ::execve(launch.argv[0], launch.argv.data(), launch.environment.data());
    const int number = -errno;
    [[maybe_unused]] const ssize_t told = ::write(launch.status, &number, sizeof number);
    _exit(127);
}

[[noreturn]] void become_guardian(const Launch& launch, int control) {
    ::setsid();  // the terminal's Ctrl-C is for fsadvise, which then ends the program in its own order
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(number, SIG_DFL);
    const pid_t program = ::fork();
    if (program == 0) become_program(launch);
    const int told = program > 0 ? program : -errno;
    [[maybe_unused]] const ssize_t written = ::write(launch.status, &told, sizeof told);
    if (program < 0) _exit(127);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::signal(number, SIG_IGN);
    ::dup2(launch.input, 0);
    ::dup2(launch.output, 1);
    ::dup2(launch.errors, 2);
    close_others(&control, 1);
    guard(program, control);
}

// 'T' stopped, 'Z' dead, 0 gone
char state_of(pid_t process) {
    FILE* file = std::fopen(fmt::format("/proc/{}/stat", process).c_str(), "re");
    if (file == nullptr) return 0;
    char line[512];
    const std::size_t count = std::fread(line, 1, sizeof line - 1, file);
    std::fclose(file);
    line[count] = '\0';
    const char* end = std::strrchr(line, ')');  // the name may contain anything
    return end != nullptr && end[1] == ' ' ? end[2] : '\0';
}

}  // namespace

std::vector<pid_t> descendants(pid_t process) {
    std::vector<pid_t> result, open = {process};
    while (!open.empty()) {
        const pid_t parent = open.back();
        open.pop_back();
        FILE* file = std::fopen(fmt::format("/proc/{}/task/{}/children", parent, parent).c_str(), "re");
        if (file == nullptr) continue;
        int child = 0;
        while (std::fscanf(file, "%d", &child) == 1) {
            result.push_back(child);
            open.push_back(child);
        }
        std::fclose(file);
    }
    return result;
}

Result<Child> Child::start(const ChildRequest& request) {
    int ends[2];
    // Unlike a pipe, writing to one whose reader has gone raises no signal where that is asked for.
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return fail(ErrorCode::kRunFailed, "cannot make a socket pair: " + errno_text(errno));
    Fd guardian_end(ends[0]), control(ends[1]);
    FSADVISE_ASSIGN(Pipe status, make_pipe());
    FSADVISE_ASSIGN(const Fd input, Fd::open("/dev/null", O_RDONLY));
    const auto sink = [](const std::string& path) {
        return Fd::open(path.empty() ? "/dev/null" : path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0644);
    };
    FSADVISE_ASSIGN(const Fd output, sink(request.output_path));
    FSADVISE_ASSIGN(const Fd errors, sink(request.error_path));
    std::vector<std::string> words = request.argv, environment = environment_of(request);
    Launch launch{request,     pointers(words), pointers(environment), request.body_fds,
                  input.get(), output.get(),    errors.get(),          status.write.get()};
    std::sort(launch.body_fds.begin(), launch.body_fds.end());
    Child child;
    child.guardian_ = ::fork();
    if (child.guardian_ < 0) {
        return fail(ErrorCode::kRunFailed, "cannot start: " + errno_text(errno),
                    request.argv.empty() ? std::string() : request.argv.front());
    }
    if (child.guardian_ == 0) become_guardian(launch, guardian_end.get());
    child.exited_ = Fd(open_pidfd(child.guardian_));
    child.control_ = std::move(control);
    guardian_end.reset();
    status.write.reset();
    // One word from the guardian, a process id, and one from a program that cannot start, a negative errno.
    // The pipe closes with exec.
    int told[2] = {0, 0};
    std::size_t count = 0;
    while (count < sizeof told) {
        const ssize_t more =
            ::read(status.read.get(), reinterpret_cast<char*>(told) + count, sizeof told - count);
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) break;
        count += static_cast<std::size_t>(more);
    }
    const int number = -std::min(told[0], told[1]);
    if (number <= 0 && told[0] > 0) {
        child.program_ = told[0];
        return child;
    }
    child.kill_tree();
    return fail(ErrorCode::kUnavailable, "cannot start: " + errno_text(number),
                request.argv.empty() ? std::string("worker") : request.argv.front());
}

Child::Child(Child&& other) noexcept {
    *this = std::move(other);
}

Child& Child::operator=(Child&& other) noexcept {
    if (this != &other) {
        kill_tree();
        guardian_ = std::exchange(other.guardian_, -1);
        program_ = std::exchange(other.program_, -1);
        control_ = std::move(other.control_);
        exited_ = std::move(other.exited_);
        exit_code_ = std::exchange(other.exit_code_, std::nullopt);
    }
    return *this;
}

Child::~Child() {
    kill_tree();
}

std::optional<int> Child::exit_code() {
    if (exit_code_ || guardian_ <= 0) return exit_code_;
    int status = 0;
    if (::waitpid(guardian_, &status, WNOHANG) == guardian_) {
        exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return exit_code_;
}

bool Child::alive() {
    return guardian_ > 0 && !exit_code();
}

std::optional<int> Child::wait(double seconds, const std::function<bool()>& stop) {
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
    while (alive()) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left < 0 || (stop && stop())) return std::nullopt;
        pollfd wait{exited_.get(), POLLIN, 0};
        ::poll(&wait, 1, static_cast<int>(std::min<long long>(left + 1, exited_.valid() ? 100 : 2)));
    }
    return exit_code_;
}

void Child::signal(int number) {
    if (!alive()) return;
    const auto byte = static_cast<unsigned char>(number);
    [[maybe_unused]] const ssize_t written = ::send(control_.get(), &byte, 1, MSG_NOSIGNAL);
}

void Child::stop(int signal_number, double seconds) {
    if (!alive()) return;
    thaw();
    signal(signal_number);
    wait(seconds);
    kill_tree();
}

void Child::kill_tree() {
    control_.reset();  // the guardian's order to kill
    while (guardian_ > 0 && !exit_code_) {
        int status = 0;
        const pid_t ended = ::waitpid(guardian_, &status, 0);
        if (ended == guardian_) exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (ended < 0 && errno != EINTR) break;
    }
    guardian_ = -1;
}

std::vector<pid_t> Child::tree(bool descendants_only) const {
    // Below the guardian, so that processes which the program has left are met too.
    std::vector<pid_t> result = descendants(guardian_);
    if (descendants_only) std::erase(result, program_);
    return result;
}

Result<void> Child::freeze(bool descendants_only) {
    if (!alive()) return {};
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(kFreezeSeconds));
    for (;;) {
        // New processes may appear until all their parents have stopped.
        bool all = true;
        for (const pid_t process : tree(descendants_only)) {
            const char state = state_of(process);
            if (state == 'T' || state == 'Z' || state == '\0') continue;
            ::kill(process, SIGSTOP);
            all = false;
        }
        if (all) return {};
        if (Clock::now() > deadline)
            return fail(ErrorCode::kRunFailed, "a process does not stop", std::to_string(program_),
                        "a hanging device shows so: look at the kernel's log");
        std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
}

void Child::thaw(bool descendants_only) {
    if (!alive()) return;
    for (const pid_t process : tree(descendants_only)) ::kill(process, SIGCONT);
}

}  // namespace fsadvise::tuner
