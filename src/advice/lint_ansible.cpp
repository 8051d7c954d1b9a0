// Ansible playbooks, task files and role variables. Source: documentation of the modules
// community.general.filesystem and ansible.posix.mount as of 2026.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "advice/lint_format.h"
#include "advice/lint_fstab.h"
#include "advice/lint_script.h"
#include "advice/lint_shell.h"
#include "advice/lint_yaml.h"
#include "base/text.h"

namespace fsadvise {
namespace {

// "{{ options | default('x y') }}" has blanks that separate nothing: one placeholder word instead.
std::string without_templates(std::string text) {
    for (auto start = text.find("{{"); start != std::string::npos; start = text.find("{{", start)) {
        const auto end = text.find("}}", start);
        const auto length = end == std::string::npos ? std::string::npos : end + 2 - start;
        text.replace(start, length, "$TEMPLATE");
        start += 9;
    }
    return text;
}

class Ansible {
  public:
    Ansible(const LintInput& input, LintResult& result)
        : input_(input), checker_(input.checker()), volumes_(checker_, result), result_(result) {}

    void walk(const YamlNode& node) {
        if (node.is_map()) {
            task(node);
            volume_variables(node);
        }
        for (const auto& item : node.items) walk(item);
        for (const auto& entry : node.entries) walk(entry.second);
    }

  private:
    Finding& add(std::string id, Severity severity, int line, std::string subject) {
        result_.findings.push_back(checker_.finding(std::move(id), severity, line, std::move(subject)));
        return result_.findings.back();
    }

    // "fstype=ext4 dev=/dev/sdb opts='-m 0'" as arguments of a module.
    static YamlNode arguments(const YamlNode& node) {
        if (!node.is_scalar()) return node;
        YamlNode map;
        map.kind = YamlNode::Kind::kMap;
        map.line = node.line;
        for (const auto& command : split_shell(without_templates(node.text))) {
            for (const auto& word : command.words) {
                const auto equals = word.find('=');
                if (equals == std::string::npos) continue;
                YamlNode value;
                value.kind = YamlNode::Kind::kScalar;
                value.text = word.substr(equals + 1);
                value.line = node.line;
                map.entries.push_back({std::string(word.substr(0, equals)), std::move(value)});
            }
        }
        return map;
    }

    void task(const YamlNode& node) {
        for (const auto& [key, body] : node.entries) {
            const auto name = key.substr(key.rfind('.') == std::string::npos ? 0 : key.rfind('.') + 1);
            // "mount" is also a common name of variables: only with the module's own arguments.
            if (name == "filesystem") {
                filesystem(arguments(body));
            } else if (name == "mount") {
                mount(arguments(body));
            } else if (name == "shell" || name == "command" || name == "raw") {
                command(body);
            } else if (name == "lineinfile" || name == "blockinfile" || name == "copy") {
                written(arguments(body));
            }
        }
    }

    void filesystem(const YamlNode& body) {
        const auto* type = body.find_any({"fstype", "type"});
        const auto* device = body.find_any({"dev", "device"});
        if (type == nullptr || device == nullptr) return;
        const auto* known = input_.knowledge.filesystem(type->text);
        if (known == nullptr) return;
        const auto* options = body.find("opts");
        const int line = options != nullptr ? options->line : body.line;
        std::vector<std::string> argv = {known->mkfs};
        if (options != nullptr) {
            const auto plain = without_templates(options->text);
            if (plain.find_first_of("'\"") != std::string::npos) quoted(*options);
            YamlNode text;
            text.text = plain;
            for (auto& word : words_of(options->is_list() ? options : &text)) argv.push_back(std::move(word));
        }
        argv.push_back(device->text);
        volumes_.format(line, argv, {device->text});
        if (const auto* force = body.find("force"); force != nullptr && force->is_true()) {
            auto& item = add("ansible-force", Severity::kWarning, force->line, "force: true");
            item.what = "force formats a device that holds another filesystem";
            item.consequence = "a device name that moved costs the data of another disk";
            item.fix = "leave force out";
            item.ignore_if = "the disk is known to be disposable";
            item.sources = {"community.general.filesystem: force"};
        }
    }

