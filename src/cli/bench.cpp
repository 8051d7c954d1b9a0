// fsadvise bench: one configuration or directory measured, or two compared side by side.
#include "tuner/bench/bench.h"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "advice/advise.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/driver_options.h"
#include "cli/target_options.h"
#include "output/bench.h"
#include "space/configuration_text.h"

namespace fsadvise::cli {
namespace {

struct BenchCommand {
    RequestOptions request;
    HostOptions host;
    TargetOptions target;
    DriverOptions driver;
    std::string path, configuration, data, format = "text";
    std::vector<std::string> compare;
    double seconds = 10;
    int replicates = 0;
    std::uint64_t seed = 1;
    int cores = 0;
    bool json = false;
};

bool is_path(const std::string& word) {
    return word.starts_with('/') || word.starts_with("./") || word.starts_with("../") || word == "." ||
           word == "..";
}

Result<tuner::BenchPlace> place_of(const std::string& word, const LoadedKnowledge& loaded,
                                   const Request& request) {
    tuner::BenchPlace place;
    place.label = word;
    if (is_path(word)) {
        place.directory = word;
        if (!std::filesystem::is_directory(word))
            return fail(ErrorCode::kUsage, "is no directory", word,
                        "name an existing one; nothing is formatted there");
        return place;
    }
    if (word == "default") {
        place.configuration = default_configuration(loaded.knowledge, request);
    } else if (word == "advice") {
        FSADVISE_ASSIGN(const Advice advice, advise(loaded.knowledge, loaded.network, request));
        if (advice.ranked.empty())
            return fail(ErrorCode::kUnavailable, "no configuration fits the request", word);
        place.configuration = advice.ranked.front().configuration;
    } else {
        FSADVISE_ASSIGN(place.configuration, configuration_from_text(loaded.knowledge, request, word));
    }
    return place;
}

std::vector<std::string> place_words(const BenchCommand& command) {
    if (!command.compare.empty()) return command.compare;
    if (!command.path.empty()) return {is_path(command.path) ? command.path : "./" + command.path};
    return {command.configuration};
}

Result<void> check_command(const BenchCommand& command) {
    const int named = (command.path.empty() ? 0 : 1) + (command.configuration.empty() ? 0 : 1) +
                      (command.compare.empty() ? 0 : 1);
    if (named != 1) {
        return fail(ErrorCode::kUsage,
                    named == 0 ? "nothing to measure is named" : "more than one thing to measure is named",
                    "bench", "give one of --path DIR, --config CONFIGURATION, --compare A B");
    }
    if (!std::isfinite(command.seconds))
        return fail(ErrorCode::kUsage, "not a number", "--seconds", "write for example 10");
    return {};
}

// The load that fits, or as large as --data says.
Result<double> scale_of(const BenchCommand& command, const tuner::LoadSource& load, std::uint64_t area_bytes) {
    FSADVISE_ASSIGN(const double fitting, load.fitting_scale(area_bytes));
    if (command.data.empty()) return fitting;
    const auto wanted = parse_size(command.data);
    if (!wanted || *wanted == 0) {
        return fail(ErrorCode::kUsage, wanted ? "a size of zero" : wanted.error().message, "--data",
                    "write for example 1G");
    }
    const double scale = static_cast<double>(*wanted) / static_cast<double>(load.data_bytes(1));
    if (scale <= fitting) return scale;
    return fail(ErrorCode::kUsage,
                "so much data does not fit: at most " +
                    human_size(static_cast<double>(load.data_bytes(fitting))),
                "--data", "give less, or a larger place");
}

Outcome bench_command(BenchCommand& command, const Common& common) {
    FSADVISE_TRY(check_command(command));
    FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge(common, command.request.workload));
    SystemProcessRunner runner;
    const SystemFileReader files;
    FSADVISE_TRY(parse_target_size(command.target));
    const std::vector<std::string> words = place_words(command);
    const bool formats = std::ranges::any_of(words, [](const std::string& word) { return !is_path(word); });
    if (formats) FSADVISE_TRY(check_target_words(command.target, "bench"));
    FSADVISE_ASSIGN(Host host, measuring_host(command.host, command.target.target, loaded.knowledge, runner));
    if (formats && command.target.target.device.empty())
        host.device->size_bytes = command.target.target.size_bytes / 2;
    FSADVISE_ASSIGN(const Request request,
                    resolve_request(command.request, loaded.knowledge, std::move(host)));

