#include "tuner/target/guest.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "base/interrupt.h"
#include "base/text.h"

namespace fsadvise::tuner {
namespace {

constexpr const char* kKernel = "linux.uml";
constexpr const char* kModules = "/usr/lib/uml/modules";
constexpr const char* kName = "guest";

// What the guest and its caller exchange files in; removed at the end.
class ExchangeFolder {
  public:
    static Result<ExchangeFolder> make() {
        const char* parent = std::getenv("TMPDIR");
        std::string path = std::string(parent != nullptr ? parent : "/tmp") + "/fsadvise-guest-XXXXXX";
        if (::mkdtemp(path.data()) == nullptr)
            return fail(ErrorCode::kUnavailable, "cannot make a temporary folder", path,
                        "set TMPDIR to a writable one");
        return ExchangeFolder(path);
    }
    ~ExchangeFolder() {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    }
    ExchangeFolder(ExchangeFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    ExchangeFolder& operator=(ExchangeFolder&&) = delete;
    [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

  private:
    explicit ExchangeFolder(std::string path) : path_(std::move(path)) {}
    std::string path_;
};

// The guest's first process. Modules are those of the guest's kernel; one that is missing is a filesystem
// less.
std::string init_script(const ExchangeFolder& folder, const std::vector<std::string>& argv) {
    return fmt::format(
        "#!/bin/sh\n"
        "PATH=/usr/sbin:/usr/bin:/sbin:/bin\nexport PATH\n"
        "mount -t proc proc /proc\nmount -t sysfs sysfs /sys\n"
        "mount -t tmpfs -o mode=755 tmpfs /run\n"
        "mkdir -p /dev/shm\nmount -t tmpfs -o size=90% tmpfs /dev/shm\n"
        "uname -r >{kernel}\n"
        "mkdir -p {root}/lib/modules\nln -s {modules}/\"$(uname -r)\" {root}/lib/modules/\n"
        "for module in loop f2fs quota_v2; do modprobe -d {root} $module; done 2>{warnings}\n"
        "[ ! -d /boot ] || mount -t tmpfs tmpfs /boot && cp {config} /boot/config-\"$(uname -r)\"\n"
        "{program} >{output} 2>{errors} </dev/null\n"
        "echo $? >{status}\nsync\necho o >/proc/sysrq-trigger\nsleep 60\n",
        fmt::arg("kernel", shell_quote(folder.file("kernel"))),
        fmt::arg("root", shell_quote(folder.file("root"))), fmt::arg("modules", kModules),
        fmt::arg("config", shell_quote(folder.file("config"))),
        fmt::arg("warnings", shell_quote(folder.file("warnings"))), fmt::arg("program", shell_join(argv)),
        fmt::arg("output", shell_quote(folder.file("output"))),
        fmt::arg("errors", shell_quote(folder.file("errors"))),
        fmt::arg("status", shell_quote(folder.file("status"))));
}

// Stops the guest when a signal asks the program to end: its first process leads a group of its own, which
// the terminal's signals do not reach. The kernel writes its process id into `pid_file`.
class StopWatch {
  public:
    explicit StopWatch(std::string pid_file)
        : thread_([file = std::move(pid_file)](const std::stop_token& ended) {
              while (!ended.stop_requested()) {
                  if (interrupted() != 0 && stop(file)) return;
                  std::this_thread::sleep_for(kPause);
              }
          }) {}

  private:
    static constexpr std::chrono::milliseconds kPause{100};

    static bool stop(const std::string& file) {
        const auto text = read_file(file);
        const pid_t pid = text ? std::atoi(text->c_str()) : 0;
        // Still our child, so nobody else has this number.
        siginfo_t state{};
        if (pid <= 1 || ::waitid(P_PID, static_cast<id_t>(pid), &state, WEXITED | WNOHANG | WNOWAIT) != 0)
            return false;
        return ::kill(-pid, SIGKILL) == 0;
    }

    std::jthread thread_;
};

std::string text_of(const std::string& path) {
    return read_file(path).value_or(std::string());
}

}  // namespace

Result<void> check_guest(ProcessRunner& runner) {
    if (runner.find(kKernel).empty() || !std::filesystem::is_directory(kModules)) {
        return fail(ErrorCode::kUnavailable, "no guest kernel is installed", kKernel,
                    "install the Debian package user-mode-linux");
    }
    if (runner.find("modprobe").empty())
        return fail(ErrorCode::kUnavailable, "modprobe is missing", kKernel,
                    "install the Debian package kmod");
    return {};
}

Result<GuestResult> run_in_guest(ProcessRunner& runner, const GuestRequest& request) {
    FSADVISE_TRY(check_guest(runner));
    FSADVISE_ASSIGN(const ExchangeFolder folder, ExchangeFolder::make());
    FSADVISE_TRY(write_file_atomically(folder.file("init"), init_script(folder, request.argv)));
    std::filesystem::permissions(folder.file("init"), std::filesystem::perms::owner_all);
    // How the guest's kernel was built, where programs look for it. /boot of the host is covered, not
    // written.
    FSADVISE_ASSIGN(const ProcessResult config, runner.run({{kKernel, "--showconfig"}, {}}));
    FSADVISE_TRY(write_file_atomically(folder.file("config"), config.output));
    ProcessRequest boot;
    boot.argv = {kKernel,
                 fmt::format("mem={}M", request.memory_bytes >> 20),
                 "root=/dev/root",
                 "rootfstype=hostfs",
                 "rootflags=/",
                 "rw",
                 "quiet",
                 "con=null",
                 "con0=null,fd:1",
                 "init=" + folder.file("init"),
                 "uml_dir=" + folder.file("uml"),
                 fmt::format("umid={}", kName)};
    boot.timeout = request.timeout;
    const auto run = [&] {
        const StopWatch watch(fmt::format("{}/{}/pid", folder.file("uml"), kName));
        return runner.run(boot);
    };
    FSADVISE_ASSIGN(const ProcessResult ran, run());
    if (interrupted() != 0) {
        return fail(ErrorCode::kInterrupted, "stopped by a signal", request.argv.front(),
                    "nothing is left behind: start it again");
    }
    GuestResult result;
    result.kernel = trim(text_of(folder.file("kernel")));
    result.program.output = text_of(folder.file("output"));
    result.program.errors = text_of(folder.file("errors"));
    if (ran.timed_out) {
        return fail(ErrorCode::kRunFailed, "the guest was stopped at its time limit", request.argv.front(),
                    "give it less to do");
    }
    const std::string status(trim(text_of(folder.file("status"))));
    if (status.empty()) {
        const auto lines = split(trim(ran.output + "\n" + ran.errors), '\n');
        return fail(ErrorCode::kUnavailable,
                    "the guest kernel did not run the program: " + printable(lines.back()),
                    request.argv.front(), "see whether linux.uml starts at all");
    }
    result.program.exit_code = std::atoi(status.c_str());
    return result;
}

}  // namespace fsadvise::tuner
