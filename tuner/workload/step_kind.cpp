#include "tuner/workload/step_kind.h"

#include <algorithm>
#include <array>

namespace fsadvise::tuner {
namespace {

constexpr std::size_t kKinds = static_cast<std::size_t>(StepKind::kThink) + 1;

// In the order of StepKind.
const std::array<std::string, kKinds>& names() {
    static const std::array<std::string, kKinds> kNames = {
        "read",      "write",  "read-write", "append",  "truncate",    "fallocate", "punch-hole",
        "read-file", "create", "link",       "symlink", "readlink",    "stat",      "open-close",
        "unlink",    "rename", "mkdir",      "rmdir",   "mkdir-rmdir", "list",      "fsync",
        "fdatasync", "commit", "signal",     "wait",    "think"};
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
