#include "cli/terraform_query.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/text.h"
#include "cli/command.h"

namespace fsadvise::cli {
namespace {

constexpr std::size_t kMostBytes = 1u << 20;

bool asks_for_terraform(const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size(); ++i)
        if (words[i] == "--format=terraform" ||
            (words[i] == "--format" && i + 1 < words.size() && words[i + 1] == "terraform"))
            return true;
    return false;
}

bool is_option_name(const std::string& key) {
    return !key.empty() && key.front() != '-' && std::ranges::all_of(key, [](char c) {
        return std::islower(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
    });
}

}  // namespace

Result<std::vector<std::string>> query_words(const std::string& text) {
    std::vector<std::string> words;
    if (trim(text).empty()) return words;
    const auto query = nlohmann::json::parse(text, nullptr, false);
    const std::string hint = R"(for example {"workload": "postgres", "media": "nvme"})";
    if (!query.is_object())
        return fail(ErrorCode::kBadInput, "the query is no JSON object", "standard input", hint);
    for (const auto& [key, value] : query.items()) {
        if (!is_option_name(key) || key == "format" || key == "output")
            return fail(ErrorCode::kBadInput, fmt::format("'{}' is no option of a query", printable(key)),
                        "standard input", hint);
        if (!value.is_string())
            return fail(ErrorCode::kBadInput, fmt::format("the value of '{}' is no string", key),
                        "standard input", hint);
        if (value.get<std::string>().empty()) continue;  // Terraform has no null in a query
        std::string name = "--" + key;
        std::ranges::replace(name, '_', '-');
        words.push_back(name + "=" + value.get<std::string>());
    }
    return words;
}

Result<void> add_terraform_query(std::vector<std::string>& words) {
    if (!asks_for_terraform(words) || ::isatty(STDIN_FILENO) != 0) return {};
    FSADVISE_ASSIGN(const std::string text, read_input("-", kMostBytes));
    FSADVISE_ASSIGN(const auto more, query_words(text));
    words.insert(words.end(), more.begin(), more.end());
    return {};
}

}  // namespace fsadvise::cli
