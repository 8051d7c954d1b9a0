// One parameter as an explanation.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "advice/explain_parts.h"
#include "base/text.h"
#include "base/units.h"
#include "space/spelling.h"
#include "space/validity.h"

namespace fsadvise {
namespace {

std::string value_text(const Parameter& parameter, const Value& value) {
    const auto* whole = std::get_if<std::int64_t>(&value);
    if (parameter.type == ValueType::kSize && whole != nullptr && *whole > 0)
        return size_text(static_cast<std::uint64_t>(*whole));
    const auto text = to_text(value);
    return text.empty() ? "''" : text;
}

std::string domain_text(const Parameter& parameter) {
    const Domain& domain = parameter.domain;
    std::vector<std::string> parts;
    if (!domain.values.empty()) {
        std::vector<std::string> values;
        for (const Value& value : domain.values) values.push_back(value_text(parameter, value));
        parts.push_back("one of " + join(values, ", "));
    } else if (parameter.type == ValueType::kBool) {
        parts.push_back("true or false");
    }
    if (domain.minimum && !domain.minimum->empty()) parts.push_back("at least " + domain.minimum->text());
    if (domain.maximum && !domain.maximum->empty()) parts.push_back("at most " + domain.maximum->text());
    if (domain.power_of_two) parts.emplace_back("a power of two");
    if (domain.multiple_of && !domain.multiple_of->empty())
        parts.push_back("a multiple of " + domain.multiple_of->text());
    std::vector<std::string> special;
    for (const Value& value : domain.special) special.push_back(value_text(parameter, value));
    if (!special.empty()) parts.push_back("or " + join(special, ", ") + " with a meaning of its own");
    return to_text(parameter.type) + (parts.empty() ? "" : ": " + join(parts, "; "));
}

std::string window_text(const VersionWindow& window) {
    std::vector<std::string> parts;
    const auto say = [&](std::string_view what, const std::string& version) {
        if (!version.empty()) parts.push_back(fmt::format("{} {}", what, version));
    };
    say("introduced", window.introduced);
    say("reliable since", window.safe);
    say("on by default since", window.on_by_default);
    say("deprecated since", window.deprecated);
    say("removed in", window.removed);
    std::string text = window.component;
    if (!window.distribution.empty()) {
        text += " of " + window.distribution;
        if (!window.distribution_version.empty()) text += " " + window.distribution_version;
    }
    if (!window.applies_to.empty()) text += fmt::format(" (value {})", window.applies_to);
    text += ": " + (parts.empty() ? std::string("no limit") : join(parts, ", "));
    return window.note.empty() ? text : text + "; " + window.note;
}

std::vector<std::string> stated_defaults(const Parameter& parameter) {
    std::vector<std::string> lines;
    for (const ConditionalValue& item : parameter.defaults) {
        const bool last = item.when.empty();
        lines.push_back(last ? (lines.empty() ? "" : "else ") + item.value.text()
                             : fmt::format("{} if {}", item.value.text(), item.when.text()));
    }
    if (lines.empty()) lines.emplace_back("not known: the tool or the kernel decides");
    return lines;
}

// The default where it depends on the tool or kernel: one line a value, with the distributions that have it.
std::vector<std::string> defaults_by_distribution(const Knowledge& knowledge, const Parameter& parameter) {
    std::map<std::string, std::vector<std::string>> by_value;
    for (const Distribution& distribution : knowledge.distributions()) {
        Request request;
        request.host.kernel = distribution.kernel;
        request.host.distribution = distribution.id;
        request.host.distribution_version = distribution.version;
        request.host.tools = distribution.tools;
        const Context context(knowledge, request, {parameter.filesystem, {}});
        const auto value = default_value(parameter, context);
        by_value[value ? value_text(parameter, *value) : "depends on the device"].push_back(
            distribution.title);
    }
    std::vector<std::string> lines;
    if (by_value.size() < 2) return lines;
    for (const auto& [value, titles] : by_value)
        lines.push_back(fmt::format("{}: {}", value, join(titles, ", ")));
    return lines;
}

bool mentions(const Expression& expression, const std::string& id) {
    return std::ranges::binary_search(expression.names(), id);
}

std::vector<std::string> constraints_of(const Knowledge& knowledge, const std::string& id) {
    std::vector<std::string> lines;
    for (const Constraint& constraint : knowledge.constraints()) {
        if (!mentions(constraint.when, id) && constraint.becomes_parameter != id) continue;
        lines.push_back(fmt::format("{} ({}, {}): {}", constraint.id, to_text(constraint.effect),
                                    to_text(constraint.scope), constraint.says));
    }
    return lines;
}

std::vector<std::string> rules_of(const Knowledge& knowledge, const std::string& id) {
    std::vector<std::string> lines;
    for (const Rule& rule : knowledge.rules()) {
        const auto target =
            std::ranges::find_if(rule.then, [&](const Action& action) { return action.target == id; });
        if (target != rule.then.end()) {
            lines.push_back(fmt::format("{} ({}): {}; {}", rule.id, rule.strength, rule.title,
                                        action_text(knowledge, *target)));
        } else if (mentions(rule.when, id)) {
            lines.push_back(fmt::format("{} ({}): {}; reads it", rule.id, rule.strength, rule.title));
        }
    }
    return lines;
}

std::string change_text(const std::string& change) {
    if (change == "remount") return "by a remount";
    if (change == "fresh-mount") return "by unmounting and mounting again; a remount does not change it";
    if (change == "online") return "while mounted";
    if (change == "offline") return "while not mounted";
    return "only by formatting again";
}

std::vector<std::string> spellings_of(const Knowledge& knowledge, const Parameter& parameter) {
    const Spelling& spelling = parameter.spelling;
    if (parameter.layer == Layer::kBlock)
        return {"/sys/block/DEVICE/queue/" + parameter.id.substr(parameter.id.rfind('.') + 1)};
    std::vector<std::string> lines;
    const auto* filesystem = knowledge.filesystem(parameter.filesystem);
    const std::string program =
        parameter.layer == Layer::kMount || filesystem == nullptr
            ? "mount -o "
            : filesystem->mkfs + (spelling.flag.empty() ? " " : " " + spelling.flag + " ");
    for (const auto& [value, words] : spelling.words)
        lines.push_back(value + ": " + (words.empty() ? "say nothing" : program + join(words, " | ")));
    if (!lines.empty()) return lines;
    std::string word = spelling.key.empty() ? "VALUE" : spelling.key + "=VALUE";
    if (spelling.form == "feature") word = spelling.key + ", ^" + spelling.key + " switches it off";
    if (spelling.form == "switch") word.clear();
    lines.push_back(program + word + spelling.suffix);
    if (spelling.unit_bytes != 1)
        lines.push_back(
            fmt::format("one unit is {}", size_text(static_cast<std::uint64_t>(spelling.unit_bytes))));
    if (!spelling.aliases.empty()) lines.push_back("also accepted: " + join(spelling.aliases, ", "));
    return lines;
}

}  // namespace

Explanation explain_parameter(const Knowledge& knowledge, const Host& host, const Parameter& parameter) {
    Explanation result{"parameter", parameter.id, parameter.title, {}};
    result.add("meaning", {parameter.meaning});
    result.add("written_as", spellings_of(knowledge, parameter));
    result.add("values", {domain_text(parameter)});
    result.add("default", stated_defaults(parameter));
    Request request;
    request.host = host;
    const Context context(knowledge, request, {parameter.filesystem, {}});
    if (const auto here = default_value(parameter, context); here && parameter.defaults.size() > 1)
        result.add("default_on_this_target", {value_text(parameter, *here)});
    result.add("default_by_distribution", defaults_by_distribution(knowledge, parameter));
    result.add("exists_if", {parameter.active.text()});
    result.add("helps", {parameter.helps});
    result.add("risk", {parameter.risk});
    std::vector<std::string> lines;
    for (const auto& [value, name] : parameter.durability)
        lines.push_back(fmt::format("{}: {}", value == "*" ? "any value but the default" : value, name));
    if (lines.empty()) lines.emplace_back("strict: no value gives up acknowledged data");
    result.add("durability", std::move(lines));
    lines.clear();
    for (const VersionWindow& window : parameter.versions) lines.push_back(window_text(window));
    result.add("versions", std::move(lines));
    result.add("change_later", {change_text(parameter.change), parameter.change_note});
    if (parameter.read_back)
        result.add("seen_in", {parameter.read_back->source +
                               (parameter.read_back->key.empty() ? "" : ": " + parameter.read_back->key)});
    result.add("constraints", constraints_of(knowledge, parameter.id));
    result.add("rules", rules_of(knowledge, parameter.id));
    result.add("sources", parameter.sources);
    return result;
}

void add_written_value(const Knowledge& knowledge, const Host& host, const Parameter& parameter,
                       const std::string& written, const Value& value, Explanation& explanation) {
    std::vector<std::string> lines{fmt::format("'{}' sets it to {}", written, value_text(parameter, value))};
    Request request;
    request.host = host;
    const Context context(knowledge, request, {parameter.filesystem, {{parameter.id, value}}});
    for (const Violation& violation : violations(context)) {
        if (violation.parameter == parameter.id)
            lines.push_back(fmt::format("{}: {}", to_text(violation.effect), violation.says));
    }
    if (lines.size() == 1) lines.emplace_back("accepted by the target as far as versions tell");
    const ExplanationSection section{"as_written", std::move(lines)};
    explanation.sections.insert(explanation.sections.begin(), section);
}

}  // namespace fsadvise
