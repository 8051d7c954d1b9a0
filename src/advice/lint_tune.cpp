// What the programs accept is in the knowledge: the tables tune-programs, tune-words, tune2fs-features,
// tune2fs-extended and xfs-admin-features.
#include "advice/lint_tune.h"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "advice/lint_shell.h"
#include "base/text.h"
#include "space/component_version.h"
#include "space/fact_table.h"

namespace fsadvise {
namespace {

constexpr int kSmallestInode = 128;

std::optional<int> number_of(std::string_view text) {
    int value = 0;
    const auto* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
    return value;
}

// 8-4-4-4-12 hexadecimal digits.
bool is_uuid(std::string_view text) {
    constexpr std::string_view kShape = "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh";
    return text.size() == kShape.size() &&
           std::equal(text.begin(), text.end(), kShape.begin(), [](char letter, char shape) {
               return shape == '-' ? letter == '-' : std::isxdigit(static_cast<unsigned char>(letter)) != 0;
           });
}

std::vector<std::string> items_of(const std::string& list) {
    auto items = split(list, ',');
    std::erase(items, "");
    return items;
}

class TuneLinter {
  public:
    TuneLinter(const LintChecker& checker, int line, std::string program, LintResult& result)
        : checker_(checker),
          line_(line),
          program_(std::move(program)),
          xfs_(program_ == "xfs_admin"),
          filesystem_(*checker.knowledge().filesystem(xfs_ ? "xfs" : "ext4")),
          result_(result) {}

    Tuning run(const std::vector<std::string>& argv) {
        Tuning tuning;
        tuning.filesystem = filesystem_.id;
        read(argv, tuning);
        if (const auto list = values_.find('O'); list != values_.end()) {
            tuning.words = feature_words(list->second);
            xfs_ ? xfs_features(tuning.words, items_of(list->second))
                 : ext_features(tuning.words, items_of(list->second));
        }
        if (const auto label = values_.find('L'); label != values_.end()) cut_label(label->second);
        for (const auto& [letter, value] : values_) listed_words(std::string{'-', letter}, value);
        if (!xfs_) {
            if (const auto reserve = values_.find('m'); reserve != values_.end()) reserved(reserve->second);
            if (const auto inode = values_.find('I'); inode != values_.end()) inode_size(inode->second);
            if (const auto list = values_.find('E'); list != values_.end()) extended(items_of(list->second));
        }
        return tuning;
    }

  private:
    [[nodiscard]] const FactTable* table(std::string_view id) const { return checker_.knowledge().table(id); }

    void read(const std::vector<std::string>& argv, Tuning& tuning) {
        const auto* programs = table("tune-programs");
        own_ = programs == nullptr ? nullptr : programs->find("program", program_);
        const auto letters = own_ == nullptr ? std::string_view("O") : (*own_)["letters"];
        for (std::size_t i = 1; i < argv.size(); ++i) {
            const auto& word = argv[i];
            if (word.size() < 2 || word[0] != '-') {
                tuning.devices.push_back(word);
                continue;
            }
            if (letters.find(word[1]) == std::string_view::npos) continue;
            auto value = word.size() > 2 ? word.substr(2) : i + 1 < argv.size() ? argv[++i] : std::string();
            if (!has_placeholder(value) && !value.empty()) values_[word[1]] = std::move(value);
        }
    }

    // mkfs.xfs sorts into -m and -i what xfs_admin takes in one list.
    [[nodiscard]] std::vector<ParsedWord> feature_words(const std::string& list) const {
        const auto& knowledge = checker_.knowledge();
        auto words = parse_mkfs(knowledge, {filesystem_.mkfs, xfs_ ? "-m" : "-O", list}).words;
        if (!xfs_) return words;
        const auto inode = parse_mkfs(knowledge, {filesystem_.mkfs, "-i", list}).words;
        for (std::size_t i = 0; i < words.size() && i < inode.size(); ++i) {
            if (words[i].parameter.empty() && !inode[i].parameter.empty()) words[i] = inode[i];
        }
        for (auto& word : words) word.text.replace(0, 2, "-O");
        return words;
    }

    // A word that neither mkfs nor this program knows is misspelt.
    void unknown(const ParsedWord& word) {
        LintResult found;
        checker_.check_words(filesystem_.id, Layer::kMkfs, {word}, {line_, ""}, found);
        for (auto& item : found.findings) {
            item.consequence = consequence();
            result_.findings.push_back(std::move(item));
        }
    }