    void quoted(const YamlNode& options) {
        auto& item = add("ansible-quotes", Severity::kError, options.line, options.text);
        item.what = "the module splits opts at blanks and does not read quotes";
        item.consequence = "mkfs gets the quote characters as part of its words and stops with an error";
        item.fix = "write the options without quotes and without blanks inside a word";
        item.sources = {"community.general.filesystem: opts is split at whitespace"};
    }

    void mount(const YamlNode& body) {
        const auto* path = body.find_any({"path", "name"});
        const auto state = body.value("state");
        if (path == nullptr || body.find("src") == nullptr) return;
        const auto device = body.value("src");
        const auto states = table_words(input_.knowledge, "ansible-mount-states");
        if (!state.empty() && !has_placeholder(state) && std::ranges::find(states, state) == states.end()) {
            auto& item = add("ansible-state", Severity::kError, body.find("state")->line, state);
            item.what =
                fmt::format("the mount module has no state '{}'{}", state, did_you_mean(state, states));
            item.consequence = "the task fails";
            item.fix = "use one of: " + join(states, ", ");
            item.sources = {"ansible.posix.mount: state"};
        }
        const auto type = body.value("fstype");
        const auto* options = body.find("opts");
        const int line = options != nullptr ? options->line : body.line;
        const auto text = without_templates(options_of(options));
        const bool nofail = text.find("nofail") != std::string::npos;
        volumes_.mount({line, type, text, device, path->text,
                        state == "present" || state == "mounted" || state.empty()
                            ? (nofail ? "the mount fails; boot goes on without it"
                                      : "the mount fails and boot stops in emergency mode")
                            : "the mount fails"});
        if (input_.knowledge.filesystem(type) == nullptr) return;
        check_redundant_options(checker_, type, text, line, result_);
        if (const auto* source = body.find("src"))
            check_device_name(checker_, source->text, source->line, result_);
        for (const std::string key : {"dump", "passno"}) {
            const auto* field = body.find(key);
            if (field == nullptr || (field->is_scalar() && !field->text.empty())) continue;
            auto& item = add("ansible-empty-field", Severity::kWarning, field->line, key);
            item.what = fmt::format("{} is empty, and fstab needs a number", key);
            item.consequence = "the line in fstab is misread";
            item.fix = fmt::format("write {}: '0'", key);
            item.sources = {"ansible.posix.mount: dump, passno"};
        }
        const auto pass = body.value("passno");
        const auto* filesystem = input_.knowledge.filesystem(type);
        if (!pass.empty() && pass != "0" && pass.find('{') == std::string::npos &&
            filesystem->fstab_pass == 0) {
            auto& item = add("fstab-pass", Severity::kInfo, body.find("passno")->line, pass);
            item.what = fmt::format("pass number {}: fsck.{} does nothing at boot", pass, type);
            item.consequence = "none, but it suggests a check that never happens";
            item.fix = "write passno: '0'";
            item.sources = {fmt::format("fsck.{}(8)", type)};
        }
    }

    void command(const YamlNode& body) {
        const auto* text = body.is_scalar() ? &body : body.find_any({"cmd", "_raw_params"});
        if (text != nullptr && text->is_scalar()) {
            check_script(checker_, without_templates(text->text), text->line, volumes_, result_);
        } else if (const auto* argv = body.find("argv"); argv != nullptr && argv->is_list()) {
            check_script(checker_, without_templates(shell_join(words_of(argv))), argv->line, volumes_,
                         result_);
        }
    }

    void written(const YamlNode& body) {
        const auto* path = body.find_any({"path", "dest", "destfile"});
        if (path == nullptr || !path->text.ends_with("fstab")) return;
        const auto* text = body.find_any({"line", "block", "content"});
        if (text == nullptr || !text->is_scalar()) return;
        check_fstab(checker_, without_templates(text->text), text->line, result_);
    }

