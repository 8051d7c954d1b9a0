// A replay table on disk: JSON Lines, one header and one line a measurement, only ever appended to.
//
// Format: docs/recording.md. Every line is synced before the next measurement begins, so a kill loses at most
// the measurement in hand; a last line without its end is cut off when the file is opened again. Errors:
// kBadInput with file and line for what is no table; kUsage where the table was made under other conditions
//         (rows would not be comparable); kUnavailable while another run writes it; kRunFailed when the disk
//         is full.
// Threads: one. Bounds: tables up to 256 MiB.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/fd.h"

namespace fsadvise::tuner {

inline constexpr int kTableSchemaVersion = 1;

// What is already there: canonical text of the configuration, and the repeat.
using Measured = std::set<std::pair<std::string, int>>;

// Invariant: holds the lock on the file; the file ends with a whole line.
class GridFile {
  public:
    // Makes the file with this header ({"replay_table": {...}}), or opens it and compares the keys of `same`
    // in the header's object.
    static Result<GridFile> open(const std::string& path, const nlohmann::json& header,
                                 const std::vector<std::string>& same);
    [[nodiscard]] const Measured& measured() const { return measured_; }
    // `row` has at least "configuration" and "repeat".
    Result<void> append(const nlohmann::json& row);

  private:
    GridFile(Fd file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
    Result<void> load(const std::string& text, const nlohmann::json& header,
                      const std::vector<std::string>& same);
    Result<void> write_line(const std::string& line);

    Fd file_;
    std::string path_;
    Measured measured_;
};

// Identity of the configuration of a row, as canonical_text() writes it; nullopt if the row has none.
std::optional<std::string> row_configuration(const nlohmann::json& row);

}  // namespace fsadvise::tuner
