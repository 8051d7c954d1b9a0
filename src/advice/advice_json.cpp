// Advice as the JSON document of --json.
#include <nlohmann/json.hpp>

#include "advice/advice.h"
#include "space/request_json.h"

namespace fsadvise {
namespace {

using Json = nlohmann::json;

template <class Item, class Convert>
Json list(const std::vector<Item>& items, const Convert& convert) {
    auto result = Json::array();
    for (const auto& item : items) result.push_back(convert(item));
    return result;
}

Json choice_json(const Choice& choice) {
    return {{"parameter", choice.parameter},
            {"spelled", choice.spelled},
            {"value", to_json(choice.value)},
            {"why", choice.why},
            {"rule", choice.rule},
            {"strength", choice.strength},
            {"sources", choice.sources}};
}

Json effect_json(const EffectEstimate& effect) {
    return {{"ratio", effect.ratio}, {"low", effect.low},     {"high", effect.high},
            {"level", effect.level}, {"basis", effect.basis}, {"material", effect.material}};
}

Json setting_json(const BlockSetting& item) {
    return {{"parameter", item.parameter}, {"value", to_json(item.value)}, {"line", item.line},
            {"goes_to", item.goes_to},     {"why", item.why},              {"rule", item.rule},
            {"strength", item.strength},   {"sources", item.sources}};
}

Json recommendation_json(const Recommendation& item) {
    Json result = {{"filesystem", item.configuration.filesystem},
                   {"configuration", to_json(item.configuration)},
                   {"configuration_id", configuration_id(item.configuration)},
                   {"mkfs", item.commands.mkfs},
                   {"mount_options", item.commands.mount_options},
                   {"score", item.score},
                   {"choices", list(item.choices, choice_json)},
                   {"against", item.against},
                   {"warnings", item.warnings}};
    if (!item.settings.empty()) result["block_settings"] = list(item.settings, setting_json);
    if (item.effect) result["effect"] = effect_json(*item.effect);
    return result;
}

Json rejected_json(const Rejected& item) {
    return {{"option", item.option}, {"filesystem", item.filesystem},
            {"why", item.why},       {"versions", item.versions},
            {"rule", item.rule},     {"sources", item.sources}};
}

Json application_json(const ApplicationSetting& item) {
    return {{"application", item.application},
            {"setting", item.name},
            {"value", item.value},
            {"why", item.why},
            {"sources", item.sources}};
}

Json front_json(const std::vector<FrontEntry>& front) {
    auto result = Json::array();
    for (const FrontEntry& entry : front) {
        auto figures = Json::object();
        for (const FrontEntry::Figure& figure : entry.figures)
            figures[figure.name] = {{"value", figure.value}, {"default", figure.anchor}, {"gain", figure.gain}};
        result.push_back({{"configuration", to_json(entry.configuration)}, {"figures", figures}});
    }
    return result;
}

Json measured_json(const MeasuredSummary& item) {
    return {{"objective", item.objective}, {"front", front_json(item.front)}, {"violations", item.violations},
            {"study", item.study},     {"stands_for", item.stands_for}, {"metric", item.metric},
            {"trials", item.trials},   {"failed", item.failed},         {"material", item.material},
            {"verdict", item.verdict}, {"anchor", item.anchor},         {"complete", item.complete},
            {"effects", item.effects}, {"outliers", item.outliers},     {"drifts", item.drifts},
            {"repeats", item.repeats}};
}

// Every piece of evidence that the document refers to, so that it can be read without the knowledge files.
Json evidence_json(const Advice& advice, const Knowledge& knowledge) {
    auto result = Json::object();
    const auto add = [&](const std::vector<std::string>& sources) {
        for (const auto& source : sources) {
            const auto* evidence = knowledge.evidence(source);
            if (evidence == nullptr) continue;
            result[source] = {{"says", evidence->says},       {"source", evidence->source},
                              {"locator", evidence->locator}, {"date", evidence->date},
                              {"grade", evidence->grade},     {"valid", evidence->valid}};
        }
    };
    for (const auto& item : advice.ranked) {
        for (const auto& choice : item.choices) add(choice.sources);
    }
    for (const auto& item : advice.rejected) add(item.sources);
    for (const auto& item : advice.application) add(item.sources);
    return result;
}

}  // namespace

Json to_json(const Advice& advice, const Knowledge& knowledge) {
    Json document = {
        {"schema_version", kAdviceSchemaVersion},
        {"request", to_json(advice.request)},
        {"workload_title", advice.workload_title},
        {"knowledge_digest", advice.knowledge_digest},
        {"ranked", list(advice.ranked, recommendation_json)},
        {"excluded", advice.excluded},
        {"rejected", list(advice.rejected, rejected_json)},
        {"application", list(advice.application, application_json)},
        {"warnings", advice.warnings},
        {"notes", advice.notes},
        {"confidence", {{"word", advice.confidence.word}, {"rests_on", advice.confidence.rests_on}}},
        {"prove_command", advice.prove_command},
        {"evidence", evidence_json(advice, knowledge)}};
    if (advice.measured) document["measured"] = measured_json(*advice.measured);
    return document;
}

}  // namespace fsadvise
