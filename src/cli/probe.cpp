#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/command.h"
#include "output/text_parts.h"

namespace fsadvise::cli {
namespace {

struct ProbeOptions {
    std::string device, filesystem;
    bool json = false;
};

Outcome probe(const ProbeOptions& options, const Common& common) {
    const SystemFileReader files;
    SystemProcessRunner runner;
    Host host = probe_host(files);
    probe_tools(host, runner);
    if (!options.device.empty()) {
        FSADVISE_ASSIGN(host.device, probe_device(files, options.device));
    }
    if (!options.filesystem.empty()) {
        FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge(common));
        FSADVISE_ASSIGN(const ExistingFilesystem existing,
                        look_at(loaded.knowledge, options.filesystem, runner, files));
        const nlohmann::json document = {{"existing", to_json(existing)}, {"host", to_json(host)}};
        FSADVISE_TRY(emit(common, document.dump(2) + "\n"));
        return 0;
    }
    if (options.json) {
        FSADVISE_TRY(emit(common, to_json(host).dump(2) + "\n"));
        return 0;
    }
    std::string text = host_line(host) + "\n";
    for (const auto& [tool, version] : host.tools) text += fmt::format("  {} {}\n", tool, version);
    if (host.filesystems) {
        const std::vector<std::string> names(host.filesystems->begin(), host.filesystems->end());
        text += wrap("filesystems: " + join(names, " "), 100, "  ", "    ") + "\n";
    }
    FSADVISE_TRY(emit(common, text));
    return 0;
}

}  // namespace

void add_probe(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<ProbeOptions>();
    CLI::App* command =
        app.add_subcommand("probe", "facts about this machine, also as input elsewhere (--host)");
    command->add_option("--device", options->device, "look at this block device too (only read)")
        ->type_name("DEVICE");
    command
        ->add_option("--filesystem", options->filesystem,
                     "the filesystem mounted there, as JSON for recommend --existing-from")
        ->type_name("DIR");
    command->add_flag("--json", options->json, "one JSON document");
    add_common(*command, invocation.common);
    command->callback([options, &invocation] {
        invocation.action = [options, &invocation] { return probe(*options, invocation.common); };
    });
}

}  // namespace fsadvise::cli
