// hook: the data disk of a new machine at its first boot, and the same disk again at every later one.
#include "tuner/apply/hook.h"

#include <chrono>
#include <memory>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "advice/advise.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/apply.h"
#include "output/render.h"
#include "space/spelling.h"
#include "tuner/apply/advised.h"

namespace fsadvise::cli {
namespace {

constexpr std::size_t kLargestQuery = 1u << 20;
constexpr auto kLookAgainAfter = std::chrono::milliseconds(500);

struct HookOptions {
    std::string workload, durability = "strict", match, directory, label, wait;
    std::vector<std::string> needs, filesystems;
    bool execute = false, terraform = false;
    ApplyPlaces places;
};

// Terraform's query is an object of strings; its keys are the long options.
Result<void> read_query(HookOptions& options) {
    FSADVISE_ASSIGN(const std::string text, read_input("-", kLargestQuery));
    const auto query = nlohmann::json::parse(text, nullptr, false);
    if (!query.is_object())
        return fail(ErrorCode::kBadInput, "is no JSON object", "query on standard input",
                    R"(write for example {"workload": "postgres", "match": "size>=10G"})");
    const std::map<std::string, std::string*> words = {{"workload", &options.workload},
                                                       {"durability", &options.durability},
                                                       {"match", &options.match},
                                                       {"mount-point", &options.directory},
                                                       {"label", &options.label},
                                                       {"wait", &options.wait},
                                                       {"fstab", &options.places.fstab},
                                                       {"rules-dir", &options.places.rules_folder},
                                                       {"state-dir", &options.places.state_folder}};
    const std::map<std::string, std::vector<std::string>*> lists = {{"require", &options.needs},
                                                                    {"fs", &options.filesystems}};
    const std::map<std::string, bool*> flags = {{"execute", &options.execute},
                                                {"persist", &options.places.persist}};
    std::vector<std::string> known;
    for (const auto& [key, unused] : words) known.push_back(key);
    for (const auto& [key, unused] : lists) known.push_back(key);
    for (const auto& [key, unused] : flags) known.push_back(key);
    for (const auto& [key, value] : query.items()) {
        if (!value.is_string())
            return fail(ErrorCode::kBadInput, "is no string", "query#/" + printable(key),
                        "Terraform queries are strings");
        const auto word = value.get<std::string>();
        if (const auto entry = words.find(key); entry != words.end()) {
            *entry->second = word;
        } else if (const auto list = lists.find(key); list != lists.end()) {
            *list->second = word.empty() ? std::vector<std::string>{} : split(word, ',');
        } else if (const auto flag = flags.find(key); flag != flags.end()) {
            if (word != "true" && word != "false")
                return fail(ErrorCode::kBadInput, "'" + printable(word) + "' is neither true nor false",
                            "query#/" + key);
            *flag->second = word == "true";
        } else {
            return fail(ErrorCode::kBadInput,
                        "unknown key '" + printable(key) + "'" + did_you_mean(key, known),
                        "query on standard input", "known: " + join(known, ", "));
        }
    }
    return {};
}

// Disks of the cloud are attached a while after the boot.
Result<tuner::Chosen> wait_for_disk(const tuner::Choosing& choosing, const std::string& wait) {
    std::int64_t patience_ns = 0;
    if (!wait.empty()) {
        auto parsed = parse_duration_ns(wait);
        if (!parsed)
            return fail(ErrorCode::kUsage, parsed.error().message, "--wait", "write for example 60s");
        patience_ns = *parsed;
    }
    const SystemFileReader files;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::nanoseconds(patience_ns);
    while (true) {
        auto chosen = tuner::choose_disk(choosing, files);
        if (chosen || std::chrono::steady_clock::now() >= deadline) return chosen;
        if (interrupted() != 0)
            return fail(ErrorCode::kInterrupted, "stopped while waiting for a disk", "hook");
        std::this_thread::sleep_for(kLookAgainAfter);
    }
}

// What the filesystem of an earlier run is used with: the advice for its own kind, or nothing but its
// defaults.
Result<Advice> advice_for(const LoadedKnowledge& loaded, Request& request, const tuner::Chosen& chosen) {
    if (chosen.found_again) request.requirements.filesystems = {chosen.filesystem};
    auto advice = advise(loaded.knowledge, loaded.network, request);
    if (advice || !chosen.found_again) return advice;
    Advice plain;
    plain.request = request;
    Recommendation own;
    own.configuration.filesystem = chosen.filesystem;
    plain.ranked.push_back(std::move(own));
    return plain;
}

Result<tuner::Wish> wish_of(const HookOptions& options, const LoadedKnowledge& loaded, Request request,
                            const tuner::Chosen& chosen) {
    if (chosen.found_again && loaded.knowledge.filesystem(chosen.filesystem) == nullptr) {
        return fail(ErrorCode::kUnavailable,
                    fmt::format("carries {} with the label {}, which is not known here", chosen.filesystem,
                                options.label),
                    chosen.device, "name another --label, or narrow the rule");
    }
    FSADVISE_ASSIGN(const Advice advice, advice_for(loaded, request, chosen));
    if (advice.ranked.empty())
        return fail(ErrorCode::kUnavailable, "no filesystem fits: " + join(advice.excluded, "; "),
                    request.workload, "relax a requirement");
    const Recommendation& best = advice.ranked.front();
    tuner::Wish wish;
    wish.configuration = best.configuration;
    auto queue = nlohmann::json::object();
    for (const BlockSetting& setting : best.settings) {
        const Parameter* parameter = loaded.knowledge.parameter(setting.parameter);
        if (parameter != nullptr && tuner::is_queue_setting(*parameter))
            queue[setting.parameter] = to_json(setting.value);
    }
    FSADVISE_ASSIGN(wish.queue, tuner::queue_settings_from_json(loaded.knowledge, queue, "advice"));
    wish.request = std::move(request);
    wish.device = chosen.device;
    wish.directory = options.directory;
    wish.label = options.label;
    wish.uuid = chosen.uuid;
    wish.adopt = chosen.found_again;
    wish.fstab = options.places.fstab;
    wish.rules_folder = options.places.rules_folder;
    wish.persist = options.places.persist;
    wish.advice_digest = fingerprint(render_json(advice, loaded.knowledge));
    return wish;
}

tuner::Hooked outcome_of(const tuner::Plan& plan, const Knowledge& knowledge, const tuner::Chosen& chosen,
                         bool done) {
    tuner::Hooked hooked;
    hooked.state = plan.steps.empty()   ? "unchanged"
                   : !done              ? "planned"
                   : chosen.found_again ? "found"
                                        : "formatted";
    hooked.changed = done && !plan.steps.empty();
    hooked.device = plan.wish.device;
    hooked.uuid = plan.wish.uuid;
    hooked.label = plan.wish.label;
    hooked.filesystem = plan.wish.configuration.filesystem;
    hooked.mount_point = plan.wish.directory;
    hooked.mount_options = spell(knowledge, plan.wish.configuration).mount_options;
    hooked.fstab = plan.wish.fstab;
    hooked.workload = plan.wish.request.workload;
    hooked.advice_digest = plan.wish.advice_digest;
    return hooked;
}

Outcome hook(HookOptions options, const Common& common) {
    if (options.terraform) FSADVISE_TRY(read_query(options));
    if (options.match.empty())
        return fail(ErrorCode::kUsage, "no rule says which disk", "--match",
                    "for example --match 'size>=10G,by-id=*DATA*'");
    tuner::Choosing choosing;
    FSADVISE_ASSIGN(choosing.rule, tuner::parse_match(options.match));
    FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge(common, options.workload));
    SystemProcessRunner runner;
    FSADVISE_ASSIGN(Host host, machine_with("", loaded.knowledge, runner));
    RequestOptions wanted;
    wanted.workload = options.workload;
    wanted.durability = options.durability;
    wanted.needs = options.needs;
    wanted.filesystems = options.filesystems;
    wanted.mount_point = options.directory;
    FSADVISE_ASSIGN(Request request, resolve_request(wanted, loaded.knowledge, std::move(host)));
    if (options.label.empty()) options.label = tuner::default_label(request.workload);
    FSADVISE_TRY(tuner::check_label(options.label));
    if (options.directory.empty())
        options.directory = loaded.knowledge.workload(request.workload)->mount_point;
    choosing.label = options.label;
    choosing.begun = [&](const tuner::DiskIdentity& disk) {
        return tuner::format_was_begun(loaded.knowledge, options.places.state_folder, disk);
    };

