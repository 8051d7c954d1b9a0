#include "tuner/drivers/workplace.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/process.h"
#include "base/text.h"
#include "base/units.h"
#include "tuner/drivers/driver.h"

namespace fsadvise::tuner {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kPrivatePrefix = "fsadvise-driver.";
// Names the driver that filled the directory, and tells whether the directory was made for it.
constexpr const char* kMark = ".fsadvise-driver";
constexpr const char* kMade = "made\n";
constexpr std::size_t kOutputLimit = 64u << 20;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Private folders of processes that were killed.
void sweep(const fs::path& parent) {
    std::error_code error;
    for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
        const std::string name = it->path().filename();
        struct stat status {};
        if (!name.starts_with(kPrivatePrefix) || ::lstat(it->path().c_str(), &status) != 0 ||
            !S_ISDIR(status.st_mode))
            continue;
        const auto owner = static_cast<pid_t>(std::atoi(name.c_str() + std::string(kPrivatePrefix).size()));
        if (owner <= 0 || ::kill(owner, 0) == 0 || errno != ESRCH) continue;
        std::error_code ignored;
        fs::remove_all(it->path(), ignored);
    }
}

// Sockets have names of at most 107 bytes, so their folder is not on the area, whose path may be long; and a
// log must outlive a full or failing area.
Result<std::string> make_private_folder() {
    std::error_code error;
    fs::path parent = fs::temp_directory_path(error);
    if (error) parent = "/tmp";
    sweep(parent);
    std::string path = (parent / fmt::format("{}{}.XXXXXX", kPrivatePrefix, ::getpid())).string();
    if (::mkdtemp(path.data()) == nullptr) {
        return fail(ErrorCode::kUnavailable,
                    "cannot make a folder for sockets and logs: " + errno_text(errno), parent,
                    "set TMPDIR to a folder that can be written");
    }
    return path;
}

// The first folder on the way that the user may not pass, or nothing.
std::string closed_to(const std::string& directory, const RunAs& user) {
    fs::path path;
    for (const fs::path& part : fs::path(directory).parent_path()) {
        path /= part;
        struct stat status {};
        if (::stat(path.c_str(), &status) != 0) continue;
        const mode_t needed = status.st_uid == user.uid   ? S_IXUSR
                              : status.st_gid == user.gid ? S_IXGRP
                                                          : S_IXOTH;
        if ((status.st_mode & needed) == 0) return path;
    }
    return {};
}

bool says(const std::string& text, const char* words) {
    return text.find(words) != std::string::npos;
}

// Not every application passes on why it could not write.
bool is_full(const std::string& directory) {
    struct statvfs status {};
    return ::statvfs(directory.c_str(), &status) == 0 && status.f_blocks > 0 &&
           static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize < kMiB;
}

std::string read_text(const std::string& path) {
    return read_file(path, kOutputLimit).value_or("");
}

}  // namespace

std::string program_path(const std::string& name) {
    if (name.find('/') != std::string::npos) return SystemProcessRunner().find(name);
    // Debian keeps the programs of each PostgreSQL version apart; the newest is taken. What PATH has of them
    // is a wrapper that looks for system-wide clusters first.
    std::string found;
    Version newest;
    std::error_code error;
    for (fs::directory_iterator it("/usr/lib/postgresql", error), end; !error && it != end;
         it.increment(error)) {
        const std::string candidate = it->path() / "bin" / name;
        const Version version = Version::parse(it->path().filename().string());
        if (::access(candidate.c_str(), X_OK) != 0 || (!found.empty() && version < newest)) continue;
        found = candidate;
        newest = version;
    }
    return found.empty() ? SystemProcessRunner().find(name) : found;
}

std::string last_lines(const std::string& text, std::size_t count) {
    std::vector<std::string> lines;
    for (const std::string& line : split(text, '\n')) {
        if (!trim(line).empty()) lines.push_back(printable(trim(line)));
    }
    if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
    return join(lines, " | ");
}

Result<double> number_after(const std::string& report, const std::string& label) {
    const std::size_t at = report.find(label);
    if (at != std::string::npos) {
        const char* text = report.c_str() + at + label.size();
        char* end = nullptr;
        const double value = std::strtod(text, &end);
        if (end != text) return value;
    }
    return fail(ErrorCode::kRunFailed, "the program's report has no '" + label + "': " + last_lines(report));
}

