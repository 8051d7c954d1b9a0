// Ignition configurations (JSON) and their Butane sources (YAML). Source: Ignition configuration
// specification 3.x and Butane specification for Fedora CoreOS.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "advice/lint_format.h"
#include "advice/lint_fstab.h"
#include "advice/lint_shell.h"
#include "advice/lint_volume.h"
#include "advice/lint_yaml.h"
#include "base/text.h"

namespace fsadvise {
namespace {

class IgnitionConfig {
  public:
    IgnitionConfig(const LintInput& input, const YamlNode& root, bool butane, LintResult& result)
        : input_(input), checker_(input.checker()), root_(root), butane_(butane), result_(result) {}

    void run() {
        if (const auto* storage = root_.find("storage"); storage != nullptr && storage->is_map()) {
            partitions(*storage);
            if (const auto* list = storage->find("filesystems")) {
                for (const auto& item : list->items) filesystem(item);
            }
            files(*storage);
        }
        if (const auto* systemd = root_.find("systemd"); systemd != nullptr && systemd->is_map()) {
            if (const auto* units = systemd->find("units")) {
                for (const auto& unit : units->items) {
                    const auto name = unit.value("name");
                    const auto* contents = unit.find("contents");
                    if (!name.ends_with(".mount") || contents == nullptr) continue;
                    check_mount_unit(input_, name, contents->text, contents->line, result_);
                    // In JSON the whole unit stands on one line.
                    if (contents->block) continue;
                    for (auto& item : result_.findings) {
                        if (item.line > contents->line && !butane_) item.line = contents->line;
                    }
                }
            }
        }
    }

  private:
    Finding& add(std::string id, Severity severity, int line, std::string subject) {
        result_.findings.push_back(checker_.finding(std::move(id), severity, line, std::move(subject)));
        result_.findings.back().sources = {butane_ ? "Butane specification: storage.filesystems"
                                                   : "Ignition specification: storage.filesystems"};
        return result_.findings.back();
    }

    // Sizes of labelled partitions, which filesystems name as /dev/disk/by-partlabel/LABEL.
    void partitions(const YamlNode& storage) {
        const auto* disks = storage.find("disks");
        if (disks == nullptr) return;
        for (const auto& disk : disks->items) {
            const auto* list = disk.find("partitions");
            if (list == nullptr) continue;
            for (const auto& partition : list->items) {
                const auto* size = partition.find_any({"sizeMiB", "size_mib"});
                const auto label = partition.value("label");
                if (size == nullptr || label.empty() || size->text.empty() || size->text.size() > 9 ||
                    size->text.find_first_not_of("0123456789") != std::string::npos) {
                    continue;
                }
                sizes_["/dev/disk/by-partlabel/" + label] = std::stoull(size->text) << 20;
            }
        }
    }

    void unknown_keys(const YamlNode& node) {
        const std::vector<std::string> json = {"device", "format",  "path",         "label",
                                               "uuid",   "options", "mountOptions", "wipeFilesystem"};
        const std::vector<std::string> yaml = {
            "device",        "format",          "path",           "label", "uuid", "options",
            "mount_options", "wipe_filesystem", "with_mount_unit"};
        const auto& known = butane_ ? yaml : json;
        const auto& others = butane_ ? json : yaml;
        for (const auto& [key, value] : node.entries) {
            if (std::ranges::find(known, key) != known.end()) continue;
            const bool other = std::ranges::find(others, key) != others.end();
            auto& item = add("ignition-key", Severity::kError, value.line, key);
            item.what = fmt::format("filesystems have no key '{}' here{}", key, did_you_mean(key, known));
            if (other) item.what += fmt::format("; {} spells it so", butane_ ? "Ignition" : "Butane");
            item.consequence = butane_ ? "Butane stops with an error"
                                       : "Ignition ignores it with a warning: nothing comes of it";
            item.fix = "correct the key";
        }
    }

