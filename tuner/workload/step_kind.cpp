#include "tuner/workload/step_kind.h"

#include <algorithm>
#include <array>

namespace fsadvise::tuner {
namespace {

// In the order of StepKind.
const std::array<std::string, 14>& names() {
    static const std::array<std::string, 14> kNames = {
        "read",   "write",  "append",      "read-file", "create", "stat",      "open-close",
        "unlink", "rename", "mkdir-rmdir", "list",      "fsync",  "fdatasync", "think"};
    return kNames;
}

}  // namespace

std::optional<StepKind> step_kind(std::string_view operation) {
    const auto found = std::find(names().begin(), names().end(), operation);
    if (found == names().end()) return std::nullopt;
    return static_cast<StepKind>(found - names().begin());
}

std::string_view operation_name(StepKind kind) {
    return names()[static_cast<std::size_t>(kind)];
}

std::span<const std::string> operation_names() {
    return names();
}

}  // namespace fsadvise::tuner
