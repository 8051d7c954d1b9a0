// What stands around the result: alternatives, risk, operations, host, sources, reproducibility.
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "output/report/html.h"
#include "output/report/parts.h"
#include "output/text_parts.h"
#include "space/fact_table.h"

namespace fsadvise {

std::string alternatives_section(const SectionInput& input) {
    const Advice& advice = input.study.advice;
    HtmlTable others{
        "Other configurations in order", {"configuration", "effect", "why it comes later"}, {}, {}};
    for (std::size_t i = 1; i < advice.ranked.size(); ++i) {
        const Recommendation& entry = advice.ranked[i];
        others.rows.push_back({"`" + configuration_words(input.knowledge, entry.configuration),
                               entry.effect ? effect_text(*entry.effect) : "", join(entry.against, " ")});
    }
    HtmlTable rejected{
        "Options that were considered and are not advised", {"option", "why", "versions"}, {}, {}};
    for (const Rejected& entry : advice.rejected)
        rejected.rows.push_back({entry.option, entry.why, entry.versions});
    std::string body = others.html() + rejected.html();
    if (!advice.excluded.empty()) body += "<h4>Filesystems left out</h4>\n" + list(advice.excluded);
    return section(input, "alternatives", "Alternatives and rejected options", body);
}

std::string risk_section(const SectionInput& input) {
    const Advice& advice = input.study.advice;
    const std::string& durability = advice.request.requirements.durability;
    std::string body = paragraph(
        durability == "strict" ? "Durability class strict: what an application was told is on disk survives "
                                 "a power cut. Nothing here trades that for speed."
        : durability == "relaxed" ? "Durability class relaxed: the last seconds before a power cut may be "
                                    "lost; what is older, and the filesystem itself, is kept."
                                  : "Durability class scratch: after a power cut everything may be lost. For "
                                    "data that can be made again.");
    std::vector<std::string> warnings = advice.warnings;
    if (!advice.ranked.empty())
        warnings.insert(warnings.end(), advice.ranked.front().warnings.begin(),
                        advice.ranked.front().warnings.end());
    if (!warnings.empty()) body += "<h4>Warnings</h4>\n" + list(warnings);
    if (advice.measured) {
        std::vector<std::string> doubts = advice.measured->drifts;
        doubts.insert(doubts.end(), advice.measured->outliers.begin(), advice.measured->outliers.end());
        doubts.insert(doubts.end(), advice.measured->violations.begin(), advice.measured->violations.end());
        if (!advice.measured->repeats.empty()) doubts.push_back(advice.measured->repeats);
        if (!doubts.empty()) body += "<h4>What speaks against the figures</h4>\n" + list(doubts);
    }
    return section(input, "risk", "Risk and durability", body);
}

std::string operations_section(const SectionInput& input) {
    const FactTable* operations = input.knowledge.table("operations");
    if (operations == nullptr || input.study.advice.ranked.empty()) return "";
    const std::string& filesystem = input.study.advice.ranked.front().configuration.filesystem;
    HtmlTable table{"Runbook for " + filesystem_title(input.knowledge, filesystem),
                    {"topic", "what to know", "command"},
                    {},
                    {}};
    for (const FactRow& row : operations->rows) {
        if (row["filesystem"] != filesystem) continue;
        const std::string command(row["command"]);
        table.rows.push_back(
            {std::string(row["topic"]), std::string(row["says"]), command.empty() ? "" : "`" + command});
    }
    return section(input, "operations", "Operations", table.html());
}

std::string host_section(const SectionInput& input) {
    const Advice& advice = input.study.advice;
    const Host& host = advice.request.host;
    HtmlTable table{"The machine that the advice is for", {"fact", "value"}, {}, {}};
    table.rows.push_back({"machine", host_line(host)});
    if (!host.tools.empty()) {
        std::vector<std::string> tools;
        for (const auto& [tool, version] : host.tools) tools.push_back(tool + " " + version);
        table.rows.push_back({"tools", join(tools, ", ")});
    }
    table.rows.push_back(
        {"workload", fmt::format("{} ({})", advice.workload_title, advice.request.workload)});
    const std::set<std::string>& needs = advice.request.requirements.needs;
    if (!needs.empty()) table.rows.push_back({"must have", fmt::format("{}", fmt::join(needs, ", "))});
    std::string body = table.html();
    if (advice.measured)
        body += "<h4>What the measurement stands for</h4>\n" + paragraph(advice.measured->stands_for + ".") +
                (advice.measured->objective.empty()
                     ? ""
                     : paragraph("Objective: " + advice.measured->objective + "."));
    return section(input, "host", "Machine and workload", body);
}

std::string sources_section(const SectionInput& input) {
    std::set<std::string> sources;
    for (const Recommendation& entry : input.study.advice.ranked)
        for (const Choice& choice : entry.choices)
            sources.insert(choice.sources.begin(), choice.sources.end());
    for (const Rejected& entry : input.study.advice.rejected)
        sources.insert(entry.sources.begin(), entry.sources.end());
    std::vector<std::string> texts;
    for (const std::string& source : sources) texts.push_back(source_text(input.knowledge, source));
    return section(input, "sources", "Sources", list(texts));
}

std::string reproduce_section(const SectionInput& input) {
    const Advice& advice = input.study.advice;
    std::string body = paragraph(fmt::format("Knowledge {}.", advice.knowledge_digest));
    if (advice.measured) {
        body +=
            paragraph(fmt::format("Study file: {}. {} trials, {} failed. Compared with {}.", input.study.name,
                                  advice.measured->trials, advice.measured->failed, advice.measured->anchor));
        body += code_block("fsadvise report " + shell_quote(input.study.name) + " --format json\n");
    } else if (!advice.prove_command.empty()) {
        body += paragraph("Nothing was measured yet. This proves it on your own disk:") +
                code_block(advice.prove_command + "\n");
    }
    return section(input, "reproduce", "Reproduce", body + list(advice.notes));
}

}  // namespace fsadvise
