// fsadvise ask: five questions to an answer. Never needed: it ends in a command line, which it prints and
// runs.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "base/result.h"
#include "space/knowledge.h"

namespace CLI {
class App;
}

namespace fsadvise::cli {

struct Invocation;

// The words of a recommend command. Questions go to `questions`, answers come from `answers`; an empty line
// takes the default, and so does the end of the answers, but for the workload. An answer that is not
// understood is asked again, three times at most. Errors: kUsage with the last answer.
Result<std::vector<std::string>> ask_words(const Knowledge& knowledge, std::istream& answers,
                                           std::ostream& questions);

void add_ask(CLI::App& app, Invocation& invocation);

// main.cpp: a whole command line; the exit status.
int run_words(std::vector<std::string> words);

}  // namespace fsadvise::cli
