#include "output/verify_text.h"

#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "output/text_parts.h"

namespace fsadvise {

std::string render_verify_text(const tuner::VerifyReport& report, const TextStyle& style, bool with_skipped) {
    const Palette paint(style.color);
    struct Sum {
        std::size_t tried = 0, disagree = 0;
    };
    std::map<std::string, Sum> sums;
    std::string out;
    for (const tuner::VerifyResult& item : report.results) {
        Sum& sum = sums[item.tried.configuration.filesystem];
        ++sum.tried;
        if (item.disagreements.empty()) continue;
        ++sum.disagree;
        out += paint.red("disagrees") + ": " + paint.bold(item.tried.subject) +
               fmt::format(" ({}, {})\n", item.tried.kind, size_text(item.tried.size_bytes));
        for (const std::string& text : item.disagreements)
            out += wrap(text, style.width, "    ", "      ") + "\n";
        out += "    " + item.command + "\n";
    }
    if (with_skipped) {
        for (const tuner::VerifySkip& item : report.skipped)
            out += wrap(fmt::format("not tried: {}: {}", item.subject, item.why), style.width, "", "    ") +
                   "\n";
    }
    std::string tools;
    for (const auto& [tool, version] : report.host.tools) tools += fmt::format(", {} {}", tool, version);
    out += fmt::format("Linux {}{}\n", report.host.kernel, tools);
    for (const auto& [filesystem, sum] : sums)
        out +=
            fmt::format("{}: {} of {} predictions hold\n", filesystem, sum.tried - sum.disagree, sum.tried);
    out += fmt::format("{} could not be tried here{}; {}\n", report.skipped.size(),
                       with_skipped || report.skipped.empty() ? "" : " (-v lists them)",
                       human_duration(report.elapsed_ns));
    return out;
}

}  // namespace fsadvise
