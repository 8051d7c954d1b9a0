// Which predictions to try, and how to construct an example of a constraint from its condition.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "base/units.h"
#include "space/fact_table.h"
#include "space/spelling.h"
#include "space/validity.h"
#include "tuner/verify/trial_values.h"
#include "tuner/verify/verify.h"

namespace fsadvise::tuner {
namespace {

// Sizes that conditions may need; the first is the one for everything else.
constexpr std::uint64_t kSizes[] = {600 * kMiB, 2 * kGiB,  300 * kMiB, 128 * kMiB,
                                    64 * kMiB,  16 * kMiB, 20 * kGiB};
constexpr std::size_t kMostCombinations = 4000;

bool refuses(Effect effect) {
    return effect == Effect::kMkfsRefuses || effect == Effect::kMountRefuses;
}

bool belongs_to_command(const Parameter& parameter) {
    return parameter.layer != Layer::kBlock;
}

// How far a configuration is from showing one effect alone.
struct Purity {
    std::size_t refusals = 0, others = 0;
    friend auto operator<=>(const Purity&, const Purity&) = default;
};

Purity purity(const Context& context, const std::string& own_id) {
    Purity result;
    for (const Violation& violation : violations(context)) {
        if (violation.id == own_id || violation.effect == Effect::kUnwise ||
            violation.effect == Effect::kUnsafe)
            continue;
        ++(refuses(violation.effect) ? result.refusals : result.others);
    }
    return result;
}

// A value that is written by leaving its word out cannot be refused.
bool says_nothing(const Knowledge& knowledge, const Parameter& parameter, const Value& value) {
    const Commands with = spell(knowledge, {parameter.filesystem, {{parameter.id, value}}});
    const Commands without = spell(knowledge, {parameter.filesystem, {}});
    return with.mkfs == without.mkfs && with.mount_options == without.mount_options;
}

struct Axis {
    const Parameter* parameter = nullptr;
    std::vector<std::optional<Value>> values;  // nullopt = not given
};

// Parameters that a condition speaks of, with the values worth a try.
std::vector<Axis> axes_of(const Context& context, const Expression& when, const std::string& filesystem) {
    std::vector<Axis> axes;
    const auto literals = literals_of(when);
    for (const std::string& name : when.names()) {
        const Parameter* parameter = context.knowledge().parameter(name);
        if (parameter == nullptr || parameter->filesystem != filesystem || !belongs_to_command(*parameter))
            continue;
        Axis axis{parameter, {std::nullopt}};
        const auto add = [&](const Value& value) {
            const bool known = std::any_of(axis.values.begin(), axis.values.end(),
                                           [&](const auto& other) { return other && equal(*other, value); });
            if (!known && can_be_written(*parameter, value)) axis.values.emplace_back(value);
        };
        for (const Value& value : trial_values(context, *parameter)) add(value);
        for (const Value& literal : literals) {
            const auto* whole = std::get_if<std::int64_t>(&literal);
            const bool number = parameter->type == ValueType::kInteger ||
                                parameter->type == ValueType::kSize || parameter->type == ValueType::kReal;
            const bool word = std::holds_alternative<std::string>(literal);
            if (number && whole != nullptr) {
                for (const std::int64_t near : {*whole, *whole + 1, *whole - 1, *whole * 2, *whole / 2})
                    add(near);
            } else if (word && !number && parameter->type != ValueType::kBool) {
                add(literal);
            }
        }
        std::erase_if(axis.values, [&](const auto& value) {
            return value && says_nothing(context.knowledge(), *parameter, *value);
        });
        if (const auto usual = default_value(*parameter, context)) add(*usual);
        axes.push_back(std::move(axis));
    }
    return axes;
}

// Calls `visit` with every combination until it returns true or there have been enough.
template <class Visit>
void each_combination(const std::vector<Axis>& axes, const std::string& filesystem, const Visit& visit) {
    std::vector<std::size_t> at(axes.size(), 0);
    for (std::size_t count = 0; count < kMostCombinations; ++count) {
        Configuration configuration{filesystem, {}};
        for (std::size_t i = 0; i < axes.size(); ++i) {
            if (const auto& value = axes[i].values[at[i]])
                configuration.values[axes[i].parameter->id] = *value;
        }
        if (visit(configuration)) return;
        std::size_t axis = 0;
        while (axis < axes.size() && ++at[axis] == axes[axis].values.size()) at[axis++] = 0;
        if (axis == axes.size()) return;
    }
}

// The values make the condition true here; the cleanest example wins.
std::optional<VerifyCase> example_of(const Knowledge& knowledge, const Request& machine,
                                     const Constraint& constraint) {
    std::optional<VerifyCase> best;
    Purity best_purity;
    for (const std::uint64_t size : kSizes) {
        const Request request = verify_request(machine.host, size);
        const Context plain(knowledge, request, {constraint.filesystem, {}});
        const auto axes = axes_of(plain, constraint.when, constraint.filesystem);
        each_combination(axes, constraint.filesystem, [&](const Configuration& configuration) {
            const Context context(knowledge, request, configuration);
            const auto holds = constraint.when.test(context);
            if (!holds || !*holds) return false;
            // A command names devices instead of writing their number, and here there is only one.
            if (configuration.values.contains(constraint.filesystem + ".mkfs.devices")) return false;
            const Purity found = purity(context, constraint.id);
            if (!best || found < best_purity) {
                best = VerifyCase{"constraint", constraint.id, configuration, size, constraint.id};
                best_purity = found;
            }
            return found == Purity{};
        });
        if (best && best_purity == Purity{}) break;
    }
    // A constraint that another refusal hides shows nothing.
    if (best && best_purity.refusals > 0 && !refuses(constraint.effect)) return std::nullopt;
    return best;
}

std::string why_not_constructible(const Constraint& constraint) {
    std::vector<std::string> facts;
    for (const std::string& name : constraint.when.names()) {
        if (name.find(".mkfs.") == std::string::npos && name.find(".mount.") == std::string::npos)
            facts.push_back(name);
    }
    return facts.empty() ? "no single example found"
                         : "needs other facts than this machine has: " + join(facts, ", ");
}

// A parameter that exists only under a condition gets the condition fulfilled.
Configuration with_condition(const Knowledge& knowledge, const Request& request, const Parameter& parameter,
                             const Value& value) {
    Configuration plain{parameter.filesystem, {{parameter.id, value}}};
    if (parameter.active.empty()) return plain;
    const auto active = parameter.active.test(Context(knowledge, request, plain));
    if (active && *active) return plain;
    const Context context(knowledge, request, {parameter.filesystem, {}});
    Configuration found = plain;
    each_combination(axes_of(context, parameter.active, parameter.filesystem), parameter.filesystem,
                     [&](Configuration configuration) {
                         configuration.values[parameter.id] = value;
                         const Context tried(knowledge, request, configuration);
                         const auto holds = parameter.active.test(tried);
                         if (!holds || !*holds || purity(tried, {}).refusals > 0) return false;
                         found = configuration;
                         return true;
                     });
    return found;
}

}  // namespace

Request verify_request(const Host& host, std::uint64_t size_bytes) {
    Request request;
    request.host = host;
    request.requirements.durability = "scratch";  // a lowered class is no refusal
    BlockDevice device;
    device.media = "loop";
    device.size_bytes = size_bytes;
    device.logical_sector_bytes = device.physical_sector_bytes = 512;
    device.rotational = true;
    device.discard = true;
    device.dax = false;
    request.host.device = device;
    return request;
}

std::vector<VerifyCase> verify_cases(const Knowledge& knowledge, const Request& machine,
                                     const std::string& filesystem, std::vector<VerifySkip>& skipped) {
    std::vector<VerifyCase> cases;
    for (const std::uint64_t size : kSizes) {
        const Filesystem* known = knowledge.filesystem(filesystem);
        if (known == nullptr || size < known->minimum_bytes) continue;
        cases.push_back({"default", filesystem + " defaults", {filesystem, {}}, size, {}});
    }
    const Request request = verify_request(machine.host, kSizes[0]);
    const Context plain(knowledge, request, {filesystem, {}});
    const FactTable* table = knowledge.table("makes-no-filesystem");
    const auto makes_nothing = [&](const std::string& name) {
        return table != nullptr && table->find("parameter", name) != nullptr;
    };
    for (const Parameter* parameter : knowledge.parameters_of(filesystem)) {
        if (!belongs_to_command(*parameter)) continue;
        if (makes_nothing(parameter->id)) {
            skipped.push_back({parameter->id, "makes no filesystem"});
            continue;
        }
        const auto values = trial_values(plain, *parameter);
        if (values.empty()) skipped.push_back({parameter->id, "no value to try but the default"});
        for (const Value& value : values) {
            if (says_nothing(knowledge, *parameter, value)) continue;
            cases.push_back({"value",
                             parameter->id + " = " + to_text(value),
                             with_condition(knowledge, request, *parameter, value),
                             kSizes[0],
                             {}});
        }
    }
    for (const Constraint* constraint : knowledge.constraints_of(filesystem)) {
        if (std::ranges::any_of(constraint->when.names(), makes_nothing)) {
            skipped.push_back({constraint->id, "makes no filesystem"});
            continue;
        }
        if (auto example = example_of(knowledge, request, *constraint))
            cases.push_back(std::move(*example));
        else
            skipped.push_back({constraint->id, why_not_constructible(*constraint)});
    }
    return cases;
}

}  // namespace fsadvise::tuner
