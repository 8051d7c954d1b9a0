// What was found: summary, commands, confirmation, search, latencies, best compromises.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "output/report/chart.h"
#include "output/report/html.h"
#include "output/report/measured.h"
#include "output/report/parts.h"
#include "output/text_parts.h"

namespace fsadvise {
namespace {

const tuner::Trial* confirmed_trial(const ReportedStudy& study, const Configuration& configuration) {
    for (const tuner::Trial& trial : study.trials)
        if (trial.configuration == configuration && trial_figures(trial, "confirm")) return &trial;
    return nullptr;
}

// The confirmed candidate that is best by its duets, the default apart.
const tuner::Trial* best_confirmed(const ReportedStudy& study) {
    const tuner::Trial* best = nullptr;
    double most = 0;
    for (const tuner::Trial& trial : study.trials) {
        const auto figures = trial_figures(trial, "confirm");
        if (!figures || (best != nullptr && figures->change_percent <= most)) continue;
        best = &trial;
        most = figures->change_percent;
    }
    return best;
}

std::vector<std::string> words_of_choices(const Recommendation& recommendation) {
    std::vector<std::string> words;
    for (const Choice& choice : recommendation.choices)
        if (choice.parameter != "filesystem") words.push_back(choice.spelled);
    return words;
}

// "no difference" as "No difference."
std::string sentence(std::string text) {
    if (text.empty()) return text;
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    return text.ends_with('.') ? text : text + ".";
}

std::string percent(double value) {
    return fmt::format("{:+.1f} %", value);
}

}  // namespace

std::string configuration_words(const Knowledge& knowledge, const Configuration& configuration) {
    const Commands commands = spell(knowledge, configuration);
    std::string words = configuration.filesystem;
    if (commands.mkfs.size() > 1) words += " " + shell_join(std::span(commands.mkfs).subspan(1));
    if (!commands.mount_options.empty()) words += "; " + commands.mount_options;
    return words == configuration.filesystem ? words + ", defaults" : words;
}

std::string section(const SectionInput& input, const std::string& id, const std::string& title,
                    const std::string& body) {
    if (body.empty()) return "";
    return fmt::format("<section aria-labelledby=\"{0}{1}\">\n<h3 id=\"{0}{1}\">{2}</h3>\n{3}</section>\n",
                       input.prefix, id, escaped(title), body);
}

std::string summary_section(const SectionInput& input) {
    const Advice& advice = input.study.advice;
    std::string body;
    if (advice.ranked.empty()) {
        body += "<p class=\"verdict\">No filesystem fits.</p>\n" + list(advice.excluded);
        return section(input, "summary", "Summary", body);
    }
    const Recommendation& best = advice.ranked.front();
    const std::string title = filesystem_title(input.knowledge, best.configuration.filesystem);
    const auto words = words_of_choices(best);
    body += fmt::format("<p class=\"verdict\">{}</p>\n",
                        escaped(fmt::format("{} with {} for {}.", title,
                                            words.empty() ? "its default settings" : join(words, ", "),
                                            advice.workload_title)));
    if (advice.measured) body += paragraph(sentence(advice.measured->verdict));
    if (best.effect && best.effect->low < best.effect->high)
        body += paragraph(std::string(is_prediction(*best.effect) ? "Expected against the default of ext4: "
                                                                  : "Against the default: ") +
                          effect_text(*best.effect) + "; " + best.effect->basis + ".");
    body += paragraph(fmt::format("Confidence: {}. {}.", advice.confidence.word, advice.confidence.rests_on));
    if (advice.measured && !advice.measured->complete)
        body += paragraph("The study did not run to its end: nothing is confirmed yet.");
    return section(input, "summary", "Summary", body);
}

std::string commands_section(const SectionInput& input) {
    const Advice& advice = input.study.advice;
    if (advice.ranked.empty()) return "";
    const Recommendation& best = advice.ranked.front();
    const Filesystem* filesystem = input.knowledge.filesystem(best.configuration.filesystem);
    const std::string device = device_word(advice.request),
                      directory = mount_point_of(advice.request, input.knowledge);
    std::string body = paragraph("mkfs destroys what is on the device: look twice which one it is.");
    body += code_block(fmt::format(
        "{}\n{}\n\n# /etc/fstab\n{}\n", shell_join(best.commands.mkfs_argv(device)),
        shell_join(best.commands.mount_argv(device, directory)),
        best.commands.fstab_line("UUID=...", directory, filesystem ? filesystem->fstab_pass : 0)));
    HtmlTable table{"Each choice and its reason", {"choice", "why", "strength", "rule"}, {}, {}};
    for (const Choice& choice : best.choices)
        table.rows.push_back({"`" + choice.spelled, choice.why, choice.strength, choice.rule});
    body += table.html();
    HtmlTable settings{
        "Settings of the block layer and of memory management", {"line", "goes to", "why"}, {}, {}};
    for (const BlockSetting& setting : best.settings)
        settings.rows.push_back({"`" + setting.line, setting.goes_to, setting.why});
    body += settings.html();
    HtmlTable application{"Settings of the application", {"application", "setting", "why"}, {}, {}};
    for (const ApplicationSetting& setting : advice.application)
        application.rows.push_back(
            {setting.application, "`" + setting.name + " = " + setting.value, setting.why});
    return section(input, "commands", "What to run", body + application.html());
}

std::string confirmation_section(const SectionInput& input) {
    const Advice& advice = input.study.advice;
    if (!advice.measured) return "";
    IntervalChart chart{input.prefix + "confirmed",
                        "Confirmed difference to the default, with its interval",
                        "",
                        "change of the metric in percent",
                        {},
                        0};
    HtmlTable table{"Single duets on fresh formats, in percent against the default",
                    {"configuration", "difference", "duets"},
                    {},
                    {1}};
    std::vector<std::string> said;
    for (const Recommendation& entry : advice.ranked) {
        if (!entry.effect) continue;
        const tuner::Trial* trial = confirmed_trial(input.study, entry.configuration);
        if (trial == nullptr) continue;
        const EffectEstimate& effect = *entry.effect;
        const std::string name = configuration_words(input.knowledge, entry.configuration);
        chart.rows.push_back({name, 100 * (effect.ratio - 1), 100 * (effect.low - 1), 100 * (effect.high - 1),
                              effect.material});
        said.push_back(name + ": " + effect_text(effect));
        std::vector<std::string> duets;
        for (const double change : duet_changes(*trial, "confirm"))
            duets.push_back(fmt::format("{:+.1f}", change));
        table.rows.push_back({"`" + name, effect_text(effect), join(duets, ", ")});
    }
    chart.description = "Confirmed differences: " + join(said, "; ");
    std::string body =
        paragraph(fmt::format("Metric: {}. A difference counts if its interval leaves out 0 and it is at "
                              "least 2 %. Each duet formats both sides anew.",
                              advice.measured->metric));
    if (chart.rows.empty()) body += paragraph("Nothing was confirmed.");
    return section(input, "confirmed-differences", "Confirmed comparison",
                   body + figure(chart) + table.html());
}

std::string search_section(const SectionInput& input) {
    const ReportedStudy& study = input.study;
    if (study.trials.empty()) return "";
    Chart chart{input.prefix + "convergence",
                "Every trial, and the best so far",
                "",
                {"trial", false, true},
                {"change against the default in percent", false},
                {},
                {},
                0.0};
    HtmlTable table{
        "Every trial",
        {"trial", "state", "origin", "configuration", "against default", "candidate", "default", "note"},
        {},
        {4, 5, 6}};
    double best = -INFINITY;
    for (const tuner::Trial& trial : study.trials) {
        const auto figures = trial_figures(trial, "search");
        const std::string name = configuration_words(input.knowledge, trial.configuration);
        std::vector<std::string> row = {std::to_string(trial.number + 1),
                                        trial.state,
                                        trial.origin,
                                        "`" + name,
                                        "",
                                        "",
                                        "",
                                        trial.reason};
        if (figures) {
            row[4] = percent(figures->change_percent);
            if (figures->candidate.operations_per_s > 0) {
                row[5] = human_rate(figures->candidate.operations_per_s);
                row[6] = human_rate(figures->anchor.operations_per_s);
            }
            const double number = trial.number + 1;
            chart.points.push_back(
                {number,
                 figures->change_percent,
                 {},
                 {},
                 trial.configuration.filesystem,
                 fmt::format("{}: {} ({})", trial.number + 1, name, percent(figures->change_percent))});
            best = std::max(best, figures->change_percent);
            chart.line.emplace_back(number, best);
        }
        table.rows.push_back(std::move(row));
    }
    chart.description = fmt::format("{} trials; the best of the search is {} against the default.",
                                    study.trials.size(), std::isfinite(best) ? percent(best) : "unknown");
    std::string body = paragraph(
        "Search figures choose what is confirmed; they are no result by themselves: the best of many is "
        "partly luck.");
    body += figure(chart);
    if (study.advice.measured && !study.advice.measured->effects.empty())
        body += "<h4>Effect of each parameter</h4>\n" +
                paragraph(
                    "From the regression over all trials, against the filesystem's own default, with 95 % "
                    "intervals.") +
                list(study.advice.measured->effects);
    constexpr std::size_t kOpen = 40;
    const std::string rows = table.html();
    body += study.trials.size() > kOpen ? "<details><summary>All " + std::to_string(study.trials.size()) +
                                              " trials</summary>\n" + rows + "</details>\n"
                                        : rows;
    return section(input, "search", "What was tried", body);
}

std::string latency_section(const SectionInput& input) {
    const tuner::Trial* trial = best_confirmed(input.study);
    const auto figures = trial == nullptr ? std::nullopt : trial_figures(*trial, "confirm");
    if (!figures || figures->candidate.p99_ns <= 0 || figures->anchor.p99_ns <= 0) return "";
    const std::string name = configuration_words(input.knowledge, trial->configuration);
    PairBars chart{input.prefix + "latency",
                   "Latency of operations, mean over the confirmation duets",
                   "",
                   "microseconds, logarithmic",
                   "candidate",
                   "default",
                   {}};
    HtmlTable table{"Latencies", {"percentile", "candidate", "default", "ratio"}, {}, {1, 2, 3}};
    std::vector<std::string> said;
    const auto row = [&](const char* what, double candidate, double anchor) {
        if (candidate <= 0 || anchor <= 0) return;
        const auto text = [](double ns) {
            return ns < 1e6 ? fmt::format("{:.0f} us", ns / 1e3) : fmt::format("{:.2f} ms", ns / 1e6);
        };
        chart.rows.push_back({what, candidate / 1e3, anchor / 1e3, text(candidate), text(anchor)});
        table.rows.push_back(
            {what, text(candidate), text(anchor), fmt::format("{:.2f}", candidate / anchor)});
        said.push_back(fmt::format("{} {} against {}", what, text(candidate), text(anchor)));
    };
    row("p50", figures->candidate.p50_ns, figures->anchor.p50_ns);
    row("p95", figures->candidate.p95_ns, figures->anchor.p95_ns);
    row("p99", figures->candidate.p99_ns, figures->anchor.p99_ns);
    row("p99.9", figures->candidate.p999_ns, figures->anchor.p999_ns);
    row("sync p99", figures->candidate.sync_p99_ns, figures->anchor.sync_p99_ns);
    chart.description = join(said, "; ");
    return section(input, "latencies", "Latency",
                   paragraph("Candidate: " + name + ".") + figure(chart) + table.html());
}

std::string front_section(const SectionInput& input) {
    const Advice& advice = input.study.advice;
    if (!advice.measured || advice.measured->front.empty()) return "";
    const auto& front = advice.measured->front;
    HtmlTable table{
        "Configurations that no other beats in every figure", {"configuration", "figures"}, {}, {}};
    Chart chart{input.prefix + "front", "Best compromises", "", {"", false}, {"", false}, {}, {}, {}};
    for (const FrontEntry& entry : front) {
        const std::string name = configuration_words(input.knowledge, entry.configuration);
        table.rows.push_back({"`" + name, entry.text});
        if (entry.figures.size() < 2) continue;
        chart.x.title = entry.figures[0].name + ", factor by which it is better than the default";
        chart.y.title = entry.figures[1].name + ", the same";
        chart.points.push_back({entry.figures[0].gain,
                                entry.figures[1].gain,
                                {},
                                {},
                                entry.configuration.filesystem,
                                name + ": " + entry.text});
    }
    chart.description = fmt::format(
        "{} compromises between {}.", front.size(),
        advice.measured->objective.empty() ? "the figures asked for" : advice.measured->objective);
    return section(input, "compromises", "Best compromises", figure(chart) + table.html());
}

}  // namespace fsadvise
