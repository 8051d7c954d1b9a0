#include "advice/explain.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "advice/advise.h"
#include "advice/explain_parts.h"
#include "base/text.h"

namespace fsadvise {
namespace {

// What an unknown word could have been, nearest first.
std::string near_names(const std::string& word, const std::vector<std::string>& names) {
    std::vector<std::pair<std::size_t, std::string>> ranked;
    for (const std::string& name : names) {
        const bool part = word.size() >= 4 && name.find(word) != std::string::npos;
        const auto distance = part ? std::size_t{1} : edit_distance(word, name);
        if (part || distance <= std::max<std::size_t>(1, word.size() / 3))
            ranked.emplace_back(distance, name);
    }
    std::ranges::sort(ranked);
    constexpr std::size_t kMost = 5;
    std::vector<std::string> nearest;
    for (const auto& [distance, name] : ranked)
        if (nearest.size() < kMost) nearest.push_back(name);
    return nearest.empty() ? "see: fsadvise knowledge list" : "did you mean " + join(nearest, ", ") + "?";
}

// Options of mount(8), systemd or housekeeping of mkfs that the filesystem never sees.
std::optional<Explanation> explain_generic(const Knowledge& knowledge, const std::string& word) {
    for (const Filesystem& filesystem : knowledge.filesystems()) {
        for (const ParsedWord& parsed : parse_mount_options(knowledge, filesystem.id, word)) {
            if (!parsed.generic) continue;
            Explanation result{
                "mount word", word, "known, and no parameter that this program advises on", {}};
            result.add("meaning", {"handled by mount(8), systemd or the VFS, or a word of " +
                                   filesystem.title + " without influence on speed or safety"});
            result.add("sources", {"mount(8), FILESYSTEM-INDEPENDENT MOUNT OPTIONS", "systemd.mount(5)"});
            return result;
        }
    }
    return std::nullopt;
}

// Rules that reject an option by the name people use: "XFS nobarrier".
std::vector<std::string> rejections(const Knowledge& knowledge, const FoundParameter& found) {
    std::vector<std::string> lines;
    for (const Rule& rule : knowledge.rules()) {
        for (const Action& action : rule.then) {
            if (action.kind != ActionKind::kReject || found.written.empty()) continue;
            const auto words = split(lower(action.text), ' ');
            const bool names_it = std::ranges::find(words, lower(found.written)) != words.end() &&
                                  std::ranges::find(words, found.parameter->filesystem) != words.end();
            if (names_it) lines.push_back(rule.id + ": " + action_text(knowledge, action));
        }
    }
    return lines;
}

std::string target_of(const Knowledge& knowledge, const std::string& decision) {
    if (knowledge.parameter(decision) != nullptr || knowledge.filesystem(lower(decision)) != nullptr)
        return knowledge.parameter(decision) != nullptr ? decision : lower(decision);
    return {};
}

class DecisionExplainer {
  public:
    DecisionExplainer(const Knowledge& knowledge, const RuleNetwork& network, const Request& request)
        : knowledge_(knowledge), network_(network), request_(request) {}

    Explanation of(const std::string& decision, const Recommendation& chosen) const {
        const Parameter* parameter = knowledge_.parameter(decision);
        const std::string filesystem = parameter == nullptr                ? decision
                                       : parameter->layer == Layer::kBlock ? chosen.configuration.filesystem
                                                                           : parameter->filesystem;
        // The rules about all filesystems, then those about this one.
        auto conclusion = network_.infer(request_, {});
        auto own = network_.infer(request_, filesystem);
        std::ranges::move(own.fired, std::back_inserter(conclusion.fired));
        Explanation result{"decision", decision, title(decision, chosen), {}};
        result.add("path", network_.justify(conclusion, decision));
        for (const Choice& choice : chosen.choices) {
            const bool same = choice.parameter == decision || (choice.parameter == "filesystem" &&
                                                               chosen.configuration.filesystem == decision);
            if (!same) continue;
            result.add("why", {choice.why});
            result.add("decided_by", {choice.rule.empty() ? "" : choice.rule + " (" + choice.strength + ")"});
            result.add("sources", choice.sources);
        }
        result.add("could_have_been_decided_by", silent_rules(conclusion, decision));
        return result;
    }

  private:
    [[nodiscard]] std::string title(const std::string& decision, const Recommendation& chosen) const {
        const Parameter* parameter = knowledge_.parameter(decision);
        if (parameter == nullptr) {
            return decision == chosen.configuration.filesystem ? "the filesystem of this advice"
                                                               : "not the filesystem of this advice";
        }
        const auto value = chosen.configuration.values.find(decision);
        return value == chosen.configuration.values.end()
                   ? parameter->title + ": stays at its default, no rule that fired sets it"
                   : parameter->title + " = " + to_text(value->second);
    }

