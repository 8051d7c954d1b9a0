// The report that a consultant hands over, as Markdown.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "output/text_parts.h"

namespace fsadvise {
namespace {

// Cells must not break the table.
std::string cell(std::string text) {
    std::string result;
    for (const char c : text) {
        if (c == '|') result += '\\';
        result += c == '\n' ? ' ' : c;
    }
    return result;
}

std::string bullet_list(const std::vector<std::string>& entries) {
    std::string out;
    for (const std::string& entry : entries) out += "- " + entry + "\n";
    return out.empty() ? out : out + "\n";
}

std::string duet_row(const tuner::Trial& trial) {
    double sum = 0;
    std::size_t count = 0;
    std::string candidate_rate = "", anchor_rate = "", p99 = "";
    for (const auto& measurement : trial.measurements) {
        if (measurement.phase != "search") continue;
        sum += measurement.log_ratio;
        ++count;
        const auto metrics = nlohmann::json::parse(measurement.metrics, nullptr, false);
        if (metrics.is_discarded() || !metrics.contains("candidate")) continue;
        candidate_rate = human_rate(metrics["candidate"].value("operations_per_s", 0.0));
        anchor_rate = human_rate(metrics["anchor"].value("operations_per_s", 0.0));
        // An application need not report latencies.
        const auto& latency = metrics["candidate"]["latency"];
        if (latency.value("count", 1) > 0)
            p99 = "p99 " + human_duration(latency.value("p99_ns", std::int64_t{0}));
    }
    const std::string ratio =
        count > 0 ? fmt::format("{:+.1f} %", 100 * std::expm1(sum / static_cast<double>(count))) : "";
    return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", trial.number + 1, trial.state,
                       trial.origin, cell(canonical_text(trial.configuration)), ratio, candidate_rate,
                       anchor_rate, trial.state == "failed" ? cell(trial.reason) : p99);
}

std::string confirmation_rows(const std::vector<tuner::Trial>& trials) {
    std::string out;
    for (const auto& trial : trials) {
        std::vector<std::string> ratios;
        for (const auto& measurement : trial.measurements) {
            if (measurement.phase == "confirm") {
                ratios.push_back(fmt::format("{:+.1f}", 100 * std::expm1(measurement.log_ratio)));
            }
        }
        if (ratios.empty()) continue;
        out += fmt::format("| {} | {} | {} |\n", trial.number + 1, cell(canonical_text(trial.configuration)),
                           join(ratios, ", "));
    }
    return out;
}

}  // namespace

std::string render_markdown(const Advice& advice, const Knowledge& knowledge,
                            const std::vector<tuner::Trial>& trials) {
    std::string out = fmt::format("# Filesystem advice for {}\n\n", advice.workload_title);
    if (advice.measured) out += fmt::format("**Result:** {}.\n\n", advice.measured->verdict);
    out += fmt::format("**Confidence:** {}. {}\n\n", advice.confidence.word, advice.confidence.rests_on);
    out += fmt::format("Host: {}. Durability: {}.\n\n", host_line(advice.request.host),
                       advice.request.requirements.durability);
    if (advice.measured) {
        out += fmt::format("## What the measurement stands for\n\n{}.\n\nMetric: {}.\n\n",
                           advice.measured->stands_for, advice.measured->metric);
        if (!advice.measured->objective.empty())
            out += fmt::format("Objective: {}.\n\n", advice.measured->objective);
        std::vector<std::string> front;
        for (const FrontEntry& entry : advice.measured->front)
            front.push_back(fmt::format("`{}`: {}", canonical_text(entry.configuration), entry.text));
        if (!front.empty()) out += "## Best compromises\n\n" + bullet_list(front) + "\n";
        if (!advice.measured->violations.empty())
            out += "## Break a constraint\n\n" + bullet_list(advice.measured->violations) + "\n";
    }
    if (!advice.ranked.empty()) {
        const Recommendation& best = advice.ranked.front();
        const Filesystem* filesystem = knowledge.filesystem(best.configuration.filesystem);
        const std::string directory = mount_point_of(advice.request, knowledge);
        out += fmt::format(
            "## Recommendation: {}\n\n```sh\n{}\n{}\n```\n\nfstab: `{}`\n\n",
            filesystem_title(knowledge, best.configuration.filesystem),
            shell_join(best.commands.mkfs_argv("DEVICE")),
            shell_join(best.commands.mount_argv("DEVICE", directory)),
            best.commands.fstab_line("UUID=...", directory, filesystem ? filesystem->fstab_pass : 0));
        out += "| choice | why | strength | sources |\n| --- | --- | --- | --- |\n";
        for (const Choice& choice : best.choices) {
            std::vector<std::string> sources;
            for (const std::string& source : choice.sources)
                sources.push_back(source_text(knowledge, source));
            out += fmt::format("| `{}` | {} | {} | {} |\n", cell(choice.spelled), cell(choice.why),
                               choice.strength, cell(join(sources, "; ")));
        }
        out += "\n" + bullet_list(best.warnings);
    }
    if (const std::string rows = confirmation_rows(trials); !rows.empty()) {
        out +=
            "## Confirmation on fresh formats\n\nEach figure is one duet against the default, in percent.\n\n"
            "| trial | configuration | replicates |\n| --- | --- | --- |\n" +
            rows + "\n";
        for (const Recommendation& entry : advice.ranked) {
            if (!entry.effect) continue;
            out += fmt::format("- {}: {}; {}\n", canonical_text(entry.configuration),
                               effect_text(*entry.effect), entry.effect->basis);
        }
        out += "\n";
    }
    if (advice.measured && !advice.measured->effects.empty()) {
        out +=
            "## Effect of each parameter\n\nFrom the regression over all trials, against the filesystem's "
            "own "
            "default, with 95 % intervals.\n\n" +
            bullet_list(advice.measured->effects);
    }
    if (advice.measured) {
        std::vector<std::string> doubts = advice.measured->drifts;
        doubts.insert(doubts.end(), advice.measured->outliers.begin(), advice.measured->outliers.end());
        if (!advice.measured->repeats.empty()) doubts.push_back(advice.measured->repeats);
        if (!doubts.empty()) out += "## What speaks against the figures\n\n" + bullet_list(doubts);
    }
    if (!trials.empty()) {
        out +=
            "## Every trial\n\n| trial | state | origin | configuration | against default | candidate | "
            "default | note "
            "|\n| --- | --- | --- | --- | --- | --- | --- | --- |\n";
        for (const auto& trial : trials) out += duet_row(trial);
        out += "\n";
    }
    if (!advice.rejected.empty()) {
        out += "## Rejected options\n\n";
        for (const Rejected& entry : advice.rejected) {
            out += fmt::format("- **{}**: {}{}\n", entry.option, entry.why,
                               entry.versions.empty() ? "" : " (" + entry.versions + ")");
        }
        out += "\n";
    }
    if (!advice.application.empty()) {
        out += "## Application settings\n\n";
        for (const ApplicationSetting& setting : advice.application) {
            out += fmt::format("- {}: `{} = {}`: {}\n", setting.application, setting.name, setting.value,
                               setting.why);
        }
        out += "\n";
    }
    out += fmt::format("## Reproduce\n\nKnowledge {}.", advice.knowledge_digest);
    if (advice.measured) out += fmt::format(" Study file: `{}`.", advice.measured->study);
    return out + "\n";
}

}  // namespace fsadvise
