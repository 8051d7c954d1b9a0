#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "advice/advise.h"
#include "base/fd.h"
#include "base/text.h"
#include "cli/command.h"
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
    bool json = false;
};

// The commands of an advice format the device that was looked at: what is on it must be said first.
void warn_about_device(Advice& advice, const std::string& device) {
    std::vector<std::string> warnings;
    const auto& path = std::filesystem::weakly_canonical(device);
    const SystemFileReader files;
    if (const auto unused = tuner::check_device_unused(files, path.filename().string(), device); !unused) {
        warnings.push_back(fmt::format("{} {}: the mkfs command would destroy what is in use", device, unused.error().message));
    }
    if (const auto opened = Fd::open(device, O_RDONLY)) {
        if (const auto found = tuner::find_signatures(opened->get(), device)) {
            for (const auto& signature : *found) {
                warnings.push_back(fmt::format("{} carries {}: formatting it destroys that", device, to_text(signature)));
            }
        }
    } else {
        warnings.push_back(device + " cannot be read, so it is unknown whether something is on it (try as root)");
    }
    advice.warnings.insert(advice.warnings.begin(), warnings.begin(), warnings.end());
}

Outcome recommend(const RecommendOptions& options, const Common& common) {
    RequestOptions wanted = options.request;
    FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge(common, wanted.workload));
    FSADVISE_ASSIGN(Host host, resolve_host(options.host, loaded.knowledge));
    FSADVISE_ASSIGN(const Request request, resolve_request(wanted, loaded.knowledge, std::move(host)));
    if (options.existing.given()) {
        return recommend_existing(options.existing, loaded, request, options.json ? "json" : options.format, common);
    }
    FSADVISE_ASSIGN(Advice advice, advise(loaded.knowledge, loaded.network, request));
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
    if (format != "text") {
        return fail(ErrorCode::kUsage, "--format " + format + " goes with --existing only", "--format",
                    "text, json or shell");
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
    command->add_option("--format", options->format, "text, json or shell; with --existing: text, json or markdown")
        ->check(CLI::IsMember({"text", "json", "shell", "markdown"}))
        ->type_name("F");
    command->add_flag("--json", options->json, "the same as --format json");
    add_common(*command, invocation.common);
    command->callback([options, &invocation] {
        invocation.action = [options, &invocation] { return recommend(*options, invocation.common); };
    });
}

}  // namespace fsadvise::cli
