// One manual page a command, made from the parser. Source: man(7), man-pages(7).
#pragma once

#include <string>
#include <vector>

#include "cli/completion.h"

namespace fsadvise::cli {

struct ManPage {
    std::string name;  // "fsadvise-knowledge-verify.1"
    std::string text;
};
std::vector<ManPage> man_pages(const std::vector<CommandNode>& tree);

// Hidden from the help: writes the pages into a folder, for packagers.
void add_man_pages(CLI::App& app, Invocation& invocation);

}  // namespace fsadvise::cli
