#include "advice/lint_mounted.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "advice/lint_check.h"
#include "space/spelling.h"
#include "space/validity.h"

namespace fsadvise {
namespace {

// The options that somebody chose: known, and not what an empty option string gives.
std::vector<ParsedWord> chosen_words(const Context& plain, const MountedFilesystem& mount) {
    auto words = parse_mount_options(plain.knowledge(), mount.filesystem, mount.options);
    std::erase_if(words, [&](const ParsedWord& word) {
        if (word.parameter.empty() || word.bad_value || word.generic) return true;
        const auto usual = plain.lookup(word.parameter);
        return !usual || equal(*usual, word.value);
    });
    return words;
}

// What holds together with the superblock: the options alone are judged by check_mount().
void check_superblock(const LintChecker& checker, const Context& context, LintResult& result) {
    for (const Violation& violation : violations(context)) {
        // It is formatted and mounted: refusals are not about this machine, and durability was spoken of
        // already.
        if (violation.effect == Effect::kMkfsRefuses || violation.effect == Effect::kMountRefuses) continue;
        if (violation.effect == Effect::kSilent || violation.id.ends_with(".durability")) continue;
        if (violation.id.ends_with(".active") || !violation.certain) continue;
        const auto known = std::ranges::any_of(
            result.findings, [&](const Finding& item) { return item.id.ends_with(violation.id); });
        if (known) continue;
        auto item = checker.finding(fmt::format("{}:{}", to_text(violation.effect), violation.id),
                                    severity_of(violation), 0, violation.parameter);
        item.what = violation.says;
        item.fix = violation.fix;
        item.sources = violation.sources;
        if (const auto* parameter = context.knowledge().parameter(violation.parameter))
            item.fix += fmt::format("{}change: {}", item.fix.empty() ? "" : "; ", parameter->change);
        result.findings.push_back(std::move(item));
    }
}

void check_queue(const LintChecker& checker, const Context& plain, const BlockDevice& device,
                 LintResult& result) {
    Configuration queue{plain.configuration().filesystem, {}};
    const auto set = [&](const std::string& id, const Value& value) {
        if (checker.knowledge().parameter(id) != nullptr) queue.values[id] = value;
    };
    if (!device.scheduler.empty()) set("block.scheduler", device.scheduler);
    if (device.nr_requests) set("block.nr_requests", static_cast<std::int64_t>(*device.nr_requests));
    if (device.read_ahead_kib) set("block.read_ahead_kb", static_cast<std::int64_t>(*device.read_ahead_kib));
    for (const Violation& violation : violations(Context(checker.knowledge(), plain.request(), queue))) {
        if (!violation.parameter.starts_with("block.") || !violation.certain) continue;
        auto item = checker.finding("queue-setting", Severity::kInfo, 0, violation.parameter);
        item.what = violation.says;
        item.fix = violation.fix;
        item.sources = violation.sources;
        result.findings.push_back(std::move(item));
    }
}

}  // namespace

LintResult lint_mounted(const Knowledge& knowledge, const LintTarget& target,
                        const std::vector<MountedFilesystem>& mounts) {
    LintResult all;
    for (const MountedFilesystem& mount : mounts) {
        ++all.lines;
        if (knowledge.filesystem(mount.filesystem) == nullptr) continue;
        ++all.checked;
        LintTarget here = target;
        here.host.device = mount.device;
        const LintChecker checker(knowledge, here, mount.directory);
        const Context plain(knowledge, checker.request(), {mount.filesystem, {}});
        LintResult result;
        const auto words = chosen_words(plain, mount);
        checker.check_mount(mount.filesystem, nullptr, words, {0, "the next mount fails"}, result);
        // It is mounted: what only another format would refuse does not concern it.
        std::erase_if(result.findings, [](const Finding& item) {
            return item.id.starts_with("mount-refuses:") && item.severity != Severity::kError;
        });
        Configuration configuration = configuration_of(mount.filesystem, {}, words);
        for (const auto& [id, value] : mount.superblock) {
            const auto usual = plain.lookup(id);
            if (!usual || !equal(*usual, value)) configuration.values.try_emplace(id, value);
        }
        check_superblock(checker, Context(knowledge, checker.request(), configuration), result);
        if (mount.device) check_queue(checker, plain, *mount.device, result);
        tidy(result);
        std::move(result.findings.begin(), result.findings.end(), std::back_inserter(all.findings));
    }
    return all;
}

LintResult added_findings(const LintResult& now, const LintResult& then) {
    LintResult added = then;
    std::erase_if(added.findings, [&](const Finding& item) {
        return std::ranges::any_of(now.findings, [&](const Finding& other) {
            return other.file == item.file && other.line == item.line && other.subject == item.subject &&
                   other.severity >= item.severity;
        });
    });
    return added;
}

}  // namespace fsadvise
