// What the tests of imports and exports share.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tuner/exchange/exchange.h"

#include "support/temporary_folder.h"

namespace fsadvise::testing {

// Operations a loop, on average; of one block size, and sequential (1) or random (0) ones, if asked.
inline double times(const tuner::Stream& stream, const std::string& operation, std::uint64_t block = 0,
                    int sequential = -1) {
    double sum = 0;
    for (const tuner::Step& step : stream.steps) {
        if (step.operation != operation) continue;
        if (sequential >= 0 && step.sequential != (sequential == 1)) continue;
        double share = block == 0 || (step.blocks.empty() && step.block_bytes == block) ? 1 : 0;
        for (const tuner::SizeShare& entry : step.blocks) {
            if (block != 0 && entry.bytes == block) share += entry.share;
        }
        sum += step.probability * step.repeat * share;
    }
    return sum;
}

inline bool has(const std::vector<std::string>& list, const std::string& part) {
    return std::any_of(list.begin(), list.end(),
                       [&](const auto& item) { return item.find(part) != std::string::npos; });
}

// Writes the text to a file of that name and imports it.
inline Result<tuner::WorkloadDocument> import_text(const std::string& name, const std::string& text,
                                                   const tuner::ImportOptions& options = {}) {
    const test::TemporaryFolder folder("exchange");
    return tuner::import_workload({folder.write(name, text)}, std::nullopt, options);
}

inline tuner::WorkloadDocument must_import(const Result<tuner::WorkloadDocument>& document) {
    if (!document) FAIL(to_text(document.error()));
    return *document;
}

// A bad input whose message has all of `parts`.
inline void check_bad_input(const Result<tuner::WorkloadDocument>& document,
                            const std::vector<std::string>& parts) {
    REQUIRE_FALSE(document.has_value());
    CHECK(document.error().code == ErrorCode::kBadInput);
    const std::string message = to_text(document.error());
    for (const std::string& part : parts) {
        CAPTURE(message);
        CAPTURE(part);
        CHECK(message.find(part) != std::string::npos);
    }
}

}  // namespace fsadvise::testing
