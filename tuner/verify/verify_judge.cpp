// The comparison of a prediction with what happened.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "space/spelling.h"
#include "space/validity.h"
#include "tuner/verify/verify.h"

namespace fsadvise::tuner {
namespace {

constexpr const char* kFine = "ok";
constexpr const char* kMkfs = "mkfs refuses";
constexpr const char* kMount = "mount refuses";

// Parameters that the knowledge says end up different from what was asked.
std::set<std::string> changed_silently(const Knowledge& knowledge, const std::vector<Violation>& found,
                                       const std::string& filesystem) {
    std::set<std::string> ids;
    for (const Violation& violation : found) {
        if (violation.effect == Effect::kMkfsRefuses || violation.effect == Effect::kMountRefuses) continue;
        if (!violation.parameter.empty()) ids.insert(violation.parameter);
        for (const Constraint* constraint : knowledge.constraints_of(filesystem)) {
            if (constraint->id != violation.id) continue;
            if (!constraint->becomes_parameter.empty()) ids.insert(constraint->becomes_parameter);
            ids.insert(constraint->when.names().begin(), constraint->when.names().end());
        }
    }
    return ids;
}

void compare_defaults(const Context& context, const VerifyOutcome& outcome, VerifyResult& result) {
    for (const auto& [id, effective] : outcome.read_back.effective) {
        const Parameter* parameter = context.knowledge().parameter(id);
        // Listings leave defaults out, and add what the distribution or the kernel chose.
        if (parameter == nullptr || parameter->layer != Layer::kMkfs) continue;
        const auto predicted = context.lookup(id);
        if (!predicted || equal(*predicted, effective)) continue;
        const auto& special = parameter->domain.special;
        if (std::any_of(special.begin(), special.end(), [&](const Value& v) { return equal(v, *predicted); }))
            continue;
        const auto* a = std::get_if<std::int64_t>(&*predicted);
        const auto* b = std::get_if<std::int64_t>(&effective);
        constexpr double kRounding = 0.08;  // the tools round counts to what fits their tables
        if (a != nullptr && b != nullptr &&
            std::abs(static_cast<double>(*a - *b)) <= kRounding * static_cast<double>(*a))
            continue;
        result.disagreements.push_back(fmt::format("{}: the default is said to be {}, and is {}", id,
                                                   to_text(*predicted), to_text(effective)));
    }
}

void compare_becomes(const Context& context, const Constraint& constraint, const VerifyOutcome& outcome,
                     VerifyResult& result) {
    if (constraint.effect != Effect::kSilent || constraint.becomes_parameter.empty()) return;
    const auto effective = outcome.read_back.effective.find(constraint.becomes_parameter);
    const auto predicted = constraint.becomes_value.evaluate(context);
    if (!predicted || effective == outcome.read_back.effective.end()) return;
    const auto* a = std::get_if<std::int64_t>(&*predicted);
    const auto* b = std::get_if<std::int64_t>(&effective->second);
    constexpr double kRounding = 0.08;
    const bool near = a != nullptr && b != nullptr &&
                      std::abs(static_cast<double>(*a - *b)) <= kRounding * std::abs(static_cast<double>(*a));
    if (near || equal(*predicted, effective->second)) return;
    // Of two that exclude each other the later word wins: either may be the one that changed.
    const auto& names = constraint.when.names();
    for (const std::string& mismatch : outcome.read_back.mismatches) {
        if (std::ranges::binary_search(names, mismatch.substr(0, mismatch.find(':')))) return;
    }
    result.disagreements.push_back(fmt::format("{}: is said to become {}, and is {}",
                                               constraint.becomes_parameter, to_text(*predicted),
                                               to_text(effective->second)));
}

std::string command_of(const Knowledge& knowledge, const VerifyCase& tried) {
    const Commands commands = spell(knowledge, tried.configuration);
    return shell_join(commands.mkfs_argv("DEVICE")) + " && " +
           shell_join(commands.mount_argv("DEVICE", "DIRECTORY"));
}

}  // namespace

VerifyResult judge_case(const Knowledge& knowledge, const Request& machine, const VerifyCase& tried,
                        const VerifyOutcome& outcome) {
    VerifyResult result;
    result.tried = tried;
    result.command = command_of(knowledge, tried);
    const Request request = verify_request(machine.host, tried.size_bytes);
    const Context context(knowledge, request, tried.configuration);
    const auto found = violations(context);
    result.predicted = kFine;
    for (const Effect effect : {Effect::kMountRefuses, Effect::kMkfsRefuses}) {
        for (const Violation& violation : found) {
            if (violation.effect != effect) continue;
            result.predicted = effect == Effect::kMkfsRefuses ? kMkfs : kMount;
            result.reason = violation.id + ": " + violation.says;
        }
    }
    result.happened = !outcome.formats ? kMkfs : !outcome.mounts ? kMount : kFine;
    if (result.predicted != result.happened) {
        if (result.reason.empty()) result.reason = outcome.error;
        result.disagreements.push_back(fmt::format("predicted: {}, happened: {} ({})", result.predicted,
                                                   result.happened,
                                                   outcome.error.empty() ? result.reason : outcome.error));
        return result;
    }
    if (result.happened != kFine) return result;
    if (tried.kind == "default") compare_defaults(context, outcome, result);
    const auto silent = changed_silently(knowledge, found, tried.configuration.filesystem);
    for (const std::string& mismatch : outcome.read_back.mismatches) {
        if (!silent.contains(mismatch.substr(0, mismatch.find(':'))))
            result.disagreements.push_back(mismatch);
    }
    for (const Constraint* constraint : knowledge.constraints_of(tried.configuration.filesystem)) {
        if (constraint->id == tried.constraint) compare_becomes(context, *constraint, outcome, result);
    }
    return result;
}

std::size_t VerifyReport::disagreeing() const {
    return static_cast<std::size_t>(std::count_if(
        results.begin(), results.end(), [](const auto& item) { return !item.disagreements.empty(); }));
}

}  // namespace fsadvise::tuner
