#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "advice/advise.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/shipped_model.h"
#include "output/emit/emit_plan.h"
#include "output/render.h"
#include "tuner/target/device_use.h"
#include "tuner/target/signature.h"

namespace fsadvise::cli {
namespace {

struct RecommendOptions {
    RequestOptions request;
    HostOptions host;
    ExistingOptions existing;
    std::string format = "text";
    bool json = false, strict = false;
    std::string target_device, csi_driver, model;
};

// A target with several files takes a folder.
Result<void> write_emitted(const Common& common, const Emitted& emitted) {
    const bool to_stream = common.output_path.empty() || common.output_path == "-";
    if (to_stream || emitted.files.size() == 1) return emit(common, joined(emitted));
    for (const EmittedFile& file : emitted.files) {
        const std::filesystem::path path = std::filesystem::path(common.output_path) / file.name;
        std::error_code error;
        std::filesystem::create_directories(path.parent_path(), error);
        if (error)
            return fail(ErrorCode::kUnavailable, error.message(), path.parent_path().string(),
                        "name another folder with -o");
        FSADVISE_TRY(write_file_atomically(path.string(), file.content));
    }
    return {};
}

Outcome emit_as(const EmitFormat& format, const Advice& advice, const Knowledge& knowledge,
                const RecommendOptions& options, const Common& common) {
    FSADVISE_ASSIGN(const EmitPlan plan, emit_plan(advice, knowledge, options.csi_driver));
    FSADVISE_ASSIGN(const Emitted emitted, format.emit(plan));
    FSADVISE_TRY(write_emitted(common, emitted));
    for (const std::string& lost : emitted.lost) log_warning("not carried: {}", lost);
    return options.strict && !emitted.lost.empty() ? 1 : 0;
}

std::vector<std::string> format_words() {
    std::vector<std::string> words;
    for (const EmitFormat& format : emit_formats()) words.emplace_back(format.id);
    return words;
}

// The commands of an advice format the device that was looked at: what is on it must be said first.
void warn_about_device(Advice& advice, const std::string& device) {
    std::vector<std::string> warnings;
    const auto& path = std::filesystem::weakly_canonical(device);
    const SystemFileReader files;
    if (const auto unused = tuner::check_device_unused(files, path.filename().string(), device); !unused) {
        warnings.push_back(fmt::format("{} {}: the mkfs command would destroy what is in use", device,
                                       unused.error().message));
    }
    if (const auto opened = Fd::open(device, O_RDONLY)) {
        if (const auto found = tuner::find_signatures(opened->get(), device)) {
            for (const auto& signature : *found) {
                warnings.push_back(
                    fmt::format("{} carries {}: formatting it destroys that", device, to_text(signature)));
            }
        }
    } else {
        warnings.push_back(device +
                           " cannot be read, so it is unknown whether something is on it (try as root)");
    }
    advice.warnings.insert(advice.warnings.begin(), warnings.begin(), warnings.end());
}

// A disk of another machine: its name is written into the output, and nothing is looked at here.
Result<void> name_target(const RecommendOptions& options, Host& host) {
    const std::string& device = options.target_device;
    if (device.empty()) return {};
    if (!options.host.device.empty())
        return fail(ErrorCode::kUsage,
                    "--device is looked at here, --target-device names a disk of another machine",
                    "--target-device", "give one of them");
    if (!device.starts_with("/dev/") || !is_plain_text(device) ||
        device.find_first_of(" \t'\"\\$`") != std::string::npos)
        return fail(ErrorCode::kUsage, "'" + printable(device) + "' is no name of a device",
                    "--target-device", "for example /dev/disk/by-id/...");
    if (!host.device) host.device.emplace();
    host.device->path = device;
    if (!device.starts_with("/dev/disk/") && !device.starts_with("/dev/mapper/"))
        log_warning(
            "{} depends on the order in which the kernel finds disks: a name below /dev/disk/by-id does not",
            device);
    return {};
}

Outcome recommend(const RecommendOptions& options, const Common& common) {
    RequestOptions wanted = options.request;
    FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge(common, wanted.workload));
    FSADVISE_ASSIGN(Host host, resolve_host(options.host, loaded.knowledge));
    FSADVISE_TRY(name_target(options, host));
    FSADVISE_ASSIGN(const Request request, resolve_request(wanted, loaded.knowledge, std::move(host)));
    if (options.existing.given()) {
        return recommend_existing(options.existing, loaded, request, options.json ? "json" : options.format,
                                  common);
    }
    FSADVISE_ASSIGN(Advice advice, advise(loaded.knowledge, loaded.network, request));
    if (options.model != "none") {
        FSADVISE_ASSIGN(const auto model, effect_model(options.model));
        consult_model(advice, loaded.knowledge, model);
    }
    if (!options.host.device.empty()) warn_about_device(advice, options.host.device);
    const std::string format = options.json ? "json" : options.format;
    if (format == "json") {
        FSADVISE_TRY(emit(common, render_json(advice, loaded.knowledge)));
        return 0;
    }
    if (format == "shell") {
        if (advice.ranked.empty()) {
            return fail(ErrorCode::kUnavailable, "no filesystem fits: " + join(advice.excluded, "; "),
                        request.workload, "relax a requirement");
        }
        FSADVISE_TRY(emit(common, render_shell(advice, loaded.knowledge)));
        return 0;
    }
    if (const EmitFormat* target = emit_format(format))
        return emit_as(*target, advice, loaded.knowledge, options, common);
    if (format != "text") {
        return fail(ErrorCode::kUsage, "--format " + format + " goes with --existing only", "--format",
                    "text, json, shell, " + join(format_words(), ", "));
    }
    const TextStyle style{use_color(common, STDOUT_FILENO), terminal_width(STDOUT_FILENO)};
    FSADVISE_TRY(emit(common, render_text(advice, loaded.knowledge, style)));
    return 0;
}

}  // namespace

void add_recommend(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<RecommendOptions>();
    CLI::App* command =
        app.add_subcommand("recommend", "advise a filesystem, its mkfs parameters and mount options");
    add_request_options(*command, options->request);
    add_host_options(*command, options->host, true);
    add_existing_options(*command, options->existing);
    auto formats = format_words();
    formats.insert(formats.begin(), {"text", "json", "shell", "markdown"});
    command
        ->add_option(
            "--format", options->format,
            "text, json, shell, " + join(format_words(), ", ") + "; with --existing: text, json or markdown")
        ->check(CLI::IsMember(formats))
        ->type_name("F");
    command
        ->add_option("--target-device", options->target_device,
                     "disk or partition of the machine that will be provisioned; best below /dev/disk/by-id")
        ->type_name("DEV");
    command->add_option("--csi-driver", options->csi_driver, "provisioner, for --format kubernetes")
        ->type_name("NAME");
    command
        ->add_option("--model", options->model,
                     "model of measured effects: a file of 'model train', or none (default: the shipped one)")
        ->type_name("FILE");
    command->add_flag("--strict", options->strict, "exit 1 if the format cannot carry all of the advice");
    command->add_flag("--json", options->json, "the same as --format json");
    add_common(*command, invocation.common);
    command->callback([options, &invocation] {
        invocation.action = [options, &invocation] { return recommend(*options, invocation.common); };
    });
}

}  // namespace fsadvise::cli
