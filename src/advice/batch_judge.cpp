// Predicts what becomes of one row: mkfs, mount and remount.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "advice/batch.h"
#include "advice/lint_check.h"
#include "base/text.h"
#include "space/component_version.h"
#include "space/fact_table.h"
#include "space/mkfs_flags.h"
#include "space/spelling.h"
#include "space/validity.h"

namespace fsadvise {
namespace {

// Words of the VFS that a remount turns on; the others say what is so anyhow or are for mount(8).
// Source: mount(8) of util-linux 2.38, FILESYSTEM-INDEPENDENT MOUNT OPTIONS.
constexpr auto kVfsChanges = std::to_array<std::string_view>(
    {"ro", "sync", "dirsync", "nodev", "noexec", "nosuid", "nosymfollow", "nodiratime", "mand"});
// Which filesystems' own switch for read-only is: FS.mount.read_only.
constexpr std::string_view kReadOnly = ".mount.read_only";

class RowJudge {
  public:
    RowJudge(const Knowledge& knowledge, const BatchRow& row) : knowledge_(knowledge), row_(row) {
        request_.host = row.host;
        request_.requirements.durability = "scratch";  // what is unsafe works all the same
    }

    BatchVerdict run() {
        const ParsedCommand command = parse_mkfs(knowledge_, row_.mkfs);
        const auto mount_words = parse_mount_options(knowledge_, row_.filesystem, row_.mount.value_or(""));
        mkfs_fails_ = !command.problem.empty();
        if (mkfs_fails_) refuse("mkfs-usage", command.problem);
        mkfs_fails_ |= bad_words(command.words, "mkfs");
        mount_fails_ = bad_words(mount_words, "mount");
        asked_ = configuration_of(row_.filesystem, command.words, mount_words);
        count_devices(command);
        if (!command.filesystem.empty() && command.filesystem != row_.filesystem) {
            refuse("mkfs-usage", fmt::format("{} makes {}", row_.mkfs.front(), command.filesystem));
            mount_fails_ = true;
        }
        if (const auto has = kernel_has(knowledge_, row_.host, row_.filesystem); has && !*has) {
            mount_fails_ = true;
            refuse("filesystem-unavailable", "the kernel has no " + row_.filesystem);
        }
        judge_configuration();
        settle(asked_, mount_words, verdict_.becomes);
        judge_presence(command, mount_words);
        judge_product();
        conclude();
        if (row_.remount) remount(mount_words);
        return std::move(verdict_);
    }

  private:
    void find(std::string id) {
        if (std::find(verdict_.findings.begin(), verdict_.findings.end(), id) == verdict_.findings.end())
            verdict_.findings.push_back(std::move(id));
    }
    void refuse(std::string id, std::string why) {
        find(std::move(id));
        if (verdict_.why.empty()) verdict_.why = std::move(why);
    }

    bool bad_words(const std::vector<ParsedWord>& words, std::string_view layer) {
        bool bad = false;
        for (const ParsedWord& word : words) {
            if (word.dropped || (!word.bad_value && (word.generic || !word.parameter.empty()))) continue;
            const std::string_view kind = word.bad_value             ? "bad-value"
                                          : !word.belongs_to.empty() ? "foreign"
                                                                     : "unknown";
            refuse(fmt::format("{}-option-{}", layer, kind),
                   word.text + (word.note.empty() ? "" : ": " + word.note));
            bad = true;
        }
        return bad;
    }

    // The device that is formatted is not part of the row, so each one named is a further one.
    void count_devices(const ParsedCommand& command) {
        const std::string id = row_.filesystem + ".mkfs.devices";
        if (command.devices.empty()) return;
        if (takes_several_devices(knowledge_, row_.filesystem)) {
            asked_.values[id] = static_cast<std::int64_t>(command.devices.size() + 1);
            return;
        }
        mkfs_fails_ = true;
        refuse("mkfs-usage", fmt::format("{}: one device is formatted, and this is a further one",
                                         command.devices.front()));
    }

    void judge_configuration() {
        const Context context(knowledge_, request_, asked_);
        for (const Violation& violation : violations(context, true)) {
            if (violation.certain)
                note(context, violation);
            else if (violation.effect == Effect::kMountRefuses && asks_kernel(violation.id))
                verdict_.uncertain.push_back(violation.id);
        }
    }