    tuner::BenchSetup setup;
    const WorkloadDescription& workload = *loaded.knowledge.workload(request.workload);
    std::string load_name = workload.id, load_json = workload.load;
    if (command.driver.given()) {
        FSADVISE_ASSIGN(const tuner::DriverTask task, driver_task(command.driver));
        load_name = task.driver;
        load_json = tuner::load_json(task);
    }
    FSADVISE_ASSIGN(const auto load, tuner::load_source_from_json(load_json, load_name));
    FSADVISE_TRY(load->check());
    setup.load = load.get();
    std::vector<tuner::BenchPlace> places;
    for (const std::string& word : words) {
        FSADVISE_ASSIGN(tuner::BenchPlace place, place_of(word, loaded, request));
        places.push_back(std::move(place));
    }
    FSADVISE_TRY(tuner::check_places(places));

    install_interrupt_handlers();
    std::unique_ptr<tuner::Target> target;
    BenchSubject subject;
    std::uint64_t area_bytes = 0;
    if (formats) {
        FSADVISE_TRY(tuner::check_target(command.target.target));
        FSADVISE_ASSIGN(target, tuner::open_target(command.target.target, runner));
        area_bytes = target->area_bytes();
        subject.stands_for = target->stands_for();
    } else {
        std::error_code error;
        const auto space = std::filesystem::space(words.front(), error);
        if (error) return fail(ErrorCode::kUnavailable, error.message(), words.front());
        // Two directories of one filesystem share its room.
        area_bytes = space.available / words.size();
    }
    setup.workshop = {&loaded.knowledge, target.get(), &runner, &files};
    FSADVISE_ASSIGN(setup.engine.scale, scale_of(command, *load, area_bytes));
    setup.engine.seconds = command.seconds;
    setup.engine.warmup_seconds = std::min(1.0, command.seconds / 5);
    setup.engine.seed = command.seed;
    setup.engine.cores = command.cores;
    setup.engine.stop = [] { return interrupted() != 0; };
    // Six give an interval on both areas; two directories cannot change areas, but still vary from run to
    // run.
    setup.replicates = command.replicates > 0 ? command.replicates : places.size() == 2 ? 6 : 1;
    if (!common.quiet) {
        setup.progress = [&](int replicate) {
            std::fprintf(stderr, "replicate %d of %d, about %s left\n", replicate, setup.replicates,
                         human_duration(static_cast<std::int64_t>((setup.replicates - replicate + 1) *
                                                                  command.seconds * 1e9))
                             .c_str());
        };
    }
    FSADVISE_ASSIGN(const tuner::BenchResult result, tuner::bench(setup, places));

    subject.load = load_name;
    subject.scale = setup.engine.scale;
    subject.data_bytes = load->data_bytes(subject.scale);
    subject.files = load->file_count(subject.scale);
    subject.seed = command.seed;
    if (command.json || command.format == "json") {
        FSADVISE_TRY(emit(common, render_bench_json(result, subject)));
    } else if (command.format == "csv") {
        FSADVISE_TRY(emit(common, render_bench_csv(result)));
    } else {
        const TextStyle style{use_color(common, STDOUT_FILENO), terminal_width(STDOUT_FILENO)};
        FSADVISE_TRY(emit(common, render_bench_text(result, subject, style)));
    }
    return 0;
}

}  // namespace

void add_bench(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<BenchCommand>();
    CLI::App* command = app.add_subcommand("bench", "measure one configuration or directory, or compare two");
    add_request_options(*command, options->request);
    add_target_options(*command, options->target);
    add_driver_options(*command, options->driver);
    command->add_option("--path", options->path, "measure in this directory; nothing is formatted")
        ->type_name("DIR");
    command
        ->add_option("--config", options->configuration,
                     "format and measure: default, advice, or \"FS:MKFS OPTIONS:MOUNT OPTIONS\"")
        ->type_name("CONFIGURATION");
    command->add_option("--compare", options->compare, "two configurations, or two directories, side by side")
        ->expected(2)
        ->type_name("A B");
    command->add_option("--seconds", options->seconds, "measuring time of one replicate")
        ->check(CLI::Range(0.2, 86400.0))
        ->type_name("S");
    command
        ->add_option("--replicates", options->replicates,
                     "repeats, each on fresh formats (default 1, comparing 6)")
        ->check(CLI::Range(1, 10000))
        ->type_name("N");
    command
        ->add_option("--data", options->data,
                     "size of the data (default: as fits, at most the workload's own)")
        ->type_name("SIZE");
    command->add_option("--seed", options->seed, "seed of the load")->type_name("N");
    command->add_option("--cores", options->cores, "threads of the load at most")
        ->check(CLI::Range(1, 4096))
        ->type_name("N");
    command->add_option("--format", options->format, "text, json, or csv (one row a second)")
        ->check(CLI::IsMember({"text", "json", "csv"}))
        ->type_name("F");
    command->add_flag("--json", options->json, "the same as --format json");
    add_common(*command, invocation.common);
    command->callback([options, &invocation] {
        invocation.action = [options, &invocation] { return bench_command(*options, invocation.common); };
    });
}

}  // namespace fsadvise::cli
