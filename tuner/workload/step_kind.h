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
    kReadWrite,
    kAppend,
    kTruncate,
    kFallocate,
    kPunchHole,
    kReadFile,
    kCreate,
    kLink,
    kSymlink,
    kReadlink,
    kStat,
    kOpenClose,
    kUnlink,
    kRename,
    kMkdir,
    kRmdir,
    kMkdirRmdir,
    kList,
    kFsync,
    kFdatasync,
    kCommit,
    kSignal,
    kWait,
    kThink,
};

std::optional<StepKind> step_kind(std::string_view operation);
std::string_view operation_name(StepKind kind);
// All names, for messages.
std::span<const std::string> operation_names();

// Steps on bytes inside files of known size.
constexpr bool is_data_step(StepKind kind) {
    return kind >= StepKind::kRead && kind <= StepKind::kPunchHole;
}
// Steps that move bytes between memory and files.
constexpr bool transfers(StepKind kind) {
    return kind >= StepKind::kRead && kind <= StepKind::kAppend;
}
// Steps that use block_bytes.
constexpr bool uses_block(StepKind kind) {
    return is_data_step(kind) || kind == StepKind::kReadFile || kind == StepKind::kCreate ||
           kind == StepKind::kCommit;
}
constexpr bool is_sync(StepKind kind) {
    return kind == StepKind::kFsync || kind == StepKind::kFdatasync;
}
// Steps that touch no file.
constexpr bool is_idle(StepKind kind) {
    return kind == StepKind::kThink || kind == StepKind::kSignal || kind == StepKind::kWait;
}
// Steps that add a name to the set which belongs to the actor.
constexpr bool adds_name(StepKind kind) {
    return kind == StepKind::kCreate || kind == StepKind::kLink || kind == StepKind::kSymlink ||
           kind == StepKind::kMkdir;
}

}  // namespace fsadvise::tuner