    install_interrupt_handlers();
    FSADVISE_ASSIGN(const tuner::Chosen chosen, wait_for_disk(choosing, options.wait));
    FSADVISE_ASSIGN(request.host.device, probe_device(SystemFileReader(), chosen.device));
    FSADVISE_ASSIGN(tuner::Wish wish, wish_of(options, loaded, std::move(request), chosen));
    const SystemFileReader files;
    const tuner::Machine machine{loaded.knowledge, runner, files};
    if (!chosen.found_again)
        FSADVISE_TRY(
            tuner::check_possible(loaded.knowledge, wish.request, wish.configuration, runner, "hook"));
    FSADVISE_ASSIGN(const tuner::Plan plan,
                    plan_with_record(machine, std::move(wish), options.places.state_folder));
    const std::string record = tuner::record_file(options.places.state_folder, plan.wish.uuid);
    if (options.execute) {
        FSADVISE_TRY(carry_out_plan(machine, plan, record, options.places.state_folder, common.quiet));
    }
    tuner::Hooked hooked = outcome_of(plan, loaded.knowledge, chosen, options.execute);
    if (hooked.changed) hooked.record = record;
    const auto document = options.terraform ? tuner::to_flat_json(hooked) : to_json(hooked);
    FSADVISE_TRY(emit(common, document.dump(options.terraform ? -1 : 2) + "\n"));
    return 0;
}

}  // namespace

void add_hook(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<HookOptions>();
    CLI::App* command = app.add_subcommand(
        "hook", "at first boot: find the one empty data disk, advise, format, mount, register; idempotent");
    command->add_option("-w,--workload", options->workload, "what the disk is for")->type_name("NAME|FILE");
    command->add_option("--match", options->match, "which disk, e.g. 'size>=10G,by-id=*DATA*'")
        ->type_name("RULE");
    command->add_option("--mount-point", options->directory, "where it is to be mounted")->type_name("DIR");
    command
        ->add_option("--label", options->label,
                     "label that the disk is found again by (default: the workload)")
        ->type_name("LABEL");
    command->add_option("--require", options->needs, "features it must have")
        ->delimiter(',')
        ->type_name("LIST");
    command->add_option("--durability", options->durability, "strict, relaxed or scratch")
        ->type_name("CLASS");
    command->add_option("--fs", options->filesystems, "only these filesystems")
        ->delimiter(',')
        ->type_name("LIST");
    command->add_option("--wait", options->wait, "how long to wait for the disk, e.g. 60s")
        ->type_name("TIME");
    command->add_flag("--terraform", options->terraform,
                      "options as a JSON query on standard input, the result as a flat object of strings");
    command->add_flag("--execute", options->execute,
                      "really do it; without, the result says what would be done");
    add_places(*command, options->places);
    add_common(*command, invocation.common);
    command->callback([options, &invocation] {
        invocation.action = [options, &invocation] { return hook(*options, invocation.common); };
    });
}

}  // namespace fsadvise::cli
