#include "output/emit/emit_plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "output/emit/emit_parts.h"
#include "output/text_parts.h"
#include "space/fact_table.h"

namespace fsadvise {
namespace {

// A label that mkfs takes: the workload's name, as far as it fits.
std::string label_for(const Parameter& parameter, const std::string& workload) {
    const auto most = static_cast<std::size_t>(parameter.domain.maximum_length);
    std::string label = most == 0 ? workload : workload.substr(0, most);
    while (label.ends_with('-')) label.pop_back();
    return label;
}

std::string one_line(std::string text) {
    std::ranges::replace_if(
        text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return text;
}

}  // namespace

std::string EmitPlan::options_text() const {
    return mount_options.empty() ? "defaults,nofail" : join(mount_options, ",") + ",nofail";
}

Result<EmitPlan> emit_plan(const Advice& advice, const Knowledge& knowledge, const std::string& csi_driver) {
    if (advice.ranked.empty()) {
        return fail(ErrorCode::kUnavailable, "no filesystem fits: " + join(advice.excluded, "; "),
                    advice.request.workload, "relax a requirement");
    }
    const Recommendation& best = advice.ranked.front();
    EmitPlan plan;
    plan.knowledge = &knowledge;
    plan.filesystem = best.configuration.filesystem;
    plan.workload = advice.request.workload;
    plan.title = one_line(
        fmt::format("{} on {}", advice.workload_title, filesystem_title(knowledge, plan.filesystem)));
    plan.made_by = "fsadvise (knowledge " + advice.knowledge_digest + ")";
    const auto& described = advice.request.host.device;
    plan.device_known = described && !(described->path + described->stable_path).empty();
    plan.device = device_word(advice.request);
    plan.directory = mount_point_of(advice.request, knowledge);
    while (plan.directory.size() > 1 && plan.directory.ends_with('/')) plan.directory.pop_back();
    if (const Filesystem* known = knowledge.filesystem(plan.filesystem)) {
        plan.tool = known->tool;
        plan.fstab_pass = known->fstab_pass;
    }
    plan.mkfs = best.commands.mkfs;
    if (plan.mkfs.size() > 1) plan.mkfs_options.assign(plan.mkfs.begin() + 1, plan.mkfs.end());
    if (const Parameter* label = knowledge.parameter(plan.filesystem + ".mkfs.label")) {
        plan.label = label_for(*label, plan.workload);
        plan.label_flag = label->spelling.flag;
        if (!plan.mkfs.empty()) plan.mkfs.insert(plan.mkfs.begin() + 1, {plan.label_flag, plan.label});
    }
    for (std::string& word : split(best.commands.mount_options, ','))
        if (!word.empty()) plan.mount_options.push_back(std::move(word));
    for (const Choice& choice : best.choices)
        plan.reasons.push_back({choice.parameter == "filesystem" ? plan.filesystem : choice.spelled,
                                one_line(choice.why), choice.rule});
    for (const std::string& warning : best.warnings) plan.warnings.push_back(one_line(warning));
    plan.settings = best.settings;
    plan.csi_driver = csi_driver;
    if (plan.csi_driver.empty() && !advice.request.host.cloud.empty())
        if (const FactTable* drivers = knowledge.table("csi-drivers"))
            if (const FactRow* row = drivers->find("cloud", advice.request.host.cloud))
                plan.csi_driver = std::string((*row)["driver"]);
    return plan;
}

const std::vector<EmitFormat>& emit_formats() {
    static const std::vector<EmitFormat> kFormats = {
        {"fstab", "a line of /etc/fstab", emit_fstab},
        {"systemd", "a mount unit, with a repart.d file", emit_systemd},
        {"cloud-init", "#cloud-config", emit_cloud_init},
        {"ansible", "a playbook", emit_ansible},
        {"kickstart", "lines of a kickstart file", emit_kickstart},
        {"ignition", "an Ignition configuration", emit_ignition},
        {"butane", "a Butane configuration", emit_butane},
        {"kubernetes", "a StorageClass", emit_kubernetes},
        {"terraform", "the answer of an external data source", emit_terraform},
        {"mke2fs", "a usage type for mke2fs.conf", emit_mke2fs},
        {"xfs-config", "a configuration file for mkfs.xfs -c", emit_xfs_config},
        {"tuned", "a TuneD profile and udev rules", emit_tuned}};
    return kFormats;
}

const EmitFormat* emit_format(std::string_view id) {
    const auto& formats = emit_formats();
    const auto found = std::ranges::find(formats, id, &EmitFormat::id);
    return found == formats.end() ? nullptr : &*found;
}

std::string joined(const Emitted& emitted) {
    if (emitted.files.size() == 1) return emitted.files.front().content;
    std::string text;
    for (const EmittedFile& file : emitted.files) {
        if (!text.empty()) text += "\n";
        text += "# ==== " + file.name + "\n" + file.content;
    }
    return text;
}

}  // namespace fsadvise
