#include "base/text.h"
#include "space/parameter_value.h"
#include "space/spelling_parts.h"

namespace fsadvise {
namespace {

std::string word_of(const Parameter& parameter, const Value& value) {
    const Spelling& spelling = parameter.spelling;
    if (const auto* words = listed_words(spelling, value)) return words->empty() ? "" : words->front();
    if (spelling.form == "words") return "";  // the table is the whole truth of this form
    return spelling.key + "=" + write_value(parameter, value);
}

}  // namespace

std::string spell_mount(const Knowledge& knowledge, const Configuration& configuration) {
    std::vector<std::string> words;
    for (const auto& [id, value] : configuration.values) {
        const Parameter* parameter = knowledge.parameter(id);
        if (parameter == nullptr || parameter->layer != Layer::kMount) continue;
        std::string word = word_of(*parameter, value);
        if (!word.empty()) words.push_back(std::move(word));
    }
    return join(words, ",");
}

}  // namespace fsadvise
