#include "tuner/record/record.h"

#include <algorithm>
#include <chrono>
#include <random>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/log.h"
#include "base/text.h"
#include "tuner/executor/contenders.h"
#include "tuner/executor/measure.h"
#include "tuner/record/grid_design.h"
#include "tuner/record/grid_file.h"
#include "tuner/record/row.h"
#include "tuner/search/search.h"

namespace fsadvise::tuner {
namespace {

using nlohmann::json;

// Rows are comparable only where these agree.
const std::vector<std::string> kSameConditions = {"schema_version", "workload", "media",         "objective",
                                                  "engine",         "anchor",   "area_bytes",    "scale",
                                                  "seconds",        "seed",     "window_seconds"};

class Recorder {
  public:
    Recorder(const Knowledge& knowledge, Request request, const RecordOptions& options, ProcessRunner& runner,
             const FileReader& files, const std::function<void(const RecordProgress&)>& progress)
        : knowledge_(knowledge),
          request_(std::move(request)),
          options_(options),
          runner_(runner),
          files_(files),
          progress_(progress) {}

    // Everything that can be refused is refused before the first format.
    Result<RecordOutcome> run() {
        const WorkloadDescription* workload = knowledge_.workload(request_.workload);
        if (workload == nullptr) return fail(ErrorCode::kUsage, "unknown workload", request_.workload);
        FSADVISE_ASSIGN(load_, load_source_from_json(options_.load.empty() ? workload->load : options_.load,
                                                     request_.workload));
        FSADVISE_TRY(load_->check());
        FSADVISE_TRY(check_target(options_.target));
        FSADVISE_TRY(choose_grid());
        FSADVISE_ASSIGN(target_, open_target(options_.target, runner_));
        if (target_->areas() < 2)
            return fail(ErrorCode::kUnavailable, "no room for two areas", {}, "give a larger one");
        FSADVISE_TRY(set_up());
        FSADVISE_ASSIGN(GridFile table, GridFile::open(options_.table_path, header(), kSameConditions));
        return measure_all(table);
    }

  private:
    Result<void> choose_grid() {
        if (!request_.host.device) request_.host.device = BlockDevice{};
        if (options_.target.device.empty()) request_.host.device->size_bytes = options_.target.size_bytes / 2;
        FSADVISE_ASSIGN(Contenders chosen, contenders(knowledge_, request_, runner_));
        usable_ = std::move(chosen.filesystems);
        setup_.anchor = std::move(chosen.anchor);
        if (!options_.grid_text.empty()) {
            FSADVISE_ASSIGN(grid_, read_grid(knowledge_, request_, options_.grid_text, options_.grid_name));
            return {};
        }
        std::vector<Space> spaces;
        for (const std::string& id : usable_) spaces.emplace_back(knowledge_, request_, id);
        grid_ = design_grid(knowledge_, spaces, options_.configurations, options_.seed);
        return {};
    }

    Result<void> set_up() {
        FSADVISE_ASSIGN(setup_.scale, load_->fitting_scale(target_->area_bytes()));
        const std::uint64_t fitting = load_->data_bytes(setup_.scale);
        if (options_.area_data_bytes > 0 && fitting > options_.area_data_bytes)
            setup_.scale *= static_cast<double>(options_.area_data_bytes) / static_cast<double>(fitting);
        setup_.knowledge = &knowledge_;
        setup_.target = target_.get();
        setup_.runner = &runner_;
        setup_.files = &files_;
        setup_.load = load_.get();
        setup_.cores = options_.cores;
        setup_.window_seconds = options_.window_seconds;
        return {};
    }

    [[nodiscard]] std::string place_name() const {
        const std::string medium = target_->medium();
        return medium == "ram" ? "loop device in RAM" : medium == "loop" ? "loop device on a disk" : medium;
    }

    // No path and no name of this machine: tables travel.
    [[nodiscard]] json header() const {
        Host host = request_.host;
        if (host.device) {
            for (std::string* place :
                 {&host.device->path, &host.device->stable_path, &host.device->backing_file})
                place->clear();
            host.device->stack.clear();
        }
        const json table = {{"schema_version", kTableSchemaVersion},
                            {"workload", request_.workload},
                            {"name", fmt::format("{} on a {}", request_.workload, place_name())},
                            {"media", target_->medium()},
                            {"metric", "log_ratio"},
                            {"host", to_json(host)},
                            {"durability", request_.requirements.durability},
                            {"needs", request_.requirements.needs},
                            {"filesystems", usable_},
                            {"anchor", to_json(setup_.anchor)},
                            {"objective", load_->metric()},
                            {"engine", load_->engine()},
                            {"knowledge_digest", knowledge_.digest()},
                            {"area_bytes", target_->area_bytes()},
                            {"data_bytes", load_->data_bytes(setup_.scale)},
                            {"files", load_->file_count(setup_.scale)},
                            {"scale", setup_.scale},
                            {"seconds", options_.seconds},
                            {"window_seconds", options_.window_seconds},
                            {"seed", options_.seed},
                            {"metrics", table_metrics()}};
        return {{"replay_table", table}};
    }

