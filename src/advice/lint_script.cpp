// Shell scripts: mkfs and mount commands, paired by device; fstab lines they write; chattr.
#include "advice/lint_script.h"

#include <algorithm>
#include <array>
#include <sstream>

#include <fmt/format.h>

#include "advice/lint_fstab.h"
#include "advice/lint_shell.h"
#include "advice/lint_shell_values.h"
#include "advice/lint_tune.h"
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

class ScriptLinter {
  public:
    ScriptLinter(const LintChecker& checker, VolumeLinter& volumes, int first_line, LintResult& result)
        : checker_(checker), volumes_(volumes), first_line_(first_line), result_(result) {}

    void run(const std::vector<ShellCommand>& commands) {
        const ShellValues values(commands);
        for (std::size_t i = 0; i < commands.size(); ++i) {
            const auto words = values.expand(strip_prefixes(commands[i].words));
            enter(commands[i]);
            written_fstab(commands, i, words);
            if (words.empty()) continue;
            const auto program = program_name(words.front());
            unknown_options(line_of(commands[i].line), program, words);
            if (program == "btrfs" || program == "btrfs-convert") {
                volumes_.subvolumes_made();
            } else if (program == "tune2fs" || program == "xfs_admin") {
                volumes_.tune(check_tuning(checker_, line_of(commands[i].line), words, result_));
            } else if (program == "mount") {
                mount(line_of(commands[i].line), words);
            } else if (program == "chattr") {
                chattr(line_of(commands[i].line), words);
            } else if (program == "lvcreate") {
                lvcreate(line_of(commands[i].line), words);
            } else {
                volumes_.format(line_of(commands[i].line), words);
            }
        }
        volumes_.set_branch({});
    }

  private:
    // if, elif, else, case and ;; : which arm of which block the command stands in.
    void enter(const ShellCommand& command) {
        if (arm_ended_ && !branch_.empty()) ++branch_.back().second;
        arm_ended_ = command.ends_arm;
        for (const auto& word : command.words) {
            if (word == "if" || word == "case") {
                branch_.emplace_back(++blocks_, 0);
            } else if ((word == "elif" || word == "else") && !branch_.empty()) {
                ++branch_.back().second;
            } else if ((word == "fi" || word == "esac") && !branch_.empty()) {
                branch_.pop_back();
            } else if (word != "then" && word != "do" && word != "done" && word != "{" && word != "}" &&
                       word != "!") {
                break;
            }
        }
        volumes_.set_branch(branch_);
    }

    // Options that stand in a variable which the script does not fix: silence would read as praise.
    void unknown_options(int line, const std::string& program, const std::vector<std::string>& words) {
        std::string unknown;
        if (program == "mount") {
            const auto mount = parse_mount(words);
            if (mount.interesting && mount.options.find("$") != std::string::npos) unknown = mount.options;
        } else if (program.starts_with("mkfs.$")) {
            unknown = program;
        } else if (program.starts_with("mkfs.") || program == "mke2fs") {
            for (std::size_t i = 1; i + 1 < words.size() && unknown.empty(); ++i) {
                const bool last_may_be_option = words[i].starts_with('$') && i + 2 == words.size();
                if (last_may_be_option && !words[i - 1].starts_with('-')) unknown = words[i];
            }
            // Several devices are usual for Btrfs.
            if (program == "mkfs.btrfs") unknown.clear();
        }
        if (unknown.empty()) return;
        auto item = checker_.finding("script-options-unknown", Severity::kInfo, line, unknown);
        item.what = fmt::format("{} stands for what is known at run time only and was not checked", unknown);
        item.consequence = "a wrong option in it is not found here";
        item.fix = "check the values it takes, one by one: fsadvise check accepts the plain command";
        item.ignore_if = "its values are checked elsewhere";
        result_.findings.push_back(std::move(item));
    }

    static bool writes_fstab(const ShellCommand& command) {
        const auto is_fstab = [](const std::string& word) { return word.ends_with("fstab"); };
        if (std::ranges::any_of(command.outputs, is_fstab)) return true;
        const auto words = strip_prefixes(command.words);
        return !words.empty() && program_name(words.front()) == "tee" && std::ranges::any_of(words, is_fstab);
    }

