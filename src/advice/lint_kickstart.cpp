// Kickstart files: part, logvol, raid, btrfs, volgroup, and the shell scripts of %pre and %post. Source: the
// pykickstart documentation; sizes are MiB.
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "advice/lint_format.h"
#include "advice/lint_fstab.h"
#include "advice/lint_script.h"
#include "base/text.h"

namespace fsadvise {
namespace {

struct KickstartCommand {
    int line = 0;
    std::string name;
    std::vector<std::string> operands;
    std::map<std::string, std::string> options;

    [[nodiscard]] std::string option(const std::string& key) const {
        const auto found = options.find(key);
        return found == options.end() ? std::string() : found->second;
    }
    [[nodiscard]] std::optional<std::uint64_t> mebibytes(const std::string& key) const {
        const auto text = option(key);
        std::uint64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc() || end != text.data() + text.size() || number > (1u << 30))
            return std::nullopt;
        return number;
    }
};

bool takes_no_value(std::string_view option) {
    static constexpr std::string_view kFlags[] = {
        "--grow",        "--asprimary",   "--noformat", "--useexisting", "--encrypted",
        "--recommended", "--hibernation", "--thin",     "--thinpool",    "--primary"};
    return std::ranges::find(kFlags, option) != std::end(kFlags);
}

KickstartCommand parse(const ShellCommand& command) {
    KickstartCommand result{command.line, command.words.front(), {}, {}};
    for (std::size_t i = 1; i < command.words.size(); ++i) {
        const auto& word = command.words[i];
        const auto equals = word.find('=');
        if (!word.starts_with("--")) {
            result.operands.push_back(word);
        } else if (equals != std::string::npos) {
            result.options[word.substr(0, equals)] = word.substr(equals + 1);
        } else if (takes_no_value(word) || i + 1 >= command.words.size()) {
            result.options[word] = "";
        } else {
            result.options[word] = command.words[++i];
        }
    }
    return result;
}

class Kickstart {
  public:
    Kickstart(const LintInput& input, LintResult& result)
        : input_(input), checker_(input.checker()), result_(result) {}

    void run() {
        std::string commands, script;
        int number = 0, script_line = 0;
        bool in_section = false, shell = false;
        for (const auto& raw : split(input_.text, '\n')) {
            ++number;
            const auto content = trim(raw);
            if (in_section) {
                if (content == "%end") {
                    in_section = false;
                    if (shell) section_script(script, script_line);
                }
                script += raw + "\n";
                commands += "\n";
            } else if (content.starts_with('%') && !content.starts_with("%include") &&
                       !content.starts_with("%ksappend")) {
                in_section = true;
                script.clear();
                script_line = number + 1;
                shell = (content.starts_with("%pre") || content.starts_with("%post")) &&
                        (content.find("--interpreter") == std::string_view::npos ||
                         content.find("sh") != std::string_view::npos);
                commands += "\n";
            } else {
                commands += raw + "\n";
            }
        }
        for (const auto& command : split_shell(commands)) {
            if (!command.words.empty()) read(parse(command));
        }
        groups();
    }

  private:
    Finding& add(std::string id, Severity severity, int line, std::string subject) {
        result_.findings.push_back(checker_.finding(std::move(id), severity, line, std::move(subject)));
        result_.findings.back().sources = {"pykickstart documentation: " +
                                           std::string("part, logvol, volgroup")};
        return result_.findings.back();
    }

    void section_script(const std::string& script, int line) {
        VolumeLinter volumes(checker_, result_);
        check_script(checker_, script, line, volumes, result_);
    }

    void read(const KickstartCommand& command) {
        if (command.name == "volgroup") {
            volgroup(command);
        } else if (command.name == "part" || command.name == "partition" || command.name == "logvol" ||
                   command.name == "raid") {
            volume(command);
        }
    }

    void volgroup(const KickstartCommand& command) {
        if (command.operands.empty()) return;
        const auto& name = command.operands.front();
        const auto [entry, is_new] = groups_.try_emplace(name);
        if (!is_new) {
            auto& item = add("kickstart-group-twice", Severity::kWarning, command.line, name);
            item.what =
                fmt::format("volume group '{}' is defined in line {} already", name, entry->second.line);
            item.consequence = "the installer warns and uses only one of the definitions";
            item.fix = fmt::format("name all physical volumes on one line: volgroup {} pv.01 pv.02", name);
        } else {
            entry->second.line = command.line;
        }
        for (std::size_t i = 1; i < command.operands.size(); ++i)
            entry->second.members.push_back(command.operands[i]);
        entry->second.existing = entry->second.existing || command.options.contains("--useexisting") ||
                                 command.options.contains("--noformat");
    }

