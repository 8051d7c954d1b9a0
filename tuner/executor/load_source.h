// Where the work of a measurement comes from: the engine with a load of the knowledge, or a real application.
//
// The JSON form is what a study keeps under `load`: the "load" object of a workload, or
// {"driver": "pgbench", "options": {"clients": "8", ...}}.
// Errors: kBadInput for a damaged form; else as engine.h and driver.h.
#pragma once

#include <memory>
#include <string>

#include "tuner/drivers/driver.h"
#include "tuner/engine/engine.h"

namespace fsadvise::tuner {

class LoadSource {
  public:
    virtual ~LoadSource() = default;
    // Whether it can run here; called before anything is formatted.
    [[nodiscard]] virtual Result<void> check() const = 0;
    // Scale (at most 1) of its data for an area of that size.
    [[nodiscard]] virtual Result<double> fitting_scale(std::uint64_t area_bytes) const = 0;
    virtual Result<void> lay_out(const std::string& directory, const EngineOptions& options) const = 0;
    // Space that the data take at a scale, and files, 0 where an application does not tell.
    [[nodiscard]] virtual std::uint64_t data_bytes(double scale) const = 0;
    [[nodiscard]] virtual std::uint64_t file_count(double scale) const = 0;
    // About how long an application takes to fill its data at a scale; 0 for the engine, which only writes.
    [[nodiscard]] virtual double filling_seconds(double scale) const = 0;
    // On directories that are laid out.
    virtual Result<SideResult> run_single(const std::string& directory,
                                          const EngineOptions& options) const = 0;
    virtual Result<DuetResult> run_duet(const std::string& candidate_directory,
                                        const std::string& anchor_directory,
                                        const EngineOptions& options) const = 0;
    // What is compared: "operations", "p99", ...
    [[nodiscard]] virtual std::string metric() const = 0;
    // What does the work: "io_uring", "threads", or the id of a driver.
    [[nodiscard]] virtual std::string engine() const = 0;
    // Whether CPU time and bytes are known: of an application, only what it reports.
    [[nodiscard]] virtual bool counts_resources() const = 0;
};

Result<std::unique_ptr<LoadSource>> load_source_from_json(const std::string& json_text,
                                                          const std::string& name);
std::unique_ptr<LoadSource> engine_source(Load load);
std::string load_json(const DriverTask& task);

}  // namespace fsadvise::tuner
