// Predicts what mkfs, mount and remount will do, for many commands at once: one JSON row in, one JSON verdict
// out.
//
// Units: sizes in the rows are MiB (`size_mib`) or bytes, see docs/batch.md for the row format.
// Errors: kBadInput with the line as context; a bad row does not stop the others.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "space/context.h"

namespace fsadvise {

// One command line to judge.
struct BatchRow {
    std::string filesystem;
    std::vector<std::string> mkfs;       // argv without the device; other devices may be named
    std::optional<std::string> mount;    // options; nullopt = is not mounted
    std::optional<std::string> remount;  // options of a later mount -o remount
    Host host;
    std::vector<std::string> absent;        // devices, files, subvolumes that do not exist
    std::vector<std::string> gone;          // devices that were there at format and are missing at mount
    std::vector<std::string> ignored_keys;  // of the row: neither input nor a recorded outcome
};

struct BatchVerdict {
    enum class Mkfs { kOk, kRefused, kSilentlyChanged };
    enum class Mount { kOk, kRefused, kNotTried };
    enum class Remount { kNotAsked, kOk, kRefused, kIgnored, kNotTried };
    Mkfs mkfs = Mkfs::kOk;
    Mount mount = Mount::kNotTried;
    Remount remount = Remount::kNotAsked;
    bool changed = false;                      // the remount changes something
    std::vector<std::string> effective;        // mount options that differ from the default, when mounted
    std::vector<std::string> effective_after;  // ... after the remount
    std::map<std::string, Value> becomes;      // silently: parameter id -> what it really is
    std::vector<std::string> findings;         // ids as in lint, without repetition
    std::vector<std::string> uncertain;        // would refuse, if the kernel lacks what is not known here
    std::string why;                           // the first refusal in words
};

// `base` says what the row leaves out: kernel, tools, distribution. Facts about a kernel's build and its
// modules are dropped when the row names another kernel.
Result<BatchRow> batch_row(const Knowledge& knowledge, const Host& base, const nlohmann::json& document);
BatchVerdict judge_row(const Knowledge& knowledge, const BatchRow& row);
nlohmann::json to_json(const BatchVerdict& verdict);

struct BatchCounts {
    std::size_t rows = 0, malformed = 0;
};
// Verdicts, one a line, in the order of the rows; blank lines have none.
std::string judge_batch(const Knowledge& knowledge, const Host& base, std::string_view text,
                        const std::string& name, BatchCounts& counts);

}  // namespace fsadvise
