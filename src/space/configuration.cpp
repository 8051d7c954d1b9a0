#include "space/configuration.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "space/knowledge.h"
#include "space/parameter_value.h"

namespace fsadvise {
namespace {

std::vector<std::string> ids_of(const Knowledge& knowledge, std::string_view filesystem) {
    std::vector<std::string> ids;
    for (const Parameter* parameter : knowledge.parameters_of(filesystem)) ids.push_back(parameter->id);
    return ids;
}

std::vector<std::string> filesystem_ids(const Knowledge& knowledge) {
    std::vector<std::string> ids;
    for (const Filesystem& filesystem : knowledge.filesystems()) ids.push_back(filesystem.id);
    return ids;
}

}  // namespace

std::string canonical_text(const Configuration& configuration) {
    std::string text = configuration.filesystem + "{";
    bool first = true;
    for (const auto& [id, value] : configuration.values) {
        if (!first) text += ',';
        first = false;
        text += id + "=" + to_text(value);
    }
    return text + "}";
}

std::string configuration_id(const Configuration& configuration) {
    return fingerprint(canonical_text(configuration));
}

nlohmann::json to_json(const Configuration& configuration) {
    nlohmann::json values = nlohmann::json::object();
    for (const auto& [id, value] : configuration.values) values[id] = to_json(value);
    return {{"filesystem", configuration.filesystem}, {"values", std::move(values)}};
}

Result<Configuration> configuration_from_json(const nlohmann::json& json, const Knowledge& knowledge) {
    if (!json.is_object()) return fail(ErrorCode::kBadInput, "a configuration must be an object", "/");
    for (const auto& [key, unused] : json.items())
        if (key != "filesystem" && key != "values") {
            const std::vector<std::string> known{"filesystem", "values"};
            return fail(ErrorCode::kBadInput, "unknown key '" + key + "'" + did_you_mean(key, known),
                        "/" + key);
        }
    const auto name = json.find("filesystem");
    if (name == json.end() || !name->is_string())
        return fail(ErrorCode::kBadInput, "a filesystem name is missing", "/filesystem");
    Configuration configuration{name->get<std::string>(), {}};
    if (knowledge.filesystem(configuration.filesystem) == nullptr)
        return fail(ErrorCode::kBadInput,
                    "unknown filesystem '" + configuration.filesystem + "'" +
                        did_you_mean(configuration.filesystem, filesystem_ids(knowledge)),
                    "/filesystem");
    const auto values = json.find("values");
    if (values == json.end()) return configuration;
    if (!values->is_object()) return fail(ErrorCode::kBadInput, "values must be an object", "/values");
    for (const auto& [id, value] : values->items()) {
        const std::string pointer = "/values/" + id;
        const Parameter* parameter = knowledge.parameter(id);
        if (parameter == nullptr || parameter->filesystem != configuration.filesystem)
            return fail(ErrorCode::kBadInput,
                        "no parameter '" + id + "' of " + configuration.filesystem +
                            did_you_mean(id, ids_of(knowledge, configuration.filesystem)),
                        pointer);
        if (!value.is_boolean() && !value.is_number() && !value.is_string())
            return fail(ErrorCode::kBadInput, "a bool, number or word is expected", pointer);
        const auto fitting = coerce(*parameter, value_from_json(value));
        if (!fitting)
            return fail(ErrorCode::kBadInput, "a value of type " + to_text(parameter->type) + " is expected",
                        pointer);
        configuration.values[id] = *fitting;
    }
    return configuration;
}

}  // namespace fsadvise
