#include "advice/lint_suppress.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace fsadvise {
namespace {

struct Suppression {
    int line = 0;
    bool alone = false;  // nothing but the comment on its line: it also covers the next one
    std::vector<std::string> ids;
    bool used = false;
};

// "# fsadvise: ignore ID[,ID] reason", also behind "//".
std::optional<Suppression> suppression_in(std::string_view line, int number) {
    constexpr std::string_view kMark = "fsadvise: ignore ";
    const auto mark = line.find(kMark);
    if (mark == std::string_view::npos) return std::nullopt;
    const std::string_view before = trim(line.substr(0, mark));
    if (!before.ends_with('#') && !before.ends_with("//")) return std::nullopt;
    const auto rest = trim(line.substr(mark + kMark.size()));
    Suppression found{number, before == "#" || before == "//", split(rest.substr(0, rest.find(' ')), ','),
                      false};
    std::erase(found.ids, std::string());
    return found;
}

bool covers(const Suppression& suppression, const Finding& finding) {
    if (finding.line != suppression.line && !(suppression.alone && finding.line == suppression.line + 1))
        return false;
    return std::ranges::any_of(suppression.ids, [&](const std::string& id) {
        return id == "all" || id == finding.id || finding.id.substr(0, finding.id.find(':')) == id;
    });
}

}  // namespace

std::vector<Finding> apply_suppressions(std::string_view text, const std::string& file, LintResult& result) {
    std::vector<Suppression> suppressions;
    if (text.find("fsadvise: ignore ") == std::string_view::npos) return {};
    int number = 0;
    for (const std::string& line : split(text, '\n')) {
        if (auto found = suppression_in(line, ++number)) suppressions.push_back(std::move(*found));
    }
    std::vector<Finding> kept, suppressed;
    for (Finding& finding : result.findings) {
        const auto by =
            std::ranges::find_if(suppressions, [&](const auto& item) { return covers(item, finding); });
        if (by != suppressions.end()) by->used = true;
        (by == suppressions.end() ? kept : suppressed).push_back(std::move(finding));
    }
    for (const Suppression& item : suppressions) {
        if (item.used) continue;
        Finding unused;
        unused.id = "suppression-unused";
        unused.file = file;
        unused.line = item.line;
        unused.subject = join(item.ids, ",");
        unused.what = "this comment suppresses nothing";
        unused.consequence = "it would hide a finding that comes back later";
        unused.fix = "remove it, or correct the id: docs/findings.md lists them";
        kept.push_back(std::move(unused));
    }
    result.findings = std::move(kept);
    return suppressed;
}

}  // namespace fsadvise
