// fsadvise knowledge list | graph | verify
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "advice/finding_catalogue.h"
#include "advice/knowledge_graph.h"
#include "base/fd.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/subcommand.h"
#include "output/verify_text.h"
#include "tuner/target/guest.h"

namespace fsadvise::cli {
namespace {

struct KnowledgeOptions {
    std::string what = "parameters", filesystem, focus, work_directory;
    std::size_t every = 1;
    bool json = false, guest = false;
};

// One listed thing.
struct Row {
    std::string id, filesystem, title;
};

std::vector<Row> rows_of(const Knowledge& knowledge, const std::string& what) {
    std::vector<Row> rows;
    if (what == "parameters")
        for (const Parameter& item : knowledge.parameters())
            rows.push_back({item.id, item.filesystem, item.title});
    if (what == "rules")
        for (const Rule& item : knowledge.rules()) rows.push_back({item.id, "", item.title});
    if (what == "workloads")
        for (const WorkloadDescription& item : knowledge.workloads())
            rows.push_back({item.id, "", item.title});
    if (what == "constraints")
        for (const Constraint& item : knowledge.constraints())
            rows.push_back({item.id, item.filesystem, to_text(item.effect) + ": " + item.says});
    if (what == "evidence")
        for (const Evidence& item : knowledge.evidence()) rows.push_back({item.id, "", item.says});
    if (what == "filesystems")
        for (const Filesystem& item : knowledge.filesystems())
            rows.push_back({item.id, item.id, item.title + ": " + item.summary});
    if (what == "distributions")
        for (const Distribution& item : knowledge.distributions())
            rows.push_back(
                {item.id + item.version, "", fmt::format("{}, kernel {}", item.title, item.kernel)});
    if (what == "findings")
        for (const FindingKind& item : finding_catalogue())
            rows.push_back({item.id, "", fmt::format("{}: {}", item.severity, item.meaning)});
    return rows;
}

Result<void> check_filesystem(const Knowledge& knowledge, const std::string& id) {
    if (id.empty() || knowledge.filesystem(id) != nullptr || id == "block") return {};
    std::vector<std::string> names{"block"};
    for (const Filesystem& item : knowledge.filesystems()) names.push_back(item.id);
    return fail(ErrorCode::kUsage, "unknown filesystem '" + id + "'" + did_you_mean(id, names), "--fs",
                "known: " + join(names, ", "));
}

Outcome list(const KnowledgeOptions& options, const Common& common) {
    FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge(common));
    FSADVISE_TRY(check_filesystem(loaded.knowledge, options.filesystem));
    auto rows = rows_of(loaded.knowledge, options.what);
    if (!options.filesystem.empty())
        std::erase_if(rows, [&](const Row& row) { return row.filesystem != options.filesystem; });
    if (options.json) {
        auto items = nlohmann::json::array();
        for (const Row& row : rows) {
            nlohmann::json item = {{"id", row.id}, {"title", row.title}};
            if (!row.filesystem.empty()) item["filesystem"] = row.filesystem;
            items.push_back(std::move(item));
        }
        const nlohmann::json document = {
            {"schema_version", 1}, {"kind", options.what}, {"items", std::move(items)}};
        FSADVISE_TRY(emit(common, document.dump(2) + "\n"));
        return 0;
    }
    std::size_t width = 0;
    for (const Row& row : rows) width = std::max(width, std::min<std::size_t>(row.id.size(), 44));
    const std::size_t columns = terminal_width(STDOUT_FILENO);
    std::string out;
    for (const Row& row : rows) {
        const std::string hanging(width + 2, ' ');
        out += wrap(row.title, columns, fmt::format("{:<{}}  ", row.id, width), hanging) + "\n";
    }
    FSADVISE_TRY(emit(common, out));
    return 0;
}

Outcome graph(const KnowledgeOptions& options, const Common& common) {
    FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge(common));
    std::ostringstream out;
    FSADVISE_TRY(write_knowledge_graph(loaded.knowledge, options.focus, out));
    FSADVISE_TRY(emit(common, out.str()));
    return 0;
}

// One rewritten line on a terminal, nothing elsewhere.
class VerifyProgress {
  public:
    explicit VerifyProgress(bool quiet) : live_(!quiet && ::isatty(STDERR_FILENO) == 1) {}
    ~VerifyProgress() {
        if (live_) std::fputs("\r\x1b[K", stderr);
    }
    void show(std::size_t done, std::size_t total, const std::string& now) const {
        if (!live_) return;
        std::string line = fmt::format("{} of {}: {}", done, total, now);
        line.resize(std::min(line.size(), terminal_width(STDERR_FILENO) - 1));
        std::fputs(("\r\x1b[K" + line).c_str(), stderr);
        std::fflush(stderr);
    }

  private:
    bool live_;
};

