// A file of measured configurations that searches can be replayed on; format in docs/replay-table.md.
//
// Units: `value` is the natural logarithm of the metric, signed so that more is better; `deviation` in the
// same. Errors: kBadInput with "file:line" for damage; see docs/replay-table.md for what is refused and what
// is counted. Bounds: 256 MiB of text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "space/configuration.h"

namespace fsadvise::tuner {

inline constexpr int kReplayTableSchemaVersion = 1;

struct ReplayRepeat {
    int repeat = 0;
    bool failed = false;
    std::string reason;
    double value = 0, deviation = 0;  // deviation 0 = not recorded
};

struct ReplayRow {
    Configuration configuration;
    std::vector<ReplayRepeat> repeats;  // by number
    std::optional<double> truth;        // median over the complete repeats; empty if there are none
};

struct ReplayTable {
    std::string file, name, workload, media, metric;
    bool minimize = false;
    bool is_log_ratio = false;
    std::optional<Configuration> anchor;
    std::vector<ReplayRow> rows;                                   // in order of first appearance
    int measurements = 0, failed = 0, uneven = 0, unmeasured = 0;  // uneven, unmeasured: configurations

    [[nodiscard]] double best() const;  // the greatest truth
    [[nodiscard]] std::optional<std::size_t> find(const Configuration& configuration) const;
};

struct ReplayTableOptions {
    std::string metric;  // empty: the header's, else log_ratio, else the only one
    bool minimize = false;
};

Result<ReplayTable> parse_replay_table(std::string_view text, const std::string& file,
                                       const ReplayTableOptions& options = {});
Result<ReplayTable> read_replay_table(const std::string& file, const ReplayTableOptions& options = {});

}  // namespace fsadvise::tuner
