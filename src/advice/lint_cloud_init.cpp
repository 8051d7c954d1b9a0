// cloud-init user data (#cloud-config). Source: cloud-init's reference of the modules disk_setup, mounts,
// runcmd and its source as of 2026.
#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "advice/lint_format.h"
#include "advice/lint_fstab.h"
#include "advice/lint_script.h"
#include "advice/lint_yaml.h"
#include "base/text.h"

namespace fsadvise {
namespace {

class CloudConfig {
  public:
    CloudConfig(const LintInput& input, const YamlNode& root, LintResult& result)
        : input_(input),
          checker_(input.checker()),
          volumes_(checker_, result),
          root_(root),
          result_(result) {}

    void run() {
        for (const std::string key : {"fs_setup", "mounts", "write_files", "runcmd", "bootcmd"}) {
            const auto* node = root_.find(key);
            if (node == nullptr || node->is_list() || node->kind == YamlNode::Kind::kNull) continue;
            auto& item = add("cloud-init-not-list", Severity::kError, node->line, key);
            item.what = fmt::format("{} must be a list", key);
            item.consequence = "the schema check fails and the module does nothing";
            item.fix = fmt::format("write the items of {} below it, each with a dash", key);
            item.sources = {"cloud-init reference: modules disk_setup, mounts, runcmd, write_files"};
        }
        if (const auto* setups = root_.find("fs_setup"); setups != nullptr && setups->is_list()) {
            for (const auto& setup : setups->items) fs_setup(setup);
        }
        mounts();
        commands("bootcmd");
        commands("runcmd");
        write_files();
    }

  private:
    Finding& add(std::string id, Severity severity, int line, std::string subject) {
        result_.findings.push_back(checker_.finding(std::move(id), severity, line, std::move(subject)));
        result_.findings.back().sources = {"cloud-init reference: module disk_setup (cc_disk_setup)"};
        return result_.findings.back();
    }

    void fs_setup(const YamlNode& setup) {
        if (!setup.is_map()) return;
        ++result_.checked;
        const auto known = table_words(input_.knowledge, "cloud-init-fs-setup-keys");
        for (const auto& [key, node] : setup.entries) {
            if (std::ranges::find(known, key) != known.end()) continue;
            auto& item = add("cloud-init-key", Severity::kWarning, node.line, key);
            item.what = fmt::format("fs_setup has no key '{}'{}", key, did_you_mean(key, known));
            item.consequence = "the schema check fails and the key is ignored";
            item.fix = "use one of: " + join(known, ", ");
        }
        const auto device = setup.value("device");
        const auto type = setup.value("filesystem");
        if (device.empty()) {
            auto& item = add("cloud-init-incomplete", Severity::kError, setup.line, "device");
            item.what = "fs_setup has no device";
            item.consequence = "nothing is formatted";
            item.fix = "add device:";
        }
        traps(setup, type);
        format(setup, device, type);
    }