    void ext_features(const std::vector<ParsedWord>& words, const std::vector<std::string>& items) {
        const auto* known = table("tune2fs-features");
        for (std::size_t i = 0; i < words.size() && i < items.size(); ++i) {
            const bool off = items[i].starts_with('^');
            const auto* parameter = checker_.knowledge().parameter(words[i].parameter);
            const std::string name = parameter != nullptr && !parameter->spelling.key.empty()
                                         ? parameter->spelling.key
                                         : items[i].substr(off ? 1 : 0);
            const auto* row = known == nullptr ? nullptr : known->find("feature", name);
            if (row == nullptr) {
                unknown(words[i]);
                continue;
            }
            const auto answer = (*row)[off ? "clear" : "set"];
            if (answer == "yes") continue;
            const bool conditional = answer == "used";
            auto& item = refuse("-O " + items[i], *known);
            item.what =
                fmt::format("tune2fs cannot {} {} {}", off ? "clear" : "set", name,
                            conditional ? "once the filesystem makes use of it, as mke2fs does by default"
                                        : "on a filesystem that exists");
            if (conditional) item.severity = Severity::kWarning;
            const auto instead = (*row)["instead"];
            item.fix = instead.empty() ? fmt::format("format with -O {}, or leave it", items[i])
                                       : std::string(instead);
        }
    }

    void xfs_features(const std::vector<ParsedWord>& words, const std::vector<std::string>& items) {
        const auto* known = table("xfs-admin-features");
        for (std::size_t i = 0; i < words.size() && i < items.size(); ++i) {
            const auto equals = items[i].find('=');
            const auto name = items[i].substr(0, equals);
            const auto value = equals == std::string::npos ? std::string() : items[i].substr(equals + 1);
            const auto* row = known == nullptr ? nullptr : known->find("feature", name);
            if (row == nullptr && (known == nullptr || words[i].parameter.empty())) {
                unknown(words[i]);
                continue;
            }
            if (row == nullptr) {
                auto& item = refuse("-O " + items[i], *known);
                item.what = fmt::format("xfs_admin cannot change {}: it takes {}", name,
                                        join(known->column("feature"), ", "));
                item.fix = "format anew with it, and copy the data";
                continue;
            }
            if (too_old(*row)) continue;
            const auto values = split((*row)["values"], ' ');
            if (std::ranges::find(values, value) != values.end()) continue;
            auto& item = refuse("-O " + items[i], *known);
            item.what = value.empty() ? fmt::format("-O {} needs a value", name)
                                      : fmt::format("xfs_admin can set {} to {} only, not back", name,
                                                    join(values, " or "));
            item.fix = fmt::format("write -O {}={}, or leave it", name, values.back());
        }
    }

    bool too_old(const FactRow& row) {
        const auto since = row["since"];
        const auto actual = Version::parse(
            component_version(checker_.knowledge(), checker_.request().host, filesystem_.tool));
        if (since.empty() || !actual.known() || actual >= Version::parse(since)) return false;
        auto& item = refuse(std::string(row[xfs_ ? "feature" : "key"]), *table("tune-programs"));
        item.what = fmt::format("'{}' needs {} {} or later", item.subject, filesystem_.tool, since);
        item.fix = "leave it, or use newer tools";
        item.ignore_if = fmt::format("only {} from {} on is used", filesystem_.tool, since);
        return true;
    }

    void cut_label(const std::string& label) {
        const auto most = own_ == nullptr ? std::nullopt : number_of((*own_)["label_bytes"]);
        if (!most || label.size() <= static_cast<std::size_t>(*most)) return;
        auto item = checker_.finding("label-cut", Severity::kWarning, line_, "-L " + label);
        item.what = fmt::format("the label has {} bytes, and {} keeps the first {}: {}", label.size(),
                                program_, *most, label.substr(0, static_cast<std::size_t>(*most)));
        item.consequence = "the command succeeds, and LABEL= with the whole name finds nothing";
        item.fix = fmt::format("choose a label of at most {} bytes", *most);
        item.sources = table("tune-programs")->sources;
        result_.findings.push_back(std::move(item));
    }

