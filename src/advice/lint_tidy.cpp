// The list of findings in the order of the lines, and the bounds of a text.
#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "advice/lint_check_parts.h"

namespace fsadvise {
namespace {

constexpr std::size_t kMostBytes = 16u << 20;
constexpr std::size_t kMostLineBytes = 64u << 10;

}  // namespace

void tidy(LintResult& result) {
    std::ranges::stable_sort(result.findings, [&](const Finding& a, const Finding& b) {
        return std::tuple(a.line, b.severity, a.id, a.subject) <
               std::tuple(b.line, a.severity, b.id, b.subject);
    });
    const auto same = [](const Finding& a, const Finding& b) {
        return a.line == b.line && a.id == b.id && a.subject == b.subject;
    };
    const auto first = std::unique(result.findings.begin(), result.findings.end(), same);
    const auto last = result.findings.end();
    result.findings.erase(first, last);
    // "Is the default" beside something graver about the same word only confuses.
    std::set<std::pair<int, std::string>> graver;
    for (const auto& item : result.findings) {
        if (item.severity != Severity::kInfo) graver.emplace(item.line, item.subject);
    }
    std::erase_if(result.findings, [&](const Finding& item) {
        return item.id == kDefaultValueId && graver.contains({item.line, item.subject});
    });
    // A line that got a finding was checked, whatever its filesystem type is.
    std::set<int> lines;
    for (const auto& item : result.findings) lines.insert(item.line);
    result.checked = std::max(result.checked, static_cast<int>(lines.size()));
    // Several commands on one line are one line.
    if (result.lines > 0) result.checked = std::min(result.checked, result.lines);
}

Result<void> check_bounds(std::string_view text, const std::string& file) {
    if (text.size() > kMostBytes) {
        return fail(ErrorCode::kBadInput, "the file is larger than 16 MiB", file, "check a smaller file");
    }
    int line = 1;
    std::size_t start = 0;
    while (start < text.size()) {
        const auto end = std::min(text.find('\n', start), text.size());
        if (end - start > kMostLineBytes) {
            return fail(ErrorCode::kBadInput, "the line is longer than 64 KiB",
                        fmt::format("{}:{}", file, line));
        }
        start = end + 1;
        ++line;
    }
    return {};
}

}  // namespace fsadvise
