#include <memory>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "advice/advise.h"
#include "base/text.h"
#include "cli/command.h"
#include "output/render.h"

namespace fsadvise::cli {
namespace {

struct RecommendOptions {
    RequestOptions request;
    HostOptions host;
    std::string format = "text";
    bool json = false;
};

Outcome recommend(const RecommendOptions& options, const Common& common) {
    FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge(common));
    FSADVISE_ASSIGN(Host host, resolve_host(options.host, loaded.knowledge));
    FSADVISE_ASSIGN(const Request request,
                    resolve_request(options.request, loaded.knowledge, std::move(host)));
    FSADVISE_ASSIGN(const Advice advice, advise(loaded.knowledge, loaded.network, request));
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
    command->add_option("--format", options->format, "text, json or shell")
        ->check(CLI::IsMember({"text", "json", "shell"}))
        ->type_name("F");
    command->add_flag("--json", options->json, "the same as --format json");
    add_common(*command, invocation.common);
    command->callback([options, &invocation] {
        invocation.action = [options, &invocation] { return recommend(*options, invocation.common); };
    });
}

}  // namespace fsadvise::cli
