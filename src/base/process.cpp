#include "base/process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/text.h"

namespace fsadvise {
namespace {

constexpr std::size_t kOutputLimit = 16u << 20;

// Debian package of a tool that may be missing, for the hint of an error.
std::string package_of(const std::string& program) {
    static const std::vector<std::pair<std::string_view, std::string_view>> kPackages = {
        {"mkfs.xfs", "xfsprogs"},    {"xfs_info", "xfsprogs"},      {"xfs_db", "xfsprogs"},
        {"xfs_admin", "xfsprogs"},   {"mkfs.btrfs", "btrfs-progs"}, {"btrfs", "btrfs-progs"},
        {"mkfs.f2fs", "f2fs-tools"}, {"dump.f2fs", "f2fs-tools"},   {"mkfs.ext4", "e2fsprogs"},
        {"mke2fs", "e2fsprogs"},     {"dumpe2fs", "e2fsprogs"},     {"mount", "mount"},
        {"umount", "mount"},         {"blkid", "util-linux"}};
    for (const auto& [tool, package] : kPackages) {
        if (program == tool) return std::string(package);
    }
    return {};
}

struct Pipe {
    Fd read, write;
};

Result<Pipe> make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return fail(ErrorCode::kRunFailed, "cannot make a pipe: " + errno_text(errno));
    return Pipe{Fd(ends[0]), Fd(ends[1])};
}

// Child half of fork: only async-signal-safe calls until exec.
[[noreturn]] void become(const char* path, char* const* argv, char* const* environment, int input, int output,
                         int errors, int status) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) sigaction(number, &standard, nullptr);
    ::dup2(input, 0);
    ::dup2(output, 1);
    ::dup2(errors, 2);
    ::execve(path, argv, environment);
    const int number = errno;
    [[maybe_unused]] const ssize_t told = ::write(status, &number, sizeof number);
    _exit(127);
}

// Feeds input and drains both outputs until they close, so that no side can block the other.
void exchange(const ProcessRequest& request, Fd& input, Fd& output, Fd& errors, pid_t child,
              ProcessResult& result) {
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + request.timeout;
    std::size_t sent = 0;
    if (request.input.empty()) input.reset();
    char buffer[1 << 16];
    while (output.valid() || errors.valid()) {
        pollfd waits[3] = {{output.valid() ? output.get() : -1, POLLIN, 0},
                           {errors.valid() ? errors.get() : -1, POLLIN, 0},
                           {input.valid() ? input.get() : -1, POLLOUT, 0}};
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0 && !result.timed_out) {
            result.timed_out = true;
            ::kill(-child, SIGKILL);
            return;
        }
        if (::poll(waits, 3, static_cast<int>(std::min<long long>(left, 1000))) < 0 && errno != EINTR) return;
        const auto drain = [&](const pollfd& wait, Fd& from, std::string& into) {
            if (!from.valid() || wait.revents == 0) return;
            const ssize_t count = ::read(from.get(), buffer, sizeof buffer);
            if (count > 0) {
                if (into.size() < kOutputLimit) into.append(buffer, static_cast<std::size_t>(count));
            } else if (count == 0 || errno != EINTR) {
                from.reset();
            }
        };
        drain(waits[0], output, result.output);
        drain(waits[1], errors, result.errors);
        if (input.valid() && waits[2].revents != 0) {
            const ssize_t count =
                ::write(input.get(), request.input.data() + sent, request.input.size() - sent);
            if (count > 0) sent += static_cast<std::size_t>(count);
            if ((count < 0 && errno != EINTR) || sent == request.input.size()) input.reset();
        }
    }
}

}  // namespace

std::string SystemProcessRunner::find(const std::string& program) {
    if (program.find('/') != std::string::npos)
        return ::access(program.c_str(), X_OK) == 0 ? program : std::string();
    const char* variable = ::getenv("PATH");
    std::string path = variable != nullptr ? variable : "/usr/bin:/bin";
    path += ":/usr/sbin:/sbin";  // mkfs tools live here and are not in everybody's PATH
    for (const std::string& folder : split(path, ':')) {
        const std::string candidate = (folder.empty() ? "." : folder) + "/" + program;
        if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return {};
}

Result<ProcessResult> SystemProcessRunner::run(const ProcessRequest& request) {
    if (request.argv.empty()) return fail(ErrorCode::kRunFailed, "no command given");
    const std::string path = find(request.argv.front());
    if (path.empty()) {
        const std::string package = package_of(request.argv.front());
        return fail(ErrorCode::kUnavailable, "program not found", request.argv.front(),
                    package.empty() ? "install it, or add its folder to PATH" : "apt-get install " + package);
    }
    FSADVISE_ASSIGN(Pipe input, make_pipe());
    FSADVISE_ASSIGN(Pipe output, make_pipe());
    FSADVISE_ASSIGN(Pipe errors, make_pipe());
    FSADVISE_ASSIGN(Pipe status, make_pipe());
    std::vector<char*> argv;
    for (const std::string& word : request.argv) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    // Tools must answer in the C locale, since their messages and dumps are read back.
    std::string locale = "LC_ALL=C";
    std::vector<char*> environment;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        if (!std::string_view(*entry).starts_with("LC_ALL=")) environment.push_back(*entry);
    }
    environment.push_back(locale.data());
    environment.push_back(nullptr);
    const pid_t child = ::fork();
    if (child < 0)
        return fail(ErrorCode::kRunFailed, "cannot start: " + errno_text(errno), request.argv.front());
    if (child == 0) {
        become(path.c_str(), argv.data(), environment.data(), input.read.get(), output.write.get(),
               errors.write.get(), status.write.get());
    }
    input.read.reset();
    output.write.reset();
    errors.write.reset();
    status.write.reset();
    ProcessResult result;
    exchange(request, input.write, output.read, errors.read, child, result);
    int wait_status = 0;
    while (::waitpid(child, &wait_status, 0) < 0 && errno == EINTR) {
    }
    int exec_error = 0;
    if (::read(status.read.get(), &exec_error, sizeof exec_error) == sizeof exec_error) {
        return fail(ErrorCode::kUnavailable, "cannot start: " + errno_text(exec_error), path);
    }
    result.exit_code = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
    return result;
}

Result<ProcessResult> FakeProcessRunner::run(const ProcessRequest& request) {
    requests.push_back(request);
    if (reply) return reply(request);
    return ProcessResult{};
}

Result<ProcessResult> run_checked(ProcessRunner& runner, const ProcessRequest& request) {
    FSADVISE_ASSIGN(ProcessResult result, runner.run(request));
    if (result.ok()) return result;
    const std::string command = shell_join(request.argv);
    if (result.timed_out) {
        return fail(ErrorCode::kRunFailed,
                    fmt::format("did not end within {} s", request.timeout.count() / 1000), command);
    }
    std::string last;
    for (const std::string& line : split(result.errors.empty() ? result.output : result.errors, '\n')) {
        if (!trim(line).empty()) last = trim(line);
    }
    return fail(ErrorCode::kRunFailed,
                fmt::format("exit status {}{}{}", result.exit_code, last.empty() ? "" : ": ", last), command);
}

}  // namespace fsadvise
