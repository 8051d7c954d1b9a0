// The file of an effect model: JSON, small, the same bytes for the same model.
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tuner/model/effect_model.h"

namespace fsadvise::tuner {
namespace {

using Json = nlohmann::ordered_json;

// Four digits behind the point are a hundredth of a percent; more would pretend.
double rounded(double value) {
    return std::round(value * 1e4) / 1e4;
}

Error damaged(const std::string& what, const std::string& file) {
    return Error{ErrorCode::kBadInput, what, file, "make it anew with fsadvise model train"};
}

bool is_number(const Json& object, const char* key) {
    return object.is_object() && object.contains(key) && object[key].is_number() &&
           std::isfinite(object[key].get<double>());
}

}  // namespace

std::string effect_model_text(const EffectModel& model) {
    Json tables = Json::array();
    for (const TableEffects& table : model.tables) {
        Json effects = Json::object();
        for (const auto& [choice, effect] : table.effects)
            effects[choice] = {rounded(effect.mean), rounded(effect.deviation)};
        tables.push_back({{"table", table.table},
                          {"workload", table.workload},
                          {"medium", table.medium},
                          {"traits", table.traits},
                          {"configurations", table.configurations},
                          {"effects", effects}});
    }
    const Json document{{"effect_model",
                         {{"schema_version", kEffectModelSchemaVersion},
                          {"stretch", rounded(model.stretch)},
                          {"tables", tables}}}};
    return document.dump(1) + "\n";
}

Result<EffectModel> parse_effect_model(std::string_view text, const std::string& file) {
    const Json document = Json::parse(text, nullptr, false);
    if (!document.is_object() || !document.contains("effect_model") || !document["effect_model"].is_object())
        return tl::unexpected(damaged("is no model of fsadvise", file));
    const Json& content = document["effect_model"];
    if (content.value("schema_version", 0) != kEffectModelSchemaVersion)
        return tl::unexpected(
            damaged(fmt::format("has another schema version than {}", kEffectModelSchemaVersion), file));
    EffectModel model;
    if (!is_number(content, "stretch") || !content.contains("tables") || !content["tables"].is_array())
        return tl::unexpected(damaged("lacks stretch or tables", file));
    model.stretch = content["stretch"].get<double>();
    for (const Json& item : content["tables"]) {
        TableEffects table;
        const bool whole = item.is_object() && item.contains("effects") && item["effects"].is_object() &&
                           item.contains("traits") && item["traits"].is_array() && item.contains("table") &&
                           item["table"].is_string() && item.contains("medium") && item["medium"].is_string();
        if (!whole) return tl::unexpected(damaged("holds a damaged table", file));
        table.table = item["table"].get<std::string>();
        table.workload = item.value("workload", "");
        table.medium = item["medium"].get<std::string>();
        table.configurations = is_number(item, "configurations") ? item["configurations"].get<int>() : 0;
        for (const Json& trait : item["traits"])
            if (trait.is_string()) table.traits.push_back(trait.get<std::string>());
        for (const auto& [choice, effect] : item["effects"].items()) {
            if (!effect.is_array() || effect.size() != 2 || !effect[0].is_number() ||
                !effect[1].is_number() || !(effect[1].get<double>() >= 0))
                return tl::unexpected(damaged(fmt::format("holds a damaged effect of '{}'", choice), file));
            table.effects[choice] = {effect[0].get<double>(), effect[1].get<double>()};
        }
        model.tables.push_back(std::move(table));
    }
    return model;
}

}  // namespace fsadvise::tuner
