// The words of a command alone: unknown, foreign, malformed or dropped ones.
#include <algorithm>

#include <fmt/format.h>

#include "advice/lint_check_parts.h"
#include "advice/lint_shell.h"
#include "base/text.h"
#include "space/fact_table.h"
#include "space/mkfs_flags.h"
#include "space/mount_words.h"

namespace fsadvise {
namespace {

// Names of the parameters that a layer accepts, for "did you mean".
std::vector<std::string> spellings(const Knowledge& knowledge, const std::string& filesystem, Layer layer) {
    std::vector<std::string> names;
    for (const auto* parameter : knowledge.parameters_of(filesystem, layer)) {
        const auto& spelling = parameter->spelling;
        if (!spelling.key.empty()) names.push_back(spelling.key);
        names.insert(names.end(), spelling.aliases.begin(), spelling.aliases.end());
        for (const auto& [value, words] : spelling.words)
            names.insert(names.end(), words.begin(), words.end());
    }
    if (layer == Layer::kMount) {
        for (const auto word : generic_mount_words()) names.emplace_back(word);
    }
    return names;
}

// "-d su=64k" for a tool whose -d takes one value: the tool whose -d has the suboption "su", or null.
const Filesystem* written_as_for(const Knowledge& knowledge, const std::string& filesystem,
                                 const std::string& text) {
    const auto blank = text.find(' '), equals = text.find('=');
    if (blank == std::string::npos || equals == std::string::npos || equals < blank) return nullptr;
    const auto flag = text.substr(0, blank), key = text.substr(blank + 1, equals - blank - 1);
    for (const auto& other : knowledge.filesystems()) {
        if (other.id == filesystem) continue;
        const auto flags = mkfs_flags(knowledge, other);
        const auto found = flags.find(flag);
        if (found == flags.end() || found->second.kind != MkfsFlag::Kind::kList) continue;
        if (std::ranges::any_of(found->second.parameters,
                                [&](const Parameter* parameter) { return parameter->spelling.key == key; }))
            return &other;
    }
    return nullptr;
}

// How this tool writes what another one calls `text`.
std::string advice_instead(const Knowledge& knowledge, const std::string& filesystem,
                           const std::string& text) {
    const auto* table = knowledge.table("mkfs-equivalents");
    const auto flag = text.substr(0, text.find(' '));
    auto key = text.find(' ') == std::string::npos ? std::string() : text.substr(text.find(' ') + 1);
    key = key.substr(key.starts_with('^') ? 1 : 0);
    key = key.substr(0, key.find_first_of("=,"));
    if (table != nullptr) {
        for (const auto& word : {key, flag})
            for (const auto& row : table->rows)
                if (!word.empty() && row["word"] == word && row["filesystem"] == filesystem)
                    return fmt::format("write {}", row["write"]);
    }
    return "remove it";
}

// "-m reflnk=0" with "reflink" for "reflnk".
std::string with_key(std::string text, const std::string& key, const std::string& meant) {
    const auto blank = text.rfind(' ');
    const auto at = text.find(key, blank == std::string::npos ? 0 : blank + 1);
    return at == std::string::npos ? std::string() : text.replace(at, key.size(), meant);
}

}  // namespace

std::string_view layer_text(Layer layer) {
    return layer == Layer::kMkfs ? "mkfs" : "mount";
}

std::string consequence_of(Effect effect, const Place& place) {
    switch (effect) {
        case Effect::kMkfsRefuses:
            return "mkfs stops with an error and nothing is formatted";
        case Effect::kMountRefuses:
            return place.consequence_of_refusal;
        case Effect::kSilent:
            return "the command succeeds, but the result differs from what was asked";
        case Effect::kNoEffect:
            return "nothing: it is accepted and changes nothing";
        case Effect::kUnsafe:
            return "data can be lost";
        case Effect::kUnwise:
            break;
    }
    return "it works, at a cost in speed or space";
}

std::string key_of(const std::string& text) {
    const auto blank = text.rfind(' ');
    auto key = blank == std::string::npos ? text : text.substr(blank + 1);
    if (key.find('=') != std::string::npos) key.resize(key.find('='));
    return key.starts_with('^') ? key.substr(1) : key;
}

bool LintChecker::check_words(const std::string& filesystem, Layer layer,
                              const std::vector<ParsedWord>& words, const Place& place,
                              LintResult& result) const {
    bool accepted = true;
    const auto refused = layer == Layer::kMkfs ? Effect::kMkfsRefuses : Effect::kMountRefuses;
    for (const auto& word : words) {
        if (has_placeholder(word.text)) continue;
        if (word.dropped) {
            auto item = finding(fmt::format("{}-option-overridden", layer_text(layer)), Severity::kWarning,
                                place.line, word.text);
            item.what = fmt::format("'{}' is dropped: {}", word.text, word.note);
            item.consequence = "the command succeeds without it";
            item.fix = "write one list, separated by commas";
            item.sources = {"measured: mke2fs 1.47.0"};
            result.findings.push_back(std::move(item));
            continue;
        }
        const auto* meant_for = layer == Layer::kMkfs && (word.generic || word.bad_value)
                                    ? written_as_for(*knowledge_, filesystem, word.text)
                                    : nullptr;
        if (meant_for == nullptr && (word.generic || (!word.parameter.empty() && !word.bad_value))) continue;
        auto item = finding({}, Severity::kError, place.line, word.text);
        item.consequence = consequence_of(refused, place);
        if (meant_for != nullptr) {
            item.id = "mkfs-option-foreign";
            item.what = fmt::format("'{}' is written as for {}; this option of {} has another meaning",
                                    word.text, meant_for->mkfs, knowledge_->filesystem(filesystem)->mkfs);
            item.fix = advice_instead(*knowledge_, filesystem, word.text);
        } else if (word.bad_value) {
            item.id = fmt::format("{}-option-bad-value", layer_text(layer));
            item.what = fmt::format("'{}' has a value that {} does not accept{}", word.text, filesystem,
                                    word.note.empty() ? "" : ": " + word.note);
            item.fix = "correct the value, see: fsadvise explain " + word.parameter;
            if (const auto* parameter = knowledge_->parameter(word.parameter))
                item.sources = parameter->sources;
        } else if (!word.belongs_to.empty()) {
            item.id = fmt::format("{}-option-foreign", layer_text(layer));
            item.what =
                fmt::format("'{}' is an option of {}, not of {}", word.text, word.belongs_to, filesystem);
            item.fix =
                layer == Layer::kMkfs ? advice_instead(*knowledge_, filesystem, word.text) : "remove it";
        } else if (layer == Layer::kMount && word.text.find(' ') != std::string::npos &&
                   word.text.find_first_of("\"'=") > word.text.find(' ')) {
            auto parts = split(word.text, ' ');
            std::erase(parts, "");
            item.id = "mount-option-unknown";
            item.what = fmt::format("'{}' holds a blank: options are separated by commas", word.text);
            item.fix = fmt::format("write {}", join(parts, ","));
            item.sources = {"mount(8), -o: a comma-separated list"};
        } else {
            const auto key = key_of(word.text);
            const auto meant = nearest(key, spellings(*knowledge_, filesystem, layer));
            item.id = fmt::format("{}-option-unknown", layer_text(layer));
            item.what = fmt::format("'{}' is no known {} option of {}{}", word.text, layer_text(layer),
                                    filesystem, meant ? fmt::format(" (did you mean '{}'?)", *meant) : "");
            item.fix = "remove or correct it";
            if (meant) item.replacement = with_key(word.text, key, *meant);
            item.ignore_if =
                "the target has a newer kernel or tool than this program knows, and you tried it there";
        }
        accepted = false;
        result.findings.push_back(std::move(item));
    }
    if (layer == Layer::kMount) check_repetitions(words, place, result);
    return accepted;
}

void LintChecker::check_repetitions(const std::vector<ParsedWord>& words, const Place& place,
                                    LintResult& result) const {
    const auto usable = [](const ParsedWord& word) { return !word.parameter.empty() && !word.bad_value; };
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (!usable(words[i]) || has_placeholder(words[i].text)) continue;
        const auto* repeatable = knowledge_->table("repeatable-options");
        if (repeatable != nullptr && repeatable->find("parameter", words[i].parameter) != nullptr) continue;
        const ParsedWord* last = nullptr;
        for (std::size_t later = i + 1; later < words.size(); ++later) {
            if (usable(words[later]) && words[later].parameter == words[i].parameter) last = &words[later];
        }
        const bool weaker = words[i].note.starts_with("has no effect");
        if (!weaker && (last == nullptr || equal(last->value, words[i].value))) continue;
        auto item = finding("mount-option-overridden", Severity::kInfo, place.line, words[i].text);
        item.what = weaker ? fmt::format("'{}' {}", words[i].text, words[i].note)
                           : fmt::format("'{}' is followed by '{}', and the last one counts", words[i].text,
                                         last->text);
        item.consequence = consequence_of(Effect::kNoEffect, place);
        item.fix = "leave it out";
        item.sources = {"mount(8); measured: Linux 6.18.44"};
        result.findings.push_back(std::move(item));
    }
}

}  // namespace fsadvise
