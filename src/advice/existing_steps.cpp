#include "advice/existing_steps.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "space/change.h"
#include "space/component_version.h"
#include "space/parameter_value.h"
#include "space/validity.h"

namespace fsadvise {
namespace {

constexpr std::string_view kUnknown = "unknown";

Configuration configuration_of_facts(const ExistingFilesystem& facts) {
    return {facts.filesystem, facts.values};
}

// What the parameter is now; nullopt = could not be seen. The kernel's listing leaves defaults out, a superblock that
// was not read says nothing.
std::optional<Value> current_value(const Context& now, const ExistingFilesystem& facts, const Parameter& parameter) {
    if (const auto found = facts.values.find(parameter.id); found != facts.values.end()) return found->second;
    if (parameter.layer == Layer::kMkfs && !facts.superblock_seen) return std::nullopt;
    if (parameter.layer == Layer::kMkfs && parameter.read_back) return std::nullopt;
    return default_value(parameter, now);
}

std::vector<std::string> filled_in(const std::string& line, const Parameter& parameter, const Value& value,
                                   const ExistingFilesystem& facts) {
    std::vector<std::string> argv;
    for (std::string word : split(line, ' ')) {
        if (word == "{device}") word = facts.source;
        if (word == "{directory}") word = facts.directory;
        if (const auto at = word.find("{value}"); at != std::string::npos) {
            const auto written = write_value(parameter, value);
            word.replace(at, std::string_view("{value}").size(), written.empty() ? to_text(value) : written);
        }
        argv.push_back(std::move(word));
    }
    return argv;
}

const Change* way_to_change(const Context& now, const Parameter& parameter, const Value& value,
                            std::string_view state) {
    for (const Change& change : now.knowledge().changes()) {
        if (change.parameter != parameter.id || change.state != state) continue;
        if (!change.value.empty() && change.value != to_text(value)) continue;
        if (change.when.empty()) return &change;
        const auto possible = change.when.test(now);
        if (possible && *possible) return &change;
    }
    return nullptr;
}

// "effective", "ignored", "refused" or "blocks": what a remount with the new value does.
std::string remount_result(const Context& after, const Parameter& parameter) {
    for (const auto& entry : parameter.remount) {
        if (entry.when.empty()) return entry.result;
        const auto applies = entry.when.test(after);
        if (!applies || *applies) return entry.result;
    }
    return parameter.change == "remount" ? "effective" : "refused";
}

std::string words_of(const Knowledge& knowledge, const Parameter& parameter, const Value& value) {
    const auto commands = spell(knowledge, {parameter.filesystem, {{parameter.id, value}}});
    if (parameter.layer == Layer::kMount) return commands.mount_options;
    std::vector<std::string> words(commands.mkfs.begin() + (commands.mkfs.empty() ? 0 : 1), commands.mkfs.end());
    return join(words, " ");
}

void use_change(ExistingStep& step, const Change& change, const Parameter& parameter, const ExistingFilesystem& facts,
                Moment moment) {
    step.moment = moment;
    for (const auto& line : change.commands)
        step.commands.push_back(filled_in(line, parameter, step.value, facts));
    step.note = change.effect + (change.risk.empty() ? "" : " " + change.risk);
    step.sources.insert(step.sources.end(), change.sources.begin(), change.sources.end());
}

void plan_mount_option(ExistingStep& step, const Context& now, const Parameter& parameter,
                       const ExistingFilesystem& facts) {
    auto changed = configuration_of_facts(facts);
    changed.values[parameter.id] = step.value;
    const Context after(now.knowledge(), now.request(), changed);
    const auto result = remount_result(after, parameter);
    step.spelled = words_of(now.knowledge(), parameter, step.value);
    if (result == "effective" && !step.spelled.empty()) {
        step.moment = Moment::kNow;
        step.commands = {{"mount", "-o", "remount," + step.spelled, facts.directory}};
        return;
    }
    step.moment = Moment::kFreshMount;
    if (step.spelled.empty())
        step.note = "by leaving the present option out";
    else if (result == "ignored")
        step.note = "a remount reports success and changes nothing";
    else
        step.note = "a remount is refused";
}

// A mount option is for the whole filesystem; some can be had for one directory.
void note_directory_way(ExistingStep& step, const Context& now, const Parameter& parameter,
                        const ExistingFilesystem& facts) {
    const auto* change = way_to_change(now, parameter, step.value, "new-files");
    if (change == nullptr) return;
    std::vector<std::string> lines;
    for (const auto& line : change->commands) lines.push_back(join(filled_in(line, parameter, step.value, facts), " "));
    step.note += fmt::format("{}for one directory instead: {} ({})", step.note.empty() ? "" : "; ",
                             join(lines, "; "), change->effect);
}

void plan_format_option(ExistingStep& step, const Context& now, const Parameter& parameter,
                        const ExistingFilesystem& facts) {
    step.spelled = words_of(now.knowledge(), parameter, step.value);
    if (const auto* change = way_to_change(now, parameter, step.value, "mounted"))
        return use_change(step, *change, parameter, facts, Moment::kNow);
    if (const auto* change = way_to_change(now, parameter, step.value, "new-files"))
        return use_change(step, *change, parameter, facts, Moment::kNewFiles);
    if (const auto* change = way_to_change(now, parameter, step.value, "unmounted"))
        return use_change(step, *change, parameter, facts, Moment::kUnmounted);
    step.moment = Moment::kReformat;
    step.note = parameter.change_note;
}

ExistingStep plan(const Context& now, const Parameter& parameter, Value value, const ExistingFilesystem& facts) {
    ExistingStep step;
    step.parameter = parameter.id;
    step.value = std::move(value);
    const auto current = current_value(now, facts, parameter);
    step.from = current ? to_text(*current) : std::string(kUnknown);
    if (parameter.layer == Layer::kMount) {
        plan_mount_option(step, now, parameter, facts);
        note_directory_way(step, now, parameter, facts);
    }
    else
        plan_format_option(step, now, parameter, facts);
    return step;
}

// A listed option that fstab can do without, or must.
template <class Planned>
bool is_needless(const Knowledge& knowledge, const Request& request, const Configuration& after,
                 const Parameter& parameter, const Planned& planned) {
    const auto value = after.values.find(parameter.id);
    if (value == after.values.end()) return false;
    auto without = after;
    without.values.erase(parameter.id);
    const auto usual = default_value(parameter, Context(knowledge, request, without));
    if (usual && equal(*usual, value->second)) return true;
    const Context context(knowledge, request, after);
    for (const auto& violation : violations(context)) {
        const bool refused =
            violation.effect == Effect::kMountRefuses || violation.effect == Effect::kNoEffect;
        const bool deprecated = violation.effect == Effect::kUnwise && violation.id.ends_with(".version");
        if (violation.parameter == parameter.id && (refused || deprecated)) return true;
        // Beside an option that is wanted now, whichever of the two is blamed.
        if (!refused || !planned(violation.parameter)) continue;
        for (const auto* constraint : knowledge.constraints_of(after.filesystem))
            if (constraint->id == violation.id &&
                std::ranges::find(constraint->when.names(), parameter.id) != constraint->when.names().end())
                return true;
    }
    return false;
}

void sort_by_moment(std::vector<ExistingStep>& steps) {
    std::stable_sort(steps.begin(), steps.end(),
                     [](const ExistingStep& a, const ExistingStep& b) { return a.moment < b.moment; });
}

}  // namespace

std::vector<ExistingStep> steps_to(const Knowledge& knowledge, const Request& request,
                                   const ExistingFilesystem& facts, const Recommendation& target,
                                   std::vector<std::string>& already) {
    const Context now(knowledge, request, configuration_of_facts(facts));
    std::vector<ExistingStep> steps;
    for (const auto& choice : target.choices) {
        const auto* parameter = knowledge.parameter(choice.parameter);
        if (parameter == nullptr || parameter->layer == Layer::kBlock) continue;
        const auto current = current_value(now, facts, *parameter);
        if (current && equal(*current, choice.value)) {
            already.push_back(choice.spelled);
            continue;
        }
        auto step = plan(now, *parameter, choice.value, facts);
        step.why = choice.why;
        step.rule = choice.rule;
        step.strength = choice.strength;
        step.sources.insert(step.sources.begin(), choice.sources.begin(), choice.sources.end());
        steps.push_back(std::move(step));
    }
    sort_by_moment(steps);
    return steps;
}

std::vector<ExistingStep> steps_away(const Knowledge& knowledge, const Request& request,
                                     const ExistingFilesystem& facts, const std::vector<ExistingStep>& planned,
                                     std::vector<std::string>& warnings) {
    const Context now(knowledge, request, configuration_of_facts(facts));
    std::vector<ExistingStep> steps;
    for (const auto& violation : violations(now)) {
        // The filesystem is mounted, so whatever is said to be refused was not.
        if (violation.effect != Effect::kUnsafe && !violation.id.ends_with(".durability")) continue;
        const auto same = [&](const ExistingStep& step) { return step.parameter == violation.parameter; };
        if (std::any_of(planned.begin(), planned.end(), same) || std::any_of(steps.begin(), steps.end(), same))
            continue;
        const auto* parameter = knowledge.parameter(violation.parameter);
        const auto usual = parameter != nullptr ? default_value(*parameter, now) : std::nullopt;
        if (parameter == nullptr || parameter->layer != Layer::kMount || !usual) {
            warnings.push_back(violation.says + (violation.fix.empty() ? "" : " " + violation.fix));
            continue;
        }
        auto step = plan(now, *parameter, *usual, facts);
        step.why = violation.says;
        step.rule = violation.id;
        step.strength = "strong";
        step.sources = violation.sources;
        steps.push_back(std::move(step));
    }
    sort_by_moment(steps);
    return steps;
}

std::string options_after(const Knowledge& knowledge, const Request& request, const ExistingFilesystem& facts,
                          const std::vector<ExistingStep>& steps) {
    auto after = configuration_of_facts(facts);
    for (const auto& step : steps) after.values[step.parameter] = step.value;
    const auto planned = [&](const std::string& parameter) {
        return std::any_of(steps.begin(), steps.end(),
                           [&](const ExistingStep& step) { return step.parameter == parameter; });
    };
    std::vector<std::string> kept;
    for (const auto& word : parse_mount_options(knowledge, facts.filesystem, facts.options)) {
        if (word.text == "rw" || planned(word.parameter)) continue;
        if (const auto* parameter = knowledge.parameter(word.parameter);
            parameter != nullptr && is_needless(knowledge, request, after, *parameter, planned)) {
            after.values.erase(word.parameter);
            continue;
        }
        kept.push_back(word.text);
    }
    for (const auto& step : steps) {
        const auto* parameter = knowledge.parameter(step.parameter);
        if (parameter->layer == Layer::kMount && !step.spelled.empty()) kept.push_back(step.spelled);
    }
    return kept.empty() ? "defaults" : join(kept, ",");
}

}  // namespace fsadvise
