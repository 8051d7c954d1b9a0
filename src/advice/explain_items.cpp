// Rules, constraints, workloads, filesystems, evidence, distributions and traits as explanations.
#include <algorithm>

#include <fmt/format.h>

#include "advice/explain_parts.h"
#include "advice/finding_catalogue.h"
#include "advice/rule_graph.h"
#include "base/text.h"
#include "base/units.h"

namespace fsadvise {
namespace {

std::string with_grade(const Knowledge& knowledge, const std::string& source) {
    const Evidence* evidence = knowledge.evidence(source);
    if (evidence == nullptr) return source;
    return fmt::format("{}: {} [{}{}{}; {}]", source, evidence->says, evidence->source,
                       evidence->date.empty() ? "" : ", ", evidence->date, evidence->grade);
}

std::vector<std::string> sources_text(const Knowledge& knowledge, const std::vector<std::string>& sources) {
    std::vector<std::string> lines;
    for (const std::string& source : sources) lines.push_back(with_grade(knowledge, source));
    return lines;
}

Explanation of_rule(const Knowledge& knowledge, const Rule& rule) {
    Explanation result{"rule", rule.id, rule.title, {}};
    result.add("when", {condition_text(rule.when)});
    std::vector<std::string> lines;
    for (const Action& action : rule.then)
        lines.push_back(action_text(knowledge, action) +
                        (action.because.empty() ? "" : ": " + action.because));
    result.add("then", std::move(lines));
    result.add("strength", {rule.strength});
    result.add("why", {rule.why});
    result.add("known_problems", {rule.known_problems});
    lines.clear();
    for (const RuleExample& example : rule.fires) lines.push_back(example.text);
    result.add("fires_for", std::move(lines));
    lines.clear();
    for (const RuleExample& example : rule.quiet) lines.push_back(example.text);
    result.add("quiet_for", std::move(lines));
    result.add("sources", sources_text(knowledge, rule.sources));
    result.add("file", {rule.origin});
    return result;
}

Explanation of_constraint(const Knowledge& knowledge, const Constraint& constraint) {
    Explanation result{"constraint", constraint.id, constraint.says, {}};
    result.add("violated_if", {condition_text(constraint.when)});
    result.add("effect", {to_text(constraint.effect)});
    result.add("scope", {to_text(constraint.scope)});
    if (!constraint.becomes_parameter.empty())
        result.add("becomes", {constraint.becomes_parameter + " = " + constraint.becomes_value.text()});
    result.add("fix", {constraint.fix});
    result.add("sources", sources_text(knowledge, constraint.sources));
    result.add("file", {constraint.origin});
    return result;
}

std::vector<std::string> rules_reading(const Knowledge& knowledge, const std::vector<std::string>& names) {
    std::vector<std::string> lines;
    for (const Rule& rule : knowledge.rules()) {
        const auto& used = rule.when.names();
        if (std::ranges::any_of(names,
                                [&](const auto& name) { return std::ranges::binary_search(used, name); }))
            lines.push_back(fmt::format("{} ({}): {}", rule.id, rule.strength, rule.title));
    }
    return lines;
}

Explanation of_workload(const Knowledge& knowledge, const WorkloadDescription& workload) {
    Explanation result{"workload", workload.id, workload.title, {}};
    result.add("meaning", {workload.summary});
    result.add("also_called", workload.aliases);
    result.add("traits", workload.traits);
    result.add("durability", {workload.durability});
    result.add("mount_point", {workload.mount_point});
    result.add("application", {workload.application});
    if (workload.mean_file_bytes) result.add("mean_file", {human_size(*workload.mean_file_bytes)});
    result.add("load_derived_from", {workload.derivation});
    std::vector<std::string> names;
    for (const std::string& trait : workload.traits) names.push_back(trait_name(trait));
    result.add("rules", rules_reading(knowledge, names));
    result.add("sources", sources_text(knowledge, workload.sources));
    return result;
}

Explanation of_filesystem(const Knowledge& knowledge, const Filesystem& filesystem) {
    Explanation result{"filesystem", filesystem.id, filesystem.title, {}};
    result.add("meaning", {filesystem.summary});
    result.add("format_with", {filesystem.mkfs + " (" + filesystem.tool + ")"});
    result.add("smallest", {size_text(filesystem.minimum_bytes)});
    if (filesystem.maximum_bytes > 0) result.add("largest_volume", {size_text(filesystem.maximum_bytes)});
    if (filesystem.maximum_file_bytes > 0)
        result.add("largest_file", {size_text(filesystem.maximum_file_bytes)});
    result.add("fstab_pass", {std::to_string(filesystem.fstab_pass)});
    std::vector<std::string> lines;
    for (const auto& [need, answer] : filesystem.capabilities) lines.push_back(need + ": " + answer);
    result.add("capabilities", std::move(lines));
    lines.clear();
    for (const Rule& rule : knowledge.rules()) {
        for (const Action& action : rule.then) {
            const bool choice = action.kind == ActionKind::kPrefer || action.kind == ActionKind::kAvoid;
            if (choice && action.target == filesystem.id)
                lines.push_back(
                    fmt::format("{}: {}; {}", rule.id, rule.title, action_text(knowledge, action)));
        }
    }
    result.add("rules", std::move(lines));
    result.add("parameters",
               {fmt::format("{} parameters, {} constraints; see: fsadvise knowledge list parameters --fs {}",
                            knowledge.parameters_of(filesystem.id).size(),
                            knowledge.constraints_of(filesystem.id).size(), filesystem.id)});
    result.add("sources", sources_text(knowledge, filesystem.sources));
    return result;
}

Explanation of_evidence(const Knowledge& knowledge, const Evidence& evidence) {
    Explanation result{"evidence", evidence.id, evidence.says, {}};
    result.add("evidence_kind", {evidence.kind});
    result.add("grade", {evidence.grade});
    result.add("source", {evidence.source});
    result.add("where", {evidence.locator});
    result.add("date", {evidence.date});
    if (evidence.value) result.add("value", {fmt::format("{} {}", *evidence.value, evidence.unit)});
    std::vector<std::string> lines;
    for (const auto& [key, value] : evidence.context) lines.push_back(key + ": " + value);
    result.add("context", std::move(lines));
    result.add("caution", {evidence.valid});
    lines.clear();
    for (const Rule& rule : knowledge.rules()) {
        if (std::ranges::find(rule.sources, evidence.id) != rule.sources.end())
            lines.push_back(rule.id + ": " + rule.title);
    }
    result.add("rules_that_rest_on_it", std::move(lines));
    return result;
}

Explanation of_distribution(const Distribution& distribution) {
    Explanation result{"distribution", distribution.id + distribution.version, distribution.title, {}};
    result.add("kernel", {distribution.kernel});
    result.add("default_filesystem", {distribution.default_filesystem});
    std::vector<std::string> lines;
    for (const auto& [tool, version] : distribution.tools) lines.push_back(tool + " " + version);
    result.add("tools", std::move(lines));
    lines.clear();
    for (const auto& [filesystem, state] : distribution.filesystems)
        lines.push_back(filesystem + ": " + state);
    result.add("filesystems", std::move(lines));
    result.add("sources", distribution.sources);
    return result;
}

std::optional<Explanation> of_trait(const Knowledge& knowledge, std::string_view id) {
    const std::string name = trait_name(id.starts_with("trait.") ? id.substr(6) : id);
    std::vector<std::string> workloads, derived;
    for (const WorkloadDescription& workload : knowledge.workloads()) {
        if (std::ranges::any_of(workload.traits,
                                [&](const auto& trait) { return trait_name(trait) == name; }))
            workloads.push_back(workload.id);
    }
    for (const Rule& rule : knowledge.rules()) {
        for (const Action& action : rule.then) {
            if (action.kind == ActionKind::kDerive && trait_name(action.target) == name)
                derived.push_back(rule.id + ": " + rule.title);
        }
    }
    auto readers = rules_reading(knowledge, {name});
    if (workloads.empty() && derived.empty() && readers.empty()) return std::nullopt;
    Explanation result{"trait", name, "a property of workloads", {}};
    result.add("workloads", {join(workloads, ", ")});
    result.add("derived_by", std::move(derived));
    result.add("rules", std::move(readers));
    return result;
}

}  // namespace

std::string condition_text(const Expression& expression) {
    return expression.empty() ? "always" : expression.text();
}

std::string action_text(const Knowledge& knowledge, const Action& action) {
    const auto title = [&](const std::string& id) {
        const auto* filesystem = knowledge.filesystem(id);
        return filesystem != nullptr ? filesystem->title : id;
    };
    switch (action.kind) {
        case ActionKind::kPrefer:
            return fmt::format("prefers {} by {:g} points", title(action.target), action.weight);
        case ActionKind::kAvoid:
            return fmt::format("avoids {} by {:g} points", title(action.target), action.weight);
        case ActionKind::kSet:
            return fmt::format("sets {} to {}", action.target, action.value.text());
        case ActionKind::kRequire:
            return fmt::format("requires {} to be {}", action.target, action.value.text());
        case ActionKind::kDerive:
            return "derives the trait " + action.target;
        case ActionKind::kReject:
            return fmt::format("rejects {}{}", action.text,
                               action.versions.empty() ? "" : " (" + action.versions + ")");
        case ActionKind::kApplication:
            return fmt::format("advises {}: {} = {}", action.text, action.target, action.value.text());
        case ActionKind::kWarn:
            break;
    }
    return "warns: " + action.text;
}

std::optional<Explanation> explain_item(const Knowledge& knowledge, std::string_view id) {
    const std::string wanted = lower(id);
    for (const Rule& rule : knowledge.rules())
        if (lower(rule.id) == wanted) return of_rule(knowledge, rule);
    for (const Constraint& constraint : knowledge.constraints())
        if (constraint.id == id) return of_constraint(knowledge, constraint);
    if (const auto* workload = knowledge.workload(id)) return of_workload(knowledge, *workload);
    if (const auto* filesystem = knowledge.filesystem(wanted)) return of_filesystem(knowledge, *filesystem);
    if (const auto* evidence = knowledge.evidence(id)) return of_evidence(knowledge, *evidence);
    for (const Distribution& distribution : knowledge.distributions())
        if (distribution.id + distribution.version == wanted) return of_distribution(distribution);
    // "mkfs-refuses:xfs.log-fits-group" is a finding about that constraint.
    const auto colon = id.find(':');
    if (const auto* kind = finding_kind(id)) {
        Explanation result{"finding", kind->id, kind->meaning, {}};
        result.add("severity", {kind->severity});
        result.add("fix", {kind->fixable ? "fsadvise check --fix corrects it" : "by hand"});
        result.add("suppress", {fmt::format("# fsadvise: ignore {} REASON", id)});
        if (colon != std::string_view::npos) {
            if (const auto inner = explain_item(knowledge, id.substr(colon + 1))) {
                // The member of the family, in its own words.
                result.id = id;
                result.title = inner->title;
                result.add("family", {fmt::format("{} {}", kind->id, kind->meaning)});
                result.add(inner->kind, {inner->id + ": " + inner->title});
                for (const auto& section : inner->sections) result.add(section.name, section.items);
            }
        }
        return result;
    }
    return of_trait(knowledge, id);
}

}  // namespace fsadvise
