#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "space/mkfs_flags.h"
#include "space/parameter_value.h"
#include "space/spelling.h"

namespace fsadvise {
namespace {

using Kind = MkfsFlag::Kind;

// Sectors and blocks that mkfs.xfs assumes for the suffixes 's' and 'b' if the command names no other size.
// Source: mkfs.xfs(8) of xfsprogs 6.1.
constexpr std::int64_t kSectorBytes = 512, kBlockBytes = 4096;

class MkfsParser {
  public:
    MkfsParser(const Knowledge& knowledge, const Filesystem& filesystem)
        : knowledge_(knowledge), filesystem_(filesystem), flags_(mkfs_flags(knowledge, filesystem)) {
        command_.filesystem = filesystem.id;
    }

    ParsedCommand run(const std::vector<std::string>& arguments) {
        bool positional = false;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const std::string& word = arguments[i];
            if (!positional && word == "--") {
                positional = true;
            } else if (positional || word.size() < 2 || word[0] != '-') {
                operand(word);
            } else if (word[1] == '-') {
                long_flag(word, arguments, i);
            } else {
                cluster(word, arguments, i);
            }
        }
        refuse_repetitions();
        return std::move(command_);
    }

  private:
    void problem(std::string text) {
        if (command_.problem.empty()) command_.problem = std::move(text);
    }

    // A number after the device is the size of the filesystem (mke2fs, mkfs.f2fs).
    void operand(const std::string& word) {
        if (!command_.devices.empty() && !word.empty() && word[0] >= '0' && word[0] <= '9' &&
            parse_size(word)) {
            add(word, "").generic = true;
            return;
        }
        command_.devices.push_back(word);
    }

    ParsedWord& add(std::string text, std::string note) {
        ParsedWord word;
        word.text = std::move(text);
        word.note = std::move(note);
        command_.words.push_back(std::move(word));
        return command_.words.back();
    }

    // A flag of another tool takes its value along, so that this is not read as a device.
    void unknown_flag(const std::string& name, const std::string& joined,
                      const std::vector<std::string>& arguments, std::size_t& i) {
        const Filesystem* owner = owner_of_flag(name);
        std::string text = name;
        if (owner != nullptr && mkfs_flags(knowledge_, *owner).at(name).kind != Kind::kSwitch) {
            if (!joined.empty())
                text += " " + joined;
            else if (i + 1 < arguments.size() && !arguments[i + 1].starts_with('/'))
                text += " " + arguments[++i];
        }
        ParsedWord& word = add(std::move(text), std::string(kUnknownFlag));
        if (owner != nullptr) word.belongs_to = owner->id;
        problem(fmt::format("option {} is not known, nor whether it takes a value", name));
    }

    void long_flag(const std::string& word, const std::vector<std::string>& arguments, std::size_t& i) {
        const auto equals = word.find('=');
        const std::string name = word.substr(0, equals);
        const auto flag = flags_.find(name);
        if (flag == flags_.end())
            return unknown_flag(name, equals == std::string::npos ? "" : word.substr(equals + 1), arguments,
                                i);
        if (flag->second.kind == Kind::kSwitch) return switched(name, flag->second);
        if (equals != std::string::npos) return valued(name, flag->second, word.substr(equals + 1));
        following(name, flag->second, arguments, i);
    }

    // "-Kf", "-b4096", "-Fb 4096": letters up to the first that takes a value, which has the rest or the next
    // word.
    void cluster(const std::string& word, const std::vector<std::string>& arguments, std::size_t& i) {
        for (std::size_t at = 1; at < word.size(); ++at) {
            const std::string name{'-', word[at]};
            const auto flag = flags_.find(name);
            if (flag == flags_.end()) return unknown_flag(name, word.substr(at + 1), arguments, i);
            if (flag->second.kind == Kind::kSwitch) {
                switched(name, flag->second);
                continue;
            }
            if (at + 1 < word.size()) return valued(name, flag->second, word.substr(at + 1));
            return following(name, flag->second, arguments, i);
        }
    }

    void following(const std::string& name, const MkfsFlag& flag, const std::vector<std::string>& arguments,
                   std::size_t& i) {
        if (i + 1 >= arguments.size()) {
            add(name, "a value is missing").bad_value = true;
            problem(fmt::format("option {} needs a value", name));
            return;
        }
        valued(name, flag, arguments[++i]);
    }

