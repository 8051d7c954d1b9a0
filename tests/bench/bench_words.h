// What harnesses that are run by hand share: words of the command line, and the end of main().
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/result.h"

namespace fsadvise::bench {

// The name of an option and what reads its value.
using Word = std::pair<std::string, std::function<void(const std::string&)>>;

// Hands "--name VALUE" to the reader of that name; the other words are returned in order.
inline std::vector<std::string> read_words(int argc, char** argv, std::initializer_list<Word> known) {
    std::vector<std::string> rest;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const Word* found = nullptr;
        for (const Word& candidate : known) {
            if (candidate.first == word) found = &candidate;
        }
        if (found != nullptr && i + 1 < argc) {
            found->second(argv[++i]);
        } else {
            rest.push_back(word);
        }
    }
    return rest;
}

// Runs it so that a signal ends it in order; the exit status.
template <class Run>
int run_bench(Run run) {
    install_interrupt_handlers();
    const Result<void> done = run();
    if (done) return 0;
    fmt::print(stderr, "{}\n", to_text(done.error()));
    return 1;
}

}  // namespace fsadvise::bench
