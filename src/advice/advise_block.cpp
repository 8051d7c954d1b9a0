// Settings of the block layer and of memory management: shown as the line that makes them last, never applied.
#include <fmt/format.h>

#include "advice/advise_parts.h"
#include "base/text.h"
#include "space/parameter_value.h"

namespace fsadvise {
namespace {

// "nvme0n1" of /dev/nvme0n1; a pattern where the disk is not known.
std::string kernel_name(const Request& request) {
    const auto& device = request.host.device;
    if (!device || device->path.empty()) return "YOUR-DISK";
    return device->path.substr(device->path.rfind('/') + 1);
}

void write_line(const Request& request, const Parameter& parameter, BlockSetting& setting) {
    const auto words = parameter.spelling.words.find(to_text(setting.value));
    if (words != parameter.spelling.words.end() && !words->second.empty()) {
        setting.line = words->second.front();
        setting.goes_to = "a command, once";
        return;
    }
    const auto written = write_value(parameter, setting.value);
    if (parameter.spelling.key.find('.') != std::string::npos) {
        setting.line = fmt::format("{} = {}", parameter.spelling.key, written);
        setting.goes_to = "/etc/sysctl.d/60-fsadvise.conf";
        return;
    }
    setting.line = fmt::format(R"(ACTION=="add|change", SUBSYSTEM=="block", KERNEL=="{}", ATTR{{queue/{}}}="{}")",
                               kernel_name(request), parameter.spelling.key, written);
    setting.goes_to = "/etc/udev/rules.d/60-fsadvise.rules";
}

}  // namespace

void take_block_settings(const Knowledge& knowledge, const Request& request, Candidate& candidate) {
    const auto chosen = candidate.composition.chosen();  // copy: the loop removes
    for (const auto& [id, choice] : chosen) {
        const auto* parameter = knowledge.parameter(id);
        if (parameter->layer != Layer::kBlock || choice.rule == nullptr) continue;
        BlockSetting setting{id,
                             choice.value,
                             {},
                             {},
                             reason(*choice.rule, *choice.action),
                             choice.rule->id,
                             choice.rule->strength,
                             choice.rule->sources};
        write_line(request, *parameter, setting);
        candidate.recommendation.settings.push_back(std::move(setting));
        candidate.composition.remove(id);
    }
}

}  // namespace fsadvise
