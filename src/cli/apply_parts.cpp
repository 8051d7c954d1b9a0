#include <chrono>
#include <cstdio>
#include <ctime>

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "cli/apply.h"
#include "output/apply.h"

namespace fsadvise::cli {

void add_places(CLI::App& command, ApplyPlaces& places) {
    command.add_option("--fstab", places.fstab, "the fstab to register the mount in")->type_name("FILE");
    command.add_option("--rules-dir", places.rules_folder, "where udev rules go")->type_name("DIR");
    command.add_option("--state-dir", places.state_folder, "where records of what was done are kept")
        ->type_name("DIR");
    command.add_flag("--persist", places.persist, "keep queue settings over reboots by a udev rule");
}

Result<Host> machine_with(const std::string& device, const Knowledge& knowledge, ProcessRunner& runner) {
    FSADVISE_ASSIGN(Host host, resolve_host({}, knowledge));
    host.tools.clear();
    probe_tools(host, runner);
    if (device.empty()) return host;
    FSADVISE_ASSIGN(host.device, probe_device(SystemFileReader(), device));
    return host;
}

Result<tuner::Plan> plan_with_record(const tuner::Machine& machine, tuner::Wish wish,
                                     const std::string& state_folder) {
    auto plan = tuner::make_plan(machine, wish);
    if (plan) return plan;
    // The disk is not empty: perhaps by ourselves, cut off in the middle.
    const auto identity = tuner::identify_disk(wish.device, machine.files);
    if (!identity || !tuner::format_was_begun(machine.knowledge, state_folder, *identity)) return plan;
    wish.format_begun = true;
    return tuner::make_plan(machine, std::move(wish));
}

Result<tuner::Executed> carry_out_plan(const tuner::Machine& machine, const tuner::Plan& plan,
                                       const std::string& record, const std::string& state_folder,
                                       bool quiet) {
    if (plan.steps.empty()) return tuner::Executed{};
    FSADVISE_ASSIGN(const Fd lock, tuner::lock_records(state_folder));
    install_interrupt_handlers();
    tuner::ExecuteOptions options;
    options.record = record;
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    options.stamp = fmt::format("{:%Y%m%d-%H%M%S}", fmt::gmtime(now));
    if (!quiet) {
        options.tell = [](const tuner::PlanStep& step, std::size_t number, std::size_t of) {
            const std::string line = step_line(step);
            std::fprintf(stderr, "[%zu/%zu] %s%s%s\n", number, of, step.does.c_str(),
                         line.empty() ? "" : ": ", line.c_str());
        };
    }
    return tuner::execute(machine, plan, options);
}

}  // namespace fsadvise::cli
