#include "cli/command.h"

#include <cstdio>
#include <cstdlib>

#include <CLI/CLI.hpp>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/fd.h"
#include "tuner/exchange/exchange.h"
#include "tuner/study/study.h"

namespace fsadvise::cli {

namespace {

constexpr std::size_t kLargestWorkload = 16u << 20;

// `own`: where a workload that is no part of the knowledge comes from, or empty; `text`: the document.
Result<LoadedKnowledge> load(const Common& common, const std::string& own, std::string text,
                             std::string* id) {
    LoadedKnowledge loaded;
    std::vector<KnowledgeFile> files;
    if (!own.empty()) {
        // The load is looked at now, so that an advice is never given for one that could not be measured.
        FSADVISE_ASSIGN(const tuner::WorkloadDocument document, tuner::document_from_json(text, own));
        *id = document.id;
    }
    if (common.knowledge_directory.empty()) {
        const auto embedded = embedded_knowledge();
        files.assign(embedded.begin(), embedded.end());
    } else {
        FSADVISE_ASSIGN(loaded.directory, read_knowledge_directory(common.knowledge_directory));
    }
    if (!own.empty()) loaded.directory.files.emplace_back(own, std::move(text));
    for (const KnowledgeFile& file : loaded.directory.view()) files.push_back(file);
    if (!own.empty()) {
        const std::string known = "workloads/" + *id + ".json";
        std::erase_if(files,
                      [&](const KnowledgeFile& file) { return file.name == known && file.name != own; });
    }
    FSADVISE_ASSIGN(loaded.knowledge, Knowledge::load(files));
    FSADVISE_ASSIGN(loaded.network, RuleNetwork::build(loaded.knowledge));
    return loaded;
}

}  // namespace

Result<LoadedKnowledge> load_knowledge(const Common& common) {
    return load(common, {}, {}, nullptr);
}

bool names_workload_file(const std::string& workload) {
    return workload.ends_with(".json") || workload.find('/') != std::string::npos;
}

Result<LoadedKnowledge> load_knowledge(const Common& common, std::string& workload) {
    if (!names_workload_file(workload)) return load_knowledge(common);
    std::string id;
    FSADVISE_ASSIGN(std::string text, read_workload_file(workload));
    FSADVISE_ASSIGN(LoadedKnowledge loaded, load(common, workload, std::move(text), &id));
    workload = id;
    return loaded;
}

Result<LoadedKnowledge> load_knowledge_of_study(const Common& common, const std::string& study) {
    FSADVISE_ASSIGN(const auto opened, tuner::Study::open(study));
    auto text = opened->get("workload");
    if (!text) return load_knowledge(common);
    std::string id;
    return load(common, study + "#workload", std::move(*text), &id);
}

Result<std::string> read_workload_file(const std::string& file) {
    return read_file(file, kLargestWorkload);
}

Result<std::string> read_input(const std::string& file, std::size_t limit_bytes) {
    if (file != "-") return read_file(file, limit_bytes);
    std::string text;
    char buffer[1 << 16];
    while (true) {
        const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
        if (count < 0) {
            return fail(ErrorCode::kBadInput, "cannot read: " + errno_text(errno), "standard input");
        }
        if (count == 0) return text;
        text.append(buffer, static_cast<std::size_t>(count));
        if (text.size() > limit_bytes) {
            return fail(ErrorCode::kBadInput, "is larger than " + std::to_string(limit_bytes >> 20) + " MiB",
                        "standard input", "give it in parts");
        }
    }
}

Result<void> emit(const Common& common, const std::string& text) {
    if (!common.output_path.empty() && common.output_path != "-") {
        return write_file_atomically(common.output_path, text);
    }
    const std::size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
    if (written != text.size() || std::fflush(stdout) != 0) {
        return fail(ErrorCode::kRunFailed, "cannot write the result: " + errno_text(errno),
                    "standard output");
    }
    return {};
}

bool use_color(const Common& common, int descriptor) {
    if (common.color == "always") return true;
    if (common.color == "never" || !common.output_path.empty()) return false;
    const char* none = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    if (none != nullptr && *none != '\0') return false;
    if (terminal != nullptr && std::string_view(terminal) == "dumb") return false;
    return ::isatty(descriptor) == 1;
}

std::size_t terminal_width(int descriptor) {
    constexpr std::size_t kDefault = 100, kNarrowest = 60, kWidest = 120;
    winsize size{};
    if (::isatty(descriptor) != 1 || ::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return kDefault;
    return std::min(kWidest, std::max(kNarrowest, static_cast<std::size_t>(size.ws_col)));
}

void add_common(CLI::App& command, Common& common) {
    command
        .add_option("--knowledge", common.knowledge_directory,
                    "use this knowledge folder, not the built-in one")
        ->type_name("DIR");
    command.add_option("-o,--output", common.output_path, "write the result to FILE (atomically)")
        ->type_name("FILE");
    command.add_option("--color", common.color, "auto, always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->type_name("WHEN");
    command.add_flag("-v,--verbose", common.verbose, "say more on standard error");
    command.add_flag("-q,--quiet", common.quiet, "no progress and no warnings on standard error");
}

}  // namespace fsadvise::cli
