// From an option as people write it to the parameters it can mean.
#include <algorithm>
#include <functional>
#include <set>

#include "advice/explain_parts.h"
#include "base/text.h"
#include "space/mkfs_flags.h"
#include "space/spelling.h"

namespace fsadvise {
namespace {

class Finder {
  public:
    explicit Finder(const Knowledge& knowledge) : knowledge_(knowledge) {}

    void take(const std::vector<ParsedWord>& words) {
        for (const ParsedWord& word : words) {
            const auto* parameter = word.parameter.empty() ? nullptr : knowledge_.parameter(word.parameter);
            if (parameter == nullptr) continue;
            add(*parameter, word.bad_value ? std::nullopt : std::optional<Value>(word.value), word.text);
        }
    }
    void add(const Parameter& parameter, std::optional<Value> value, const std::string& written) {
        if (seen_.insert(&parameter).second) found_.push_back({&parameter, std::move(value), written});
    }
    [[nodiscard]] bool empty() const { return found_.empty(); }
    // A value that fits one filesystem is not meant for another that refuses it.
    std::vector<FoundParameter> take_found() {
        const auto fits = [](const FoundParameter& item) { return item.value.has_value(); };
        if (std::ranges::any_of(found_, fits) && has_value_) std::erase_if(found_, std::not_fn(fits));
        return std::move(found_);
    }
    void note_value() { has_value_ = true; }

  private:
    const Knowledge& knowledge_;
    std::vector<FoundParameter> found_;
    std::set<const Parameter*> seen_;
    bool has_value_ = false;
};

bool is_name_of(const Parameter& parameter, const std::string& word) {
    const Spelling& spelling = parameter.spelling;
    const auto matches = [&](const std::string& name) { return name == word; };
    if (parameter.id.substr(parameter.id.rfind('.') + 1) == word || spelling.key == word) return true;
    if (std::ranges::any_of(spelling.aliases, matches)) return true;
    if (spelling.key.empty() && spelling.flag == word) return true;
    return std::ranges::any_of(spelling.words,
                               [&](const auto& entry) { return std::ranges::any_of(entry.second, matches); });
}

}  // namespace

std::vector<FoundParameter> find_parameters(const Knowledge& knowledge,
                                            const std::vector<std::string>& given) {
    Finder finder(knowledge);
    std::vector<std::string> words;
    for (const std::string& word : given) {
        for (const std::string& part : split(word, ' '))
            if (!part.empty()) words.push_back(part);
    }
    // "mount -o X", "mkfs.xfs -m X" and "xfs X" name the filesystem; "-o" says nothing.
    std::vector<std::string> filesystems;
    for (const Filesystem& filesystem : knowledge.filesystems()) {
        const auto names_it = [&](const std::string& word) {
            return lower(word) == filesystem.id || word == filesystem.mkfs ||
                   std::ranges::find(filesystem.mkfs_aliases, word) != filesystem.mkfs_aliases.end();
        };
        if (std::ranges::any_of(words, names_it)) filesystems.push_back(filesystem.id);
    }
    std::erase_if(words, [&](const std::string& word) {
        const std::string text = lower(word);
        if (text == "mount" || text == "-o" || text == "-t" || text.starts_with("mkfs") || text == "mke2fs")
            return true;
        return knowledge.filesystem(text) != nullptr && !filesystems.empty();
    });
    if (words.empty()) return {};
    if (filesystems.empty()) {
        for (const Filesystem& filesystem : knowledge.filesystems()) filesystems.push_back(filesystem.id);
    }
    const std::string joined = join(words, " ");
    if (words.size() > 1 || joined.find('=') != std::string::npos) finder.note_value();
    for (const std::string& id : filesystems) {
        const Filesystem& filesystem = *knowledge.filesystem(id);
        if (words.front().starts_with('-')) {
            std::vector<std::string> argv{filesystem.mkfs};
            argv.insert(argv.end(), words.begin(), words.end());
            finder.take(parse_mkfs(knowledge, argv).words);
        } else if (words.size() == 1) {
            finder.take(parse_mount_options(knowledge, id, joined));
            // A suboption without its flag.
            for (const auto& [flag, meaning] : mkfs_flags(knowledge, filesystem)) {
                if (meaning.kind == MkfsFlag::Kind::kList)
                    finder.take(parse_mkfs(knowledge, {filesystem.mkfs, flag, joined}).words);
            }
        }
    }
    for (const Parameter& parameter : knowledge.parameters()) {
        const bool wanted = parameter.layer == Layer::kBlock ||
                            std::ranges::find(filesystems, parameter.filesystem) != filesystems.end();
        if (wanted && is_name_of(parameter, joined)) finder.add(parameter, std::nullopt, joined);
    }
    return finder.take_found();
}

std::vector<std::string> known_names(const Knowledge& knowledge) {
    std::set<std::string> names;
    for (const Parameter& parameter : knowledge.parameters()) {
        names.insert(parameter.id);
        names.insert(parameter.id.substr(parameter.id.rfind('.') + 1));
        if (!parameter.spelling.key.empty()) names.insert(parameter.spelling.key);
        for (const auto& [value, words] : parameter.spelling.words) names.insert(words.begin(), words.end());
    }
    for (const Rule& rule : knowledge.rules()) names.insert(rule.id);
    for (const Constraint& constraint : knowledge.constraints()) names.insert(constraint.id);
    for (const Filesystem& filesystem : knowledge.filesystems()) names.insert(filesystem.id);
    for (const Evidence& evidence : knowledge.evidence()) names.insert(evidence.id);
    for (const Distribution& distribution : knowledge.distributions())
        names.insert(distribution.id + distribution.version);
    for (const std::string& name : knowledge.workload_names()) names.insert(name);
    return {names.begin(), names.end()};
}

}  // namespace fsadvise
