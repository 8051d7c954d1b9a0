#include "advice/lint_fix.h"

#include <algorithm>

#include "advice/finding_catalogue.h"
#include "base/text.h"

namespace fsadvise {
namespace {

constexpr std::string_view kBlank = " \t";
constexpr std::string_view kQuotes = "'\"";

bool is_delimiter(char c) {
    return c == ',' || c == ' ' || c == '\t' || c == '=' || c == '\n' || c == '\r' || c == '\'' || c == '"';
}

// One line of a command, or several that are continued by a backslash.
struct Range {
    std::size_t first = 0, last = 0;  // indices into lines
};

Range command_range(const std::vector<std::string>& lines, std::size_t start) {
    Range range{start, start};
    while (range.last + 1 < lines.size() && lines[range.last].ends_with('\\')) ++range.last;
    return range;
}

// Where `word` stands alone: between commas, blanks, quotes or '='; not in a comment.
std::size_t find_word(std::string_view line, std::string_view word) {
    for (auto at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
        const auto comment = line.find(" #");
        if (trim(line).starts_with('#') || (comment != std::string_view::npos && comment < at)) break;
        const bool starts = at == 0 || is_delimiter(line[at - 1]);
        const auto end = at + word.size();
        if (starts && (end == line.size() || is_delimiter(line[end]))) return at;
    }
    return std::string_view::npos;
}

// Removes blanks before `at` together with the word there.
void drop_with_blanks(std::string& line, std::size_t at, std::size_t length) {
    auto start = at;
    while (start > 0 && kBlank.find(line[start - 1]) != std::string_view::npos) --start;
    if (at + length < line.size() || start > 0) line.erase(start, at + length - start);
}

// The last word of a list goes: in an fstab the field must stay, in a command its flag goes with it.
void drop_only_item(std::string& line, std::size_t at, std::size_t length, bool in_table) {
    if (in_table) {
        line.replace(at, length, "defaults");
        return;
    }
    if (at > 0 && at + length < line.size() && kQuotes.find(line[at - 1]) != std::string_view::npos &&
        line[at + length] == line[at - 1]) {
        --at;
        length += 2;
    }
    if (at > 0 && line[at - 1] == '=') {  // --options=X
        const auto flag = line.find_last_of(kBlank, at) + 1;
        drop_with_blanks(line, flag, at + length - flag);
        return;
    }
    auto flag_end = at;
    while (flag_end > 0 && kBlank.find(line[flag_end - 1]) != std::string_view::npos) --flag_end;
    const auto flag = flag_end == 0 ? std::string::npos : line.find_last_of(kBlank, flag_end - 1);
    const auto flag_start = flag == std::string::npos ? 0 : flag + 1;
    const bool is_flag = flag_end > flag_start && line[flag_start] == '-';
    drop_with_blanks(line, is_flag ? flag_start : at, at + length - (is_flag ? flag_start : at));
}

bool drop_word(std::string& line, std::string_view word, bool in_table) {
    const auto at = find_word(line, word);
    if (at == std::string_view::npos) return false;
    const auto end = at + word.size();
    if (at > 0 && line[at - 1] == ',') {
        line.erase(at - 1, word.size() + 1);
    } else if (end < line.size() && line[end] == ',') {
        line.erase(at, word.size() + 1);
    } else if (word.starts_with('-')) {
        drop_with_blanks(line, at, word.size());
    } else {
        drop_only_item(line, at, word.size(), in_table);
    }
    return true;
}

bool replace_word(std::string& line, std::string_view word, std::string_view meant) {
    const auto at = find_word(line, word);
    if (at == std::string_view::npos) return false;
    line.replace(at, word.size(), meant);
    return true;
}

// device directory type options dump pass
bool looks_like_table(std::string_view line) {
    std::vector<std::string> fields;
    for (const std::string& field : split(line, ' ')) {
        for (const std::string& part : split(field, '\t'))
            if (!part.empty()) fields.push_back(part);
    }
    return fields.size() >= 4 && (fields[1].starts_with('/') || fields[1] == "none") &&
           !fields[2].starts_with('-') && !fields[2].starts_with('/') &&
           fields[0].find("mkfs") == std::string::npos && fields[0] != "mount";
}

bool fix_pass(std::string& line) {
    auto end = line.find('#');
    end = line.find_last_not_of(" \t\r", end == std::string::npos ? std::string::npos : end - 1);
    if (end == std::string::npos || line[end] < '1' || line[end] > '9') return false;
    line[end] = '0';
    return true;
}

bool fix_finding(std::vector<std::string>& lines, const Finding& finding) {
    if (finding.line < 1 || static_cast<std::size_t>(finding.line) > lines.size()) return false;
    const auto range = command_range(lines, static_cast<std::size_t>(finding.line) - 1);
    if (finding.id == "fstab-pass") return fix_pass(lines[range.first]);
    const bool in_table = looks_like_table(lines[range.first]);
    // "-m reflink=0" is one word of the list that follows -m, or a flag with its value.
    const auto blank = finding.subject.find(' ');
    const std::string word = blank == std::string::npos ? finding.subject : finding.subject.substr(blank + 1);
    if (word.empty()) return false;
    const auto meant_at = finding.replacement.rfind(' ');
    const auto meant = finding.replacement.substr(meant_at == std::string::npos ? 0 : meant_at + 1);
    for (std::size_t i = range.first; i <= range.last; ++i) {
        if (!meant.empty() ? replace_word(lines[i], word, meant) : drop_word(lines[i], word, in_table))
            return true;
    }
    return false;
}

}  // namespace

FixedText fix_text(std::string_view text, const std::vector<Finding>& findings) {
    auto lines = split(text, '\n');
    FixedText result;
    for (const Finding& finding : findings) {
        const auto* kind = finding_kind(finding.id);
        const bool fixed = kind != nullptr && kind->fixable && fix_finding(lines, finding);
        (fixed ? result.fixed : result.left).push_back(finding);
    }
    result.text = join(lines, "\n");
    return result;
}

}  // namespace fsadvise
