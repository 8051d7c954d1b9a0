// The minute of a capture: where to look, when, and how often.
#include <cstring>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "host/mount_table.h"
#include "host/sysfs_block.h"
#include "tuner/capture/watchers.h"

namespace fsadvise::tuner {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kTick{100};
// A look at all processes may take this part of the time between two of them.
constexpr int kScanShare = 50;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Lowest priority for processor and disk. Source: ioprio_set(2); class idle is 3.
void step_back() {
    (void)::setpriority(PRIO_PROCESS, 0, 19);
    constexpr int kIdle = 3 << 13, kThisProcess = 1;
    (void)::syscall(SYS_ioprio_set, kThisProcess, 0, kIdle);
}

// Kernel name of a device by its number: /sys/dev/block/8:1 links to .../sda1.
std::string device_of(const FileReader& files, std::uint64_t number) {
    const auto link = files.link(fmt::format("/sys/dev/block/{}:{}", major(number), minor(number)));
    return link ? link->substr(link->find_last_of('/') + 1) : std::string();
}

Result<void> find_place(const CaptureOptions& options, const FileReader& files, CaptureFacts& facts) {
    const auto mounts = parse_mountinfo(files.read("/proc/self/mountinfo").value_or(""));
    if (!options.device.empty()) {
        facts.device = block_name(files, options.device);
        if (!is_block_name(files, facts.device)) {
            return fail(ErrorCode::kUsage, "is no block device", options.device,
                        "name one as in /dev/sda, or use --path DIR");
        }
        struct stat status {};
        if (::stat(options.device.c_str(), &status) == 0) {
            for (const MountEntry& mount : mounts) {
                if (mount.device_number == status.st_rdev && facts.path.empty()) facts.path = mount.directory;
            }
        }
    } else {
        std::error_code problem;
        facts.path = std::filesystem::canonical(options.path, problem).string();
        if (problem || !std::filesystem::is_directory(facts.path, problem)) {
            return fail(ErrorCode::kUsage, problem ? problem.message() : "is no directory", options.path,
                        "name the directory that holds the data");
        }
    }
    if (facts.path.empty()) return {};
    const MountEntry* mount = mount_of(mounts, facts.path);
    if (mount == nullptr) return {};
    facts.filesystem = mount->filesystem;
    if (facts.device.empty()) facts.device = device_of(files, mount->device_number);
    // Filesystems over several devices have numbers of their own; the source is one of the devices.
    if (facts.device.empty() && mount->source.starts_with("/dev/"))
        facts.device = block_name(files, mount->source);
    return {};
}

std::optional<DiskCounters> disk_now(const FileReader& files, const std::string& device) {
    if (device.empty()) return std::nullopt;
    return parse_diskstats(files.read("/proc/diskstats").value_or(""), device);
}

}  // namespace

Result<CaptureFacts> watch(const CaptureOptions& options, const FileReader& files) {
    CaptureFacts facts;
    FSADVISE_TRY(find_place(options, files, facts));
    step_back();
    std::optional<EventWatch> events;
    if (!facts.path.empty()) {
        auto opened = EventWatch::open(facts.path);
        if (opened) {
            events = std::move(*opened);
        } else {
            facts.events_missing = opened.error().message;
        }
    }
    const auto begin = Clock::now();
    const auto before = disk_now(files, facts.device);
    std::optional<ProcessScan> processes;
    if (!facts.path.empty()) processes.emplace(files, facts.path);
    auto next_look = begin;
    while (seconds_since(begin) < options.seconds && interrupted() == 0) {
        if (processes && Clock::now() >= next_look) {
            const auto start = Clock::now();
            processes->look(facts);
            const auto cost = Clock::now() - start;
            next_look = Clock::now() + std::max<Clock::duration>(kTick * 5, cost * kScanShare);
        }
        if (events) events->drain(seconds_since(begin));
        const double left = options.seconds - seconds_since(begin);
        if (left > 0)
            std::this_thread::sleep_for(
                std::min(std::chrono::duration<double>(kTick), std::chrono::duration<double>(left)));
    }
    facts.interrupted = interrupted() != 0;
    facts.seconds = seconds_since(begin);
    if (processes) processes->look(facts);
    const auto after = disk_now(files, facts.device);
    if (before && after) facts.disk = difference(*after, *before);
    if (events) {
        events->drain(facts.seconds);
        facts.events = events->events();
    }
    events.reset();  // the walk below is not to notify anyone
    if (!facts.path.empty() && !facts.interrupted)
        facts.tree = walk(facts.path, std::chrono::milliseconds(2000));
    return facts;
}

}  // namespace fsadvise::tuner
