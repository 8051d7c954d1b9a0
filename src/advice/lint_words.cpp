// The words of a command alone: unknown, foreign, malformed or dropped ones.
#include <algorithm>

#include <fmt/format.h>

#include "advice/lint_check_parts.h"
#include "advice/lint_shell.h"
#include "base/text.h"

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
    return names;
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
        if (word.generic || (!word.parameter.empty() && !word.bad_value)) continue;
        auto item = finding({}, Severity::kError, place.line, word.text);
        item.consequence = consequence_of(refused, place);
        if (word.bad_value) {
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
            item.fix = "remove it";
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
    return accepted;
}

}  // namespace fsadvise