    void traps(const YamlNode& setup, const std::string& type) {
        const auto* options = setup.find("extra_opts");
        const auto* command = setup.find("cmd");
        if (options != nullptr && options->is_scalar() && command == nullptr) {
            auto& item = add("cloud-init-extra-opts-string", Severity::kError, options->line, options->text);
            item.what = "extra_opts is a string, and cloud-init hands it to mkfs one character a word";
            item.consequence = "mkfs stops with an error and nothing is formatted";
            item.fix = "write a list, one word an element: " + as_list(*options);
            item.sources = {
                "cloud-init source, cc_disk_setup.py mkfs(): extends the argument list with extra_opts"};
        }
        if (options != nullptr && options->is_list()) {
            for (const auto& word : options->items) joined_word(word);
        }
        if (command != nullptr) {
            for (const auto* ignored : {options, setup.find("overwrite")}) {
                if (ignored == nullptr) continue;
                auto& item = add("cloud-init-cmd-ignores", Severity::kWarning, ignored->line,
                                 ignored == options ? "extra_opts" : "overwrite");
                item.what = fmt::format("cmd is given, so {} is ignored", item.subject);
                item.consequence = "the filesystem is made as cmd says";
                item.fix = "put the options into cmd, or drop cmd";
            }
        }
        if (type == "f2fs" && setup.find("label") != nullptr && command == nullptr) {
            auto& item = add("cloud-init-f2fs-label", Severity::kError, setup.find("label")->line,
                             setup.value("label"));
            item.what = "cloud-init passes -L, and mkfs.f2fs takes the label as -l";
            item.consequence = "mkfs stops with an error and nothing is formatted";
            item.fix = "leave label out and write extra_opts: [\"-l\", \"LABEL\"]";
            item.sources = {"cloud-init source, cc_disk_setup.py mkfs(): -L for every type",
                            "mkfs.f2fs(8), -l"};
        }
        const auto* partition = setup.find("partition");
        const auto* replace = setup.find("replace_fs");
        if (partition != nullptr && lower(partition->text) == "none") {
            auto& item =
                add("cloud-init-formats-always", Severity::kWarning, partition->line, "partition: none");
            item.what = "partition: none formats even if type and label match and overwrite is false";
            item.consequence = "a volume that is attached to a new instance loses its data";
            item.fix = "use partition: auto with a label, or a numbered partition";
            item.ignore_if = "the volume never outlives the instance";
        }
        const auto* overwrite = setup.find("overwrite");
        if (overwrite != nullptr && overwrite->is_true() && command == nullptr) {
            auto& item = add("cloud-init-overwrite", Severity::kWarning, overwrite->line, "overwrite: true");
            item.what = "overwrite: true formats over whatever is there";
            item.consequence = "a volume that is attached to a new instance loses its data";
            item.fix = "leave overwrite out";
            item.ignore_if = "the volume never outlives the instance";
        }
        if (replace != nullptr && command == nullptr && setup.find("label") == nullptr) {
            auto& item =
                add("cloud-init-replace-without-label", Severity::kInfo, replace->line, "replace_fs");
            item.what = "replace_fs without label has nothing to match by";
            item.consequence = "nothing: it is accepted and changes nothing";
            item.fix = "give a label";
        }
    }

    static std::string as_list(const YamlNode& node) {
        std::string text;
        for (const auto& word : words_of(&node)) text += (text.empty() ? "[\"" : ", \"") + word + "\"";
        return text + "]";
    }

    // "-i size=1024" as one element reaches mkfs as one word.
    void joined_word(const YamlNode& word) {
        if (!word.text.starts_with('-') || word.text.find(' ') == std::string::npos) return;
        auto& item = add("cloud-init-joined-words", Severity::kWarning, word.line, word.text);
        item.what = "one element of extra_opts holds two words";
        item.consequence = "mkfs sees one word with a blank in it, which most options do not take";
        item.fix = "write two elements: " + as_list(word);
    }

    void format(const YamlNode& setup, const std::string& device, const std::string& type) {
        if (const auto* command = setup.find("cmd"); command != nullptr) {
            auto text = command->is_list() ? join(words_of(command), " ") : command->text;
            for (const std::string key : {"label", "filesystem", "device"}) {
                const auto place = "%(" + key + ")s";
                for (auto at = text.find(place); at != std::string::npos; at = text.find(place, at)) {
                    text.replace(at, place.size(), setup.value(key));
                    at += setup.value(key).size();
                }
            }
            check_script(checker_, text, command->line, volumes_, result_);
            return;
        }
        const auto* filesystem = input_.knowledge.filesystem(type);
        if (filesystem == nullptr) {
            const auto* node = setup.find("filesystem");
            check_type(
                checker_, type,
                {node != nullptr ? node->line : setup.line, "mkfs is not found and nothing is formatted"},
                result_);
            return;
        }
        const auto* options = setup.find("extra_opts");
        std::vector<std::string> argv = {filesystem->mkfs};
        for (const auto& word : words_of(options)) {
            // A joined word is reported; what was meant is judged as well.
            for (const auto& part : split(word, ' ')) argv.push_back(part);
        }
        // cloud-init passes -L to every tool; that mkfs.f2fs means something else by it is said above.
        if (const auto label = setup.value("label"); !label.empty() && type != "f2fs")
            argv.insert(argv.begin() + 1, {"-L", label});
        argv.push_back(device.empty() ? "DEVICE" : device);
        std::vector<std::string> names;
        if (const auto label = setup.value("label"); !label.empty()) names.push_back("LABEL=" + label);
        const auto partition = setup.value("partition");
        if (!partition.empty() && partition.find_first_not_of("0123456789") == std::string::npos) {
            const bool digit =
                !device.empty() && std::isdigit(static_cast<unsigned char>(device.back())) != 0;
            names.push_back(device + (digit ? "p" : "") + partition);
        }
        volumes_.format(options != nullptr ? options->line : setup.line, argv, names);
    }

