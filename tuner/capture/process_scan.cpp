// Source: proc(5), /proc/pid/fd, /proc/pid/fdinfo, /proc/pid/io.
#include <charconv>
#include <cstdlib>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "tuner/capture/watchers.h"

namespace fsadvise::tuner {
namespace {

constexpr std::size_t kMostDescriptors = 1u << 16;

std::uint64_t number_after(const std::string& text, std::string_view key, int base) {
    for (const auto& line : split(text, '\n')) {
        if (!line.starts_with(key)) continue;
        const auto value = trim(std::string_view(line).substr(key.size()));
        std::uint64_t number = 0;
        std::from_chars(value.data(), value.data() + value.size(), number, base);
        return number;
    }
    return 0;
}

}  // namespace

ProcessUse parse_process_io(const std::string& text) {
    ProcessUse use;
    use.read_chars = number_after(text, "rchar:", 10);
    use.written_chars = number_after(text, "wchar:", 10);
    use.read_calls = number_after(text, "syscr:", 10);
    use.write_calls = number_after(text, "syscw:", 10);
    use.read_bytes = number_after(text, "read_bytes:", 10);
    use.written_bytes = number_after(text, "write_bytes:", 10);
    return use;
}

DescriptorInfo parse_fdinfo(const std::string& text) {
    return {number_after(text, "pos:", 10), number_after(text, "flags:", 8)};
}

ProcessScan::ProcessScan(const FileReader& files, std::string below, std::string proc)
    : files_(files), below_(std::move(below)), proc_(std::move(proc)) {
    while (below_.size() > 1 && below_.ends_with('/')) below_.pop_back();
}

void ProcessScan::look(CaptureFacts& facts) {
    const int self = ::getpid();
    std::uint64_t unseen = 0;
    for (const std::string& name : files_.list(proc_)) {
        int pid = 0;
        const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (code != std::errc{} || end != name.data() + name.size() || pid == self) continue;
        if (!look_at(pid, facts)) ++unseen;
    }
    facts.open.processes_unseen = std::max(facts.open.processes_unseen, unseen);
}

// False if its descriptors cannot be read.
bool ProcessScan::look_at(int pid, CaptureFacts& facts) {
    const std::string folder = fmt::format("{}/{}", proc_, pid);
    const auto numbers = files_.list(folder + "/fd");
    if (numbers.empty()) return ::access((folder + "/fd").c_str(), R_OK) == 0 || errno == ENOENT;
    bool holds = first_.contains(pid);
    const std::string inside = below_ == "/" ? below_ : below_ + "/";
    for (const std::string& number : numbers) {
        const auto target = files_.link(folder + "/fd/" + number);
        if (!target || !target->starts_with(inside)) continue;
        holds = true;
        look_at_file(folder, number, *target, facts);
    }
    if (!holds) return true;
    const auto text = files_.read(folder + "/io");
    if (!text) return true;
    const ProcessUse now = parse_process_io(*text);
    const auto [first, fresh] = first_.try_emplace(pid, now);
    // A number given to another process begins again.
    if (now.read_calls < first->second.read_calls || now.write_calls < first->second.write_calls)
        first->second = now;
    ProcessUse& use = facts.processes[pid];
    if (fresh) {
        const auto name = files_.read(folder + "/comm");
        use.name = name ? printable(trim(*name)) : std::to_string(pid);
    }
    use.read_calls = now.read_calls - first->second.read_calls;
    use.write_calls = now.write_calls - first->second.write_calls;
    use.read_chars = now.read_chars - first->second.read_chars;
    use.written_chars = now.written_chars - first->second.written_chars;
    use.read_bytes = now.read_bytes - first->second.read_bytes;
    use.written_bytes = now.written_bytes - first->second.written_bytes;
    return true;
}

void ProcessScan::look_at_file(const std::string& folder, const std::string& number, const std::string& path,
                               CaptureFacts& facts) {
    const std::string name = folder + "/fd/" + number;
    struct stat status {};
    // Follows the link of the kernel, opens nothing; works for deleted files too.
    const bool known = ::stat(name.c_str(), &status) == 0;
    if (known && !S_ISREG(status.st_mode)) return;
    const auto text = files_.read(folder + "/fdinfo/" + number);
    if (!text) return;
    const DescriptorInfo info = parse_fdinfo(*text);
    OpenFiles& open = facts.open;
    const std::string key = name + " " + path;
    const auto found = positions_.find(key);
    if (found != positions_.end()) {
        if (info.position > found->second) open.moved_bytes += info.position - found->second;
        found->second = info.position;
        return;
    }
    if (positions_.size() >= kMostDescriptors) return;
    positions_.emplace(key, info.position);
    if (open.paths.insert(path).second && known) open.bytes += static_cast<std::uint64_t>(status.st_size);
    const auto mode = info.flags & O_ACCMODE;
    if (mode != O_WRONLY) ++open.readable;
    if (mode != O_RDONLY) ++open.writable;
    if ((info.flags & O_DIRECT) != 0) ++open.direct;
    if ((info.flags & O_APPEND) != 0) ++open.append;
    // O_SYNC includes the bit of O_DSYNC.
    if ((info.flags & O_SYNC) == O_SYNC) {
        ++open.synchronous;
    } else if ((info.flags & O_DSYNC) != 0) {
        ++open.data_synchronous;
    }
}

}  // namespace fsadvise::tuner
