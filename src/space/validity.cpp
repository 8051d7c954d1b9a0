#include "space/validity.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "space/parameter_value.h"
#include "space/version_window.h"

namespace fsadvise {
namespace {

int durability_rank(std::string_view name) {
    return name == "scratch" ? 2 : name == "relaxed" ? 1 : 0;
}

Effect refusal(const Parameter& parameter) {
    return parameter.layer == Layer::kMkfs ? Effect::kMkfsRefuses : Effect::kMountRefuses;
}

bool is_uuid(std::string_view text) {
    constexpr std::string_view kShape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    return std::equal(text.begin(), text.end(), kShape.begin(), kShape.end(), [](char letter, char shape) {
        return shape == '-' ? letter == '-' : std::isxdigit(static_cast<unsigned char>(letter)) != 0;
    });
}

// Collects violations of one configuration; `uncertain` ones are dropped unless asked for.
class Judge {
  public:
    Judge(const Context& context, bool include_uncertain)
        : context_(context), include_uncertain_(include_uncertain) {}

    std::vector<Violation> run() {
        for (const auto& [id, value] : context_.configuration().values) judge(id, value);
        for (const Constraint* constraint :
             context_.knowledge().constraints_of(context_.configuration().filesystem))
            judge(*constraint);
        return std::move(found_);
    }

  private:
    void add(const Parameter& parameter, std::string_view kind, Effect effect, std::string says,
             std::string fix = {}, bool certain = true) {
        if (!certain && !include_uncertain_) return;
        found_.push_back({effect, fmt::format("{}.{}", parameter.id, kind), parameter.id, std::move(says),
                          std::move(fix), parameter.sources, certain});
    }

    void judge(const std::string& id, const Value& value) {
        const Parameter* parameter = context_.knowledge().parameter(id);
        const std::string& filesystem = context_.configuration().filesystem;
        if (parameter == nullptr ||
            (parameter->layer != Layer::kBlock && parameter->filesystem != filesystem)) {
            found_.push_back({Effect::kMkfsRefuses,
                              id + ".domain",
                              id,
                              fmt::format("{} is no parameter of {}", id, filesystem),
                              "remove it",
                              {},
                              true});
            return;
        }
        judge_domain(*parameter, value);
        for (WindowVerdict& verdict : judge_versions(context_, *parameter, value))
            add(*parameter, "version", verdict.effect, std::move(verdict.says), std::move(verdict.fix),
                verdict.certain);
        judge_active(*parameter);
        judge_durability(*parameter, value);
    }

    void judge_domain(const Parameter& parameter, const Value& value) {
        const Domain& domain = parameter.domain;
        const auto same = [&](const Value& other) { return equal(other, value); };
        if (std::any_of(domain.special.begin(), domain.special.end(), same)) return;
        if (!coerce(parameter, value)) {
            add(parameter, "domain", refusal(parameter),
                fmt::format("{} is not of type {}", to_text(value), to_text(parameter.type)));
            return;
        }
        if (!domain.values.empty() && std::none_of(domain.values.begin(), domain.values.end(), same)) {
            std::string known;
            for (const Value& allowed : domain.values)
                known += (known.empty() ? "" : ", ") + to_text(allowed);
            add(parameter, "domain", refusal(parameter),
                fmt::format("{} is not one of the possible values", to_text(value)), "use one of " + known);
            return;
        }
        if (const auto* text = std::get_if<std::string>(&value)) judge_text(parameter, *text);
        judge_bound(parameter, value, domain.minimum, true);
        judge_bound(parameter, value, domain.maximum, false);
        const auto* whole = std::get_if<std::int64_t>(&value);
        if (whole == nullptr) return;
        if (domain.power_of_two && (*whole <= 0 || (*whole & (*whole - 1)) != 0))
            add(parameter, "domain", refusal(parameter), fmt::format("{} is not a power of two", *whole));
        if (domain.multiple_of) judge_multiple(parameter, *whole, *domain.multiple_of);
    }

    static std::optional<double> as_number(const std::optional<Value>& value) {
        if (!value) return std::nullopt;
        if (const auto* whole = std::get_if<std::int64_t>(&*value)) return static_cast<double>(*whole);
        if (const auto* real = std::get_if<double>(&*value)) return *real;
        return std::nullopt;
    }

    void judge_text(const Parameter& parameter, const std::string& text) {
        // A placeholder of a script or template says nothing about the final text.
        if (text.find_first_of("${") != std::string::npos) return;
        const auto length = static_cast<std::size_t>(parameter.domain.maximum_length);
        if (length > 0 && text.size() > length)
            add(parameter, "domain", refusal(parameter),
                fmt::format("'{}' is longer than {} bytes", text, length), "shorten it");
        if (parameter.domain.format == "uuid" && !is_uuid(text))
            add(parameter, "domain", refusal(parameter), fmt::format("'{}' is no UUID", text),
                "write 8-4-4-4-12 hexadecimal digits");
    }

