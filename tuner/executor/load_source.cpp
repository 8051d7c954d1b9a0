#include "tuner/executor/load_source.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "tuner/drivers/driver_run.h"

namespace fsadvise::tuner {
namespace {

class EngineSource final : public LoadSource {
  public:
    explicit EngineSource(Load load) : load_(std::move(load)) {}
    [[nodiscard]] Result<void> check() const override { return tuner::check(load_); }
    [[nodiscard]] Result<double> fitting_scale(std::uint64_t area_bytes) const override {
        const double scale = tuner::fitting_scale(load_, area_bytes);
        // One file of a set is the least, and a file is never scaled to less than some blocks.
        const std::uint64_t least = tuner::data_bytes(load_, scale);
        if (least <= area_bytes) return scale;
        return fail(
            ErrorCode::kUnavailable,
            fmt::format("the data of this load take {} even when they are scaled down, an area has {}",
                        human_size(static_cast<double>(least)), human_size(static_cast<double>(area_bytes))),
            "--size", "use a larger device or file, or a load with smaller files");
    }
    Result<void> lay_out(const std::string& directory, const EngineOptions& options) const override {
        return tuner::lay_out(load_, directory, options);
    }
    [[nodiscard]] std::uint64_t data_bytes(double scale) const override {
        return tuner::data_bytes(load_, scale);
    }
    [[nodiscard]] std::uint64_t file_count(double scale) const override {
        return tuner::file_count(load_, scale);
    }
    [[nodiscard]] double filling_seconds(double) const override { return 0; }
    Result<SideResult> run_single(const std::string& directory, const EngineOptions& options) const override {
        return tuner::run_single(load_, directory, options);
    }
    Result<DuetResult> run_duet(const std::string& candidate_directory, const std::string& anchor_directory,
                                const EngineOptions& options) const override {
        return tuner::run_duet(load_, candidate_directory, anchor_directory, options);
    }
    [[nodiscard]] std::string metric() const override { return load_.metric; }
    [[nodiscard]] std::string engine() const override { return probe_engine() ? "io_uring" : "threads"; }
    [[nodiscard]] bool counts_resources() const override { return true; }

  private:
    Load load_;
};

class DriverSource final : public LoadSource {
  public:
    DriverSource(const Driver& driver, DriverTask task) : driver_(driver), task_(std::move(task)) {}
    [[nodiscard]] Result<void> check() const override { return check_programs(driver_); }
    [[nodiscard]] Result<double> fitting_scale(std::uint64_t area_bytes) const override {
        return fitting_size_factor(driver_, task_, area_bytes);
    }
    Result<void> lay_out(const std::string& directory, const EngineOptions& options) const override {
        return initialise(task_for(options), directory);
    }
    [[nodiscard]] std::uint64_t data_bytes(double scale) const override {
        const Footprint footprint = driver_.footprint(task_);
        return footprint.fixed_bytes +
               static_cast<std::uint64_t>(static_cast<double>(footprint.scaled_bytes) * scale);
    }
    [[nodiscard]] std::uint64_t file_count(double) const override { return 0; }
    [[nodiscard]] double filling_seconds(double scale) const override {
        const double bytes = static_cast<double>(driver_.footprint(task_).scaled_bytes) * scale;
        return driver_.starting_seconds() + bytes / driver_.filling_bytes_per_s();
    }
    Result<SideResult> run_single(const std::string& directory, const EngineOptions& options) const override {
        return run_driver_single(task_for(options), directory, options);
    }
    Result<DuetResult> run_duet(const std::string& candidate_directory, const std::string& anchor_directory,
                                const EngineOptions& options) const override {
        return run_driver_duet(task_for(options), candidate_directory, anchor_directory, options);
    }
    [[nodiscard]] std::string metric() const override { return "operations"; }
    [[nodiscard]] std::string engine() const override { return driver_.id(); }
    [[nodiscard]] bool counts_resources() const override { return false; }

  private:
    [[nodiscard]] DriverTask task_for(const EngineOptions& options) const {
        DriverTask task = task_;
        task.size_factor = options.scale;
        task.seed = options.seed;
        task.cores = options.cores;
        task.stop = options.stop;
        return task;
    }

    const Driver& driver_;
    DriverTask task_;
};

}  // namespace

Result<std::unique_ptr<LoadSource>> load_source_from_json(const std::string& json_text,
                                                          const std::string& name) {
    const auto document = nlohmann::json::parse(json_text, nullptr, false);
    if (!document.is_object() || !document.contains("driver")) {
        FSADVISE_ASSIGN(Load load, load_from_json(json_text, name));
        return engine_source(std::move(load));
    }
    try {
        const auto id = document.at("driver").get<std::string>();
        const auto options = document.at("options").get<std::map<std::string, std::string>>();
        FSADVISE_ASSIGN(DriverTask task, resolve_task(id, options));
        FSADVISE_ASSIGN(const Driver* driver, find_driver(task.driver));
        return std::make_unique<DriverSource>(*driver, std::move(task));
    } catch (const nlohmann::json::exception& error) {
        return fail(ErrorCode::kBadInput, std::string("not the load of a driver: ") + error.what(), name,
                    "start a new study");
    }
}

std::unique_ptr<LoadSource> engine_source(Load load) {
    return std::make_unique<EngineSource>(std::move(load));
}

std::string load_json(const DriverTask& task) {
    return nlohmann::json{{"driver", task.driver}, {"options", task.options}}.dump();
}

}  // namespace fsadvise::tuner
