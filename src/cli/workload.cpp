// Workloads as files: list and show them, import job files and traces of other tools, export to fio.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/fd.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/subcommand.h"
#include "tuner/exchange/exchange.h"
#include "tuner/workload/phases.h"
#include "tuner/workload/step_kind.h"
#include "tuner/workload/sync_policy.h"

namespace fsadvise::cli {
namespace {

constexpr std::size_t kLargestWorkload = 16u << 20;

struct WorkloadOptions {
    std::vector<std::string> files;
    std::string from, id, section, what, to = "fio";
    bool lenient = false, json = false;
};

// Text of a workload document: a file, or one of the knowledge by id or alias.
Result<std::string> find_text(const std::string& what, const Common& common, std::string& name) {
    if (names_workload_file(what) || what == "-") {
        name = what == "-" ? "<stdin>" : what;
        return read_input(what, kLargestWorkload);
    }
    FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge(common));
    const WorkloadDescription* workload = loaded.knowledge.workload(what);
    if (workload == nullptr) {
        const auto names = loaded.knowledge.workload_names();
        return fail(ErrorCode::kUsage,
                    "unknown workload '" + printable(what) + "'" + did_you_mean(what, names), "workload",
                    "give a file, or one of: fsadvise workload list");
    }
    const auto embedded = embedded_knowledge();
    std::vector<KnowledgeFile> files(embedded.begin(), embedded.end());
    if (!common.knowledge_directory.empty()) files = loaded.directory.view();
    name = "workloads/" + workload->id + ".json";
    for (const KnowledgeFile& file : files) {
        if (file.name == name) return std::string(file.text);
    }
    // A folder of the user's own may use other file names: the description is all there then.
    tuner::WorkloadDocument document;
    document.id = workload->id;
    document.title = workload->title;
    document.summary = workload->summary;
    document.traits = workload->traits;
    document.mount_point = workload->mount_point;
    document.durability = workload->durability;
    document.derivation = workload->derivation;
    document.sources = workload->sources;
    FSADVISE_ASSIGN(document.load, tuner::load_from_json(workload->load, name));
    return tuner::document_to_json(document);
}

std::string set_line(const tuner::FileSet& set) {
    const std::string sizes = set.size_max_bytes > 0
                                  ? size_text(set.size_min_bytes) + " to " + size_text(set.size_max_bytes)
                                  : size_text(set.size_bytes);
    return fmt::format("  {}: {} file{} of {}{}{}, {:.0f} % compressible\n", set.name, set.files,
                       set.files == 1 ? "" : "s", sizes, set.fill ? "" : ", made during the run",
                       set.preallocate ? ", preallocated" : "", 100 * set.compressible);
}

std::string blocks_text(const tuner::Step& step) {
    if (step.blocks.empty()) return size_text(step.block_bytes);
    std::vector<std::string> sizes;
    for (const tuner::SizeShare& entry : step.blocks)
        sizes.push_back(fmt::format("{} {:.3g} %", size_text(entry.bytes), 100 * entry.share));
    return join(sizes, " / ");
}

// What limits a stream, and what it forces besides its sync steps.
std::string manner_text(const tuner::Stream& stream) {
    std::string text;
    if (stream.rate_operations > 0) text += fmt::format(", {:.4g} loops a second", stream.rate_operations);
    if (stream.rate_bytes > 0) text += fmt::format(", {} a second", human_size(stream.rate_bytes));
    if (stream.sync == tuner::SyncPolicy::kNone) return text;
    text += ", " + tuner::sync_policy_name(stream.sync);
    if (stream.sync_every > 1) text += fmt::format(" after {} writes", stream.sync_every);
    return text;
}

std::string phase_text(const tuner::Load& load, std::size_t index) {
    const tuner::Phase& phase = load.phases[index];
    std::string text = fmt::format("  {}: {}", phase.name, join(phase.streams, ", "));
    if (phase.operations > 0) text += fmt::format(", {} loops", phase.operations);
    if (phase.seconds > 0) text += fmt::format(", {:.4g} s", phase.seconds);
    return text + (index == tuner::counting_phase(load) ? "; this one is the result\n" : "\n");
}

std::string step_text(const tuner::Stream& stream, const tuner::Step& step) {
    if (step.operation == "think") return "think " + human_duration(static_cast<std::int64_t>(step.think_ns));
    std::string text = step.operation;
    const auto kind = tuner::step_kind(step.operation);
    if (kind && tuner::uses_block(*kind)) text += " " + blocks_text(step);
    if (step.sequential) text += " sequential";
    if (!step.file_set.empty() && step.file_set != stream.file_set) text += " on " + step.file_set;
    if (step.repeat > 1) text += fmt::format(" x{}", step.repeat);
    if (step.probability < 1) text += fmt::format(" ({:.3g} %)", 100 * step.probability);
    return text;
}

std::string stream_text(const tuner::Stream& stream) {
    const int clients = stream.threads * stream.depth;
    std::string text = fmt::format("  {}: {} client{} on {}{}{}{}{}\n", stream.name, clients,
                                   clients == 1 ? "" : "s", stream.file_set, stream.direct ? ", direct" : "",
                                   stream.skew > 0 ? fmt::format(", skew {:.2g}", stream.skew) : "",
                                   manner_text(stream), stream.counts ? "" : ", in the background");
    std::vector<std::string> steps;
    for (const tuner::Step& step : stream.steps) steps.push_back(step_text(stream, step));
    return text + wrap(join(steps, ", "), 100, "    ", "    ") + "\n";
}

std::string describe(const tuner::WorkloadDocument& document) {
    std::string text =
        document.id + ": " + document.title + "\n" + wrap(document.summary, 100, "  ", "  ") + "\n";
    text += wrap("traits: " + join(document.traits, ", "), 100, "  ", "    ") + "\n";
    text += fmt::format("  durability: {}, mounted on {}\n", document.durability, document.mount_point);
    text += "file sets\n";
    for (const auto& set : document.load.file_sets) text += set_line(set);
    text += "streams (a loop of a counting one is an operation)\n";
    for (const auto& stream : document.load.streams) text += stream_text(stream);
    if (!document.load.phases.empty()) text += "phases, one after the other\n";
    for (std::size_t i = 0; i < document.load.phases.size(); ++i) text += phase_text(document.load, i);
    if (!document.notes.empty()) text += "notes\n";
    for (const std::string& note : document.notes) text += wrap(printable(note), 100, "  - ", "    ") + "\n";
    return text;
}

Outcome list(const WorkloadOptions&, const Common& common) {
    FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge(common));
    std::string text;
    for (const WorkloadDescription& item : loaded.knowledge.workloads())
        text += fmt::format("{:<22} {}\n", item.id, item.title);
    FSADVISE_TRY(emit(common, text));
    return 0;
}

