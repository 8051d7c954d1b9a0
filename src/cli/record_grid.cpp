#include "cli/record_grid.h"

#include <cstdio>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/units.h"
#include "cli/live_line.h"

namespace fsadvise::cli {
namespace {

constexpr std::size_t kGridLimitBytes = 16u << 20;

}  // namespace

void add_record_options(CLI::App& command, RecordGridOptions& options) {
    auto& record = options.record;
    auto* table =
        command
            .add_option("--record-grid", record.table_path,
                        "measure a whole grid into this table instead of searching; the same command goes on "
                        "with a table that is not complete")
            ->type_name("FILE");
    auto* grid = command.add_option("--grid", options.grid_file, "configurations to record, one a line")
                     ->needs(table)
                     ->type_name("FILE");
    command
        .add_option("--configurations", record.configurations, "configurations to record, chosen by a design")
        ->needs(table)
        ->excludes(grid)
        ->check(CLI::Range(1, 100000))
        ->type_name("N");
    command
        .add_option("--repeats", record.repeats, "duets on fresh formats for each configuration (default 3)")
        ->needs(table)
        ->check(CLI::Range(1, 1000))
        ->type_name("N");
    command
        .add_option("--window", record.window_seconds,
                    "window of a duet instead of the load's: shorter ones give more pairs in a short duet")
        ->needs(table)
        ->check(CLI::Range(0.005, 60.0))
        ->type_name("S");
    command.add_option("--data", options.data, "data on each area at most; less is faster to lay out")
        ->needs(table)
        ->type_name("SIZE");
}

Outcome record_grid_command(RecordGridOptions& options, const Knowledge& knowledge, const Request& request,
                            ProcessRunner& runner, const Common& common) {
    if (!options.data.empty()) {
        const auto size = parse_size(options.data);
        if (!size) return fail(ErrorCode::kUsage, size.error().message, "--data", size.error().hint);
        options.record.area_data_bytes = *size;
    }
    if (!options.grid_file.empty()) {
        FSADVISE_ASSIGN(options.record.grid_text, read_input(options.grid_file, kGridLimitBytes));
        options.record.grid_name = options.grid_file;
    }
    auto outcome = [&] {
        LiveLine line(common.quiet);
        return tuner::record_grid(
            knowledge, request, options.record, runner, SystemFileReader(),
            [&](const tuner::RecordProgress& progress) {
                line.show(fmt::format("measurement {} of {}, {} failed, about {} left: {}", progress.done + 1,
                                      progress.all, progress.failed, human_duration(progress.left_ns),
                                      progress.now));
            });
    }();
    if (!outcome) return tl::unexpected(outcome.error());
    FSADVISE_TRY(emit(
        common, fmt::format("{}: {} configurations, {} measurements; {} recorded now, {} of them failed\n",
                            options.record.table_path, outcome->configurations, outcome->measurements,
                            outcome->recorded, outcome->failed)));
    if (outcome->complete) return 0;
    if (!common.quiet)
        std::fputs("fsadvise: the budget ended before the grid was complete; the same command goes on\n",
                   stderr);
    return exit_status(ErrorCode::kRunFailed);
}

}  // namespace fsadvise::cli
