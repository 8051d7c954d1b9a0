// Source: fanotify(7), fanotify_mark(2).
#include <fcntl.h>
#include <sys/fanotify.h>
#include <unistd.h>

#include "base/text.h"
#include "tuner/capture/watchers.h"

namespace fsadvise::tuner {
namespace {

constexpr std::uint64_t kTransfers = FAN_ACCESS | FAN_MODIFY;
constexpr std::uint64_t kUses = FAN_OPEN | FAN_CLOSE_WRITE | kTransfers;
constexpr std::uint64_t kNames = FAN_CREATE | FAN_DELETE | FAN_MOVED_FROM | FAN_ONDIR;
// Above this the notifications of reads and writes cost the load too much: they are given up.
constexpr double kMostEventsASecond = 50'000;

}  // namespace

Result<EventWatch> EventWatch::open(const std::string& path) {
    EventWatch watch;
    watch.path_ = path;
    // With file ids no descriptor is opened for each event, and changes of names are told.
    Fd group(::fanotify_init(
        FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK | FAN_REPORT_FID | FAN_REPORT_DIR_FID, O_RDONLY));
    if (group.valid() && ::fanotify_mark(group.get(), FAN_MARK_ADD | FAN_MARK_FILESYSTEM, kUses | kNames,
                                         AT_FDCWD, path.c_str()) == 0) {
        watch.group_ = std::move(group);
        watch.mark_ = FAN_MARK_FILESYSTEM;
        watch.events_.names = true;
        return watch;
    }
    Fd plain(::fanotify_init(FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK,
                             O_RDONLY | O_LARGEFILE | O_NOATIME | O_CLOEXEC));
    if (!plain.valid()) return fail(ErrorCode::kUnavailable, errno_text(errno), "fanotify");
    if (::fanotify_mark(plain.get(), FAN_MARK_ADD | FAN_MARK_MOUNT, kUses, AT_FDCWD, path.c_str()) != 0) {
        return fail(ErrorCode::kUnavailable, errno_text(errno), "fanotify");
    }
    watch.group_ = std::move(plain);
    watch.mark_ = FAN_MARK_MOUNT;
    return watch;
}

void EventWatch::thin() {
    events_.thinned = true;
    (void)::fanotify_mark(group_.get(), FAN_MARK_REMOVE | mark_, kTransfers, AT_FDCWD, path_.c_str());
}

void EventWatch::drain(double elapsed_seconds) {
    alignas(fanotify_event_metadata) char buffer[64 << 10];
    const int self = ::getpid();
    constexpr int kMostReads = 256;  // a time: the queue refills while it is read
    for (int i = 0; i < kMostReads; ++i) {
        ssize_t left = ::read(group_.get(), buffer, sizeof buffer);
        if (left <= 0) break;
        const auto* event = reinterpret_cast<const fanotify_event_metadata*>(buffer);
        for (; FAN_EVENT_OK(event, left); event = FAN_EVENT_NEXT(event, left)) {
            if (event->fd >= 0) ::close(event->fd);
            ++seen_;
            if ((event->mask & FAN_Q_OVERFLOW) != 0) events_.overflowed = true;
            if (event->pid == self) continue;
            const auto has = [&](std::uint64_t bit) { return (event->mask & bit) != 0; };
            const bool directory = has(FAN_ONDIR);
            if (has(FAN_OPEN) && !directory) ++events_.opens;
            if (has(FAN_ACCESS) && !directory) ++events_.reads;
            if (has(FAN_MODIFY)) ++events_.writes;
            if (has(FAN_CLOSE_WRITE)) ++events_.writers_closed;
            if (has(FAN_CREATE) && !directory) ++events_.creates;
            if (has(FAN_DELETE) && !directory) ++events_.deletes;
            if (has(FAN_MOVED_FROM)) ++events_.renames;
        }
    }
    if (!events_.thinned && elapsed_seconds > 0.5 &&
        static_cast<double>(seen_) / elapsed_seconds > kMostEventsASecond)
        thin();
}

}  // namespace fsadvise::tuner
