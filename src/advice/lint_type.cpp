// Names of filesystem types: known, somebody else's, or misspelt.
#include <algorithm>

#include <fmt/format.h>

#include "advice/lint_fstab.h"
#include "advice/lint_shell.h"
#include "base/text.h"
#include "space/fact_table.h"
#include "space/mkfs_flags.h"

namespace fsadvise {

bool drop_refused_by_type(const LintChecker& checker, const std::string& type, std::vector<ParsedWord>& words,
                          const Place& place, LintResult& result) {
    const auto* filesystem = filesystem_of_type(checker.knowledge(), type);
    const auto* table = checker.knowledge().table("older-types-refuse");
    if (filesystem == nullptr || filesystem->id == type || table == nullptr) return false;
    const auto dropped = std::erase_if(words, [&](const ParsedWord& word) {
        const auto* row = word.parameter.empty() ? nullptr : table->find("parameter", word.parameter);
        if (row == nullptr) return false;
        const auto types = split((*row)["types"], ' ');
        if (std::ranges::find(types, type) == types.end()) return false;
        auto item = checker.finding("mount-option-foreign", Severity::kError, place.line, word.text);
        item.what = fmt::format("'{}' is an option of {}: mounted as {}, the driver refuses it", word.text,
                                filesystem->id, type);
        item.consequence = place.consequence_of_refusal;
        item.fix = fmt::format("remove it, or mount as {}, which takes the layout of {} as well",
                               filesystem->id, type);
        item.ignore_if = fmt::format("a kernel before 4.3 with a driver of its own for {} mounts it", type);
        item.sources = table->sources;
        result.findings.push_back(std::move(item));
        return true;
    });
    return dropped > 0;
}

void check_older_type(const LintChecker& checker, const std::string& type, const std::string& options,
                      const Place& place, LintResult& result) {
    const auto& knowledge = checker.knowledge();
    const auto* filesystem = filesystem_of_type(knowledge, type);
    auto words = parse_mount_options(knowledge, filesystem->id, options);
    drop_refused_by_type(checker, type, words, place, result);
    // The driver takes nothing newer under that type, so the layout is known.
    const auto format = parse_mkfs(knowledge, {filesystem->mkfs, "-t", type});
    checker.check_mount(filesystem->id, &format, words, place, result);
}

void check_type(const LintChecker& checker, const std::string& type, const Place& place, LintResult& result) {
    // "ext4,xfs" is a list of types; "fuse.sshfs" names a helper.
    if (has_placeholder(type) || type.find_first_of(".,") != std::string::npos) return;
    if (filesystem_of_type(checker.knowledge(), type) != nullptr) return;
    const auto* others = checker.knowledge().table("other-filesystem-types");
    if (others != nullptr && others->find("type", type) != nullptr) return;
    std::vector<std::string> known;
    for (const auto& filesystem : checker.knowledge().filesystems()) known.push_back(filesystem.id);
    const auto meant = nearest(lower(type), known);
    if (!meant) return;
    ++result.checked;
    auto item = checker.finding("fstab-unknown-type", Severity::kError, place.line, type);
    item.what = fmt::format("no kernel knows the filesystem type {} (did you mean '{}'?)", type, *meant);
    item.consequence = place.consequence_of_refusal;
    item.fix = fmt::format("write {}", *meant);
    item.ignore_if = "a module from outside the kernel or a helper mount." + type + " provides the type";
    item.sources = {"fstab(5), the third field", "/proc/filesystems"};
    result.findings.push_back(std::move(item));
}

}  // namespace fsadvise