    [[nodiscard]] std::vector<std::string> silent_rules(const RuleNetwork::Conclusion& conclusion,
                                                        const std::string& decision) const {
        std::vector<std::string> lines;
        for (const Rule& rule : knowledge_.rules()) {
            const bool fired = std::ranges::any_of(
                conclusion.fired, [&](const auto& item) { return item.rule->id == rule.id; });
            const auto action =
                std::ranges::find_if(rule.then, [&](const Action& item) { return item.target == decision; });
            if (fired || action == rule.then.end()) continue;
            lines.push_back(fmt::format("{}: {}; needs {}", rule.id, action_text(knowledge_, *action),
                                        condition_text(rule.when)));
        }
        return lines;
    }

    const Knowledge& knowledge_;
    const RuleNetwork& network_;
    const Request& request_;
};

}  // namespace

void Explanation::add(std::string name, std::vector<std::string> items) {
    std::erase_if(items, [](const std::string& item) { return item.empty(); });
    if (!items.empty()) sections.push_back({std::move(name), std::move(items)});
}

Result<std::vector<Explanation>> explain(const Knowledge& knowledge, const Host& host,
                                         const std::vector<std::string>& words) {
    std::vector<Explanation> result;
    const std::string text = join(words, " ");
    if (const auto* parameter = knowledge.parameter(text))
        return {{explain_parameter(knowledge, host, *parameter)}};
    if (const auto item = explain_item(knowledge, text)) result.push_back(*item);
    for (const FoundParameter& found : find_parameters(knowledge, words)) {
        auto explanation = explain_parameter(knowledge, host, *found.parameter);
        if (found.value)
            add_written_value(knowledge, host, *found.parameter, found.written, *found.value, explanation);
        explanation.add("rejected_by", rejections(knowledge, found));
        result.push_back(std::move(explanation));
    }
    if (result.empty()) {
        if (const auto generic = explain_generic(knowledge, text)) result.push_back(*generic);
    }
    if (!result.empty()) return result;
    const auto dot = words.empty() ? std::string() : words.back();
    return fail(ErrorCode::kUsage, "nothing is known by the name '" + text + "'", "explain",
                near_names(dot.substr(0, dot.find('=')), known_names(knowledge)));
}

Result<std::vector<Explanation>> explain_decision(const Knowledge& knowledge, const RuleNetwork& network,
                                                  const Request& request, const std::string& decision) {
    FSADVISE_ASSIGN(const Advice advice, advise(knowledge, network, request));
    if (advice.ranked.empty())
        return fail(ErrorCode::kUnavailable, "no filesystem fits: " + join(advice.excluded, "; "),
                    request.workload);
    const Recommendation& best = advice.ranked.front();
    const DecisionExplainer explainer(knowledge, network, request);
    std::vector<Explanation> result;
    if (decision.empty()) {
        for (const Choice& choice : best.choices)
            result.push_back(explainer.of(
                choice.parameter == "filesystem" ? best.configuration.filesystem : choice.parameter, best));
        return result;
    }
    std::vector<std::string> targets{target_of(knowledge, decision)};
    if (targets.front().empty()) {
        targets.clear();
        for (const FoundParameter& found :
             find_parameters(knowledge, {best.configuration.filesystem, decision}))
            targets.push_back(found.parameter->id);
    }
    if (targets.empty())
        return fail(ErrorCode::kUsage, "no decision is known by the name '" + decision + "'", "explain",
                    near_names(decision, known_names(knowledge)));
    for (const std::string& target : targets) {
        const Recommendation* chosen = &best;
        for (const Recommendation& other : advice.ranked) {
            const auto* parameter = knowledge.parameter(target);
            if (parameter != nullptr && other.configuration.filesystem == parameter->filesystem)
                chosen = &other;
        }
        result.push_back(explainer.of(target, *chosen));
    }
    return result;
}

nlohmann::json to_json(const std::vector<Explanation>& explanations) {
    auto list = nlohmann::json::array();
    for (const Explanation& item : explanations) {
        nlohmann::json entry = {{"kind", item.kind}, {"id", item.id}, {"title", item.title}};
        for (const ExplanationSection& section : item.sections) entry[section.name] = section.items;
        list.push_back(std::move(entry));
    }
    constexpr int kSchemaVersion = 1;
    return {{"schema_version", kSchemaVersion}, {"explanations", std::move(list)}};
}

}  // namespace fsadvise
