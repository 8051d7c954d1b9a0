// Runs the built fsadvise binary in tests.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

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

// The documented status, nothing on standard output, one line on standard error that says all of `must_say`.
inline void check_refusal(const std::vector<std::string>& words, int status,
                          const std::vector<std::string>& must_say) {
    const auto result = run_fsadvise(words);
    CAPTURE(result.errors);
    CHECK(result.exit_code == status);
    CHECK(result.output.empty());
    CHECK(std::count(result.errors.begin(), result.errors.end(), '\n') == 1);
    CHECK(result.errors.starts_with("fsadvise: "));
    for (const std::string& text : must_say) {
        CAPTURE(text);
        CHECK(result.errors.find(text) != std::string::npos);
    }
}

}  // namespace fsadvise::test