    [[nodiscard]] bool asks_kernel(const std::string& id) const {
        for (const Constraint* constraint : knowledge_.constraints_of(row_.filesystem))
            if (constraint->id == id)
                return std::ranges::any_of(constraint->when.names(), [](const std::string& name) {
                    return name.starts_with("kernel_has.");
                });
        return false;
    }

    // "-J device=/dev/x", "subvolid=9" and "/dev/x" name what the row says is not there.
    static bool names(const std::string& word, const std::vector<std::string>& missing) {
        return std::ranges::any_of(missing, [&](const std::string& name) {
            return word == name || word.ends_with("=" + name) || word.ends_with(" " + name);
        });
    }

    // "-J device=/dev/x" -> {"device", "/dev/x"}
    static std::pair<std::string, std::string> option_of(const std::string& word) {
        const std::string option = word.substr(word.rfind(' ') + 1);
        const std::size_t equals = option.find('=');
        if (equals == std::string::npos) return {option, ""};
        return {option.substr(0, equals), option.substr(equals + 1)};
    }

    // Some commands leave no filesystem behind.
    void judge_product() {
        const FactTable* table = knowledge_.table("makes-no-filesystem");
        const auto given = [&](std::string_view id) {
            const auto found = asked_.values.find(std::string(id));
            return found != asked_.values.end() && equal(found->second, true);
        };
        for (std::size_t i = 0; table != nullptr && i < table->rows.size(); ++i) {
            const FactRow& row = table->rows[i];
            if (!given(row["parameter"])) continue;
            mount_fails_ = true;
            mkfs_fails_ |= row.is("asks") && !given(row_.filesystem + ".mkfs.force");
            refuse("mkfs-makes-nothing", std::string(row["says"]));
        }
    }

    // A device that is none, or a part that a filesystem does not have right after mkfs.
    [[nodiscard]] bool names_nothing(const std::string& word) const {
        const auto named = option_of(word);
        const auto &option = named.first, &value = named.second;  // clang 14 captures no structured binding
        const auto listed = [&](const char* table, const auto& holds) {
            const FactTable* facts = knowledge_.table(table);
            return facts != nullptr && std::ranges::any_of(facts->rows, [&](const FactRow& row) {
                       return row["filesystem"] == row_.filesystem && row["option"] == option && holds(row);
                   });
        };
        const auto any = [](const FactRow&) { return true; };
        const auto same = [&](const FactRow& row) { return row["value"] == value; };
        if (value.starts_with("/") && !value.starts_with("/dev/") && listed("device-options", any))
            return true;
        return listed("fresh-contents", any) && !listed("fresh-contents", same);
    }

    void judge_presence(const ParsedCommand& command, const std::vector<ParsedWord>& mount_words) {
        std::vector<std::string> texts = command.devices;
        for (const ParsedWord& word : command.words) texts.push_back(word.text);
        for (const std::string& text : texts) {
            if (names(text, row_.absent) || names_nothing(text)) {
                mkfs_fails_ = true;
                refuse("mkfs-names-absent", text + ": does not exist");
            }
            const auto degraded = asked_.values.find(row_.filesystem + ".mount.degraded");
            const bool tolerated = degraded != asked_.values.end() && equal(degraded->second, true);
            if (names(text, row_.gone) && !tolerated) {
                mount_fails_ = true;
                refuse("mount-device-gone", text + ": is missing at mount");
            }
        }
        for (const ParsedWord& word : mount_words)
            if (names(word.text, row_.absent) || names_nothing(word.text)) {
                mount_fails_ = true;
                refuse("mount-names-absent", word.text + ": does not exist");
            }
    }

    void note(const Context& context, const Violation& violation) {
        const std::string id = fmt::format("{}:{}", to_text(violation.effect), violation.id);
        switch (violation.effect) {
            case Effect::kMkfsRefuses:
                mkfs_fails_ = true;
                return refuse(id, violation.says);
            case Effect::kMountRefuses:
                mount_fails_ = true;
                if (row_.mount) refuse(id, violation.says);
                return;
            case Effect::kSilent:
                silent(context, violation);
                break;
            case Effect::kNoEffect:
                without_effect_.push_back(violation.parameter);
                break;
            case Effect::kUnsafe:
            case Effect::kUnwise:
                break;
        }
        find(id);
    }

