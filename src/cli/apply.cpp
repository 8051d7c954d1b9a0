// apply: from an advice to a formatted, mounted and registered filesystem; a dry run unless told otherwise.
#include "cli/apply.h"

#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "output/apply.h"
#include "tuner/apply/advised.h"

namespace fsadvise::cli {
namespace {

constexpr std::size_t kLargestDocument = 64u << 20;

struct ApplyOptions {
    std::string advice, device, erase, directory, label, uuid;
    std::string plan_file, from_plan, undo;
    int rank = 1;
    bool execute = false, json = false;
    ApplyPlaces places;
};

Result<void> check_words(const ApplyOptions& options) {
    const int sources = (options.advice.empty() ? 0 : 1) + (options.from_plan.empty() ? 0 : 1) +
                        (options.undo.empty() ? 0 : 1);
    if (sources != 1) {
        return fail(ErrorCode::kUsage, "name one thing to apply", "apply",
                    "ADVICE.json --device DEV --mount-point DIR, or --from-plan FILE, or --undo RECORD");
    }
    if (!options.undo.empty()) return {};
    if (options.from_plan.empty() && options.device.empty())
        return fail(ErrorCode::kUsage, "no disk given", "--device", "add --device /dev/disk/by-id/...");
    if (!options.from_plan.empty() && !options.plan_file.empty())
        return fail(ErrorCode::kUsage, "one of the two", "--plan, --from-plan", "a plan is made or followed");
    return {};
}

// The same convention as for a device to be measured on.
Result<void> check_named_twice(const ApplyOptions& options, const tuner::Plan& plan) {
    const std::string& device = plan.wish.device;
    if (!options.device.empty() && options.device != device) {
        return fail(ErrorCode::kUsage, "the plan is for " + device, "--device " + options.device,
                    "name the disk of the plan, or make another plan");
    }
    if (!plan.formats()) return {};
    if (options.erase == device && options.device == device) return {};
    return fail(ErrorCode::kUsage,
                options.erase.empty()
                    ? "a disk that is to be formatted must be named twice"
                    : fmt::format("--device and --erase name different things ('{}')", options.erase),
                device,
                fmt::format("add --device {0} --erase {0} if it is the right one", shell_quote(device)));
}

Result<tuner::Wish> wish_of(const ApplyOptions& options, const tuner::Machine& machine) {
    FSADVISE_ASSIGN(const std::string text, read_input(options.advice, kLargestDocument));
    FSADVISE_ASSIGN(tuner::Advised advised,
                    tuner::advised_from_text(machine.knowledge, text, options.advice, options.rank));
    FSADVISE_ASSIGN(Host host, machine_with(options.device, machine.knowledge, machine.runner));
    tuner::Wish wish;
    wish.request = std::move(advised.request);
    wish.request.host = std::move(host);
    wish.configuration = std::move(advised.configuration);
    wish.queue = std::move(advised.queue);
    wish.device = options.device;
    wish.directory = options.directory.empty() ? wish.request.mount_point : options.directory;
    const auto* workload = machine.knowledge.workload(wish.request.workload);
    if (wish.directory.empty() && workload != nullptr) wish.directory = workload->mount_point;
    wish.label = options.label.empty() ? tuner::default_label(wish.request.workload) : options.label;
    wish.uuid = lower(options.uuid);
    wish.fstab = options.places.fstab;
    wish.rules_folder = options.places.rules_folder;
    wish.persist = options.places.persist;
    wish.advice_digest = advised.digest;
    wish.rank = advised.rank;
    for (const std::string& setting : advised.elsewhere)
        log_info("of the whole machine, so not applied: {}", setting);
    FSADVISE_TRY(tuner::check_possible(machine.knowledge, wish.request, wish.configuration, machine.runner,
                                       options.advice));
    return wish;
}

Result<tuner::Plan> plan_of(const ApplyOptions& options, const tuner::Machine& machine) {
    if (options.from_plan.empty()) {
        FSADVISE_ASSIGN(tuner::Wish wish, wish_of(options, machine));
        return plan_with_record(machine, std::move(wish), options.places.state_folder);
    }
    FSADVISE_ASSIGN(const std::string text, read_input(options.from_plan, kLargestDocument));
    const auto document = nlohmann::json::parse(text, nullptr, false);
    FSADVISE_ASSIGN(const tuner::StoredPlan stored,
                    tuner::stored_plan_from_json(machine.knowledge, document, options.from_plan));
    FSADVISE_ASSIGN(Host host, machine_with(stored.wish.device, machine.knowledge, machine.runner));
    return tuner::confirm_plan(machine, stored, std::move(host), options.from_plan);
}

std::string record_of(const ApplyOptions& options, const tuner::Plan& plan) {
    if (!options.from_plan.empty()) return options.from_plan;
    if (!options.plan_file.empty()) return options.plan_file;
    return tuner::record_file(options.places.state_folder, plan.wish.uuid);
}

std::string command_to_do(const ApplyOptions& options, const tuner::Plan& plan) {
    std::vector<std::string> words = {"fsadvise", "apply"};
    const std::string plan_file = options.from_plan.empty() ? options.plan_file : options.from_plan;
    if (plan_file.empty()) {
        words.insert(words.end(), {options.advice, "--mount-point", plan.wish.directory});
        if (options.rank != 1) words.insert(words.end(), {"--rank", std::to_string(options.rank)});
        if (!options.label.empty()) words.insert(words.end(), {"--label", options.label});
        if (!options.uuid.empty()) words.insert(words.end(), {"--uuid", options.uuid});
        if (options.places.persist) words.emplace_back("--persist");
        const ApplyPlaces usual;
        if (options.places.fstab != usual.fstab) words.insert(words.end(), {"--fstab", options.places.fstab});
        if (options.places.rules_folder != usual.rules_folder)
            words.insert(words.end(), {"--rules-dir", options.places.rules_folder});
    } else {
        words.insert(words.end(), {"--from-plan", plan_file});
    }
    words.insert(words.end(), {"--device", plan.wish.device});
    if (plan.formats()) words.insert(words.end(), {"--erase", plan.wish.device});
    const ApplyPlaces usual;
    if (options.places.state_folder != usual.state_folder)
        words.insert(words.end(), {"--state-dir", options.places.state_folder});
    words.emplace_back("--execute");
    return shell_join(words);
}

Outcome undo(const ApplyOptions& options, const Common& common) {
    FSADVISE_ASSIGN(const auto undos, tuner::undo_of_record(options.undo));
    std::string out;
    for (const tuner::Undo& item : undos) {
        const std::string what = item.done      ? "is as it was before"
                                 : item.removes ? "made by apply, to be removed"
                                                : "to be put back from " + item.edit.backup;
        out += fmt::format("{}: {}\n", item.edit.path, item.difference.empty() ? what : "was edited since:");
        out += item.difference;
    }
    if (undos.empty()) out = "no file was edited\n";
    // All or nothing: a file that cannot be put back keeps the others as they are.
    for (const tuner::Undo& item : undos) {
        if (item.difference.empty()) continue;
        std::fputs(out.c_str(), stderr);
        return tuner::carry_out(item).transform([] { return 0; });
    }
    if (options.execute) {
        FSADVISE_ASSIGN(const Fd lock, tuner::lock_records(options.places.state_folder));
        for (const tuner::Undo& item : undos) FSADVISE_TRY(tuner::carry_out(item));
        out += "done; the filesystem and its mount are as they were\n";
    } else if (!undos.empty()) {
        out += "dry run, nothing was changed; add --execute\n";
    }
    FSADVISE_TRY(emit(common, out));
    return 0;
}

Outcome apply(const ApplyOptions& options, const Common& common) {
    FSADVISE_TRY(check_words(options));
    if (!options.undo.empty()) return undo(options, common);
    FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge(common));
    SystemProcessRunner runner;
    const SystemFileReader files;
    const tuner::Machine machine{loaded.knowledge, runner, files};
    FSADVISE_ASSIGN(const tuner::Plan plan, plan_of(options, machine));
    const std::string record = record_of(options, plan);
    const bool does = options.execute && !plan.steps.empty();
    if (does) {
        FSADVISE_TRY(check_named_twice(options, plan));
        FSADVISE_TRY(carry_out_plan(machine, plan, record, options.places.state_folder, common.quiet));
    } else if (!options.plan_file.empty()) {
        FSADVISE_TRY(write_file_atomically(options.plan_file, to_json(plan).dump(2) + "\n"));
    }
    std::string next;
    if (does) {
        std::vector<std::string> words = {"fsadvise", "apply", "--undo", record};
        if (options.places.state_folder != ApplyPlaces().state_folder)
            words.insert(words.end(), {"--state-dir", options.places.state_folder});
        words.emplace_back("--execute");
        next = shell_join(words);
    } else if (!plan.steps.empty()) {
        next = command_to_do(options, plan);
    }
    if (options.json) {
        nlohmann::json document = to_json(plan);
        document["executed"] = does;
        document["next"] = next;
        FSADVISE_TRY(emit(common, document.dump(2) + "\n"));
        return 0;
    }
    const TextStyle style{use_color(common, STDOUT_FILENO), terminal_width(STDOUT_FILENO)};
    FSADVISE_TRY(emit(common, render_plan_text(plan, does, next, style)));
    return 0;
}

}  // namespace

