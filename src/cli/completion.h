// Completion scripts for shells, made from the parser itself: what it knows, the script knows.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace CLI {
class App;
}

namespace fsadvise::cli {

struct Invocation;

// One command of the parser; the root has an empty path.
struct CommandNode {
    std::string path;  // "knowledge list"
    std::string description;
    struct Option {
        std::vector<std::string> names;  // "--workload", "-w"
        std::string description;
        bool takes_value = false;
        bool is_file = false;
        std::vector<std::string> choices;  // words it takes, if they are known
    };
    std::vector<Option> options;
    std::vector<std::string> subcommands;
    bool takes_files = false;  // positional words name files
};
// The root first, then in the order of the parser. `workloads`: the words of --workload.
std::vector<CommandNode> command_tree(const CLI::App& app, const std::vector<std::string>& workloads);

std::string bash_completion(const std::vector<CommandNode>& tree);
std::string zsh_completion(const std::vector<CommandNode>& tree);
std::string fish_completion(const std::vector<CommandNode>& tree);

void add_completion(CLI::App& app, Invocation& invocation);

}  // namespace fsadvise::cli
