// Steps that name a file: creating, linking, renaming, removing, looking at, listing.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include <dirent.h>
#include <sys/syscall.h>

#include "tuner/engine/actor.h"
#include "tuner/engine/worker.h"

namespace fsadvise::tuner {
namespace {

constexpr std::uint64_t kDirectGrain = 4096;

Task remove_oldest(ActorState& actor, const StepPlan& step, std::deque<CreatedFile>& names, int flags) {
    actor.plan.sets[step.set].created_path(actor.path, actor.number, names.front());
    names.pop_front();
    const int result = co_await actor.io.unlink(actor.side.root(), actor.path.data(), flags);
    co_return failed(actor, step.kind, actor.path.data(), result);
}

// Removes the oldest if the actor has all that it may have, so that a name more does not exceed the bound.
Task make_room(ActorState& actor, const StepPlan& step, std::deque<CreatedFile>& names, int flags = 0) {
    if (names.size() < actor.plan.sets[step.set].created.most) co_return 0;
    co_return co_await remove_oldest(actor, step, names, flags);
}

CreatedFile new_name(ActorState& actor, const StepPlan& step, char letter) {
    const auto directory =
        static_cast<std::uint32_t>(actor.random.below(actor.plan.sets[step.set].directories));
    return {actor.own[step.set].next_number++, directory, letter};
}

Task create_file(ActorState& actor, std::size_t index, const StepPlan& step) {
    const SetPlan& set = actor.plan.sets[step.set];
    OwnFiles& own = actor.own[step.set];
    if (actor.open_fd >= 0) co_await close_open_file(actor);
    if (const int error = co_await make_room(actor, step, own.created); error != 0) co_return error;
    const CreatedFile file = new_name(actor, step, 'c');
    std::uint64_t size = set.draw_size(actor.random.next());
    if (actor.stream.direct) size = (size + kDirectGrain - 1) / kDirectGrain * kDirectGrain;
    set.created_path(actor.path, actor.number, file);
    const int flags = O_WRONLY | O_CREAT | O_TRUNC | direct_flag(actor) | actor.stream.open_flags;
    if (const int error = co_await open_current(actor, step, flags); error != 0) co_return error;
    own.created.push_back(file);
    if (set.preallocate && size > 0) {
        const int result = co_await actor.io.allocate(actor.open_fd, 0, 0, size);
        if (result < 0 && result != -EOPNOTSUPP)
            co_return failed(actor, step.kind, actor.path.data(), result);
    }
    ++actor.did;
    actor.open_is_written = true;
    const int error = co_await write_content(actor, step, size);
    if (error != 0 || actor.stream.sync_every == 0) co_return error;
    co_return co_await sync_by_policy(actor, index);
}

// The way from the directory of `from` to `target`, both relative to the side's directory.
void relative_target(const PathBuffer& from, PathBuffer& target) {
    const PathBuffer path = target;
    std::size_t at = 0;
    for (const char* c = from.data(); *c != '\0'; ++c) {
        if (*c == '/' && at + 3 < target.size())
            at += static_cast<std::size_t>(std::copy_n("../", 3, &target[at]) - &target[at]);
    }
    const std::size_t length = std::min(std::strlen(path.data()), target.size() - 1 - at);
    std::copy_n(path.data(), length, &target[at]);
    target[at + length] = '\0';
}

// Another name of a file. A hard link is one of the actor's files from then on, like any other.
Task add_link(ActorState& actor, std::size_t index, const StepPlan& step) {
    const bool symbolic = step.kind == StepKind::kSymlink;
    OwnFiles& own = actor.own[step.set];
    auto& names = symbolic ? own.symlinks : own.created;
    std::uint64_t size = 0;
    if (actor.open_fd >= 0) co_await close_open_file(actor);
    if (const int error = co_await make_room(actor, step, names); error != 0) co_return error;
    if (!choose_file(actor, index, step, size)) co_return 0;
    const CreatedFile name = new_name(actor, step, symbolic ? 's' : 'l');
    actor.plan.sets[step.set].created_path(actor.other_path, actor.number, name);
    const int root = actor.side.root();
    int result = 0;
    if (symbolic) {
        relative_target(actor.other_path, actor.path);
        result = co_await actor.io.symlink(root, actor.path.data(), actor.other_path.data());
    } else {
        result = co_await actor.io.link(root, actor.path.data(), actor.other_path.data());
    }
    if (result >= 0) names.push_back(name);
    ++actor.did;
    co_return failed(actor, step.kind, actor.other_path.data(), result);
}

int read_link(ActorState& actor, const StepPlan& step) {
    const auto& links = actor.own[step.set].symlinks;
    if (links.empty()) return 0;
    actor.plan.sets[step.set].created_path(actor.path, actor.number, links[actor.random.below(links.size())]);
    // There is no ring operation for it.
    const ssize_t result =
        ::readlinkat(actor.side.root(), actor.path.data(), actor.other_path.data(), actor.other_path.size());
    ++actor.did;
    return failed(actor, step.kind, actor.path.data(), result < 0 ? -errno : 0);
}

Task stat_file(ActorState& actor, std::size_t index, const StepPlan& step) {
    std::uint64_t size = 0;
    if (!choose_file(actor, index, step, size)) co_return 0;
    const int result = co_await actor.io.stat(actor.side.root(), actor.path.data(), &actor.attributes);
    ++actor.did;
    co_return failed(actor, step.kind, actor.path.data(), result);
}

Task open_close(ActorState& actor, std::size_t index, const StepPlan& step) {
    std::uint64_t size = 0;
    if (!choose_file(actor, index, step, size)) co_return 0;
    if (const int error = co_await open_current(actor, step, O_RDONLY); error != 0) co_return error;
    ++actor.did;
    co_return co_await close_open_file(actor);
}

// Removes the oldest above those that are kept.
Task remove_name(ActorState& actor, const StepPlan& step, std::deque<CreatedFile>& names, int flags) {
    if (names.size() <= actor.plan.sets[step.set].created.keep) co_return 0;
    if (actor.open_fd >= 0) co_await close_open_file(actor);
    ++actor.did;
    co_return co_await remove_oldest(actor, step, names, flags);
}

Task rename_file(ActorState& actor, const StepPlan& step) {
    const SetPlan& set = actor.plan.sets[step.set];
    auto& created = actor.own[step.set].created;
    // The youngest: a file is written under one name and published under another.
    if (created.empty()) co_return 0;
    if (actor.open_fd >= 0) co_await close_open_file(actor);
    CreatedFile renamed = created.back();
    set.created_path(actor.path, actor.number, renamed);
    renamed.letter = renamed.letter == 'm' ? 'c' : 'm';
    renamed.directory = static_cast<std::uint32_t>(actor.random.below(set.directories));
    set.created_path(actor.other_path, actor.number, renamed);
    const int result =
        co_await actor.io.rename(actor.side.root(), actor.path.data(), actor.other_path.data());
    if (result >= 0) created.back() = renamed;
    ++actor.did;
    co_return failed(actor, step.kind, actor.path.data(), result);
}

Task make_directory(ActorState& actor, const StepPlan& step) {
    auto& directories = actor.own[step.set].directories;
    if (const int error = co_await make_room(actor, step, directories, AT_REMOVEDIR); error != 0)
        co_return error;
    const CreatedFile name = new_name(actor, step, 'k');
    actor.plan.sets[step.set].created_path(actor.path, actor.number, name);
    const int result = co_await actor.io.mkdir(actor.side.root(), actor.path.data());
    if (result >= 0) directories.push_back(name);
    ++actor.did;
    co_return failed(actor, step.kind, actor.path.data(), result);
}

Task make_and_remove_directory(ActorState& actor, const StepPlan& step) {
    const SetPlan& set = actor.plan.sets[step.set];
    const auto directory = static_cast<std::uint32_t>(actor.random.below(set.directories));
    set.scratch_directory_path(actor.path, directory, actor.number);
    int result = co_await actor.io.mkdir(actor.side.root(), actor.path.data());
    if (result < 0) co_return failed(actor, step.kind, actor.path.data(), result);
    result = co_await actor.io.unlink(actor.side.root(), actor.path.data(), AT_REMOVEDIR);
    ++actor.did;
    co_return failed(actor, step.kind, actor.path.data(), result);
}

int list_directory(ActorState& actor, const StepPlan& step) {
    const SetPlan& set = actor.plan.sets[step.set];
    set.directory_path(actor.path, static_cast<std::uint32_t>(actor.random.below(set.directories)));
    // There is no ring operation that reads a directory.
    const int fd = ::openat(actor.side.root(), actor.path.data(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return failed(actor, step.kind, actor.path.data(), -errno);
    alignas(8) char entries[32768];
    long result = 0;
    do {
        result = ::syscall(SYS_getdents64, fd, entries, sizeof entries);
    } while (result > 0 && !actor.worker.aborted());
    const int error = result < 0 ? -errno : 0;
    ::close(fd);
    ++actor.did;
    return failed(actor, step.kind, actor.path.data(), error);
}

// A step that never waits.
Task plain_step(int result) {
    co_return result;
}

}  // namespace

Task run_path_step(ActorState& actor, std::size_t index, const StepPlan& step) {
    OwnFiles& own = actor.own[step.set];
    switch (step.kind) {
        case StepKind::kReadFile:
            return read_file(actor, index, step);
        case StepKind::kCreate:
            return create_file(actor, index, step);
        case StepKind::kLink:
        case StepKind::kSymlink:
            return add_link(actor, index, step);
        case StepKind::kReadlink:
            return plain_step(read_link(actor, step));
        case StepKind::kStat:
            return stat_file(actor, index, step);
        case StepKind::kOpenClose:
            return open_close(actor, index, step);
        case StepKind::kUnlink:
            return remove_name(actor, step, own.created, 0);
        case StepKind::kRmdir:
            return remove_name(actor, step, own.directories, AT_REMOVEDIR);
        case StepKind::kRename:
            return rename_file(actor, step);
        case StepKind::kMkdir:
            return make_directory(actor, step);
        case StepKind::kMkdirRmdir:
            return make_and_remove_directory(actor, step);
        case StepKind::kList:
            return plain_step(list_directory(actor, step));
        default:
            return transfer_by_path(actor, index, step);
    }
}

}  // namespace fsadvise::tuner