    // A role's own variables: a map that names a filesystem type together with options for it.
    void volume_variables(const YamlNode& node) {
        if (node.find("src") != nullptr) return;  // arguments of the mount module
        const auto* type = node.find_any({"fs_type", "fstype", "filesystem", "filesystem_type", "fs"});
        if (type == nullptr || !type->is_scalar() || input_.knowledge.filesystem(type->text) == nullptr)
            return;
        const auto* mkfs = node.find_any(
            {"fs_options", "fs_opts", "mkfs_options", "mkfs_opts", "fs_create_options", "mkfs_opts"});
        const auto* mount = node.find_any({"mount_options", "mount_opts", "mntopts", "mount_opt"});
        if (mkfs == nullptr && mount == nullptr) return;
        const auto* device = node.find_any({"device", "devices", "dev", "disk", "disks"});
        auto name = device == nullptr                             ? std::string()
                    : device->is_list() && !device->items.empty() ? device->items[0].text
                                                                  : device->text;
        if (name.empty()) name = "DEVICE";
        const auto* known = input_.knowledge.filesystem(type->text);
        if (mkfs != nullptr) volumes_.format(mkfs->line, mkfs_argv(*known, *mkfs, name), {name});
        if (device != nullptr && !device->is_list()) check_device_name(checker_, name, device->line, result_);
        if (mount != nullptr) {
            const auto* path = node.find_any({"path", "mount_point", "mountpoint", "mount"});
            const auto options = without_templates(options_of(mount));
            volumes_.mount({mount->line, type->text, options, name, path != nullptr ? path->text : "",
                            "the mount fails and boot stops in emergency mode"});
            check_redundant_options(checker_, type->text, options, mount->line, result_);
        }
    }

    // Words as given; bare suboptions (su=512) are what roles hand to mkfs.xfs -d.
    static std::vector<std::string> mkfs_argv(const Filesystem& filesystem, const YamlNode& options,
                                              const std::string& device) {
        std::vector<std::string> argv = {filesystem.mkfs};
        YamlNode text;
        text.text = without_templates(options.text);
        std::vector<std::string> bare;
        bool value_next = false;
        for (const auto& word : words_of(options.is_list() ? &options : &text)) {
            for (const auto& part : split(word, ' ')) {
                if (part.empty()) continue;
                const bool flag = part.starts_with('-');
                if (!flag && !value_next && part.find('=') != std::string::npos) {
                    bare.push_back(part);
                } else {
                    argv.push_back(part);
                }
                value_next = flag && part.size() == 2;
            }
        }
        if (!bare.empty()) {
            argv.insert(argv.end(), {filesystem.id == "xfs" ? "-d" : "-E", join(bare, ",")});
        }
        argv.push_back(device);
        return argv;
    }

    const LintInput& input_;
    LintChecker checker_;
    VolumeLinter volumes_;
    LintResult& result_;
};

// Any other YAML: a line of its own starts with "- " or "key:", and the name says so.
bool recognises(std::string_view name, std::string_view text) {
    if (name.ends_with(".yml") || name.ends_with(".yaml")) return true;
    return text.starts_with("---\n") || text.starts_with("- hosts:") || text.starts_with("- name:");
}

Result<void> check(const LintInput& input, LintResult& result) {
    FSADVISE_ASSIGN(const auto documents, parse_yaml(input.text, input.file));
    Ansible ansible(input, result);
    for (const auto& document : documents) ansible.walk(document);
    // Plays and task files are lists; a map that names nothing known is some other YAML.
    const bool playbook = std::ranges::any_of(documents, [](const YamlNode& node) { return node.is_list(); });
    if (!playbook && !documents.empty() && result.checked == 0 && result.findings.empty()) {
        return fail(ErrorCode::kBadInput, "is in no format that is known here, and names no filesystem",
                    input.file, "see the list of formats in docs/check.md");
    }
    return {};
}

}  // namespace

LintFormat ansible_format() {
    return {"Ansible", recognises, check};
}

}  // namespace fsadvise
