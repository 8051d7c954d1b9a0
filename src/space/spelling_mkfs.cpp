#include <map>
#include <utility>

#include "base/text.h"
#include "space/parameter_value.h"
#include "space/spelling_parts.h"

namespace fsadvise {
namespace {

// What one parameter adds to the command: a suboption of `flag` (joined with the others), a flag with a
// value, or a flag alone.
struct Part {
    std::string flag, key, text;
    bool joined = false;
};

std::optional<Part> suboption(const Spelling& spelling, std::string text) {
    return Part{spelling.flag, spelling.key, std::move(text), true};
}

std::optional<Part> part_of(const Parameter& parameter, const Value& value) {
    const Spelling& spelling = parameter.spelling;
    const bool joined = spelling.form == "suboption" || spelling.form == "feature";
    if (const auto* words = listed_words(spelling, value)) {
        if (words->empty()) return std::nullopt;
        if (joined) return suboption(spelling, words->front());
        if (spelling.form == "value") return Part{spelling.flag, "", words->front(), false};
        return Part{words->front(), "", "", false};
    }
    const bool* flag = std::get_if<bool>(&value);
    const bool off = flag != nullptr && !*flag;
    if (spelling.form == "feature") return suboption(spelling, (off ? "^" : "") + spelling.key);
    if (spelling.form == "suboption")
        return suboption(spelling, spelling.key + "=" + write_value(parameter, value));
    if (spelling.form == "switch")
        return off ? std::nullopt : std::optional(Part{spelling.flag, "", "", false});
    return Part{spelling.flag, "", write_value(parameter, value), false};
}

}  // namespace

std::vector<std::string> spell_mkfs(const Knowledge& knowledge, const Configuration& configuration) {
    std::map<std::pair<std::string, std::string>, Part> parts;  // by flag, then key, as the header promises
    for (const auto& [id, value] : configuration.values) {
        const Parameter* parameter = knowledge.parameter(id);
        if (parameter == nullptr || parameter->layer != Layer::kMkfs) continue;
        if (auto part = part_of(*parameter, value)) {
            const auto place = std::pair(part->flag, part->key + id);
            parts.emplace(place, std::move(*part));
        }
    }
    std::vector<std::string> argv;
    std::string open_flag;  // the flag whose suboptions the last word of argv holds
    for (const auto& [place, part] : parts) {
        if (part.joined && part.flag == open_flag) {
            argv.back() += "," + part.text;
            continue;
        }
        argv.push_back(part.flag);
        if (!part.text.empty()) argv.push_back(part.text);
        open_flag = part.joined ? part.flag : "";
    }
    return argv;
}

}  // namespace fsadvise
