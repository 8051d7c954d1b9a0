// capture: watch a live system and write the load it sees as a workload file.
#include "tuner/capture/capture.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "base/interrupt.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/command.h"

namespace fsadvise::cli {
namespace {

struct CaptureCommand {
    tuner::CaptureOptions capture;
    std::string seconds = "60";
};

Outcome capture(CaptureCommand& command, const Common& common) {
    if (command.capture.path.empty() == command.capture.device.empty()) {
        return fail(ErrorCode::kUsage, "name one place to watch", "capture",
                    "--path DIR, or --device /dev/X");
    }
    const auto length = parse_duration_ns(command.seconds);
    constexpr std::int64_t kShortest = 100'000'000, kLongest = 7 * 86'400'000'000'000;
    if (!length || *length < kShortest || *length > kLongest) {
        return fail(ErrorCode::kUsage, length ? "0.1 s to 7 days" : length.error().message, "--seconds",
                    "write for example 60 or 10m");
    }
    command.capture.seconds = static_cast<double>(*length) / 1e9;
    install_interrupt_handlers();
    FSADVISE_ASSIGN(const tuner::CaptureFacts facts, tuner::watch(command.capture, SystemFileReader()));
    FSADVISE_ASSIGN(const tuner::WorkloadDocument document, tuner::document_of(facts, command.capture.id));
    FSADVISE_TRY(emit(common, tuner::document_to_json(document)));
    if (!common.quiet) {
        for (const std::string& note : document.notes)
            std::fprintf(stderr, "fsadvise: note: %s\n", note.c_str());
    }
    return facts.interrupted ? 128 + interrupted() : 0;
}

}  // namespace

void add_capture(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<CaptureCommand>();
    CLI::App* command = app.add_subcommand(
        "capture", "watch a running system and write the load it sees as a workload file (only reads)");
    command->footer("Example:\n  fsadvise capture --path /var/lib/postgresql --seconds 5m -o mine.json");
    command->add_option("--path", options->capture.path, "the directory that holds the data")
        ->type_name("DIR");
    command->add_option("--device", options->capture.device, "the block device")->type_name("DEVICE");
    command
        ->add_option("--seconds", options->seconds, "how long, also as 5m; Ctrl-C ends it with what was seen")
        ->type_name("TIME");
    command->add_option("--id", options->capture.id, "id of the workload (default: from the place)")
        ->type_name("ID");
    add_common(*command, invocation.common);
    command->callback([options, &invocation] {
        invocation.action = [options, &invocation] { return capture(*options, invocation.common); };
    });
}

}  // namespace fsadvise::cli
