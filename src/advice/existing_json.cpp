// Advice for an existing filesystem as the JSON document of --json.
#include <nlohmann/json.hpp>

#include "advice/existing.h"
#include "space/request_json.h"

namespace fsadvise {
namespace {

nlohmann::json step_json(const ExistingStep& step) {
    return {{"parameter", step.parameter}, {"spelled", step.spelled},   {"from", step.from},
            {"to", to_json(step.value)},   {"moment", to_text(step.moment)}, {"commands", step.commands},
            {"why", step.why},             {"note", step.note},         {"rule", step.rule},
            {"strength", step.strength},   {"sources", step.sources}};
}

}  // namespace

nlohmann::json to_json(const ExistingAdvice& advice, const Knowledge& knowledge) {
    auto steps = nlohmann::json::array();
    for (const auto& step : advice.steps) steps.push_back(step_json(step));
    auto application = nlohmann::json::array();
    for (const auto& item : advice.application)
        application.push_back({{"application", item.application}, {"setting", item.name},
                               {"value", item.value}, {"why", item.why}, {"sources", item.sources}});
    return {{"schema_version", kExistingSchemaVersion},
            {"kind", "existing"},
            {"knowledge", knowledge.digest()},
            {"request", to_json(advice.request)},
            {"existing", to_json(advice.facts)},
            {"steps", steps},
            {"already", advice.already},
            {"verdict", {{"word", advice.verdict}, {"why", advice.verdict_why}}},
            {"reformat",
             {{"filesystem", advice.reformat.configuration.filesystem},
              {"mkfs", advice.reformat.commands.mkfs},
              {"mount_options", advice.reformat.commands.mount_options}}},
            {"fstab_options", advice.fstab_options},
            {"warnings", advice.warnings},
            {"application", application},
            {"prove_command", advice.prove_command}};
}

}  // namespace fsadvise