    void silent(const Context& context, const Violation& violation) {
        for (const Constraint* constraint : knowledge_.constraints_of(row_.filesystem)) {
            if (constraint->id != violation.id) continue;
            const Parameter* parameter = knowledge_.parameter(constraint->becomes_parameter);
            if (const auto value = constraint->becomes_value.evaluate(context))
                verdict_.becomes[constraint->becomes_parameter] = *value;
            if (parameter != nullptr && parameter->layer == Layer::kMkfs)
                verdict_.mkfs = BatchVerdict::Mkfs::kSilentlyChanged;
        }
    }

    void conclude() {
        if (mkfs_fails_) {
            verdict_.mkfs = BatchVerdict::Mkfs::kRefused;
        } else if (row_.mount) {
            verdict_.mount = mount_fails_ ? BatchVerdict::Mount::kRefused : BatchVerdict::Mount::kOk;
            if (!mount_fails_) verdict_.effective = listing(asked_, without_effect_, verdict_.becomes);
        }
        if (verdict_.mkfs == BatchVerdict::Mkfs::kRefused) verdict_.becomes.clear();
    }

    // Of options that exclude each other the one written later stays ("written later" in what the constraint
    // says); the others fall back to their defaults.
    void settle(const Configuration& configuration, const std::vector<ParsedWord>& words,
                std::map<std::string, Value>& becomes) const {
        const Context context(knowledge_, request_, configuration);
        for (const Constraint* constraint : knowledge_.constraints_of(row_.filesystem)) {
            if (constraint->effect != Effect::kSilent ||
                constraint->says.find("written later") == std::string::npos)
                continue;
            const auto violated = constraint->when.evaluate(context);
            if (!violated || !equal(*violated, Value{true})) continue;
            const auto& names = constraint->when.names();
            std::string last;
            for (const ParsedWord& word : words)
                if (!word.bad_value && std::ranges::find(names, word.parameter) != names.end())
                    last = word.parameter;
            for (const std::string& name : names) {
                const Parameter* parameter = knowledge_.parameter(name);
                if (parameter == nullptr || last.empty()) continue;
                becomes.erase(name);
                if (name == last || configuration.values.count(name) == 0) continue;
                if (const auto usual =
                        default_value(*parameter, Context(knowledge_, request_, {row_.filesystem, {}})))
                    becomes[name] = *usual;
            }
        }
    }

    // Options of the configuration that differ from the default, spelled one way.
    [[nodiscard]] std::vector<std::string> listing(const Configuration& configuration,
                                                   const std::vector<std::string>& without_effect,
                                                   const std::map<std::string, Value>& becomes) const {
        Configuration plain{configuration.filesystem, {}};
        for (const auto& [id, value] : configuration.values)
            if (const Parameter* parameter = knowledge_.parameter(id);
                parameter != nullptr && parameter->layer == Layer::kMkfs)
                plain.values[id] = value;
        const Context context(knowledge_, request_, plain);
        Configuration listed{configuration.filesystem, {}};
        for (const auto& [id, value] : configuration.values) {
            const Parameter* parameter = knowledge_.parameter(id);
            if (parameter == nullptr || parameter->layer != Layer::kMount) continue;
            if (std::find(without_effect.begin(), without_effect.end(), id) != without_effect.end()) continue;
            const auto became = becomes.find(id);
            const Value& real = became != becomes.end() ? became->second : value;
            const auto usual = default_value(*parameter, context);
            if (!usual || !equal(*usual, real)) listed.values[id] = real;
        }
        std::vector<std::string> words;
        for (const std::string& word : split(spell(knowledge_, listed).mount_options, ','))
            if (!word.empty()) words.push_back(word);
        return words;
    }