    // Flags whose words the knowledge lists.
    void listed_words(const std::string& flag, const std::string& value) {
        const auto* words = table("tune-words");
        if (words == nullptr) return;
        std::vector<std::string> known;
        bool list = false, uuid = false;
        for (const auto& row : words->rows) {
            if (row["program"] != program_ || row["flag"] != flag) continue;
            known.emplace_back(row["word"]);
            list = row.is("list");
            uuid = row["else"] == "uuid";
        }
        if (known.empty()) return;
        for (const auto& item_text : list ? items_of(value) : std::vector<std::string>{value}) {
            const auto word = list && item_text.starts_with('^') ? item_text.substr(1) : item_text;
            if (std::ranges::find(known, word) != known.end() || (uuid && is_uuid(word))) continue;
            auto& item = refuse(flag + " " + item_text, *words);
            item.what =
                fmt::format("{} {} does not take '{}'{}", program_, flag, word, did_you_mean(word, known));
            item.fix = fmt::format("use {}{}", uuid ? "a UUID or one of: " : "one of: ", join(known, ", "));
        }
    }

    void extended(const std::vector<std::string>& items) {
        const auto* words = table("tune2fs-extended");
        if (words == nullptr) return;
        for (const auto& text : items) {
            const auto equals = text.find('=');
            const auto* row = words->find("key", text.substr(0, equals));
            if (row != nullptr && too_old(*row)) continue;
            if (row != nullptr && row->is("needs_value") == (equals != std::string::npos)) continue;
            const auto known = words->column("key");
            auto& item = refuse("-E " + text, *words);
            item.what =
                row == nullptr ? fmt::format("tune2fs -E does not take '{}'{}", text.substr(0, equals),
                                             did_you_mean(text.substr(0, equals), known))
                : row->is("needs_value") ? fmt::format("-E {} needs a value", text)
                                         : fmt::format("-E {} takes no value", text.substr(0, equals));
            item.fix = row == nullptr ? "use one of: " + join(known, ", ") : "correct it";
        }
    }

    void reserved(const std::string& percent) {
        const auto command = parse_mkfs(checker_.knowledge(), {filesystem_.mkfs, "-m", percent});
        for (const auto& word : command.words)
            if (word.bad_value) unknown(word);
        const auto configuration = configuration_of(filesystem_.id, command.words, {});
        for (const auto& violation :
             violations(Context(checker_.knowledge(), checker_.request(), configuration))) {
            if (!violation.id.ends_with(".domain")) continue;
            auto& item = refuse("-m " + percent, *table("tune-programs"));
            item.what = fmt::format("'-m {}': {}", percent, violation.says);
            item.fix = violation.fix;
            item.sources = violation.sources;
        }
    }

    void inode_size(const std::string& text) {
        const auto bytes = number_of(text);
        if (!bytes || (*bytes > kSmallestInode && (*bytes & (*bytes - 1)) == 0)) return;
        auto& item = refuse("-I " + text, *table("tune-programs"));
        const bool small = *bytes <= kSmallestInode;
        item.what = small ? "inodes can only be enlarged, and 128 bytes are the smallest"
                          : "the size of an inode is a power of two";
        item.fix =
            small ? "format with -I 128, which stores no dates after 2038, or leave it" : "write 256 or 512";
    }

    [[nodiscard]] std::string consequence() const {
        return program_ + " stops with an error and changes nothing";
    }

    Finding& refuse(std::string subject, const FactTable& facts) {
        auto item = checker_.finding("tune-refused", Severity::kError, line_, std::move(subject));
        item.consequence = consequence();
        item.sources = facts.sources;
        result_.findings.push_back(std::move(item));
        return result_.findings.back();
    }

    const LintChecker& checker_;
    int line_;
    std::string program_;
    bool xfs_;
    const Filesystem& filesystem_;
    LintResult& result_;
    const FactRow* own_ = nullptr;
    std::map<char, std::string> values_;  // by the letter of the flag
};

}  // namespace

Tuning check_tuning(const LintChecker& checker, int line, const std::vector<std::string>& argv,
                    LintResult& result) {
    const auto program = argv.front().substr(argv.front().rfind('/') + 1);
    const bool xfs = program == "xfs_admin";
    const bool known = checker.knowledge().filesystem(xfs ? "xfs" : "ext4") != nullptr &&
                       checker.knowledge().table("tune-programs") != nullptr;
    if ((!xfs && program != "tune2fs") || !known) return {};
    ++result.checked;
    return TuneLinter(checker, line, program, result).run(argv);
}

}  // namespace fsadvise
