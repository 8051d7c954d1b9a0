// Ignition 3.3 (JSON) and Butane 1.4 for Fedora CoreOS (YAML). Source: the specifications of both.
#include <cctype>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "output/emit/emit_parts.h"

namespace fsadvise {
namespace {

constexpr std::string_view kExisting =
    "A filesystem of this type and label is used as it is, without these options; one of another type stops "
    "the boot.";

Result<void> check_format(const EmitPlan& plan, std::string_view target) {
    if (plan.filesystem != "f2fs") return {};
    return fail(ErrorCode::kUnavailable, fmt::format("{} makes no f2fs", target), std::string(target),
                "format in a unit of your own, with --format shell");
}

void lose_commands(const std::vector<std::string>& commands, std::vector<std::string>& lost) {
    for (const std::string& command : commands)
        lost.push_back(fmt::format("no command is run: run '{}' once, or write a unit for it", command));
}

// RFC 2397: everything but letters and digits is written as %XX.
std::string data_url(const std::string& content) {
    std::string url = "data:,";
    for (const char c : content)
        url += std::isalnum(static_cast<unsigned char>(c)) != 0
                   ? std::string(1, c)
                   : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    return url;
}

}  // namespace

Result<Emitted> emit_ignition(const EmitPlan& plan) {
    FSADVISE_TRY(check_format(plan, "Ignition"));
    Emitted emitted;
    const auto [files, commands] = settings_parts(plan);
    lose_commands(commands, emitted.lost);
    using Json = nlohmann::ordered_json;
    Json filesystem{{"device", plan.device},
                    {"path", plan.directory},
                    {"format", plan.filesystem},
                    {"label", plan.label},
                    {"wipeFilesystem", false}};
    if (!plan.mkfs_options.empty()) filesystem["options"] = plan.mkfs_options;
    filesystem["mountOptions"] = split(plan.options_text(), ',');
    Json document{{"ignition", {{"version", "3.3.0"}}}};
    document["storage"]["filesystems"] = Json::array({filesystem});
    for (const SettingsFile& file : files)
        document["storage"]["files"].push_back(
            {{"path", file.path}, {"mode", 0644}, {"contents", {{"source", data_url(file.content)}}}});
    // JSON has no comments: the unit carries them to whoever reads it on the machine.
    const std::string unit = head_comment(plan, kExisting, emitted.lost) + mount_unit(plan);
    document["systemd"]["units"] =
        Json::array({{{"name", unit_name(plan.directory)}, {"enabled", true}, {"contents", unit}}});
    emitted.files.push_back(
        {"config.ign", document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"});
    return emitted;
}

Result<Emitted> emit_butane(const EmitPlan& plan) {
    FSADVISE_TRY(check_format(plan, "Butane"));
    Emitted emitted;
    const auto [files, commands] = settings_parts(plan);
    lose_commands(commands, emitted.lost);
    std::string text = head_comment(plan, kExisting, emitted.lost);
    text += "variant: fcos\nversion: 1.4.0\nstorage:\n  filesystems:\n";
    text += fmt::format(
        "    - device: {}\n      path: {}\n      format: {}\n      label: {}\n      wipe_filesystem: false\n",
        json_quoted(plan.device), json_quoted(plan.directory), plan.filesystem, json_quoted(plan.label));
    if (!plan.mkfs_options.empty()) text += "      options: " + json_list(plan.mkfs_options) + "\n";
    text += "      mount_options: " + json_list(split(plan.options_text(), ',')) +
            "\n      with_mount_unit: true\n";
    if (!files.empty()) text += "  files:\n";
    for (const SettingsFile& file : files)
        text += fmt::format("    - path: {}\n      mode: 0644\n      contents:\n        inline: {}\n",
                            json_quoted(file.path), json_quoted(file.content));
    emitted.files.push_back({"config.bu", std::move(text)});
    return emitted;
}

}  // namespace fsadvise