    void remount(const std::vector<ParsedWord>& mount_words) {
        if (verdict_.mount != BatchVerdict::Mount::kOk) {
            verdict_.remount = BatchVerdict::Remount::kNotTried;
            return;
        }
        verdict_.remount = BatchVerdict::Remount::kOk;
        const auto words = parse_mount_options(knowledge_, row_.filesystem, *row_.remount);
        if (bad_words(words, "remount")) return refuse_remount("", "");
        Configuration wanted = asked_;
        const Configuration added = configuration_of(row_.filesystem, {}, words);
        for (const auto& [id, value] : added.values) wanted.values[id] = value;
        const Context before(knowledge_, request_, asked_), after(knowledge_, request_, wanted);
        for (const auto& [id, value] : wanted.values)
            if (const Parameter* parameter = knowledge_.parameter(id);
                parameter->layer == Layer::kMount && remount_result(*parameter, after) == "blocks")
                return refuse_remount(id, "no remount is possible with it");
        Configuration reached = asked_;
        std::size_t ignored = 0, changed = 0;
        for (const auto& [id, value] : added.values) {
            const auto present = before.lookup(id);
            if (present && equal(*present, value)) continue;
            const std::string_view result = remount_result(*knowledge_.parameter(id), after);
            if (result == "refused") return refuse_remount(id, "a remount cannot change it");
            if (result == "ignored") {
                ++ignored;
                find(fmt::format("remount-ignored:{}", id));
                continue;
            }
            ++changed;
            reached.values[id] = value;
        }
        without_effect_.clear();
        for (const Violation& violation : violations(Context(knowledge_, request_, reached))) {
            if (violation.effect == Effect::kMountRefuses)
                return refuse_remount(violation.id, violation.says);
            if (violation.effect != Effect::kNoEffect) continue;
            without_effect_.push_back(violation.parameter);
            if (added.values.count(violation.parameter) == 0 || changed == 0) continue;
            --changed;
            ++ignored;
        }
        for (const ParsedWord& word : words)
            if (word.generic &&
                std::find(kVfsChanges.begin(), kVfsChanges.end(), word.text) != kVfsChanges.end() &&
                !held_by(mount_words, word.text))
                ++changed;
        for (const ParsedWord& word : words) {
            if (!remount_ignores(word.text, mount_words)) continue;
            ++ignored;
            find(fmt::format("remount-ignored:{}", word.text.substr(0, word.text.find('='))));
        }
        verdict_.changed = changed > 0;
        if (ignored > 0 && changed == 0) verdict_.remount = BatchVerdict::Remount::kIgnored;
        auto becomes = verdict_.becomes;
        for (const auto& [id, value] : added.values) becomes.erase(id);
        auto in_order = mount_words;
        in_order.insert(in_order.end(), words.begin(), words.end());
        settle(reached, in_order, becomes);
        verdict_.effective_after = listing(reached, without_effect_, becomes);
    }

    // "subvol=x": taken without a word and without effect, unless it says what is so already.
    [[nodiscard]] bool remount_ignores(const std::string& text,
                                       const std::vector<ParsedWord>& mounted) const {
        const FactTable* table = knowledge_.table("remount-ignores");
        const std::string key = text.substr(0, text.find('=') + 1);
        if (table == nullptr || key.empty() || held_by(mounted, text)) return false;
        return std::ranges::any_of(table->rows, [&](const FactRow& row) {
            if (row["word"] != key || row["filesystem"] != row_.filesystem) return false;
            const bool other_given = std::ranges::any_of(mounted, [&](const ParsedWord& word) {
                return std::ranges::any_of(table->rows, [&](const FactRow& known) {
                    return known["filesystem"] == row_.filesystem && word.text.starts_with(known["word"]);
                });
            });
            const auto usual = split(row["default"], ' ');
            return other_given || std::ranges::find(usual, text.substr(key.size())) == usual.end();
        });
    }

    static bool held_by(const std::vector<ParsedWord>& words, std::string_view text) {
        return std::any_of(words.begin(), words.end(),
                           [&](const ParsedWord& word) { return word.text == text; });
    }

    void refuse_remount(const std::string& id, std::string why) {
        verdict_.remount = BatchVerdict::Remount::kRefused;
        if (!id.empty()) refuse(fmt::format("remount-refused:{}", id), std::move(why));
        verdict_.effective_after = verdict_.effective;
    }

    const Knowledge& knowledge_;
    const BatchRow& row_;
    Request request_;
    Configuration asked_;
    bool mkfs_fails_ = false, mount_fails_ = false;
    std::vector<std::string> without_effect_;
    BatchVerdict verdict_;
};

}  // namespace

BatchVerdict judge_row(const Knowledge& knowledge, const BatchRow& row) {
    return RowJudge(knowledge, row).run();
}

}  // namespace fsadvise