    void volume(const KickstartCommand& command) {
        const auto size = command.mebibytes("--size");
        const bool grows = command.options.contains("--grow") || command.options.contains("--percent");
        if (!command.operands.empty() && command.operands.front().starts_with("pv.")) {
            physical_[command.operands.front()] = {size.value_or(0), grows || !size};
        }
        if (command.name == "logvol") {
            const auto group = command.option("--vgname");
            if (!group.empty()) logical_.push_back({command.line, group, size.value_or(0)});
        }
        const auto type = command.option("--fstype");
        const auto* filesystem = input_.knowledge.filesystem(type);
        if (command.options.contains("--bytes-per-inode")) {
            auto& item = add("kickstart-deprecated", Severity::kWarning, command.line, "--bytes-per-inode");
            item.what = "--bytes-per-inode is deprecated since Fedora 9";
            item.consequence = "it is ignored";
            item.fix = "write --mkfsoptions=\"-i BYTES\"";
        }
        if (filesystem == nullptr) {
            check_type(checker_, type, {command.line, "the installation stops with an error"}, result_);
            return;
        }
        ++result_.checked;
        format(command, *filesystem, size, grows);
    }

    void format(const KickstartCommand& command, const Filesystem& filesystem,
                std::optional<std::uint64_t> size, bool grows) {
        // The least size counts: a volume that may grow need not.
        const bool sized = size && *size > 0 && !(grows && *size < 2);
        const auto checker = sized ? input_.checker_for_size(*size << 20) : checker_;
        std::vector<std::string> argv = {filesystem.mkfs};
        const auto profile = command.option("--fsprofile");
        if (!profile.empty()) argv.insert(argv.end(), {"-T", profile});
        for (const auto& part : split_shell(command.option("--mkfsoptions")))
            argv.insert(argv.end(), part.words.begin(), part.words.end());
        argv.push_back("DEVICE");
        const auto directory = command.operands.empty() ? std::string() : command.operands.front();
        VolumeLinter volumes(checker, result_);
        const bool keeps =
            command.options.contains("--noformat") || command.options.contains("--useexisting");
        if (!keeps) volumes.format(command.line, argv, {"DEVICE"});
        if (command.options.contains("--noformat") &&
            (command.options.contains("--mkfsoptions") || !profile.empty())) {
            auto& item = add("kickstart-noformat-options", Severity::kWarning, command.line, "--noformat");
            item.what = "--noformat keeps the filesystem that is there: the mkfs options are not used";
            item.consequence = "nothing: it is accepted and changes nothing";
            item.fix = "remove one of the two";
        }
        volumes.mount({command.line, filesystem.id, command.option("--fsoptions"), "DEVICE", directory,
                       directory == "/" ? "the installed system does not boot"
                                        : "the mount fails and boot stops in emergency mode"});
        (void)grows;
    }

    void groups() {
        std::map<std::string, std::uint64_t> used;
        for (const auto& volume : logical_) {
            used[volume.group] += volume.size;
            if (groups_.contains(volume.group)) continue;
            auto& item = add("kickstart-no-group", Severity::kError, volume.line, volume.group);
            std::vector<std::string> names;
            for (const auto& [name, group] : groups_) names.push_back(name);
            item.what = fmt::format("volume group '{}' is never created{}", volume.group,
                                    did_you_mean(volume.group, names));
            item.consequence = "the installation stops";
            item.fix = names.empty() ? "add a volgroup line" : "use one of: " + join(names, ", ");
            item.ignore_if = "an included file creates it";
        }
        for (const auto& [name, group] : groups_) {
            std::uint64_t size = 0;
            bool open = group.existing;
            for (const auto& member : group.members) {
                const auto found = physical_.find(member);
                if (found == physical_.end()) {
                    open = true;
                    if (member.starts_with("pv.") && !group.existing) no_member(group.line, member);
                } else {
                    size += found->second.first;
                    open = open || found->second.second;
                }
            }
            if (open || used[name] <= size) continue;
            auto& item = add("kickstart-group-full", Severity::kError, group.line, name);
            item.what =
                fmt::format("the logical volumes of '{}' need {} MiB and its physical volumes have {} MiB",
                            name, used[name], size);
            item.consequence = "the installation stops";
            item.fix = "make the partitions larger or the volumes smaller";
        }
    }

    void no_member(int line, const std::string& member) {
        auto& item = add("kickstart-no-member", Severity::kError, line, member);
        item.what = fmt::format("physical volume '{}' is never created", member);
        item.consequence = "the installation stops";
        item.fix = fmt::format("add: part {} --size=...", member);
        item.ignore_if = "an included file creates it";
    }

    struct Group {
        int line = 0;
        std::vector<std::string> members;
        bool existing = false;
    };
    struct Logical {
        int line;
        std::string group;
        std::uint64_t size;
    };
    const LintInput& input_;
    LintChecker checker_;
    LintResult& result_;
    std::map<std::string, Group> groups_;
    std::map<std::string, std::pair<std::uint64_t, bool>> physical_;  // MiB; true: may grow
    std::vector<Logical> logical_;
};

bool recognises(std::string_view name, std::string_view text) {
    if (name.ends_with(".ks") || name.find("kickstart") != std::string_view::npos ||
        name == "anaconda-ks.cfg")
        return true;
    if (text.starts_with("#!")) return false;
    return (has_line_starting(text, "part ") || has_line_starting(text, "logvol ")) &&
           (text.find("--fstype") != std::string_view::npos || text.find("--size") != std::string_view::npos);
}

Result<void> check(const LintInput& input, LintResult& result) {
    Kickstart(input, result).run();
    return {};
}

}  // namespace

LintFormat kickstart_format() {
    return {"kickstart", recognises, check};
}

}  // namespace fsadvise
