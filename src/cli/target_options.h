// Where tune and bench may format, and the host as it is there.
#pragma once

#include <string>

#include "base/process.h"
#include "cli/command.h"
#include "tuner/target/target.h"

namespace fsadvise::cli {

struct TargetOptions {
    tuner::TargetRequest target;
    std::string size;
};
void add_target_options(CLI::App& command, TargetOptions& options);
// --size as text -> target.size_bytes.
Result<void> parse_target_size(TargetOptions& options);
// Exactly one place is named, with its size. `command` is named in the message.
Result<void> check_target_words(const TargetOptions& options, const std::string& command);
// This machine with its real tool versions, and the medium that the areas will have; runs the tools for their
// versions.
Result<Host> measuring_host(const HostOptions& options, const tuner::TargetRequest& target,
                            const Knowledge& knowledge, ProcessRunner& runner);

}  // namespace fsadvise::cli