Result<void> Workplace::set_user() {
    if (::geteuid() != 0) return {};
    // Invariant of every Debian: nobody exists and owns nothing.
    const passwd* entry = ::getpwnam("nobody");
    if (entry == nullptr) {
        return fail(ErrorCode::kUnavailable, "there is no user 'nobody' to run the application as", {},
                    "run as an ordinary user");
    }
    user_ = RunAs{entry->pw_uid, entry->pw_gid};
    return {};
}

Result<std::unique_ptr<Workplace>> Workplace::open(const std::string& directory, const DriverTask& task,
                                                   bool fresh) {
    std::unique_ptr<Workplace> place(new Workplace);
    std::error_code error;
    place->directory_ = fs::absolute(directory, error).lexically_normal().string();
    while (place->directory_.size() > 1 && place->directory_.ends_with('/')) place->directory_.pop_back();
    place->stop_ = task.stop;
    if (fresh) {
        const int number = ::mkdir(place->directory_.c_str(), 0755) == 0 ? 0 : errno;
        if (number != 0 && number != EEXIST)
            return fail(ErrorCode::kUnavailable, "cannot make it: " + errno_text(number), directory);
        if (number == EEXIST && (!fs::is_empty(place->directory_, error) || error)) {
            return fail(ErrorCode::kUnavailable, "the directory is not empty", directory,
                        "name a new directory: the application's data are put there and removed");
        }
        place->made_ = number == 0;
    } else if (!is_filled(place->directory_, task)) {
        return fail(ErrorCode::kRunFailed, "the directory holds no data of " + task.driver, directory);
    } else {
        place->made_ = read_text(place->data(kMark)).ends_with(kMade);
    }
    place->owned_ = true;
    FSADVISE_TRY(place->set_user());
    FSADVISE_ASSIGN(place->private_, make_private_folder());
    if (place->user_) {
        for (const std::string& path : {place->directory_, place->private_}) {
            if (::chown(path.c_str(), place->user_->uid, place->user_->gid) != 0)
                return fail(ErrorCode::kRunFailed, "cannot change its owner: " + errno_text(errno), path);
        }
        if (const std::string closed = closed_to(place->directory_, *place->user_); !closed.empty()) {
            return fail(ErrorCode::kUnavailable,
                        fmt::format("the application runs as 'nobody', who may not pass {}", closed),
                        directory, "chmod o+x it, or use another directory");
        }
    }
    if (fresh)
        FSADVISE_TRY(place->write(place->data(kMark), task.driver + "\n" + (place->made_ ? kMade : "")));
    return place;
}

Workplace::~Workplace() {
    std::error_code ignored;
    if (!private_.empty()) fs::remove_all(private_, ignored);
    if (!owned_ || keep_) return;
    for (fs::directory_iterator it(directory_, ignored), end; !ignored && it != end;) {
        const fs::path path = it->path();
        it.increment(ignored);
        std::error_code failed;
        fs::remove_all(path, failed);
    }
    if (made_) ::rmdir(directory_.c_str());
}

bool Workplace::is_filled(const std::string& directory, const DriverTask& task) {
    return read_text(directory + "/" + kMark).starts_with(task.driver + "\n");
}

std::uint64_t Workplace::area_bytes() const {
    struct statvfs status {};
    if (::statvfs(directory_.c_str(), &status) != 0) return 0;
    return static_cast<std::uint64_t>(status.f_blocks) * status.f_frsize;
}

Result<void> Workplace::make_folder(const std::string& path) const {
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
        return fail(ErrorCode::kRunFailed, "cannot make a folder: " + errno_text(errno), path);
    if (user_ && ::chown(path.c_str(), user_->uid, user_->gid) != 0)
        return fail(ErrorCode::kRunFailed, "cannot change its owner: " + errno_text(errno), path);
    return {};
}

Result<void> Workplace::write(const std::string& path, const std::string& content) const {
    FSADVISE_ASSIGN(const Fd file, Fd::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0644));
    for (std::size_t done = 0; done < content.size();) {
        const ssize_t count = ::write(file.get(), content.data() + done, content.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            return fail(ErrorCode::kRunFailed, "cannot write: " + errno_text(errno), path,
                        errno == ENOSPC ? "use a larger area or a smaller scale" : "");
        }
        done += static_cast<std::size_t>(count);
    }
    if (user_ && ::fchown(file.get(), user_->uid, user_->gid) != 0)
        return fail(ErrorCode::kRunFailed, "cannot change its owner: " + errno_text(errno), path);
    return {};
}

Result<void> Workplace::flush() const {
    FSADVISE_ASSIGN(const Fd folder, Fd::open(directory_, O_RDONLY | O_DIRECTORY));
    if (::syncfs(folder.get()) == 0) return {};
    return fail(ErrorCode::kRunFailed, "writing back failed: " + errno_text(errno), directory_,
                "a device or an area that is full or failing shows so: look at the kernel's log");
}