    void mounts() {
        const auto* mounts = root_.find("mounts");
        if (mounts == nullptr || !mounts->is_list()) return;
        std::vector<std::string> defaults = {"", "", "auto", "defaults,nofail", "0", "2"};
        if (const auto* fields = root_.find("mount_default_fields"); fields != nullptr && fields->is_list()) {
            for (std::size_t i = 0; i < fields->items.size() && i < defaults.size(); ++i) {
                if (fields->items[i].is_scalar()) defaults[i] = fields->items[i].text;
            }
        }
        std::vector<std::string> directories;
        for (const auto& row : mounts->items) {
            if (!row.is_list() || row.items.empty()) continue;
            mount(row, defaults, directories);
        }
    }

    void mount(const YamlNode& row, const std::vector<std::string>& defaults,
               std::vector<std::string>& directories) {
        if (row.items.size() > 6) {
            auto& item = add("cloud-init-mount-fields", Severity::kError, row.line, row.items.back().text);
            item.what = fmt::format("{} fields, and only six have a meaning; are the options a list?",
                                    row.items.size());
            item.consequence = "the schema check fails and the mount is not made as meant";
            item.fix = "join the options by commas in one string";
            item.sources = {"cloud-init reference: module mounts (cc_mounts)"};
            return;
        }
        if (row.items.size() < 2 || row.items[1].kind == YamlNode::Kind::kNull)
            return;  // switches a default off
        std::vector<std::string> fields = defaults;
        for (std::size_t i = 0; i < row.items.size(); ++i) {
            if (row.items[i].is_scalar()) fields[i] = row.items[i].text;
        }
        // A kernel name may be written without its folder.
        if (fields[0].starts_with("xvd") || fields[0].starts_with("sd") || fields[0].starts_with("vd") ||
            fields[0].starts_with("nvme")) {
            fields[0] = "/dev/" + fields[0];
        }
        std::string line;
        for (const auto& field : fields) line += (line.empty() ? "" : " ") + escape(field);
        const auto before = result_.findings.size();
        check_fstab(checker_, line, row.line, result_);
        // What the defaults of cloud-init bring is not this file's fault.
        const bool own_pass = row.items.size() > 5;
        std::erase_if(result_.findings, [&](const Finding& item) {
            return !own_pass && item.id == "fstab-pass" && item.line == row.line &&
                   static_cast<std::size_t>(&item - result_.findings.data()) >= before;
        });
        volumes_.mount({row.line, fields[2], fields[3], fields[0], fields[1],
                        "the mount fails; boot goes on without it"});
        nested(row.line, fields, directories);
        directories.push_back(fields[1]);
    }

    void nested(int line, const std::vector<std::string>& fields,
                const std::vector<std::string>& directories) {
        if (fields[3].find("X-mount.mkdir") != std::string::npos ||
            fields[3].find("x-mount.mkdir") != std::string::npos)
            return;
        for (const auto& directory : directories) {
            if (directory.empty() || !fields[1].starts_with(directory + "/")) continue;
            auto& item = add("cloud-init-nested-mount", Severity::kWarning, line, fields[1]);
            item.what =
                fmt::format("cloud-init makes all mount points before it mounts, so {} is hidden by {}",
                            fields[1], directory);
            item.consequence = "the mount fails: its directory is not there";
            item.fix = "add X-mount.mkdir to the options";
            item.sources = {"cloud-init source, cc_mounts.py", "mount(8), X-mount.mkdir"};
            return;
        }
    }

