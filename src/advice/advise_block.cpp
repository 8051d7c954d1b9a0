// Settings of the block layer and of memory management: shown as the line that makes them last, never
// applied.
#include <fmt/format.h>

#include "advice/advise_parts.h"
#include "base/text.h"
#include "space/parameter_value.h"

namespace fsadvise {
namespace {

// What a udev rule matches: KERNEL=="nvme0n1" of /dev/nvme0n1, SYMLINK=="disk/by-id/X" of /dev/disk/by-id/X.
std::string match(const Request& request) {
    constexpr std::string_view kLinks = "/dev/disk/";
    const auto& device = request.host.device;
    const std::string path = device ? device->path : "";
    if (path.empty()) return R"(KERNEL=="YOUR-DISK")";
    if (path.starts_with(kLinks))
        return fmt::format(R"(SYMLINK=="{}")", path.substr(std::string_view("/dev/").size()));
    return fmt::format(R"(KERNEL=="{}")", path.substr(path.rfind('/') + 1));
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
    setting.line = fmt::format(R"(ACTION=="add|change", SUBSYSTEM=="block", {}, ATTR{{queue/{}}}="{}")",
                               match(request), parameter.spelling.key, written);
    // Behind the rules of udev itself, which make the symbolic links.
    setting.goes_to = "/etc/udev/rules.d/90-fsadvise.rules";
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
