#include "tuner/apply/advised.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "advice/advice.h"
#include "advice/existing.h"
#include "base/text.h"
#include "space/parameter_value.h"
#include "space/request_json.h"
#include "space/space.h"
#include "space/spelling.h"
#include "space/validity.h"

namespace fsadvise::tuner {

namespace {

using Json = nlohmann::json;

constexpr const char* kMakeAnew = "make it anew: fsadvise recommend ... --json";

Error in_document(Error error, const std::string& name) {
    error.context = name + "#" + error.context;
    if (error.hint.empty()) error.hint = kMakeAnew;
    return error;
}

// The words of a document repeat its configuration; a document where they differ was edited in one place
// only.
Result<void> check_words(const Knowledge& knowledge, const Json& item, const Configuration& configuration,
                         const std::string& place) {
    const Commands commands = spell(knowledge, configuration);
    const auto mkfs = item.value("mkfs", std::vector<std::string>{});
    const auto options = item.value("mount_options", std::string());
    if (mkfs == commands.mkfs && options == commands.mount_options) return {};
    return fail(
        ErrorCode::kBadInput,
        fmt::format("its commands are not those of its configuration: '{}' and '{}', not '{}' and '{}'",
                    printable(shell_join(mkfs)), printable(options), shell_join(commands.mkfs),
                    commands.mount_options),
        place, "change the configuration, or make the advice anew with this version");
}

bool fits_domain(const Parameter& parameter, const Value& value) {
    const auto& values = parameter.domain.values;
    if (!values.empty())
        return std::any_of(values.begin(), values.end(),
                           [&](const Value& known) { return equal(known, value); });
    const auto* number = std::get_if<std::int64_t>(&value);
    return number == nullptr || *number >= 0;
}

// Of the settings that an advice shows, those of the disk's queue are applied and the machine's are told.
Result<void> take_settings(const Knowledge& knowledge, const Json& settings, const std::string& name,
                           Advised& advised) {
    auto queue = Json::object();
    for (const Json& setting : settings) {
        const auto id = setting.at("parameter").get<std::string>();
        const Parameter* parameter = knowledge.parameter(id);
        if (parameter != nullptr && parameter->layer == Layer::kBlock && !is_queue_setting(*parameter)) {
            advised.elsewhere.push_back(fmt::format("{} ({})",
                                                    printable(setting.at("line").get<std::string>()),
                                                    printable(setting.at("goes_to").get<std::string>())));
            continue;
        }
        queue[id] = setting.at("value");
    }
    FSADVISE_ASSIGN(advised.queue, queue_settings_from_json(knowledge, queue, name));
    return {};
}

Result<Advised> from_ranked(const Knowledge& knowledge, const Json& document, const std::string& name,
                            int rank) {
    const Json& ranked = document.at("ranked");
    if (ranked.empty())
        return fail(ErrorCode::kBadInput, "advises no filesystem at all", name, "relax a requirement");
    if (rank < 1 || static_cast<std::size_t>(rank) > ranked.size()) {
        return fail(ErrorCode::kUsage, fmt::format("there is no rank {}", rank), name,
                    fmt::format("ranks are 1 to {}", ranked.size()));
    }
    const std::string place = fmt::format("{}#/ranked/{}", name, rank - 1);
    const Json& item = ranked.at(static_cast<std::size_t>(rank - 1));
    auto configuration = configuration_from_json(item.at("configuration"), knowledge);
    if (!configuration) return tl::unexpected(in_document(configuration.error(), place + "/configuration"));
    FSADVISE_TRY(check_words(knowledge, item, *configuration, place));
    Advised advised;
    advised.configuration = std::move(*configuration);
    advised.rank = rank;
    FSADVISE_TRY(take_settings(knowledge, item.value("block_settings", Json::array()), place, advised));
    return advised;
}

// The values that the steps lead to; where they lead is asked anew of the filesystem itself.
Result<Advised> from_existing(const Knowledge& knowledge, const Json& document, const std::string& name) {
    Json configuration = {{"filesystem", document.at("existing").at("filesystem")},
                          {"values", Json::object()}};
    for (const Json& step : document.at("steps"))
        configuration["values"][step.at("parameter").get<std::string>()] = step.at("to");
    Advised advised;
    advised.rank = 0;
    auto read = configuration_from_json(configuration, knowledge);
    if (!read) return tl::unexpected(in_document(read.error(), name + "#/steps"));
    advised.configuration = std::move(*read);
    return advised;
}

}  // namespace

bool is_queue_setting(const Parameter& parameter) {
    return parameter.layer == Layer::kBlock && parameter.spelling.form == "key" &&
           parameter.spelling.key.find_first_of("./") == std::string::npos;
}

Result<std::map<std::string, Value>> queue_settings_from_json(const Knowledge& knowledge,
                                                              const Json& document, const std::string& name) {
    std::map<std::string, Value> settings;
    for (const auto& [id, given] : document.items()) {
        const Parameter* parameter = knowledge.parameter(id);
        if (parameter == nullptr || !is_queue_setting(*parameter)) {
            return fail(ErrorCode::kBadInput, "no setting of a disk's queue: '" + printable(id) + "'", name,
                        "fsadvise knowledge list names the block parameters");
        }
        const bool plain = given.is_boolean() || given.is_number() || given.is_string();
        const auto value = plain ? coerce(*parameter, value_from_json(given)) : std::nullopt;
        if (!value || !fits_domain(*parameter, *value))
            return fail(ErrorCode::kBadInput, "not a value of " + id + ": " + printable(given.dump()), name,
                        "fsadvise explain " + id);
        settings[id] = *value;
    }
    return settings;
}

Result<Advised> advised_from_text(const Knowledge& knowledge, const std::string& text,
                                  const std::string& name, int rank) {
    const Json document = Json::parse(text, nullptr, false);
    if (!document.is_object()) return fail(ErrorCode::kBadInput, "is no JSON document", name, kMakeAnew);
    try {
        const bool existing = document.value("kind", "") == "existing";
        const int version = document.at("schema_version").get<int>();
        const int known = existing ? kExistingSchemaVersion : kAdviceSchemaVersion;
        if (version != known) {
            return fail(ErrorCode::kBadInput,
                        fmt::format("is of schema version {}, this program reads {}", version, known), name,
                        kMakeAnew);
        }
        FSADVISE_ASSIGN(Advised advised, existing ? from_existing(knowledge, document, name)
                                                  : from_ranked(knowledge, document, name, rank));
        FSADVISE_ASSIGN(advised.request, request_from_json(document.at("request"), name + "#/request"));
        advised.digest = fingerprint(text);
        return advised;
    } catch (const Json::exception& error) {
        return fail(ErrorCode::kBadInput, std::string("is no advice: ") + error.what(), name, kMakeAnew);
    }
}

std::vector<std::string> objections(const Knowledge& knowledge, const Request& request,
                                    const Configuration& configuration) {
    const Context context(knowledge, request, configuration);
    std::vector<std::string> found;
    if (is_valid(context)) return found;
    for (const Violation& violation : violations(context)) {
        if (violation.effect == Effect::kUnwise) continue;
        found.push_back(fmt::format("{} ({}){}", violation.says, violation.id,
                                    violation.fix.empty() ? "" : ": " + violation.fix));
    }
    if (found.empty()) found.emplace_back("it is not valid on this machine");
    return found;
}

Result<void> check_possible(const Knowledge& knowledge, const Request& request,
                            const Configuration& configuration, ProcessRunner& runner,
                            const std::string& name) {
    const auto found = objections(knowledge, request, configuration);
    if (!found.empty()) {
        return fail(ErrorCode::kUnavailable, "cannot be applied here: " + join(found, "; "), name,
                    "advise for this machine: fsadvise recommend --device ... --json");
    }
    Request only = request;
    only.requirements.filesystems = {configuration.filesystem};
    std::vector<std::string> excluded;
    if (usable_filesystems(knowledge, only, &excluded).empty()) {
        return fail(
            ErrorCode::kUnavailable,
            "cannot be applied here: " + (excluded.empty() ? configuration.filesystem : join(excluded, "; ")),
            name, "choose another filesystem with --rank, or another disk");
    }
    const Filesystem* filesystem = knowledge.filesystem(configuration.filesystem);
    if (runner.find(filesystem->mkfs).empty()) {
        return fail(ErrorCode::kUnavailable, filesystem->mkfs + " is not installed", name,
                    "install " + filesystem->tool);
    }
    return {};
}

}  // namespace fsadvise::tuner