    static std::string escape(const std::string& field) {
        std::string text;
        for (const char c : field)
            text += c == ' ' ? "\\040" : (c == '\n' || c == '#') ? "?" : std::string(1, c);
        return text.empty() ? "none" : text;
    }

    static bool looks_first(std::string_view text) {
        for (const std::string_view word : {"blkid", "lsblk", "wipefs", "file -s", "findmnt", "dumpe2fs",
                                            "xfs_info", "blockdev", "||", "if "}) {
            if (text.find(word) != std::string_view::npos) return true;
        }
        return false;
    }

    void commands(const std::string& key) {
        const auto* list = root_.find(key);
        if (list == nullptr || !list->is_list()) return;
        const bool every_boot = key == "bootcmd";
        for (const auto& command : list->items) {
            const auto text = command.is_list() ? shell_join(words_of(&command)) : command.text;
            const auto before = result_.checked;
            check_script(checker_, text, command.line, volumes_, result_);
            if (result_.checked > before) unattended(text, command.line, every_boot);
        }
    }

    void unattended(const std::string& text, int line, bool every_boot) {
        if (looks_first(text)) return;
        for (const auto& shell : split_shell(text)) {
            const auto parsed = parse_mkfs(input_.knowledge, strip_prefixes(shell.words));
            if (parsed.filesystem.empty() || parsed.devices.empty()) continue;
            auto& item = add("unattended-format", every_boot ? Severity::kError : Severity::kWarning,
                             line + shell.line - 1, parsed.devices.front());
            item.what = every_boot ? "bootcmd runs at every boot, and this formats without looking first"
                                   : "this formats without looking whether the volume holds data";
            item.consequence = every_boot ? "the data is gone after every boot"
                                          : "a volume that is attached to a new instance loses its data, or "
                                            "mkfs refuses and the rest fails";
            item.fix = "test first: blkid DEVICE || mkfs ..., or use fs_setup with a label";
            item.ignore_if = "the volume never outlives the instance";
            item.sources = {
                "cloud-init reference: modules runcmd (once an instance) and bootcmd (every boot)"};
        }
    }

    void write_files() {
        const auto* files = root_.find("write_files");
        if (files == nullptr || !files->is_list()) return;
        for (const auto& file : files->items) {
            const auto* content = file.find("content");
            if (content == nullptr || !content->is_scalar() || file.find("encoding") != nullptr) continue;
            const auto path = file.value("path");
            if (path.ends_with("fstab")) {
                check_fstab(checker_, content->text, content->line, result_);
            } else if (path.ends_with(".mount")) {
                check_mount_unit(input_, path.substr(path.rfind('/') + 1), content->text, content->line,
                                 result_);
            } else if (path.ends_with(".sh") || content->text.starts_with("#!")) {
                check_script(checker_, content->text, content->line, volumes_, result_);
            }
        }
    }

    const LintInput& input_;
    LintChecker checker_;
    VolumeLinter volumes_;
    const YamlNode& root_;
    LintResult& result_;
};

bool recognises(std::string_view name, std::string_view text) {
    if (text.starts_with("#cloud-config")) return true;
    if (text.starts_with("## template: jinja") && has_line_starting(text, "#cloud-config")) return true;
    return name == "user-data" && !text.starts_with("#!");
}

Result<void> check(const LintInput& input, LintResult& result) {
    FSADVISE_ASSIGN(const auto documents, parse_yaml(input.text, input.file));
    for (const auto& document : documents) CloudConfig(input, document, result).run();
    return {};
}

}  // namespace

LintFormat cloud_init_format() {
    return {"cloud-init", recognises, check};
}

}  // namespace fsadvise