    // A line for fstab that goes into a command that does not write it: a misspelt tee.
    void lost_fstab(const ShellCommand& command, const std::string& line,
                    const std::vector<std::string>& reader) {
        static constexpr auto kWriters = std::to_array<std::string_view>(
            {"tee", "sponge", "dd", "sed", "cat", "ssh", "sh", "bash", "sudo", "xargs", "while", "chroot",
             "install", "grep", "sort", "awk", "python3", "envsubst"});
        if (reader.empty()) return;
        const auto program = program_name(reader.front());
        if (std::ranges::find(kWriters, program) != kWriters.end() || has_placeholder(program)) return;
        if (std::ranges::none_of(reader, [](const std::string& word) { return word.ends_with("fstab"); }))
            return;
        if (split_blanks(line).size() < 3) return;
        auto item =
            checker_.finding("fstab-line-not-written", Severity::kError, line_of(command.line), program);
        item.what = fmt::format("{} does not write its input to the file: the line is lost{}", program,
                                program == "tree" ? " (did you mean 'tee'?)" : "");
        item.consequence = "fstab stays as it is: the mount is gone after the next boot";
        item.fix = "write: ... | tee -a /etc/fstab";
        item.sources = {"tee(1)", "tree(1): lists directories"};
        result_.findings.push_back(std::move(item));
    }

    static std::vector<std::string> split_blanks(const std::string& line) {
        auto fields = split(line, ' ');
        std::erase(fields, "");
        return fields;
    }

    // tee without -a replaces the whole file by this one line.
    void replaced_fstab(const ShellCommand& command, const std::vector<std::string>& reader) {
        if (reader.empty() || program_name(reader.front()) != "tee") return;
        const auto appends = [](const std::string& word) {
            return word == "--append" || (word.size() > 1 && word[0] == '-' && word[1] != '-' &&
                                          word.find('a') != std::string::npos);
        };
        if (std::ranges::any_of(reader, appends)) return;
        if (std::ranges::none_of(reader, [](const std::string& word) { return word == "/etc/fstab"; }))
            return;
        auto item = checker_.finding("fstab-replaced", Severity::kError, line_of(command.line), "tee");
        item.what = "tee without -a replaces the whole /etc/fstab by this line";
        item.consequence =
            "the root filesystem and everything else is gone from fstab: the next boot fails or "
            "mounts nothing else";
        item.fix = "write: tee -a /etc/fstab";
        item.ignore_if = "the file is empty, as in an image that is being built";
        item.sources = {"tee(1)"};
        result_.findings.push_back(std::move(item));
    }

    // echo "..." >> /etc/fstab, echo "..." | tee -a /etc/fstab, cat >> /etc/fstab <<END
    void written_fstab(const std::vector<ShellCommand>& commands, std::size_t index,
                       const std::vector<std::string>& words) {
        const auto& command = commands[index];
        const auto next = command.piped && index + 1 < commands.size()
                              ? strip_prefixes(commands[index + 1].words)
                              : std::vector<std::string>();
        const bool piped_there =
            command.piped && index + 1 < commands.size() && writes_fstab(commands[index + 1]);
        const bool writes = writes_fstab(command) || piped_there;
        if (!writes && next.empty()) return;
        if (!command.here_document.empty()) {
            if (!writes) return;
            check_fstab(checker_, command.here_document, line_of(command.here_line), result_);
            mount_fstab(command.here_document, line_of(command.here_line));
        } else if (words.size() > 1 && program_name(words.front()) == "echo") {
            std::string line;
            for (std::size_t i = 1; i < words.size(); ++i) {
                if (i == 1 && words[i].starts_with('-')) continue;
                line += (line.empty() ? "" : " ") + words[i];
            }
            // A command substitution has blanks that are not field separators.
            const bool plain = line.find("$(") == std::string::npos && line.find('`') == std::string::npos;
            if (plain && !writes) {
                lost_fstab(command, line, next);
            } else if (plain) {
                replaced_fstab(command, next);
                check_fstab(checker_, line, line_of(command.line), result_);
                mount_fstab(line, line_of(command.line));
            }
        }
    }

    // What the script formatted before is mounted by these lines at the next boot: judged as a pair.
    void mount_fstab(const std::string& text, int first_line) {
        int number = first_line - 1;
        for (const auto& line : split(text, '\n')) {
            ++number;
            std::istringstream stream(line);
            std::string device, directory, type, options;
            if (!(stream >> device >> directory >> type >> options) || !volumes_.formatted(device)) continue;
            volumes_.mount({number, type, options, device, directory,
                            "the mount fails, and the next boot stops at it unless the line has nofail"});
        }
    }

