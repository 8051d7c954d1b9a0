// Whether a verdict over mount options rests on a format that the file does not show.
#include <algorithm>

#include "advice/lint_check.h"

namespace fsadvise {
namespace {

bool chosen_at_format(const Context& context, const std::string& name) {
    const auto* parameter = context.knowledge().parameter(name);
    return parameter != nullptr && parameter->layer == Layer::kMkfs && !context.is_set(name);
}

// The context without the defaults of mkfs: what was formatted elsewhere may be anything.
class FormatUnknown final : public Scope {
  public:
    explicit FormatUnknown(const Context& context) : context_(context) {}
    std::optional<Value> lookup(std::string_view name) const override {
        if (chosen_at_format(context_, std::string(name))) return std::nullopt;
        return context_.lookup(name);
    }
    bool is_set(std::string_view id) const override { return context_.is_set(id); }

  private:
    const Context& context_;
};

}  // namespace

bool depends_on_format(const Context& context, const Constraint& constraint) {
    const auto& text = constraint.when.text();
    const bool asks_whether_set = std::ranges::any_of(constraint.when.names(), [&](const std::string& name) {
        return chosen_at_format(context, name) && text.find("set(" + name + ")") != std::string::npos;
    });
    return asks_whether_set || !constraint.when.test(FormatUnknown(context)).has_value();
}

bool waits_for_mount(const Context& context, const Constraint& constraint) {
    return constraint.effect == Effect::kMountRefuses &&
           std::ranges::any_of(constraint.when.names(), [&](const std::string& name) {
               const auto* parameter = context.knowledge().parameter(name);
               return parameter != nullptr && parameter->layer == Layer::kMount && !context.is_set(name);
           });
}

std::string_view remount_result(const Parameter& parameter, const Context& context) {
    for (const RemountCase& candidate : parameter.remount) {
        if (candidate.when.test(context).value_or(false)) return candidate.result;
    }
    return parameter.change == "remount" ? "effective" : "refused";
}

bool names_several_devices(const ParsedCommand& mkfs) {
    return std::ranges::any_of(mkfs.devices, [](const std::string& device) {
        return device.find_first_of("$`*?[{") != std::string::npos;
    });
}

}  // namespace fsadvise