Result<Child> Workplace::start(std::vector<std::string> argv, const std::string& log,
                               ChildRequest request) const {
    request.argv = std::move(argv);
    if (!request.argv.empty()) {
        const std::string path = program_path(request.argv.front());
        if (path.empty())
            return fail(ErrorCode::kUnavailable, "program not found", request.argv.front(), "install it");
        request.argv.front() = path;
    }
    // Programs answer in the C locale, since their reports are read; and keep what they remember out of the
    // way.
    for (const std::string& entry : {std::string("LC_ALL=C"), "HOME=" + private_, "TMPDIR=" + private_})
        request.environment.push_back(entry);
    if (request.directory.empty()) request.directory = private_;
    request.output_path = file(log);
    if (request.error_path.empty()) request.error_path = request.output_path;
    if (!request.user) request.user = user_;
    return Child::start(request);
}

Result<ProgramRun> Workplace::run(std::vector<std::string> argv, const RunOptions& options) const {
    const std::string output = file("output"), errors = file("errors");
    ::unlink(output.c_str());
    ::unlink(errors.c_str());
    ChildRequest request;
    request.environment = options.environment;
    request.directory = options.directory;
    request.error_path = errors;
    request.network_fd = options.network_fd;
    if (options.as_caller) request.user = RunAs{::geteuid(), ::getegid()};
    if (::geteuid() != 0) request.user.reset();
    const std::string name = shell_join(argv);
    const auto begin = Clock::now();
    FSADVISE_ASSIGN(Child child, start(std::move(argv), "output", std::move(request)));
    const auto code = child.wait(options.timeout_seconds, stop_);
    ProgramRun result;
    result.seconds = seconds_since(begin);
    if (!code && stop_ && stop_()) return fail(ErrorCode::kInterrupted, "stopped");
    result.output = read_text(output);
    result.errors = read_text(errors);
    if (!code) {
        return fail(ErrorCode::kRunFailed,
                    fmt::format("did not end within {} s: {}", options.timeout_seconds,
                                last_lines(result.errors.empty() ? result.output : result.errors)),
                    name);
    }
    result.exit_code = *code;
    return result;
}

Result<ProgramRun> Workplace::run_checked(std::vector<std::string> argv, const RunOptions& options) const {
    const std::string name = argv.front();
    FSADVISE_ASSIGN(ProgramRun result, run(std::move(argv), options));
    if (result.exit_code == 0) return result;
    return tl::unexpected(
        explain(fmt::format("{} (exit status {})", fs::path(name).filename().string(), result.exit_code),
                nullptr, {}, result.output + "\n" + result.errors));
}

Result<void> Workplace::wait_ready(const std::string& name, Child& server, const std::string& log,
                                   double seconds, const std::function<bool()>& ready) const {
    const auto begin = Clock::now();
    while (!ready()) {
        if (stop_ && stop_()) return fail(ErrorCode::kInterrupted, "stopped");
        if (!server.alive() || seconds_since(begin) > seconds)
            return tl::unexpected(explain(name + " does not start", &server, log, {}));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return {};
}

Error Workplace::explain(const std::string& name, Child* server, const std::string& log,
                         const std::string& said) const {
    // A server that dies takes a moment, and its client is often faster to complain.
    if (server != nullptr) server->wait(0.3);
    const std::string logged = log.empty() ? std::string() : read_text(file(log));
    const std::string all = said + "\n" + logged;
    Error error{ErrorCode::kRunFailed, {}, name, {}};
    const bool dead = server != nullptr && !server->alive();
    if (says(all, "No space left on device") || is_full(directory_)) {
        error.message = "no space left on the area";
        error.hint = "the area is too small for this load: use a larger area or a smaller scale";
    } else if (says(all, "Input/output error")) {
        error.message = "input/output error on the area";
        error.hint = "a failing device shows so: look at the kernel's log";
    } else if (dead) {
        const int code = server->exit_code().value_or(0);
        error.message = code > 128 ? fmt::format("the server was killed by signal {}", code - 128)
                                   : fmt::format("the server ended with status {}", code);
        error.hint = "see its log; a killed server often means too little memory";
    } else {
        error.message = "the run failed";
    }
    // The log of a server that lives tells of other things.
    const bool by_client = !trim(said).empty() && !dead;
    const std::string lines = last_lines(by_client || logged.empty() ? said : logged);
    if (!lines.empty()) error.message += ": " + lines;
    return error;
}

}  // namespace fsadvise::tuner