    void judge_bound(const Parameter& parameter, const Value& value, const std::optional<Expression>& bound,
                     bool low) {
        const auto number = as_number(value);
        if (!bound || bound->empty() || !number) return;
        const auto limit = as_number(bound->evaluate(context_));
        const std::string origin =
            limit && bound->text() == fmt::format("{:g}", *limit) ? "" : fmt::format(" ({})", bound->text());
        if (!limit) {
            add(parameter, "domain", refusal(parameter),
                fmt::format("the {} depends on {}", low ? "minimum" : "maximum", bound->text()), {}, false);
        } else if (low ? *number < *limit : *number > *limit) {
            add(parameter, "domain", refusal(parameter),
                fmt::format("{} is {} the {} {:.15g}{}", to_text(value), low ? "below" : "above",
                            low ? "minimum" : "maximum", *limit, origin),
                fmt::format("use {:.15g} or {}", *limit, low ? "more" : "less"));
        }
    }

    void judge_multiple(const Parameter& parameter, std::int64_t whole, const Expression& of) {
        if (of.empty()) return;
        const auto step = as_number(of.evaluate(context_));
        const auto divisor = step ? static_cast<std::int64_t>(*step) : 0;
        if (!step) {
            add(parameter, "domain", refusal(parameter),
                fmt::format("must be a multiple of {}, which is not known", of.text()), {}, false);
        } else if (divisor > 0 && whole % divisor != 0) {
            add(parameter, "domain", refusal(parameter),
                fmt::format("{} is not a multiple of {}", whole, divisor),
                fmt::format("use a multiple of {}{}", divisor,
                            parameter.spelling.unit_bytes <= 1 && whole > 0 && whole < divisor
                                ? "; the figure counts bytes unless it has a suffix"
                                : ""));
        }
    }

    void judge_active(const Parameter& parameter) {
        if (parameter.active.empty()) return;
        const auto active = parameter.active.test(context_);
        if (active && *active) return;
        add(parameter, "active", Effect::kNoEffect,
            fmt::format("has an effect only where {}", parameter.active.text()), "leave it out",
            active.has_value());
    }

    void judge_durability(const Parameter& parameter, const Value& value) {
        auto entry = parameter.durability.find(to_text(value));
        if (entry == parameter.durability.end()) {
            entry = parameter.durability.find("*");
            if (entry == parameter.durability.end()) return;
            // Unknown default: data is at stake, so the value counts as a change.
            const auto usual = default_value(parameter, context_);
            if (usual && equal(*usual, value)) return;
        }
        const std::string& asked = context_.request().requirements.durability;
        if (durability_rank(entry->second) <= durability_rank(asked)) return;
        add(parameter, "durability", Effect::kUnsafe,
            fmt::format("{} lowers durability to {}, and {} is required{}", to_text(value), entry->second,
                        asked, parameter.risk.empty() ? "" : ": " + parameter.risk),
            "leave it out, or ask for durability " + entry->second);
    }

    void judge(const Constraint& constraint) {
        const auto violated = constraint.when.test(context_);
        if (violated ? !*violated : !include_uncertain_ || !concerns(constraint)) return;
        found_.push_back({constraint.effect, constraint.id, blame(constraint), constraint.says,
                          constraint.fix, constraint.sources, violated.has_value()});
    }

    // An undecided condition is worth a word only if the user's own choice is part of it.
    [[nodiscard]] bool concerns(const Constraint& constraint) const {
        const auto& names = constraint.when.names();
        return std::any_of(names.begin(), names.end(),
                           [&](const std::string& name) { return context_.is_set(name); });
    }

    // The parameter that ends up different, else an explicitly set one of the condition: first those that it
    // asks for with set(), because there the condition speaks of the user's word and not of a value.
    [[nodiscard]] std::string blame(const Constraint& constraint) const {
        if (!constraint.becomes_parameter.empty()) return constraint.becomes_parameter;
        std::string other;
        for (const std::string& name : constraint.when.names()) {
            if (!context_.is_set(name)) continue;
            if (constraint.when.text().find("set(" + name + ")") != std::string::npos) return name;
            if (other.empty()) other = name;
        }
        return other;
    }

    const Context& context_;
    const bool include_uncertain_;
    std::vector<Violation> found_;
};

}  // namespace

std::vector<Violation> violations(const Context& context, bool include_uncertain) {
    return Judge(context, include_uncertain).run();
}

bool is_valid(const Context& context) {
    const bool scratch = context.request().requirements.durability == "scratch";
    const std::vector<Violation> found = violations(context);
    return std::all_of(found.begin(), found.end(), [&](const Violation& violation) {
        return violation.effect == Effect::kUnwise || (scratch && violation.effect == Effect::kUnsafe);
    });
}

}  // namespace fsadvise
