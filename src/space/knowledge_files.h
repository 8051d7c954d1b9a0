// The raw knowledge documents: embedded in the binary or read from a directory.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fsadvise {

struct KnowledgeFile {
    std::string_view name;  // path below knowledge/, "rules/databases.json"
    std::string_view text;
};

// Generated at build time (cmake/embed_knowledge.cmake); views into the executable.
std::span<const KnowledgeFile> embedded_knowledge();

// Owns the text of a --knowledge directory.
struct KnowledgeDirectory {
    std::vector<std::pair<std::string, std::string>> files;
    [[nodiscard]] std::vector<KnowledgeFile> view() const;
};
// Errors: kBadInput if the directory is missing, unreadable or has no JSON.
Result<KnowledgeDirectory> read_knowledge_directory(const std::string& path);

}  // namespace fsadvise
