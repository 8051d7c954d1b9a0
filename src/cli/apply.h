// What apply and hook share: where they write, and how the machine is looked at.
#pragma once

#include <string>

#include "cli/command.h"
#include "tuner/apply/execute.h"

namespace fsadvise::cli {

struct ApplyPlaces {
    std::string fstab = "/etc/fstab", rules_folder = "/etc/udev/rules.d",
                state_folder = "/var/lib/fsadvise/apply";
    bool persist = false;
};
void add_places(CLI::App& command, ApplyPlaces& places);

// This machine with its real tool versions and this disk.
Result<Host> machine_with(const std::string& device, const Knowledge& knowledge, ProcessRunner& runner);

// The begun format that a record in the state folder tells of is taken up, if it is of this very disk.
Result<tuner::Plan> plan_with_record(const tuner::Machine& machine, tuner::Wish wish,
                                     const std::string& state_folder);

// Locks the state folder and executes; steps are told on standard error.
Result<tuner::Executed> carry_out_plan(const tuner::Machine& machine, const tuner::Plan& plan,
                                       const std::string& record, const std::string& state_folder,
                                       bool quiet);

void add_apply(CLI::App& app, Invocation& invocation);
void add_hook(CLI::App& app, Invocation& invocation);

}  // namespace fsadvise::cli
