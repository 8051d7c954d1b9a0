#include "output/explain_text.h"

#include <algorithm>

#include "base/text.h"
#include "output/text_parts.h"

namespace fsadvise {

std::string render_explain_text(const std::vector<Explanation>& explanations, const Knowledge& knowledge,
                                const TextStyle& style) {
    const Palette paint(style.color);
    std::string out;
    for (const Explanation& item : explanations) {
        if (!out.empty()) out += "\n";
        out += paint.bold(item.id) + " (" + item.kind + ")" + (item.title.empty() ? "" : ": " + item.title) +
               "\n";
        for (const ExplanationSection& section : item.sections) {
            std::string label = section.name;
            std::replace(label.begin(), label.end(), '_', ' ');
            out += "  " + paint.dim(label + ":") + "\n";
            for (const std::string& text : section.items)
                out += wrap(source_text(knowledge, text), style.width, "    ", "      ") + "\n";
        }
    }
    return out;
}

}  // namespace fsadvise