    void switched(const std::string& name, const MkfsFlag& flag) {
        ParsedWord& word = add(name, "");
        word.generic = flag.parameters.empty();
        for (const Parameter* parameter : flag.parameters) {
            word.parameter = parameter->id;
            word.value = true;
            for (const auto& [text, words] : parameter->spelling.words)
                if (std::find(words.begin(), words.end(), name) != words.end())
                    if (const auto value = value_of_text(*parameter, text)) word.value = *value;
        }
    }

    void valued(const std::string& name, const MkfsFlag& flag, const std::string& value) {
        if (flag.last_only) drop_earlier(name);
        const std::size_t first = command_.words.size();
        if (flag.kind == Kind::kList) {
            // mke2fs takes commas and blanks alike.
            std::string list = value;
            std::replace(list.begin(), list.end(), ' ', ',');
            for (const std::string& item : split(list, ','))
                if (!item.empty()) list_item(name, flag, item);
        } else {
            ParsedWord& word = add(fmt::format("{} {}", name, value), "");
            word.generic = flag.parameters.empty();
            if (!flag.parameters.empty()) read_value(*flag.parameters.front(), value, word);
        }
        places_.push_back({name, first, command_.words.size()});
    }

    // Measured with xfsprogs 6.1 and e2fsprogs 1.47.0: a suboption may be given once, even with the same
    // value; of mke2fs only the usage type is so strict.
    void refuse_repetitions() {
        const bool all = filesystem_.mkfs == "mkfs.xfs";
        if (!all && filesystem_.mkfs != "mkfs.ext4") return;
        std::set<std::string> seen;
        for (const ParsedWord& word : command_.words) {
            const auto blank = word.text.find(' ');
            if (blank == std::string::npos || word.parameter.empty()) continue;
            const std::string key = word.text.substr(0, all ? word.text.find('=') : blank);
            if (!all && key != "-T") continue;
            if (!seen.insert(key).second)
                problem(fmt::format("option {} is given twice, and {} refuses that", key, filesystem_.mkfs));
        }
    }

    void drop_earlier(const std::string& name) {
        for (const Place& place : places_)
            for (std::size_t i = place.first; place.name == name && i < place.end; ++i) {
                command_.words[i].dropped = true;
                command_.words[i].note = fmt::format("only the last {} counts", name);
            }
    }

    // mke2fs: "none" switches off every feature named so far and by default.
    bool no_features(const std::string& name, const MkfsFlag& flag, const std::string& item) {
        if (item != "none" || filesystem_.mkfs != "mkfs.ext4") return false;
        const std::size_t before = command_.words.size();
        for (const Parameter* parameter : flag.parameters) {
            if (parameter->spelling.form != "feature") continue;
            ParsedWord& word = add(fmt::format("{} {}", name, item), "");
            word.parameter = parameter->id;
            word.value = false;
        }
        return command_.words.size() > before;
    }

    void list_item(const std::string& name, const MkfsFlag& flag, const std::string& item) {
        if (no_features(name, flag, item)) return;
        ParsedWord& word = add(fmt::format("{} {}", name, item), "");
        const auto equals = item.find('=');
        const bool inverted = item[0] == '^';
        const std::string key = item.substr(inverted ? 1 : 0, inverted ? std::string::npos : equals);
        for (const Parameter* parameter : flag.parameters)
            if (const auto value = whole_word(*parameter, item)) {
                word.parameter = parameter->id;
                word.value = *value;
                return;
            }
        for (const Parameter* parameter : flag.parameters) {
            const Spelling& spelling = parameter->spelling;
            if (spelling.key != key &&
                std::find(spelling.aliases.begin(), spelling.aliases.end(), key) == spelling.aliases.end())
                continue;
            word.parameter = parameter->id;
            if (equals != std::string::npos) {
                const ParsedWord before = word;
                read_value(*parameter, item.substr(equals + 1), word);
                // Another parameter may take the same key with another kind of value: blocks, or a size with
                // a unit.
                if (word.bad_value && shares_key(flag, *parameter)) {
                    word = before;
                    continue;
                }
                return;
            }
            word.value = !inverted;
            word.bad_value = parameter->type != ValueType::kBool || (inverted && spelling.form != "feature");
            if (word.bad_value) word.note = inverted ? "cannot be inverted" : "a value is missing";
            return;
        }
        const auto known = [&](const std::vector<std::string>& list) {
            return std::find(list.begin(), list.end(), key) != list.end();
        };
        word.generic = known(flag.quiet_words) || known(flag.quiet_keys);
        if (!word.generic) word.belongs_to = owner_of_item(item, key);
    }

