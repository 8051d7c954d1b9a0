// recommend --existing, --existing-from: advice for a filesystem that cannot be formatted today.
#include "output/existing.h"

#include <filesystem>
#include <system_error>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "base/fd.h"
#include "base/text.h"
#include "cli/command.h"

namespace fsadvise::cli {

void add_existing_options(CLI::App& command, ExistingOptions& options) {
    command.add_option("--existing", options.directory, "advise for the filesystem mounted there (only looks)")
        ->type_name("DIR");
    command
        .add_option("--existing-from", options.file,
                    "the same from a saved findmnt -J, mountinfo, or probe --filesystem DIR --json")
        ->type_name("FILE");
}

Result<ExistingFilesystem> read_existing(const ExistingOptions& options, const Knowledge& knowledge) {
    if (!options.file.empty()) {
        FSADVISE_ASSIGN(const std::string text, read_file(options.file));
        return existing_from_text(knowledge, text, options.file, options.directory);
    }
    // What does not exist would be taken for a directory of the filesystem above it.
    std::error_code error;
    const auto directory = std::filesystem::canonical(options.directory, error);
    if (error)
        return fail(ErrorCode::kUsage, options.directory + ": " + error.message(), "--existing",
                    "name a directory of the filesystem, as findmnt lists it");
    SystemProcessRunner runner;
    return look_at(knowledge, directory.string(), runner, SystemFileReader());
}

Outcome recommend_existing(const ExistingOptions& options, const LoadedKnowledge& loaded, Request request,
                           const std::string& format, const Common& common) {
    FSADVISE_ASSIGN(const ExistingFilesystem facts, read_existing(options, loaded.knowledge));
    if (request.mount_point.empty()) request.mount_point = facts.directory;
    if (options.file.empty() && !request.host.device && facts.source.starts_with("/dev/")) {
        if (auto device = probe_device(SystemFileReader(), facts.source)) request.host.device = std::move(*device);
    }
    FSADVISE_ASSIGN(const ExistingAdvice advice,
                    advise_existing(loaded.knowledge, loaded.network, request, facts));
    if (format == "json") {
        FSADVISE_TRY(emit(common, render_existing_json(advice, loaded.knowledge)));
        return 0;
    }
    if (format == "markdown") {
        FSADVISE_TRY(emit(common, render_existing_markdown(advice, loaded.knowledge)));
        return 0;
    }
    if (format != "text") {
        return fail(ErrorCode::kUsage, "--format " + format + " does not go with --existing", "--format",
                    "text, json or markdown");
    }
    const TextStyle style{use_color(common, STDOUT_FILENO), terminal_width(STDOUT_FILENO)};
    FSADVISE_TRY(emit(common, render_existing_text(advice, loaded.knowledge, style)));
    return 0;
}

}  // namespace fsadvise::cli
