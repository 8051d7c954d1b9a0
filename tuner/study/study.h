// A study on disk: an SQLite file, resumable after any stop, readable by others.
//
// Schema (version 1, docs/study.md): study(key, value); trial(number, configuration_json, filesystem, origin,
// state, reason, started, finished); measurement(trial, replicate, phase, log_ratio, deviation, metrics_json,
// effective_json).
// Every write is one transaction with synchronous=NORMAL in WAL mode: a kill loses at most the trial in hand,
// which is then found in state "running" and run again. A study that cannot be written is opened for reading.
// Errors: kBadInput for a file that is no study, is damaged, or has another schema version (never migrated
//         silently); kRunFailed when the disk is full or the study can only be read.
// Threads: one.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "space/configuration.h"

struct sqlite3;

namespace fsadvise::tuner {

inline constexpr int kStudySchemaVersion = 1;

struct Measurement {
    int replicate = 0;
    std::string phase;      // "search" | "confirm" | "anchor-check"
    double log_ratio = 0;   // candidate against anchor
    double deviation = 0;   // standard error of log_ratio
    std::string metrics;    // JSON: both sides' rates, percentiles, cpu, space, format and mount seconds
    std::string effective;  // JSON: parameters as read back
};

struct Trial {
    int number = 0;  // from 0, order of proposal
    Configuration configuration;
    std::string origin;  // "default:xfs", "expert", "space-filling", "model", "random"
    std::string state;   // "running" | "complete" | "failed"
    std::string reason;  // of a failure
    std::vector<Measurement> measurements;
};

class Study {
  public:
    static Result<std::unique_ptr<Study>> create(const std::string& path);  // must not exist
    static Result<std::unique_ptr<Study>> open(const std::string& path);
    ~Study();
    Study(const Study&) = delete;
    Study& operator=(const Study&) = delete;

    // Free key/value facts: request, host, knowledge digest, seed, budget, target, load.
    Result<void> set(const std::string& key, const std::string& value);
    [[nodiscard]] std::optional<std::string> get(const std::string& key) const;

    Result<int> begin_trial(const Configuration& configuration, const std::string& origin);
    Result<void> add_measurement(int trial, const Measurement& measurement);
    Result<void> finish_trial(int trial, const std::string& state, const std::string& reason);
    // In order of number, which is also the index. Trials left "running" by a stop are reported as
    // "interrupted", to be proposed again first; begin_trial() of the same configuration then takes over
    // number and place of the old one.
    Result<std::vector<Trial>> trials() const;
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    Study() = default;
    sqlite3* db_ = nullptr;
    std::string path_;
    std::set<int> begun_;  // through this object: what is "running" and not in here was stopped
};

}  // namespace fsadvise::tuner
