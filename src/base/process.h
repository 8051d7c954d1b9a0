// Child processes by argv, never through a shell, behind an interface with a recording fake.
//
// Errors: a program that cannot be started is kUnavailable (hint names the Debian package when known);
//         a non-zero exit is not an error here, the caller judges ProcessResult.
// Threads: a runner may be used from several threads.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace fsadvise {

struct ProcessRequest {
    std::vector<std::string> argv;               // argv[0] is looked up in PATH and in /usr/sbin and /sbin
    std::string input;                           // written to standard input, then closed
    std::chrono::milliseconds timeout{120'000};  // the child and its group are killed after it
};

struct ProcessResult {
    int exit_code = 0;  // 128 + signal if killed
    bool timed_out = false;
    std::string output;  // standard output, bounded to 16 MiB
    std::string errors;  // standard error, bounded to 16 MiB
    [[nodiscard]] bool ok() const { return exit_code == 0 && !timed_out; }
};

class ProcessRunner {
  public:
    virtual ~ProcessRunner() = default;
    virtual Result<ProcessResult> run(const ProcessRequest& request) = 0;
    // Full path of a program or empty.
    virtual std::string find(const std::string& program) = 0;
};

// The real one. Children get SIGTERM when this process dies (PR_SET_PDEATHSIG).
class SystemProcessRunner final : public ProcessRunner {
  public:
    Result<ProcessResult> run(const ProcessRequest& request) override;
    std::string find(const std::string& program) override;
};

// Records every request and answers from `reply`; for tests such as "advise runs no command".
class FakeProcessRunner final : public ProcessRunner {
  public:
    std::function<Result<ProcessResult>(const ProcessRequest&)> reply;
    std::vector<ProcessRequest> requests;
    Result<ProcessResult> run(const ProcessRequest& request) override;
    std::string find(const std::string& program) override { return "/usr/bin/" + program; }
};

// run() and turn a non-zero exit into kRunFailed with the last line of standard error.
Result<ProcessResult> run_checked(ProcessRunner& runner, const ProcessRequest& request);

}  // namespace fsadvise
