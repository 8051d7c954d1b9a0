// Internal: a filebench personality (workload model language) as plain data, variables replaced.
//
// Source: filebench documentation, "Workload model language" (version 1.4.9.1 and 1.5).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "tuner/exchange/mix.h"

namespace fsadvise::tuner {

struct WmlAttribute {
    std::string key, value;  // value "" for a key alone
    int line = 0;
};

struct WmlItem {       // a file, fileset, process, thread or flow operation
    std::string kind;  // "file", "fileset", "process", "thread", or the operation
    int line = 0;
    std::vector<WmlAttribute> attributes;
    std::vector<WmlItem> children;
    [[nodiscard]] const WmlAttribute* find(std::string_view key) const;
    [[nodiscard]] std::string text(std::string_view key) const;
    // A key alone, or with a value that is not false, 0 or off.
    [[nodiscard]] bool flag(std::string_view key) const;
};

struct WmlModel {
    std::vector<WmlItem> sets, processes;
    bool paced = false;  // eventgen
};

// Errors: kBadInput with "file:line".
Result<WmlModel> parse_wml(std::string_view text, const std::string& path, Notes& notes);

}  // namespace fsadvise::tuner