    void filesystem(const YamlNode& node) {
        if (!node.is_map()) return;
        ++result_.checked;
        unknown_keys(node);
        const auto device = node.value("device");
        const auto type = node.value("format");
        const auto* options = node.find("options");
        const auto* mount = node.find_any({"mountOptions", "mount_options"});
        const auto* wipe = node.find_any({"wipeFilesystem", "wipe_filesystem"});
        const bool wipes = wipe != nullptr && wipe->is_true();
        if (device.empty()) incomplete(node, "device");
        if (type.empty()) incomplete(node, "format");
        check_device_name(checker_, device, node.line, result_);
        names(node, type);
        if (wipes) {
            auto& item = add("ignition-wipe", Severity::kWarning, wipe->line, "wipeFilesystem");
            item.what = "the filesystem is made anew whatever is there";
            item.consequence = "a disk that is kept for a re-installed machine loses its data";
            item.fix = "leave it out: a filesystem of the same type, label and UUID is kept";
            item.ignore_if = "the disk is known to be disposable";
        } else if (options != nullptr && !words_of(options).empty()) {
            auto& item = add("ignition-options-reused", Severity::kInfo, options->line, "options");
            item.what =
                "if a filesystem of this type is there already it is kept, and the options are ignored";
            item.consequence =
                "a re-installed machine keeps its old format; another type there stops the boot";
            item.fix =
                "nothing on new disks; to enforce the options wipe the filesystem, which loses its data";
            item.ignore_if = "the disk is new";
        }
        if (butane_ && !node.value("path").empty()) {
            const auto* unit = node.find("with_mount_unit");
            if (unit == nullptr || !unit->is_true()) {
                auto& item = add("butane-no-mount-unit", Severity::kWarning, node.find("path")->line,
                                 node.value("path"));
                item.what = "without with_mount_unit: true nothing mounts it after the first boot";
                item.consequence = "the directory is empty after a restart";
                item.fix = "add with_mount_unit: true, or a mount unit of your own";
                item.ignore_if = "systemd.units has a mount unit for it";
            }
        }
        const auto* known = input_.knowledge.filesystem(type);
        if (known == nullptr) return;
        const auto size = sizes_.find(device);
        const auto checker = size != sizes_.end() ? input_.checker_for_size(size->second) : checker_;
        VolumeLinter volumes(checker, result_);
        std::vector<std::string> argv = {known->mkfs};
        // A joined word is reported; what was meant is judged as well.
        for (const auto& word : words_of(options))
            for (auto& part : split(word, ' ')) argv.push_back(std::move(part));
        if (const auto label = node.value("label"); !label.empty() && known->id != "f2fs")
            argv.insert(argv.begin() + 1, {"-L", label});
        argv.push_back(device.empty() ? "DEVICE" : device);
        volumes.format(options != nullptr ? options->line : node.line, argv, {device});
        if (mount == nullptr) return;
        volumes.mount({mount->line, type, options_of(mount), device, node.value("path"),
                       "the mount fails and boot stops in emergency mode"});
        check_redundant_options(checker, type, options_of(mount), mount->line, result_);
    }

    // What Ignition can make, and where it can mount.
    void names(const YamlNode& node, const std::string& type) {
        const std::vector<std::string> formats = {"ext4", "btrfs", "xfs", "vfat", "swap", "none"};
        if (!type.empty() && std::ranges::find(formats, type) == formats.end() && !has_placeholder(type)) {
            auto& item = add("ignition-format", Severity::kError, node.find("format")->line, type);
            item.what = fmt::format("Ignition makes no {}{}", type, did_you_mean(type, formats));
            item.consequence = "Ignition rejects the configuration: the machine does not boot";
            item.fix = "use one of: " + join(formats, ", ");
        }
        const auto path = node.value("path");
        if (!path.empty() && !path.starts_with('/') && !has_placeholder(path)) {
            auto& item = add("ignition-path", Severity::kError, node.find("path")->line, path);
            item.what = fmt::format("the path {} is not absolute", path);
            item.consequence = "Ignition rejects the configuration: the machine does not boot";
            item.fix = "write /" + path;
        }
        const auto* options = node.find("options");
        if (options == nullptr || !options->is_list()) return;
        for (const auto& word : options->items) {
            if (!word.text.starts_with('-') || word.text.find(' ') == std::string::npos) continue;
            auto& item = add("ignition-joined-words", Severity::kError, word.line, word.text);
            item.what = "one element of options holds two words";
            item.consequence = "mkfs gets them as one word and stops with an error";
            item.fix = "write two elements, the option and its value";
        }
    }

    void incomplete(const YamlNode& node, const std::string& key) {
        auto& item = add("ignition-incomplete", Severity::kError, node.line, key);
        item.what = fmt::format("the filesystem has no {}", key);
        item.consequence = "Ignition rejects the configuration: the machine does not boot";
        item.fix = fmt::format("add {}", key);
    }

    void files(const YamlNode& storage) {
        const auto* files = storage.find("files");
        if (files == nullptr) return;
        for (const auto& file : files->items) {
            const auto* contents = file.find("contents");
            const auto* text = contents != nullptr ? contents->find("inline") : nullptr;
            if (text != nullptr && file.value("path").ends_with("fstab"))
                check_fstab(checker_, text->text, text->line, result_);
        }
    }

    const LintInput& input_;
    LintChecker checker_;
    const YamlNode& root_;
    bool butane_;
    LintResult& result_;
    std::map<std::string, std::uint64_t> sizes_;
};

bool is_butane(std::string_view name, std::string_view text) {
    return name.ends_with(".bu") || name.ends_with(".butane") ||
           (has_line_starting(text, "variant:") && has_line_starting(text, "version:"));
}

bool recognises(std::string_view name, std::string_view text) {
    if (name.ends_with(".ign") || is_butane(name, text)) return true;
    return trim(text.substr(0, 256)).starts_with('{') && text.find("\"ignition\"") != std::string_view::npos;
}

Result<void> check(const LintInput& input, LintResult& result) {
    FSADVISE_ASSIGN(const auto documents, parse_yaml(input.text, input.file));
    for (const auto& document : documents) {
        const bool butane = document.find("ignition") == nullptr || document.find("variant") != nullptr;
        IgnitionConfig(input, document, butane, result).run();
    }
    return {};
}

}  // namespace

LintFormat ignition_format() {
    return {"Ignition", recognises, check};
}

}  // namespace fsadvise
