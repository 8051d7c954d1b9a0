// Runs the built fsadvise binary in tests.
#pragma once

#include <string>
#include <vector>

#include "base/process.h"

namespace fsadvise::test {

inline ProcessResult run_fsadvise(std::vector<std::string> words, std::string input = {},
                              std::chrono::milliseconds timeout = std::chrono::minutes(10)) {
    words.insert(words.begin(), FSADVISE_BINARY);
    SystemProcessRunner runner;
    auto result = runner.run({std::move(words), std::move(input), timeout});
    if (!result) return ProcessResult{127, false, {}, to_text(result.error())};
    return *result;
}

}  // namespace fsadvise::test
