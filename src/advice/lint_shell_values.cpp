#include "advice/lint_shell_values.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace fsadvise {
namespace {

constexpr std::size_t kLongestValue = 4096;

bool name_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::size_t name_end(std::string_view text, std::size_t start) {
    while (start < text.size() && name_character(text[start])) ++start;
    return start;
}

// The name that `word` assigns to; += is no plain assignment.
std::string assigned_name(std::string_view word) {
    const auto end = name_end(word, 0);
    const bool plain = end > 0 && end < word.size() && word[end] == '=';
    const bool adds = end > 0 && end + 1 < word.size() && word[end] == '+' && word[end + 1] == '=';
    if ((!plain && !adds) || std::isdigit(static_cast<unsigned char>(word[0])) != 0) return {};
    return std::string(word.substr(0, end));
}

bool declares(std::string_view word) {
    static constexpr auto kWords =
        std::to_array<std::string_view>({"export", "local", "readonly", "declare", "typeset", "then", "else",
                                         "do", "{", "if", "elif", "while"});
    return std::ranges::find(kWords, word) != kWords.end();
}

}  // namespace

ShellValues::ShellValues(const std::vector<ShellCommand>& commands) {
    for (const auto& command : commands) {
        const auto& words = command.words;
        if (words.empty()) continue;
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (words[i] == "for" || words[i] == "select" || words[i] == "read" || words[i] == "getopts" ||
                words[i] == "mapfile" || words[i] == "printf") {
                // The names that follow get their values at run time.
                for (std::size_t j = i + 1; j < words.size() && words[j] != "in"; ++j) open_.insert(words[j]);
                break;
            }
            const auto name = assigned_name(words[i]);
            if (name.empty()) {
                if (declares(words[i]) || words[i].starts_with('-')) continue;
                break;
            }
            const auto equals = words[i].find('=');
            if (words[i][equals - 1] == '+') open_.insert(name);
            // NAME=( ... ): the splitter ends a command at the bracket.
            const bool array = equals + 1 == words[i].size() && i + 1 == words.size();
            if (array) {
                open_.insert(name);
            } else {
                assign(name, words[i].substr(equals + 1));
            }
        }
    }
}

void ShellValues::assign(const std::string& name, const std::string& value) {
    const auto constant = replaced(value);
    const auto known = known_.find(name);
    if (has_placeholder(constant) || constant.size() > kLongestValue ||
        (known != known_.end() && known->second != constant)) {
        open_.insert(name);
    } else {
        known_[name] = constant;
    }
}

std::string ShellValues::replaced(const std::string& word) const {
    std::string text;
    for (std::size_t at = 0; at < word.size();) {
        const bool braces = word.compare(at, 2, "${") == 0;
        const auto start = at + (braces ? 2 : 1);
        const auto end = word[at] == '$' ? name_end(word, start) : start;
        const bool complete =
            word[at] == '$' && end > start && (!braces || (end < word.size() && word[end] == '}'));
        const auto name = complete ? word.substr(start, end - start) : std::string();
        const auto value = known_.find(name);
        if (complete && value != known_.end() && !open_.contains(name) && text.size() < kLongestValue) {
            text += value->second;
            at = end + (braces ? 1 : 0);
        } else {
            text += word[at++];
        }
    }
    return text;
}

std::vector<std::string> ShellValues::expand(const std::vector<std::string>& words) const {
    std::vector<std::string> result;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto text = replaced(words[i]);
        const bool whole =
            text != words[i] && words[i].starts_with('$') && text.find_first_of(" \t") != std::string::npos;
        const bool value = i > 0 && words[i - 1].starts_with('-');
        if (!whole || value) {
            if (!text.empty() || words[i].empty()) result.push_back(text);
            continue;
        }
        for (const auto& part : split(text, ' ')) {
            if (!part.empty()) result.push_back(part);
        }
    }
    return result;
}

}  // namespace fsadvise
