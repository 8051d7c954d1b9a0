// Sample documents of tests/knowledge/data: data/KIND/good/complete.json of all kinds together are a sound
// knowledge base; every other sample is judged in place of the complete one of its kind.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/fd.h"
#include "space/knowledge.h"

namespace fsadvise::testing {

inline const std::vector<std::string>& knowledge_kinds() {
    static const std::vector<std::string> kKinds = {"filesystem",  "parameters", "constraints",  "rules",
                                                    "application", "workload",   "distribution", "evidence",
                                                    "changes",     "tables"};
    return kKinds;
}

inline std::string sample_path(const std::string& name) {
    return std::string(FSADVISE_SOURCE_DIR) + "/tests/knowledge/data/" + name;
}

inline std::string sample_text(const std::string& name) {
    auto text = read_file(sample_path(name));
    return text ? *text : std::string();
}

// "rules/bad/no-verb.json", sorted; `part` is good or bad.
inline std::vector<std::string> sample_names(const std::string& kind, const std::string& part) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(sample_path(kind + "/" + part))) {
        names.push_back(kind + "/" + part + "/" + entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

// Kind -> text of its complete sample.
inline std::map<std::string, std::string> complete_samples() {
    std::map<std::string, std::string> texts;
    for (const std::string& kind : knowledge_kinds()) texts[kind] = sample_text(kind + "/good/complete.json");
    return texts;
}

inline std::vector<KnowledgeFile> files_of(const std::map<std::string, std::string>& texts) {
    std::vector<KnowledgeFile> files;
    for (const auto& [kind, text] : texts) files.push_back({kind, text});
    return files;
}

}  // namespace fsadvise::testing
