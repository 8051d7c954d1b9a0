// The operations a step may name, as an enumeration and back.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fsadvise::tuner {

enum class StepKind {
    kRead,
    kWrite,
    kAppend,
    kReadFile,
    kCreate,
    kStat,
    kOpenClose,
    kUnlink,
    kRename,
    kMkdirRmdir,
    kList,
    kFsync,
    kFdatasync,
    kThink,
};

std::optional<StepKind> step_kind(std::string_view operation);
std::string_view operation_name(StepKind kind);
// All names, for messages.
std::span<const std::string> operation_names();

// Steps on bytes inside files of known size.
constexpr bool is_data_step(StepKind kind) {
    return kind == StepKind::kRead || kind == StepKind::kWrite || kind == StepKind::kAppend;
}
// Steps that use block_bytes.
constexpr bool uses_block(StepKind kind) {
    return is_data_step(kind) || kind == StepKind::kReadFile || kind == StepKind::kCreate;
}

}  // namespace fsadvise::tuner
