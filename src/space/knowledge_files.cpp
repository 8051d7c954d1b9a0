#include "space/knowledge_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/fd.h"

namespace fsadvise {

namespace {

constexpr std::size_t kMostFiles = 10'000;
constexpr std::size_t kLargestFileBytes = 64U << 20U;

}  // namespace

std::vector<KnowledgeFile> KnowledgeDirectory::view() const {
    std::vector<KnowledgeFile> views;
    views.reserve(files.size());
    for (const auto& [name, text] : files) views.push_back({name, text});
    return views;
}

Result<KnowledgeDirectory> read_knowledge_directory(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code problem;
    std::vector<std::string> names;
    for (auto entry = fs::recursive_directory_iterator(path, problem); !problem && entry != fs::end(entry);
         entry.increment(problem)) {
        const std::string name = entry->path().lexically_relative(path).generic_string();
        std::error_code ignored;
        if (entry->is_directory(ignored) && name == "schema") {
            entry.disable_recursion_pending();
        } else if (entry->path().extension() == ".json" && entry->is_regular_file(ignored)) {
            names.push_back(name);
        }
        if (names.size() > kMostFiles)
            return fail(ErrorCode::kBadInput, "too many files for a knowledge directory", path);
    }
    if (problem) {
        return fail(ErrorCode::kBadInput, "cannot read the knowledge directory: " + problem.message(), path);
    }
    if (names.empty()) {
        return fail(ErrorCode::kBadInput, "the knowledge directory has no .json file", path,
                    "name the folder that holds filesystems/, rules/ and workloads/");
    }
    // The order decides which of two definitions is the second one; it must not depend on the disk.
    std::sort(names.begin(), names.end());
    KnowledgeDirectory directory;
    for (std::string& name : names) {
        FSADVISE_ASSIGN(std::string text, read_file((fs::path(path) / name).string(), kLargestFileBytes));
        directory.files.emplace_back(std::move(name), std::move(text));
    }
    return directory;
}

}  // namespace fsadvise
