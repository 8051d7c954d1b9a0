// What the subcommands share: where results go, how knowledge is loaded, how the target host is described.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "advice/inference.h"
#include "base/result.h"
#include "space/context.h"
#include "space/existing.h"

namespace CLI {
class App;
}

namespace fsadvise::cli {

// Result of a subcommand: an exit status of its own (findings), or an error for main to print and map.
using Outcome = Result<int>;

// Options that every subcommand takes.
struct Common {
    std::string knowledge_directory;  // empty = embedded
    std::string output_path;          // empty or "-" = standard output
    std::string color = "auto";
    bool verbose = false, quiet = false;
};

// Filled while the command line is parsed; `action` is the subcommand that was chosen.
struct Invocation {
    Common common;
    std::function<Outcome()> action;
};

struct LoadedKnowledge {
    KnowledgeDirectory directory;  // owns the text of --knowledge
    Knowledge knowledge;
    RuleNetwork network;
};
Result<LoadedKnowledge> load_knowledge(const Common& common);
// The same with a workload of the user's own: where `workload` names a file (it has a '/' or ends in ".json"), that is
// read too, in place of a known workload of the same id, and `workload` becomes its id.
Result<LoadedKnowledge> load_knowledge(const Common& common, std::string& workload);
bool names_workload_file(const std::string& workload);
// The same with the workload that a study keeps if it is no part of the knowledge.
Result<LoadedKnowledge> load_knowledge_of_study(const Common& common, const std::string& study);
Result<std::string> read_workload_file(const std::string& file);

// A file, or standard input for "-". Errors: kBadInput, also above the limit.
Result<std::string> read_input(const std::string& file, std::size_t limit_bytes);

// Writes to -o FILE (atomically) or to standard output.
Result<void> emit(const Common& common, const std::string& text);
bool use_color(const Common& common, int descriptor);
std::size_t terminal_width(int descriptor);

// --backing, --cloud, --raid, --disks, --chunk, --device-count: what is told about the disk and its
// surroundings.
struct FactOptions {
    std::string backing, cloud, raid_level, chunk;
    std::optional<int> raid_disks, device_count;
};
void add_fact_options(CLI::App& command, FactOptions& options);
Result<void> describe_facts(Host& host, const FactOptions& options);

// The target host: --host FILE, or --kernel/--distro as described, or this machine.
struct HostOptions {
    std::string host_file, kernel, distribution;
    std::optional<int> cores;
    std::string memory;
    std::string device, size, media;
    FactOptions facts;
};
void add_host_options(CLI::App& command, HostOptions& options, bool with_device);
// Reads files only, runs no command.
Result<Host> resolve_host(const HostOptions& options, const Knowledge& knowledge);

// --oldest-kernel, --boot-loader, --oldest-tools, --max-file, --max-volume.
struct ReaderOptions {
    std::string kernel, boot_loader, largest_file, largest_volume;
    std::vector<std::string> tools;
};
void add_reader_options(CLI::App& command, ReaderOptions& options);
Result<void> resolve_readers(const ReaderOptions& options, const Knowledge& knowledge, Requirements& requirements);
// vendor-support asks whose.
Result<void> check_vendor(const Requirements& requirements, const Host& host, const Knowledge& knowledge);

struct RequestOptions {
    ReaderOptions readers;
    std::string workload, durability = "strict", mount_point;
    std::vector<std::string> needs, filesystems;
    std::optional<double> files, generations;
    std::string mean_file;
    std::vector<std::string> given;
};
void add_request_options(CLI::App& command, RequestOptions& options);
Result<Request> resolve_request(const RequestOptions& options, const Knowledge& knowledge, Host host);

// --existing, --existing-from.
struct ExistingOptions {
    std::string directory, file;
    [[nodiscard]] bool given() const { return !directory.empty() || !file.empty(); }
};
void add_existing_options(CLI::App& command, ExistingOptions& options);
Result<ExistingFilesystem> read_existing(const ExistingOptions& options, const Knowledge& knowledge);
Outcome recommend_existing(const ExistingOptions& options, const LoadedKnowledge& loaded, Request request,
                           const std::string& format, const Common& common);

void add_common(CLI::App& command, Common& common);
void add_recommend(CLI::App& app, Invocation& invocation);
void add_tune(CLI::App& app, Invocation& invocation);
void add_check(CLI::App& app, Invocation& invocation);
void add_bench(CLI::App& app, Invocation& invocation);
// check --batch: verdicts for the rows of a file, "-" for standard input.
Outcome check_batch(const std::string& file, const HostOptions& options, const Common& common);
void add_report(CLI::App& app, Invocation& invocation);
void add_probe(CLI::App& app, Invocation& invocation);
void add_explain(CLI::App& app, Invocation& invocation);
void add_knowledge(CLI::App& app, Invocation& invocation);
void add_workload(CLI::App& app, Invocation& invocation);
void add_capture(CLI::App& app, Invocation& invocation);

}  // namespace fsadvise::cli
