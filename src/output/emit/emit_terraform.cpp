// The answer of a program of Terraform's external data source: one flat object of strings; lists are JSON
// texts in it. Source: documentation of hashicorp/external, data source "external".
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "output/emit/emit_parts.h"

namespace fsadvise {

Result<Emitted> emit_terraform(const EmitPlan& plan) {
    Emitted emitted;
    using Json = nlohmann::json;
    Json reasons = Json::array(), settings = Json::array();
    for (const EmitReason& reason : plan.reasons)
        reasons.push_back({{"option", reason.option}, {"why", reason.why}, {"rule", reason.rule}});
    for (const BlockSetting& setting : plan.settings)
        settings.push_back({{"line", setting.line}, {"goes_to", setting.goes_to}, {"why", setting.why}});
    const auto text = [](const Json& value) {
        return value.dump(-1, ' ', false, Json::error_handler_t::replace);
    };
    const Json answer{{"title", plan.title},
                      {"made_by", plan.made_by},
                      {"filesystem", plan.filesystem},
                      {"package", plan.tool},
                      {"device", plan.device_known ? plan.device : ""},
                      {"label", plan.label},
                      {"mkfs_argv_json", text(plan.mkfs)},
                      {"mkfs_options", shell_join(plan.mkfs_options)},
                      {"mount_point", plan.directory},
                      {"mount_options", plan.options_text()},
                      {"fstab_pass", std::to_string(plan.fstab_pass)},
                      {"reasons_json", text(reasons)},
                      {"settings_json", text(settings)},
                      {"warnings_json", text(plan.warnings)}};
    emitted.files.push_back(
        {"answer.json", answer.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"});
    return emitted;
}

}  // namespace fsadvise