    void mount(int line, const std::vector<std::string>& words) {
        auto mount = parse_mount(words);
        if (!mount.interesting) return;
        volumes_.mount({line, mount.type, mount.options, mount.device, mount.directory, "the mount fails"});
    }

    [[nodiscard]] int line_of(int line) const { return first_line_ + line - 1; }

    // A thin volume: its file system must not outgrow the pool, and formatting discards.
    void lvcreate(int line, const std::vector<std::string>& words) {
        const auto thin = std::ranges::any_of(words, [](const std::string& word) {
            return word == "--thin" || word == "-T" || word == "-V" || word.starts_with("--virtualsize") ||
                   word == "--thinpool";
        });
        const auto virtual_size = std::ranges::any_of(
            words, [](const std::string& word) { return word == "-V" || word.starts_with("--virtualsize"); });
        if (!thin || !virtual_size) return;
        ++result_.checked;
        auto item = checker_.finding("thin-overcommit", Severity::kInfo, line, words.front());
        item.what = "a thin volume may be larger than what its pool has left";
        item.consequence = "a full pool makes writes fail or hang, and the filesystem on it goes read-only";
        item.fix =
            "watch the pool (lvs -o data_percent,metadata_percent), set thin_pool_autoextend_threshold, and "
            "give a stripe unit only if it equals the pool's chunk";
        item.ignore_if = "the pool is monitored or holds the full size";
        item.sources = {"lvmthin(7), automatically extend a thin pool"};
        result_.findings.push_back(std::move(item));
    }

    void chattr(int line, const std::vector<std::string>& words) {
        const bool no_cow = std::ranges::any_of(words, [](const std::string& word) {
            return word.size() > 1 && word[0] == '+' && word.find('C') != std::string::npos;
        });
        if (!no_cow) return;
        ++result_.checked;
        const auto mounted = volumes_.filesystem_at(words.back());
        if (!mounted.empty() && mounted != "btrfs") {
            auto item = checker_.finding("chattr-no-cow-elsewhere", Severity::kError, line, "+C");
            item.what =
                fmt::format("{} is on {}, which has no no-copy-on-write attribute", words.back(), mounted);
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
    VolumeLinter& volumes_;
    int first_line_;
    LintResult& result_;
    Branch branch_;
    int blocks_ = 0;
    bool arm_ended_ = false;
};

// Prose has apostrophes: without the name or the first line of a shell script it is a warning only.
void check_quotes(const LintChecker& checker, std::string_view text, const std::string& file,
                  LintResult& result) {
    const auto unclosed = unclosed_quote(text);
    if (!unclosed) return;
    const auto first = text.substr(0, text.find('\n'));
    const bool script = file.ends_with(".sh") || file.ends_with(".bash") ||
                        (first.starts_with("#!") && first.find("sh") != std::string_view::npos);
    // What follows the quote was read as one word: nothing said about it means anything.
    std::erase_if(result.findings, [&](const Finding& finding) { return finding.line >= unclosed->line; });
    auto item = checker.finding("script-unclosed-quote", script ? Severity::kError : Severity::kWarning,
                                unclosed->line, std::string(1, unclosed->quote));
    item.what = fmt::format("the quote {} that opens here is never closed", unclosed->quote);
    item.consequence =
        "the shell stops with a syntax error; the commands behind the quote were not checked either";
    item.fix = "close the quote";
    item.ignore_if = "the file is no shell script";
    item.sources = {"POSIX.1-2017, Shell Command Language, 2.2 Quoting"};
    result.findings.push_back(std::move(item));
}

}  // namespace

void check_script(const LintChecker& checker, std::string_view text, int first_line, VolumeLinter& volumes,
                  LintResult& result) {
    ScriptLinter(checker, volumes, first_line, result).run(split_shell(text));
}

Result<LintResult> lint_script(const Knowledge& knowledge, const LintTarget& target, std::string_view text,
                               const std::string& file) {
    FSADVISE_TRY(check_bounds(text, file));
    LintResult result;
    result.lines =
        static_cast<int>(std::ranges::count(text, '\n')) + (text.empty() || text.ends_with('\n') ? 0 : 1);
    const LintChecker checker(knowledge, target, file);
    VolumeLinter volumes(checker, result);
    check_script(checker, text, 1, volumes, result);
    check_quotes(checker, text, file, result);
    tidy(result);
    return result;
}

}  // namespace fsadvise
