// Shell scripts: mkfs and mount commands, paired by device; fstab lines they write; chattr.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "advice/lint_fstab.h"
#include "advice/lint_shell.h"
#include "base/text.h"

namespace fsadvise {
namespace {

std::string program_name(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

struct MountCommand {
    std::string type, options, device, directory;
    bool interesting = true;  // false: bind mounts, mount -a, listing
};

void add_options(MountCommand& mount, const std::string& options) {
    mount.options += (mount.options.empty() ? "" : ",") + options;
}

// Options of mount(8) that take a value, besides -o and -t.
bool takes_value(std::string_view option) {
    return option == "-O" || option == "-T" || option == "-N" || option == "--options-source" ||
           option == "--fstab" || option == "--namespace" || option == "--test-opts" || option == "-p";
}

MountCommand parse_mount(const std::vector<std::string>& words) {
    MountCommand mount;
    std::vector<std::string> positional;
    for (std::size_t i = 1; i < words.size(); ++i) {
        std::string name = words[i], value;
        bool has_value = false;
        if (name.starts_with("--") && name.find('=') != std::string::npos) {
            value = name.substr(name.find('=') + 1);
            name.resize(name.find('='));
            has_value = true;
        } else if (name.size() > 2 && name[0] == '-' &&
                   std::string_view("otLU").find(name[1]) != std::string_view::npos) {
            value = name.substr(2);
            name.resize(2);
            has_value = true;
        }
        const auto argument = [&]() -> std::string {
            if (has_value) return value;
            return i + 1 < words.size() ? words[++i] : std::string();
        };
        if (name == "-o" || name == "--options") {
            add_options(mount, argument());
        } else if (name == "-t" || name == "--types") {
            mount.type = argument();
        } else if (name == "-L" || name == "--label") {
            mount.device = "LABEL=" + argument();
        } else if (name == "-U" || name == "--uuid") {
            mount.device = "UUID=" + argument();
        } else if (name == "--source") {
            mount.device = argument();
        } else if (name == "--target") {
            mount.directory = argument();
        } else if (name == "-a" || name == "--all" || name == "-B" || name == "--bind" || name == "--rbind" ||
                   name == "--move" || name == "-R" || name == "-M") {
            mount.interesting = false;
        } else if (takes_value(name)) {
            (void)argument();
        } else if (!name.starts_with('-') || name == "-") {
            positional.push_back(words[i]);
        }
    }
    std::size_t next = 0;
    if (mount.device.empty() && (positional.size() > 1 || !mount.directory.empty()) &&
        next < positional.size()) {
        mount.device = positional[next++];
    }
    if (mount.directory.empty() && next < positional.size()) mount.directory = positional[next];
    if (mount.device.empty() && mount.directory.empty()) mount.interesting = false;
    return mount;
}

struct Formatted {
    int line = 0;
    std::vector<std::string> argv;
    ParsedCommand command;
    Verdict verdict;
};

struct Mounted {
    std::string filesystem, options, device;
};

class ScriptLinter {
  public:
    ScriptLinter(const LintChecker& checker, LintResult& result) : checker_(checker), result_(result) {}

    void run(const std::vector<ShellCommand>& commands) {
        for (std::size_t i = 0; i < commands.size(); ++i) {
            const auto words = strip_prefixes(commands[i].words);
            written_fstab(commands, i, words);
            if (words.empty()) continue;
            const auto program = program_name(words.front());
            if (program == "mount") {
                mount(commands[i].line, words);
            } else if (program == "chattr") {
                chattr(commands[i].line, words);
            } else {
                mkfs(commands[i].line, words);
            }
        }
    }

  private:
    static bool writes_fstab(const ShellCommand& command) {
        const auto is_fstab = [](const std::string& word) { return word.ends_with("fstab"); };
        if (std::ranges::any_of(command.outputs, is_fstab)) return true;
        const auto words = strip_prefixes(command.words);
        return !words.empty() && program_name(words.front()) == "tee" && std::ranges::any_of(words, is_fstab);
    }

    // echo "..." >> /etc/fstab, echo "..." | tee -a /etc/fstab, cat >> /etc/fstab <<END
    void written_fstab(const std::vector<ShellCommand>& commands, std::size_t index,
                       const std::vector<std::string>& words) {
        const auto& command = commands[index];
        const bool piped_there =
            command.piped && index + 1 < commands.size() && writes_fstab(commands[index + 1]);
        if (!writes_fstab(command) && !piped_there) return;
        if (!command.here_document.empty()) {
            check_fstab(checker_, command.here_document, command.here_line, result_);
        } else if (words.size() > 1 && program_name(words.front()) == "echo") {
            std::string line;
            for (std::size_t i = 1; i < words.size(); ++i) {
                if (i == 1 && words[i].starts_with('-')) continue;
                line += (line.empty() ? "" : " ") + words[i];
            }
            // A command substitution has blanks that are not field separators.
            if (line.find("$(") == std::string::npos && line.find('`') == std::string::npos) {
                check_fstab(checker_, line, command.line, result_);
            }
        }
    }

    void mkfs(int line, const std::vector<std::string>& words) {
        auto command = parse_mkfs(checker_.knowledge(), words);
        if (command.filesystem.empty() || checker_.knowledge().filesystem(command.filesystem) == nullptr)
            return;
        if (command.devices.empty() && command.words.empty()) return;  // mkfs.xfs -V
        ++result_.checked;
        Formatted entry{line, words, std::move(command), {}};
        entry.verdict = checker_.check_mkfs(entry.command, Place{line, "the mount fails"}, result_);
        formatted_.push_back(std::move(entry));
    }

    // The last format of the device; a new one starts a new pair.
    [[nodiscard]] const Formatted* format_of(const std::string& device) const {
        const auto found = std::find_if(formatted_.rbegin(), formatted_.rend(), [&](const Formatted& entry) {
            return std::ranges::find(entry.command.devices, device) != entry.command.devices.end();
        });
        return found == formatted_.rend() ? nullptr : &*found;
    }

    void mount(int line, const std::vector<std::string>& words) {
        auto mount = parse_mount(words);
        if (!mount.interesting) return;
        const auto mount_words = split(mount.options, ',');
        const auto option = [&](std::string_view name) {
            return std::ranges::find(mount_words, name) != mount_words.end();
        };
        if (option("bind") || option("rbind")) return;
        if (option("remount")) {
            const auto earlier = mounted_.find(mount.directory);
            if (earlier != mounted_.end()) {
                if (mount.type.empty()) mount.type = earlier->second.filesystem;
                if (mount.device.empty()) mount.device = earlier->second.device;
            }
        }
        const auto* format = format_of(mount.device);
        if (format != nullptr && !mount.type.empty() && mount.type != "auto" &&
            mount.type != format->command.filesystem) {
            wrong_type(line, mount, *format);
            return;
        }
        const auto filesystem = format != nullptr ? format->command.filesystem : mount.type;
        if (checker_.knowledge().filesystem(filesystem) == nullptr) return;
        ++result_.checked;
        const auto parsed = parse_mount_options(checker_.knowledge(), filesystem, mount.options);
        const Place place{line, "the mount fails"};
        const auto verdict = checker_.check_mount(filesystem, format != nullptr ? &format->command : nullptr,
                                                  parsed, place, result_);
        if (format != nullptr) {
            const bool formats = format->verdict.formats && verdict.formats;
            result_.pairs.push_back({format->line, line, format->argv, filesystem, mount.options,
                                     mount.device, formats,
                                     formats && format->verdict.mounts && verdict.mounts});
        }
        mounted_[mount.directory] = {filesystem, mount.options, mount.device};
    }

    void wrong_type(int line, const MountCommand& mount, const Formatted& format) {
        auto item = checker_.finding("mount-wrong-type", Severity::kError, line, mount.type);
        item.what = fmt::format("{} is formatted as {} in line {} and mounted as {}", mount.device,
                                format.command.filesystem, format.line, mount.type);
        item.consequence = "the mount fails";
        item.fix = "mount it with -t " + format.command.filesystem;
        result_.findings.push_back(std::move(item));
        result_.pairs.push_back({format.line, line, format.argv, format.command.filesystem, mount.options,
                                 mount.device, format.verdict.formats, false});
    }

    // The mount whose directory is the longest prefix of the path.
    [[nodiscard]] const Mounted* mount_of(const std::string& path) const {
        const Mounted* best = nullptr;
        std::size_t length = 0;
        for (const auto& [directory, mounted] : mounted_) {
            const bool inside = path == directory || directory == "/" || path.starts_with(directory + "/");
            if (inside && !directory.empty() && directory.size() >= length) {
                best = &mounted;
                length = directory.size();
            }
        }
        return best;
    }

    void chattr(int line, const std::vector<std::string>& words) {
        const bool no_cow = std::ranges::any_of(words, [](const std::string& word) {
            return word.size() > 1 && word[0] == '+' && word.find('C') != std::string::npos;
        });
        if (!no_cow) return;
        ++result_.checked;
        const auto* mounted = mount_of(words.back());
        if (mounted != nullptr && mounted->filesystem != "btrfs") {
            auto item = checker_.finding("chattr-no-cow-elsewhere", Severity::kError, line, "+C");
            item.what = fmt::format("{} is on {}, which has no no-copy-on-write attribute", words.back(),
                                    mounted->filesystem);
            item.consequence = "chattr fails or changes nothing";
            item.fix = "remove the command";
            item.sources = {"chattr(1), attribute C"};
            result_.findings.push_back(std::move(item));
            return;
        }
        auto item = checker_.finding("chattr-no-cow", Severity::kWarning, line, "+C");
        item.what = fmt::format(
            "no copy-on-write below {}: Btrfs keeps no checksums and does not compress there, and "
            "files that exist already keep their old state",
            words.back());
        item.consequence =
            "silent corruption is not detected in these files; a snapshot makes the next write copy again";
        item.fix =
            "set it on an empty directory only, and only for data that checks itself; or use another "
            "filesystem";
        item.ignore_if = "the directory is empty and the database has checksums of its own";
        item.sources = {"btrfs(5), FILE ATTRIBUTES and nodatacow", "chattr(1), attribute C"};
        result_.findings.push_back(std::move(item));
    }

    const LintChecker& checker_;
    LintResult& result_;
    std::vector<Formatted> formatted_;
    std::map<std::string, Mounted> mounted_;  // by directory
};

}  // namespace

Result<LintResult> lint_script(const Knowledge& knowledge, const LintTarget& target, std::string_view text,
                               const std::string& file) {
    FSADVISE_TRY(check_bounds(text, file));
    LintResult result;
    result.lines =
        static_cast<int>(std::ranges::count(text, '\n')) + (text.empty() || text.ends_with('\n') ? 0 : 1);
    const LintChecker checker(knowledge, target, file);
    ScriptLinter(checker, result).run(split_shell(text));
    tidy(result);
    return result;
}

}  // namespace fsadvise
