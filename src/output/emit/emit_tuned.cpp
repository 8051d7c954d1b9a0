// A TuneD profile for what sysctl sets, and udev rules for queues. Source: TuneD's documentation of profiles,
// udev(7).
#include <fmt/format.h>

#include "base/text.h"
#include "output/emit/emit_parts.h"

namespace fsadvise {

Result<Emitted> emit_tuned(const EmitPlan& plan) {
    Emitted emitted;
    std::string sysctl, rules;
    for (const BlockSetting& setting : plan.settings) {
        const std::string why =
            comment_lines(setting.why + (setting.rule.empty() ? "" : " [" + setting.rule + "]"));
        if (setting.goes_to.find("sysctl") != std::string::npos)
            sysctl += why + setting.line + "\n";
        else if (setting.goes_to.find("udev") != std::string::npos)
            rules += why + setting.line + "\n";
        else
            emitted.lost.push_back(fmt::format("a profile runs no command: run '{}' once", setting.line));
    }
    emitted.lost.push_back(fmt::format("a profile neither formats nor mounts: {}; mount options {}",
                                       mkfs_line(plan), plan.options_text()));
    const std::string head = head_comment(plan, "Touches no filesystem.", emitted.lost, false);
    std::string profile = head + fmt::format("[main]\nsummary={}\n", plan.title);
    if (!sysctl.empty()) profile += "\n[sysctl]\n" + sysctl;
    emitted.files.push_back(
        {fmt::format("etc/tuned/fsadvise-{}/tuned.conf", plan.workload), std::move(profile)});
    if (!rules.empty())
        emitted.files.push_back({"etc/udev/rules.d/90-fsadvise.rules",
                                 comment_lines(fmt::format("{}, by {}.", plan.title, plan.made_by)) + rules});
    return emitted;
}

}  // namespace fsadvise
