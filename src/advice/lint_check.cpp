#include "advice/lint_check.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "advice/lint_check_parts.h"
#include "advice/lint_shell.h"
#include "base/text.h"
#include "base/units.h"
#include "space/component_version.h"
#include "space/mkfs_flags.h"
#include "space/version_window.h"

namespace fsadvise {
namespace {

bool refuses(Effect effect) {
    return effect == Effect::kMkfsRefuses || effect == Effect::kMountRefuses;
}

bool is_note(const Violation& violation) {
    return violation.effect == Effect::kUnwise && violation.id.find(".note-") != std::string::npos;
}

// The last word that set the parameter.
const ParsedWord* word_for(const std::vector<ParsedWord>& words, const std::string& parameter) {
    if (parameter.empty()) return nullptr;
    const auto found = std::find_if(words.rbegin(), words.rend(),
                                    [&](const ParsedWord& word) { return word.parameter == parameter; });
    return found == words.rend() ? nullptr : &*found;
}

// Facts that a version alone would settle; an unknown device is no reason to speak.
bool only_versions_unknown(const Context& context, const std::vector<std::string>& names) {
    static const std::set<std::string> kVersions = {"kernel", "e2fsprogs", "xfsprogs", "btrfs_progs",
                                                    "f2fs_tools"};
    return std::ranges::all_of(names, [&](const std::string& name) {
        return context.lookup(name).has_value() || kVersions.contains(name);
    });
}

const Constraint* constraint_of(const Context& context, const std::string& id) {
    for (const auto* constraint : context.knowledge().constraints_of(context.configuration().filesystem)) {
        if (constraint->id == id) return constraint;
    }
    return nullptr;
}

// An option that is refused needs no further remark: what else it would do does not happen. One that is
// ignored endangers nothing.
void drop_moot(std::vector<Violation>& found) {
    std::set<std::string> refused, ignored;
    for (const auto& violation : found) {
        if (violation.certain && refuses(violation.effect)) refused.insert(violation.parameter);
        if (violation.certain && violation.effect == Effect::kNoEffect && !violation.id.ends_with(".active"))
            ignored.insert(violation.parameter);
    }
    std::erase_if(found, [&](const Violation& violation) {
        if (refuses(violation.effect) || violation.parameter.empty()) return false;
        return refused.contains(violation.parameter) ||
               (violation.id.ends_with(".durability") && ignored.contains(violation.parameter));
    });
    // "Deprecated: accepted and ignored" says the same and more.
    std::set<std::string> deprecated;
    for (const auto& violation : found) {
        if (violation.certain && violation.id.ends_with(".version")) deprecated.insert(violation.parameter);
    }
    std::erase_if(found, [&](const Violation& violation) {
        return violation.effect == Effect::kNoEffect && deprecated.contains(violation.parameter);
    });
}

bool names_mount_only(const Constraint& constraint, const Context& context) {
    bool any = false;
    for (const auto& name : constraint.when.names()) {
        const auto* parameter = context.knowledge().parameter(name);
        if (parameter == nullptr) continue;
        if (parameter->layer != Layer::kMount) return false;
        any = true;
    }
    return any;
}

// What a role asks for is said even where nothing was written.
bool about_role(const Constraint* constraint) {
    return constraint != nullptr &&
           std::ranges::find(constraint->when.names(), "workload.id") != constraint->when.names().end();
}

// A defect of this very version, for data that is acknowledged after a flush.
bool defect_of_version(const Context& context, const Violation& violation, const Constraint* constraint) {
    if (violation.effect != Effect::kUnsafe || !violation.certain || constraint == nullptr) return false;
    static const std::set<std::string> kVersions = {"kernel", "e2fsprogs", "xfsprogs", "btrfs_progs",
                                                    "f2fs_tools"};
    const auto synchronous = context.lookup("trait.synchronous_commits");
    return synchronous && equal(*synchronous, Value{true}) &&
           context.request().requirements.durability == "strict" &&
           std::ranges::any_of(constraint->when.names(),
                               [&](const std::string& name) { return kVersions.contains(name); });
}

// The default follows from the version of the tool that made the filesystem, which may be older than the one
// here.
bool rests_on_the_maker(const Knowledge& knowledge, const std::string& id) {
    static const std::set<std::string> kTools = {"e2fsprogs", "xfsprogs", "btrfs_progs", "f2fs_tools"};
    const auto asks_tool = [&](const std::string& name) {
        const auto* format = knowledge.parameter(name);
        if (format == nullptr || format->layer != Layer::kMkfs) return false;
        return std::ranges::any_of(format->defaults, [&](const ConditionalValue& item) {
            return std::ranges::any_of(item.when.names(),
                                       [&](const std::string& used) { return kTools.contains(used); });
        });
    };
    const auto* parameter = knowledge.parameter(id);
    return parameter != nullptr &&
           std::ranges::any_of(parameter->defaults, [&](const ConditionalValue& item) {
               return std::ranges::any_of(item.when.names(), asks_tool);
           });
}

}  // namespace

Severity severity_of(const Violation& violation) {
    if (refuses(violation.effect)) return violation.certain ? Severity::kError : Severity::kWarning;
    return violation.effect == Effect::kNoEffect || is_note(violation) ? Severity::kInfo : Severity::kWarning;
}

LintChecker::LintChecker(const Knowledge& knowledge, const LintTarget& target, std::string file)
    : knowledge_(&knowledge), file_(std::move(file)) {
    request_.host = target.host;
    request_.workload = target.workload;
    // A role whose data may be lost bears options that others do not.
    if (const auto* workload = knowledge.workload(target.workload)) {
        request_.workload = workload->id;
        request_.requirements.durability = workload->durability;
    }
}

Finding LintChecker::finding(std::string id, Severity severity, int line, std::string subject) const {
    Finding result;
    result.id = std::move(id);
    result.severity = severity;
    result.file = file_;
    result.line = line;
    result.subject = std::move(subject);
    return result;
}

void LintChecker::explain_version(const Context& context, const Violation& violation, Layer layer,
                                  Finding& item) const {
    const auto* parameter = knowledge_->parameter(violation.parameter);
    const auto value = context.configuration().values.find(violation.parameter);
    if (parameter == nullptr || value == context.configuration().values.end()) return;
    std::string kind = violation.effect == Effect::kUnsafe ? "unreliable" : "deprecated";
    for (const auto* window : windows_in_force(context, *parameter, value->second)) {
        const auto actual =
            Version::parse(component_version(*knowledge_, context.request().host, window->component));
        if (!refuses(violation.effect)) continue;
        const bool removed = !window->removed.empty();
        if (actual.known() && !(removed && actual >= Version::parse(window->removed))) continue;
        if (!actual.known() && !removed) continue;
        kind = "removed";
        item.ignore_if = fmt::format("only {} before {} is used", window->component, window->removed);
        if (!actual.known()) {
            item.what = fmt::format("'{}': removed in {} {}; the version here is not known", item.subject,
                                    window->component, window->removed);
        }
    }
    if (refuses(violation.effect) && kind != "removed") kind = "too-new";
    item.id = fmt::format("{}-option-{}", layer_text(layer), kind);
}

Finding LintChecker::explain(const Context& context, const Violation& violation,
                             const std::vector<ParsedWord>& words, const Place& place) const {
    const auto* parameter = knowledge_->parameter(violation.parameter);
    const auto* word = word_for(words, violation.parameter);
    if (const auto* constraint = constraint_of(context, violation.id);
        word == nullptr && constraint != nullptr) {
        for (const auto& name : constraint->when.names()) {
            if (word == nullptr) word = word_for(words, name);
        }
    }
    const bool durability = violation.id.ends_with(".durability");
    bool relaxed_only = false;
    if (durability && parameter != nullptr && word != nullptr) {
        const auto exact = parameter->durability.find(to_text(word->value));
        const auto any = parameter->durability.find("*");
        const auto entry = exact != parameter->durability.end() ? exact : any;
        relaxed_only = entry != parameter->durability.end() && entry->second == "relaxed";
    }
    auto item = finding(fmt::format("{}:{}", to_text(violation.effect), violation.id), severity_of(violation),
                        place.line, word != nullptr ? word->text : violation.parameter);
    const bool of_parameter = parameter != nullptr && violation.id.starts_with(violation.parameter + ".");
    item.what = of_parameter ? fmt::format("'{}': {}", item.subject, violation.says) : violation.says;
    item.consequence = consequence_of(violation.effect, place);
    item.fix = violation.fix;
    item.sources = violation.sources;
    if (durability) {
        item.id = "durability-lowered:" + violation.parameter;
        item.ignore_if = "losing the newest data in a crash is acceptable";
        if (relaxed_only)
            item.consequence = "a crash can lose the newest data; the filesystem stays consistent";
        const auto read_only = context.lookup(context.configuration().filesystem + ".mount.read_only");
        if (read_only && equal(*read_only, Value{true}) && parameter != nullptr) {
            // Nothing is written, so nothing that was acknowledged can be lost: usual for snapshots.
            item.severity = Severity::kInfo;
            item.what = fmt::format("'{}' on a read-only mount{}{}", item.subject,
                                    parameter->risk.empty() ? "" : ": ", parameter->risk);
            item.consequence = "nothing is lost; what the log holds is not to be seen";
            item.ignore_if = "it is a snapshot or a damaged volume that must not be written";
            item.fix = "leave it out where the log may be replayed";
        }
    } else if (of_parameter && violation.id.ends_with(".version")) {
        explain_version(context, violation, parameter->layer, item);
    } else if (!violation.certain) {
        item.ignore_if = "the versions on the target are not affected";
    }
    if (is_note(violation)) item.consequence = "none that stops anything: it is worth knowing";
    if (defect_of_version(context, violation, constraint_of(context, violation.id)))
        item.severity = Severity::kError;
    add_detail(context, violation, words, item);
    return item;
}

void LintChecker::add_detail(const Context& context, const Violation& violation,
                             const std::vector<ParsedWord>& words, Finding& item) const {
    const auto* constraint = constraint_of(context, violation.id);
    std::vector<const ParsedWord*> concerned;
    for (const auto& word : words) {
        if (word.parameter.empty() || word.bad_value || word.dropped) continue;
        const bool named =
            word.parameter == violation.parameter ||
            (constraint != nullptr &&
             std::ranges::find(constraint->when.names(), word.parameter) != constraint->when.names().end());
        if (named) concerned.push_back(&word);
    }
    // "sunit=64" of xfs_info and of mkfs are different things: say what the number means.
    std::string units;
    for (const auto* word : concerned) {
        const auto* parameter = knowledge_->parameter(word->parameter);
        const auto* bytes = std::get_if<std::int64_t>(&word->value);
        if (parameter == nullptr || bytes == nullptr || *bytes <= 0 || parameter->spelling.unit_bytes <= 1 ||
            std::isdigit(static_cast<unsigned char>(word->text.back())) == 0)
            continue;
        units += fmt::format(
            "{}'{}' counts units of {} bytes: {}", units.empty() ? "" : ", ",
            key_of(word->text) + word->text.substr(std::min(word->text.find('='), word->text.size())),
            parameter->spelling.unit_bytes, size_text(static_cast<std::uint64_t>(*bytes)));
    }
    if (!units.empty()) item.what += " (" + units + ")";
    if (concerned.size() > 1 && violation.says.find("written later") != std::string::npos) {
        item.what += fmt::format(" Here '{}' is active and '{}' is dropped.", concerned.back()->text,
                                 concerned.front()->text);
    }
}

std::vector<Violation> LintChecker::format_violations(const Context& context) const {
    auto found = relevant_violations(context);
    std::erase_if(found, [&](const Violation& violation) {
        const auto* constraint = constraint_of(context, violation.id);
        if (constraint == nullptr) return false;
        return waits_for_mount(context, *constraint) ||
               (about_role(constraint) && names_mount_only(*constraint, context));
    });
    return found;
}

std::vector<Violation> LintChecker::relevant_violations(const Context& context) const {
    auto found = violations(context, true);
    std::erase_if(found, [&](const Violation& violation) {
        if (violation.certain) return false;
        if (!refuses(violation.effect)) return true;
        if (const auto* constraint = constraint_of(context, violation.id)) {
            return !only_versions_unknown(context, constraint->when.names());
        }
        if (!violation.id.ends_with(".version")) return true;
        const auto* parameter = knowledge_->parameter(violation.parameter);
        const auto value = context.configuration().values.find(violation.parameter);
        if (parameter == nullptr || value == context.configuration().values.end()) return true;
        // "Needs a newer kernel" is noise when the kernel is unknown; "is gone" is not.
        return std::ranges::none_of(windows_in_force(context, *parameter, value->second),
                                    [](const VersionWindow* window) { return !window->removed.empty(); });
    });
    drop_moot(found);
    return found;
}

bool LintChecker::counts_unknown_devices(const Context& context, const Violation& violation,
                                         const ParsedCommand* mkfs) const {
    if (mkfs == nullptr || !names_several_devices(*mkfs)) return false;
    const auto* constraint = constraint_of(context, violation.id);
    return constraint != nullptr &&
           std::ranges::find(constraint->when.names(), mkfs->filesystem + ".mkfs.devices") !=
               constraint->when.names().end();
}

// The superblock decides, and this file does not show how it was made.
void LintChecker::make_conditional(const Context& context, const Violation& violation, const Place& place,
                                   Finding& item) const {
    const auto* constraint = constraint_of(context, violation.id);
    if (!refuses(violation.effect) || constraint == nullptr || !depends_on_format(context, *constraint))
        return;
    item.severity = std::min(item.severity, Severity::kWarning);
    item.what = fmt::format(
        "depends on how it was formatted, which is not to be seen here; if by default: {}", item.what);
    item.consequence = "in that case " + place.consequence_of_refusal;
    item.ignore_if = fmt::format(
        "the format suits it: the superblock tells (fsadvise check --mounted, or the "
        "{} tools)",
        context.configuration().filesystem);
}

void LintChecker::check_kernel_has(const std::string& filesystem, const Place& place, LintResult& result,
                                   Verdict& verdict) const {
    const auto has = kernel_has(*knowledge_, request_.host, filesystem);
    if (!has || *has) return;
    verdict.mounts = false;
    auto item = finding("filesystem-unavailable", Severity::kError, place.line, filesystem);
    item.what = fmt::format("the target's kernel has no {}", filesystem);
    item.consequence = place.consequence_of_refusal;
    item.fix = "use another filesystem, or install the kernel module";
    item.ignore_if = "the module is installed before this runs";
    result.findings.push_back(std::move(item));
}

void LintChecker::check_defaults(const Context& context, const std::vector<ParsedWord>& words,
                                 const Place& place, LintResult& result) const {
    for (const auto& word : words) {
        if (word.parameter.empty() || word.bad_value) continue;
        const auto* parameter = knowledge_->parameter(word.parameter);
        auto without = context.configuration();
        without.values.erase(word.parameter);
        const auto usual = default_value(*parameter, Context(*knowledge_, request_, without));
        if (!usual || !equal(*usual, word.value)) continue;
        // What only the other options make the default is theirs to explain.
        const auto plain =
            default_value(*parameter, Context(*knowledge_, request_, {without.filesystem, {}}));
        const bool implied = plain && !equal(*plain, word.value);
        const bool explained = std::ranges::any_of(result.findings, [&](const Finding& item) {
            return item.line == place.line && item.subject == word.text;
        });
        if (implied && explained) continue;
        auto item = finding(std::string(kDefaultValueId), Severity::kInfo, place.line, word.text);
        item.what = implied ? fmt::format("'{}' follows from the other options already", word.text)
                            : fmt::format("'{}' is the default", word.text);
        item.consequence = consequence_of(Effect::kNoEffect, place);
        item.fix = "leave it out";
        item.ignore_if = "you want to state it for readers";
        item.sources = parameter->sources;
        result.findings.push_back(std::move(item));
    }
}

Verdict LintChecker::check_mkfs(const ParsedCommand& mkfs, const Place& place, LintResult& result) const {
    Verdict verdict;
    // The word itself is reported where it is unknown.
    const bool said =
        std::ranges::any_of(mkfs.words, [](const ParsedWord& word) { return word.note == kUnknownFlag; });
    if (said) verdict.formats = false;
    if (!mkfs.problem.empty() && !said) {
        auto item = finding("mkfs-usage", Severity::kError, place.line, mkfs.filesystem);
        item.what = mkfs.problem;
        item.consequence = consequence_of(Effect::kMkfsRefuses, place);
        item.fix = "correct the command";
        result.findings.push_back(std::move(item));
        verdict.formats = false;
    }
    // A variable may stand for options, or for nothing.
    const bool plain = std::ranges::none_of(mkfs.devices, has_placeholder);
    if (mkfs.devices.size() > 1 && plain && !said && !takes_several_devices(*knowledge_, mkfs.filesystem)) {
        auto item = finding("mkfs-usage", Severity::kError, place.line, mkfs.devices[1]);
        item.what = fmt::format("'{}': {} formats one device, and the command names {}", mkfs.devices[1],
                                knowledge_->filesystem(mkfs.filesystem)->mkfs, join(mkfs.devices, ", "));
        item.consequence = consequence_of(Effect::kMkfsRefuses, place);
        item.fix = "give one device a command; several as one volume need an array or LVM below";
        item.sources = knowledge_->filesystem(mkfs.filesystem)->sources;
        result.findings.push_back(std::move(item));
        verdict.formats = false;
    }
    if (!check_words(mkfs.filesystem, Layer::kMkfs, mkfs.words, place, result)) verdict.formats = false;
    check_kernel_has(mkfs.filesystem, place, result, verdict);
    Configuration asked = configuration_of(mkfs.filesystem, mkfs.words, {});
    add_device_count(*knowledge_, mkfs, asked);
    const Context context(*knowledge_, request_, asked);
    for (const auto& violation : format_violations(context)) {
        if (counts_unknown_devices(context, violation, &mkfs)) continue;
        if (violation.certain && violation.effect == Effect::kMkfsRefuses) verdict.formats = false;
        if (violation.certain && violation.effect == Effect::kMountRefuses) verdict.mounts = false;
        result.findings.push_back(explain(context, violation, mkfs.words, place));
    }
    return verdict;
}

Verdict LintChecker::check_mount(const std::string& filesystem, const ParsedCommand* mkfs,
                                 const std::vector<ParsedWord>& words, const Place& place,
                                 LintResult& result) const {
    Verdict verdict;
    verdict.mounts = check_words(filesystem, Layer::kMount, words, place, result);
    check_kernel_has(filesystem, place, result, verdict);
    const std::vector<ParsedWord> none;
    const auto& mkfs_words = mkfs != nullptr ? mkfs->words : none;
    std::set<std::string> said;
    if (mkfs != nullptr) {
        Configuration formatted = configuration_of(filesystem, mkfs_words, {});
        add_device_count(*knowledge_, *mkfs, formatted);
        const Context alone(*knowledge_, request_, formatted);
        for (const auto& violation : format_violations(alone)) {
            if (counts_unknown_devices(alone, violation, mkfs)) continue;
            said.insert(violation.id);
            if (violation.certain && violation.effect == Effect::kMkfsRefuses) verdict.formats = false;
            if (violation.certain && violation.effect == Effect::kMountRefuses) verdict.mounts = false;
        }
    }
    Configuration asked = configuration_of(filesystem, mkfs_words, words);
    if (mkfs != nullptr) add_device_count(*knowledge_, *mkfs, asked);
    auto request = request_;
    request.mount_point = place.directory;
    const Context context(*knowledge_, request, asked);
    auto all_words = mkfs_words;
    all_words.insert(all_words.end(), words.begin(), words.end());
    for (const auto& violation : relevant_violations(context)) {
        if (said.contains(violation.id) || counts_unknown_devices(context, violation, mkfs)) continue;
        auto item = explain(context, violation, all_words, place);
        // A plain mount of something formatted elsewhere: what its defaults would do is not this line's
        // fault.
        const bool about_words =
            std::ranges::any_of(all_words, [&](const ParsedWord& word) { return word.text == item.subject; });
        if (mkfs == nullptr && !about_words && !about_role(constraint_of(context, violation.id))) continue;
        if (mkfs == nullptr) make_conditional(context, violation, place, item);
        if (violation.certain && violation.effect == Effect::kMountRefuses) verdict.mounts = false;
        result.findings.push_back(std::move(item));
    }
    auto judged = words;
    if (mkfs == nullptr)
        std::erase_if(
            judged, [&](const ParsedWord& word) { return rests_on_the_maker(*knowledge_, word.parameter); });
    check_defaults(context, judged, place, result);
    return verdict;
}

}  // namespace fsadvise