Result<tuner::VerifyReport> run_verify(const KnowledgeOptions& options, const Knowledge& knowledge,
                                       bool quiet) {
    tuner::VerifyOptions wanted;
    if (!options.filesystem.empty()) wanted.filesystems = {options.filesystem};
    wanted.work_directory = options.work_directory;
    wanted.every = options.every;
    const VerifyProgress progress(quiet);
    wanted.progress = [&](std::size_t done, std::size_t total, const tuner::VerifyCase& now) {
        progress.show(done, total, now.subject);
    };
    SystemProcessRunner runner;
    install_interrupt_handlers();
    return tuner::verify(knowledge, wanted, runner);
}

// The same command under the guest kernel: this program and the knowledge are files that it sees.
Outcome verify_in_guest(const KnowledgeOptions& options, const Common& common) {
    tuner::GuestRequest request;
    request.argv = {"/proc/self/exe", "knowledge", "verify", "--every", std::to_string(options.every)};
    std::error_code error;
    request.argv.front() = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) return fail(ErrorCode::kUnavailable, "cannot tell where this program is", "/proc/self/exe");
    const auto add = [&](const std::string& option, const std::string& value) {
        if (!value.empty()) request.argv.insert(request.argv.end(), {option, value});
    };
    add("--fs", options.filesystem);
    if (!common.knowledge_directory.empty())
        add("--knowledge", std::filesystem::absolute(common.knowledge_directory));
    if (!common.output_path.empty()) add("-o", std::filesystem::absolute(common.output_path));
    if (options.json) request.argv.emplace_back("--json");
    if (common.verbose) request.argv.emplace_back("--verbose");
    SystemProcessRunner runner;
    install_interrupt_handlers();
    if (!common.quiet) std::fputs("starting the guest kernel; this takes some minutes\n", stderr);
    FSADVISE_ASSIGN(const tuner::GuestResult guest, tuner::run_in_guest(runner, request));
    std::fputs(guest.program.errors.c_str(), stderr);
    std::fputs(guest.program.output.c_str(), stdout);
    return guest.program.exit_code;
}

// The text goes to standard output, the evidence to -o FILE.
Outcome verify(const KnowledgeOptions& options, const Common& common) {
    if (options.guest) return verify_in_guest(options, common);
    FSADVISE_ASSIGN(const LoadedKnowledge loaded, load_knowledge(common));
    FSADVISE_TRY(check_filesystem(loaded.knowledge, options.filesystem));
    FSADVISE_ASSIGN(const tuner::VerifyReport report, run_verify(options, loaded.knowledge, common.quiet));
    const std::string document =
        tuner::to_json(report).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    if (!common.output_path.empty() && common.output_path != "-")
        FSADVISE_TRY(write_file_atomically(common.output_path, document));
    Common to_terminal = common;
    to_terminal.output_path.clear();
    const TextStyle style{use_color(to_terminal, STDOUT_FILENO), terminal_width(STDOUT_FILENO)};
    FSADVISE_TRY(
        emit(to_terminal, options.json ? document : render_verify_text(report, style, common.verbose)));
    return report.disagreeing() > 0 ? 1 : 0;
}

}  // namespace

void add_knowledge(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<KnowledgeOptions>();
    CLI::App* command = app.add_subcommand("knowledge", "list, draw or re-prove what this program knows");
    command->require_subcommand(1);
    add_common(*command, invocation.common);
    const auto add = [&](const char* name, const char* help, auto action) {
        return add_subcommand(*command, name, help, options, invocation, action);
    };
    CLI::App* lister = add("list", "ids and titles", list);
    lister
        ->add_option("what", options->what,
                     "parameters, rules, workloads, constraints, evidence, filesystems, ...")
        ->check(CLI::IsMember({"parameters", "rules", "workloads", "constraints", "evidence", "filesystems",
                               "distributions", "findings"}))
        ->type_name("WHAT");
    lister->add_option("--fs", options->filesystem, "of this filesystem only")->type_name("NAME");
    lister->add_flag("--json", options->json, "one JSON document");
    CLI::App* drawer = add("graph", "parameters, constraints and rules in Graphviz format", graph);
    drawer
        ->add_option("focus", options->focus,
                     "a filesystem, or a parameter, rule, constraint, workload or trait")
        ->type_name("FOCUS");
    CLI::App* prover =
        add("verify", "format and mount scratch files to re-prove the tables on this machine (root)", verify);
    prover->add_option("--fs", options->filesystem, "only this filesystem")->type_name("NAME");
    prover
        ->add_option("--work-dir", options->work_directory,
                     "where the scratch file and mount points are (default: in RAM)")
        ->type_name("DIR");
    prover->add_option("--every", options->every, "try each Nth prediction only, for a quick look")
        ->check(CLI::Range(1, 1000))
        ->type_name("N");
    prover->add_flag("--guest", options->guest,
                     "under Debian's user-mode-linux: no root needed, and F2FS where this kernel lacks it");
    prover->add_flag("--json", options->json, "the evidence on standard output");
}

}  // namespace fsadvise::cli