    // The grid in the order of this repeat; the same after a stop.
    [[nodiscard]] std::vector<const GridPoint*> order_of(int repeat) const {
        std::vector<const GridPoint*> order;
        for (const GridPoint& point : grid_) order.push_back(&point);
        std::mt19937_64 random(options_.seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(repeat));
        std::shuffle(order.begin(), order.end(), random);
        return order;
    }

    Result<RecordOutcome> measure_all(GridFile& table) {
        RecordOutcome outcome;
        outcome.configurations = grid_.size();
        std::size_t left = 0;
        for (int repeat = 0; repeat < options_.repeats; ++repeat) {
            for (const GridPoint& point : grid_)
                left += table.measured().contains({canonical_text(point.configuration), repeat}) ? 0 : 1;
        }
        const std::size_t all = grid_.size() * static_cast<std::size_t>(options_.repeats);
        const auto start = std::chrono::steady_clock::now();
        const auto elapsed_ns = [&] {
            return std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
        };
        for (int repeat = 0; repeat < options_.repeats; ++repeat) {
            for (const GridPoint* point : order_of(repeat)) {
                const std::string name = canonical_text(point->configuration);
                if (table.measured().contains({name, repeat})) continue;
                const std::int64_t each =
                    outcome.recorded > 0 ? elapsed_ns() / static_cast<std::int64_t>(outcome.recorded) : 0;
                if (options_.budget_ns > 0 && elapsed_ns() + each > options_.budget_ns) {
                    outcome.measurements = table.measured().size();
                    return outcome;
                }
                if (progress_) {
                    progress_(
                        {all - left, all, outcome.failed, name, each * static_cast<std::int64_t>(left)});
                }
                FSADVISE_ASSIGN(const bool worked, measure(table, *point, repeat));
                ++outcome.recorded;
                outcome.failed += worked ? 0 : 1;
                --left;
            }
        }
        outcome.measurements = table.measured().size();
        outcome.complete = true;
        return outcome;
    }

    Result<bool> measure(GridFile& table, const GridPoint& point, int repeat) {
        const int area = candidate_area(repeat);
        // Another seed for another repeat: a repeat must not repeat the luck of the first.
        setup_.seed = options_.seed + static_cast<std::uint64_t>(repeat);
        const auto measured = measure_duet(setup_, point.configuration, options_.seconds, area == 1);
        if (interrupted() != 0 || (!measured && measured.error().code == ErrorCode::kInterrupted))
            return fail(ErrorCode::kInterrupted,
                        "stopped; everything is unmounted and detached, the table is kept",
                        options_.table_path, "go on with it by the same command");
        json row = {{"configuration", to_json(point.configuration)},
                    {"origin", point.origin},
                    {"repeat", repeat},
                    {"area", area}};
        if (measured) {
            row["state"] = "complete";
            row.update(row_metrics(*measured));
        } else {
            row["state"] = "failed";
            row["reason"] =
                without_places(to_text(measured.error()), {target_->area_device(0), target_->area_device(1)});
            // Every other measurement would fail with it.
            if (point.configuration == setup_.anchor) return tl::unexpected(measured.error());
            log_debug("{} failed: {}", canonical_text(point.configuration), to_text(measured.error()));
        }
        FSADVISE_TRY(table.append(row));
        return measured.has_value();
    }

    const Knowledge& knowledge_;
    Request request_;
    const RecordOptions& options_;
    ProcessRunner& runner_;
    const FileReader& files_;
    const std::function<void(const RecordProgress&)>& progress_;
    std::vector<std::string> usable_;
    std::vector<GridPoint> grid_;
    std::unique_ptr<LoadSource> load_;
    std::unique_ptr<Target> target_;
    MeasureSetup setup_;
};

}  // namespace

Result<RecordOutcome> record_grid(const Knowledge& knowledge, const Request& request,
                                  const RecordOptions& options, ProcessRunner& runner,
                                  const FileReader& files,
                                  const std::function<void(const RecordProgress&)>& progress) {
    return Recorder(knowledge, request, options, runner, files, progress).run();
}

}  // namespace fsadvise::tuner