void add_apply(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<ApplyOptions>();
    CLI::App* command = app.add_subcommand(
        "apply", "format, mount and register what an advice says; a dry run unless --execute is given");
    command->add_option("advice", options->advice, "advice made with --json, '-' for standard input")
        ->type_name("ADVICE.json");
    command->add_option("--device", options->device, "the disk or partition")->type_name("DEVICE");
    command->add_option("--erase", options->erase, "the same disk again, if it is to be formatted")
        ->type_name("DEVICE");
    command->add_option("--mount-point", options->directory, "where it is to be mounted")->type_name("DIR");
    command->add_option("--rank", options->rank, "which configuration of the advice, 1 is the best")
        ->check(CLI::PositiveNumber)
        ->type_name("N");
    command->add_option("--label", options->label, "label of the filesystem (default: the workload)")
        ->type_name("LABEL");
    command->add_option("--uuid", options->uuid, "UUID of the filesystem (default: derived from the disk)")
        ->type_name("UUID");
    command->add_option("--plan", options->plan_file, "write the plan to FILE, to be reviewed")
        ->type_name("FILE");
    command->add_option("--from-plan", options->from_plan, "do what this plan says")->type_name("FILE");
    command->add_option("--undo", options->undo, "put back the files that an apply edited")
        ->type_name("RECORD");
    command->add_flag("--execute", options->execute, "really do it");
    command->add_flag("--json", options->json, "the plan as JSON");
    add_places(*command, options->places);
    add_common(*command, invocation.common);
    command->callback([options, &invocation] {
        invocation.action = [options, &invocation] { return apply(*options, invocation.common); };
    });
}

}  // namespace fsadvise::cli
