// A word below a command ("workload show"), with an action of its own on the command's options.
#pragma once

#include <memory>

#include <CLI/CLI.hpp>

#include "cli/command.h"

namespace fsadvise::cli {

// `action(options, common)` gives the Outcome. `invocation` lives until the action has run.
template <class Options, class Action>
CLI::App* add_subcommand(CLI::App& command, const char* name, const char* help,
                         const std::shared_ptr<Options>& options, Invocation& invocation, Action action) {
    CLI::App* sub = command.add_subcommand(name, help);
    add_common(*sub, invocation.common);
    sub->callback([options, &invocation, action] {
        invocation.action = [options, &invocation, action] { return action(*options, invocation.common); };
    });
    return sub;
}

}  // namespace fsadvise::cli
