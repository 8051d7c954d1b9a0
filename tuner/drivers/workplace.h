// Where one session of a driver works: its directory on the area, a private folder for sockets and logs, the
// user that its programs run as.
//
// Invariant: what the directory holds was put there by the driver; it is removed unless keep() was called.
// Errors: kRunFailed of a program carries the last lines of what it, or its server, said.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tuner/drivers/child.h"

namespace fsadvise::tuner {

struct DriverTask;

struct ProgramRun {
    int exit_code = 0;
    double seconds = 0;
    std::string output, errors;
};

struct RunOptions {
    double timeout_seconds = 600;
    std::vector<std::string> environment;
    std::string directory;  // working directory, empty = the private folder
    int network_fd = -1;
    bool as_caller = false;  // not as the unprivileged user
};

class Workplace {
  public:
    // `fresh`: the directory must be absent or empty. Otherwise it must carry the mark of `driver`.
    static Result<std::unique_ptr<Workplace>> open(const std::string& directory, const DriverTask& task,
                                                   bool fresh);
    ~Workplace();
    Workplace(const Workplace&) = delete;
    Workplace& operator=(const Workplace&) = delete;

    // Whether the directory carries the mark of the task's driver.
    static bool is_filled(const std::string& directory, const DriverTask& task);

    void keep() { keep_ = true; }
    // For what the driver keeps on the area.
    [[nodiscard]] const std::string& directory() const { return directory_; }
    [[nodiscard]] std::string data(const std::string& name) const { return directory_ + "/" + name; }
    // Not on the area.
    [[nodiscard]] std::string file(const std::string& name) const { return private_ + "/" + name; }
    [[nodiscard]] const std::optional<RunAs>& user() const { return user_; }
    [[nodiscard]] std::uint64_t area_bytes() const;

    Result<void> make_folder(const std::string& path) const;
    Result<void> write(const std::string& path, const std::string& content) const;
    // Writes everything back to the area. Errors: kRunFailed with errno.
    Result<void> flush() const;

    // A program that stays; output goes to the file `log` of the private folder.
    Result<Child> start(std::vector<std::string> argv, const std::string& log,
                        ChildRequest request = {}) const;
    // A program that ends. Errors: kInterrupted if the task is stopped; kRunFailed after the time limit.
    Result<ProgramRun> run(std::vector<std::string> argv, const RunOptions& options = {}) const;
    // The same, and a status other than 0 is kRunFailed with the reason.
    Result<ProgramRun> run_checked(std::vector<std::string> argv, const RunOptions& options = {}) const;
    // Waits until `ready` holds. Errors: the server's if it ends meanwhile.
    Result<void> wait_ready(const std::string& name, Child& server, const std::string& log, double seconds,
                            const std::function<bool()>& ready) const;

    // The error of a run that broke: because the server ended, the area is full, or as the client says.
    [[nodiscard]] Error explain(const std::string& name, Child* server, const std::string& log,
                                const std::string& said) const;

  private:
    Workplace() = default;
    Result<void> set_user();

    std::string directory_, private_;
    std::optional<RunAs> user_;
    std::function<bool()> stop_;
    bool made_ = false, keep_ = false, owned_ = false;
};

// Path of a program in PATH or in the folder where its Debian package keeps it; empty if missing.
std::string program_path(const std::string& name);
// The last lines that say something, joined by " | ".
std::string last_lines(const std::string& text, std::size_t count = 3);
// The number behind `label` in a program's report. Errors: kRunFailed with the report's last lines.
Result<double> number_after(const std::string& report, const std::string& label);

}  // namespace fsadvise::tuner