Outcome show(const WorkloadOptions& options, const Common& common) {
    std::string name;
    FSADVISE_ASSIGN(const std::string text, find_text(options.what, common, name));
    FSADVISE_ASSIGN(const tuner::WorkloadDocument document, tuner::document_from_json(text, name));
    FSADVISE_TRY(emit(common, options.json ? text : describe(document)));
    return 0;
}

Outcome import(const WorkloadOptions& options, const Common& common) {
    tuner::ImportOptions wanted{options.id, options.lenient, options.section};
    std::optional<tuner::ExchangeFormat> format;
    if (!options.from.empty()) format = tuner::exchange_format(options.from);
    FSADVISE_ASSIGN(const tuner::WorkloadDocument document,
                    tuner::import_workload(options.files, format, wanted));
    FSADVISE_TRY(emit(common, tuner::document_to_json(document)));
    if (!common.quiet) {
        for (const std::string& note : document.notes)
            std::fprintf(stderr, "fsadvise: note: %s\n", note.c_str());
        if (!common.output_path.empty() && common.output_path != "-") {
            std::fprintf(stderr, "fsadvise: for advice: fsadvise recommend --workload %s\n",
                         shell_quote(names_workload_file(common.output_path) ? common.output_path
                                                                             : "./" + common.output_path)
                             .c_str());
        }
    }
    return 0;
}

Outcome export_to(const WorkloadOptions& options, const Common& common) {
    std::string name;
    FSADVISE_ASSIGN(const std::string text, find_text(options.what, common, name));
    FSADVISE_ASSIGN(const tuner::WorkloadDocument document, tuner::document_from_json(text, name));
    if (options.to == "json") {
        FSADVISE_TRY(emit(common, text));
        return 0;
    }
    FSADVISE_ASSIGN(const tuner::FioExport out,
                    tuner::export_fio(document.load, document.id + ": " + document.title));
    FSADVISE_TRY(emit(common, out.text));
    if (!common.quiet) {
        for (const std::string& warning : out.warnings)
            std::fprintf(stderr, "fsadvise: lost: %s\n", warning.c_str());
    }
    return 0;
}

}  // namespace

void add_workload(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<WorkloadOptions>();
    CLI::App* command =
        app.add_subcommand("workload", "list and show workloads, import and export them (docs/exchange.md)");
    command->require_subcommand(1);
    command->footer(
        "Examples:\n"
        "  fsadvise workload show postgres\n"
        "  fsadvise workload import job.fio -o mine.json\n"
        "  fsadvise recommend --workload mine.json\n"
        "  fsadvise workload export postgres --to fio -o postgres.fio");
    add_common(*command, invocation.common);
    const auto add = [&](const char* name, const char* help, auto action) {
        return add_subcommand(*command, name, help, options, invocation, action);
    };
    add("list", "ids and titles", list);
    CLI::App* shower = add("show", "what a workload consists of", show);
    shower->add_option("workload", options->what, "an id, or a workload file")
        ->required()
        ->type_name("ID|FILE");
    shower->add_flag("--json", options->json, "the document itself");
    CLI::App* importer = add("import", "make a workload file of a job file or a trace", import);
    importer->add_option("files", options->files, "the file; for blktrace the files of all CPUs")
        ->required()
        ->type_name("FILE");
    importer->add_option("--from", options->from, "fio, wml, iolog or blktrace; by default the content tells")
        ->check(CLI::IsMember({"fio", "wml", "iolog", "blktrace"}))
        ->type_name("FORMAT");
    importer->add_option("--id", options->id, "id of the workload (default: the file's name)")
        ->type_name("ID");
    importer->add_option("--section", options->section, "this job of a fio job file only")->type_name("NAME");
    importer->add_flag("--lenient", options->lenient,
                       "note what cannot be carried over, and go on without it");
    CLI::App* exporter = add("export", "write a workload in the words of another tool", export_to);
    exporter->add_option("workload", options->what, "an id, or a workload file")
        ->required()
        ->type_name("ID|FILE");
    exporter->add_option("--to", options->to, "fio, or json for the workload file itself")
        ->check(CLI::IsMember({"fio", "json"}))
        ->type_name("FORMAT");
}

}  // namespace fsadvise::cli
