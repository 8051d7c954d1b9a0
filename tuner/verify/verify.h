// Re-proves the knowledge against the running kernel and the installed tools: every prediction about a
// parameter value or a constraint is tried on a scratch loop file, and where it does not hold, that is said.
//
// Units: bytes, nanoseconds.
// Errors: kUnavailable without root, loop devices or room; kInterrupted after a signal. Nothing is left
// behind either way. Threads: one; the scratch file has no name, loop devices clear themselves, mounts are in
// a private namespace.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/process.h"
#include "space/context.h"
#include "space/read_back.h"

namespace fsadvise::tuner {

// One prediction to try.
struct VerifyCase {
    std::string kind;     // "default" | "value" | "constraint"
    std::string subject;  // parameter id with value, or constraint id
    Configuration configuration;
    std::uint64_t size_bytes = 0;
    std::string constraint;  // id, for kind "constraint"
};

struct VerifyOutcome {
    bool formats = false, mounts = false;
    std::string error;  // what the tool or the kernel said
    ReadBackResult read_back;
};

struct VerifyResult {
    VerifyCase tried;
    std::string predicted, happened;         // "ok", "mkfs refuses", "mount refuses"
    std::string reason;                      // of the prediction or of the tool
    std::vector<std::string> disagreements;  // empty = as predicted
    std::string command;                     // to repeat it by hand
};

struct VerifySkip {
    std::string subject, why;
};

struct VerifyReport {
    Host host;
    std::string date;  // of the run, UTC
    std::vector<VerifyResult> results;
    std::vector<VerifySkip> skipped;
    std::int64_t elapsed_ns = 0;
    [[nodiscard]] std::size_t disagreeing() const;
};

struct VerifyOptions {
    std::vector<std::string> filesystems;  // empty = all that the machine has
    std::string work_directory;  // of the scratch file and the mount points; empty = RAM if there is any
    std::size_t every = 1;       // 10 = each tenth prediction only, for a quick look
    std::function<void(std::size_t done, std::size_t total, const VerifyCase& now)> progress;
};

// The cases for one filesystem, in a stable order; `skipped` receives what cannot be constructed here, with
// the reason.
std::vector<VerifyCase> verify_cases(const Knowledge& knowledge, const Request& machine,
                                     const std::string& filesystem, std::vector<VerifySkip>& skipped);
// Compares what happened with the prediction. Pure.
VerifyResult judge_case(const Knowledge& knowledge, const Request& machine, const VerifyCase& tried,
                        const VerifyOutcome& outcome);
// The machine as predictions see it: this kernel, these tools, a loop device of this size.
Request verify_request(const Host& host, std::uint64_t size_bytes);

Result<VerifyReport> verify(const Knowledge& knowledge, const VerifyOptions& options, ProcessRunner& runner);

nlohmann::json to_json(const VerifyReport& report);

}  // namespace fsadvise::tuner
