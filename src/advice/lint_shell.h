// Shell scripts as a list of simple commands: enough of the grammar to find mkfs and mount lines; nothing is
// expanded.
//
// Bounds: as documented in lint.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fsadvise {

struct ShellCommand {
    int line = 0;                      // of its first word, 1-based
    std::vector<std::string> words;    // quotes removed; $variables and $(substitutions) kept as text
    std::vector<std::string> outputs;  // targets of > and >>
    std::string here_document;         // body of <<WORD
    int here_line = 0;                 // line of the body's first line
    bool piped = false;                // the next command reads its output
    bool ends_arm = false;             // followed by ;; of a case
};

std::vector<ShellCommand> split_shell(std::string_view text);

// A quote that is never closed: the shell refuses the script, and what follows it was not understood here.
struct UnclosedQuote {
    int line = 0;  // where it opens
    char quote = '"';
};
std::optional<UnclosedQuote> unclosed_quote(std::string_view text);

// The command proper, without sudo, env, assignments and reserved words.
std::vector<std::string> strip_prefixes(const std::vector<std::string>& words);

// True if the text has parts that only the shell or a template engine knows.
bool has_placeholder(std::string_view word);

}  // namespace fsadvise