    // True if a later parameter of the flag has the same key.
    static bool shares_key(const MkfsFlag& flag, const Parameter& parameter) {
        bool later = false;
        for (const Parameter* other : flag.parameters) {
            if (later && other->spelling.key == parameter.spelling.key) return true;
            later = later || other == &parameter;
        }
        return false;
    }

    static std::optional<Value> whole_word(const Parameter& parameter, const std::string& item) {
        for (const auto& [text, words] : parameter.spelling.words)
            if (std::find(words.begin(), words.end(), item) != words.end())
                return value_of_text(parameter, text);
        return std::nullopt;
    }

    void read_value(const Parameter& parameter, const std::string& text, ParsedWord& word) {
        word.parameter = parameter.id;
        if (const auto value = whole_word(parameter, text)) {
            word.value = *value;
            return;
        }
        WrittenValue written = read_written(parameter, text, units());
        word.bad_value = !written.value.has_value();
        if (written.value) word.value = std::move(*written.value);
        word.note = std::move(written.note);
    }

    // Only mkfs.xfs counts in sectors and blocks, of the size given earlier in the command.
    [[nodiscard]] SuffixUnits units() const {
        if (filesystem_.mkfs != "mkfs.xfs") return {};
        SuffixUnits units{kSectorBytes, kBlockBytes};
        for (const ParsedWord& word : command_.words) {
            const auto* bytes = std::get_if<std::int64_t>(&word.value);
            if (bytes == nullptr || word.bad_value || *bytes <= 0) continue;
            if (word.parameter == filesystem_.id + ".mkfs.block_size") units.block_bytes = *bytes;
            if (word.parameter == filesystem_.id + ".mkfs.sector_size") units.sector_bytes = *bytes;
        }
        return units;
    }

    [[nodiscard]] const Filesystem* owner_of_flag(const std::string& name) const {
        for (const Filesystem& other : knowledge_.filesystems())
            if (other.id != filesystem_.id && mkfs_flags(knowledge_, other).count(name) > 0) return &other;
        return nullptr;
    }

    [[nodiscard]] std::string owner_of_item(const std::string& item, const std::string& key) const {
        for (const Filesystem& other : knowledge_.filesystems()) {
            if (other.id == filesystem_.id) continue;
            for (const Parameter* parameter : knowledge_.parameters_of(other.id, Layer::kMkfs))
                if ((!key.empty() && parameter->spelling.key == key) || whole_word(*parameter, item))
                    return other.id;
        }
        return {};
    }

    // The words that one flag with its value became.
    struct Place {
        std::string name;
        std::size_t first, end;
    };

    const Knowledge& knowledge_;
    const Filesystem& filesystem_;
    std::map<std::string, MkfsFlag> flags_;
    std::vector<Place> places_;
    ParsedCommand command_;
};

}  // namespace

ParsedCommand parse_mkfs(const Knowledge& knowledge, const std::vector<std::string>& argv) {
    MkfsProgram program = mkfs_program(knowledge, argv);
    if (program.filesystem == nullptr) {
        ParsedCommand command;
        command.problem = std::move(program.problem);
        return command;
    }
    return MkfsParser(knowledge, *program.filesystem).run(program.arguments);
}

Configuration configuration_of(std::string_view filesystem, const std::vector<ParsedWord>& mkfs_words,
                               const std::vector<ParsedWord>& mount_words) {
    Configuration configuration{std::string(filesystem), {}};
    for (const auto* words : {&mkfs_words, &mount_words})
        for (const ParsedWord& word : *words)
            if (!word.parameter.empty() && !word.bad_value && !word.dropped)
                configuration.values[word.parameter] = word.value;
    return configuration;
}

void add_device_count(const Knowledge& knowledge, const ParsedCommand& mkfs, Configuration& configuration) {
    const std::string id = mkfs.filesystem + ".mkfs.devices";
    if (mkfs.devices.size() > 1 && takes_several_devices(knowledge, mkfs.filesystem)) {
        configuration.values[id] = static_cast<std::int64_t>(mkfs.devices.size());
    }
}

}  // namespace fsadvise
