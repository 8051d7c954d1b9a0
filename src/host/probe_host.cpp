// Facts about kernel, distribution, processors and memory, from procfs, sysfs and /etc.
#include <charconv>
#include <cstring>

#include <elf.h>

#include "base/text.h"
#include "host/host.h"
#include "host/kernel_features.h"

namespace fsadvise {

namespace {

std::string trimmed(const std::optional<std::string>& text) {
    return text ? std::string(trim(*text)) : std::string();
}

template <class Number>
std::optional<Number> number(std::string_view text) {
    text = trim(text);
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// "0-3,8" -> 5
std::optional<int> count_cpu_list(std::string_view list) {
    int count = 0;
    for (const std::string& range : split(trim(list), ',')) {
        const auto ends = split(range, '-');
        const auto first = number<int>(ends.front());
        const auto last = number<int>(ends.back());
        if (!first || !last || ends.size() > 2 || *last < *first) return std::nullopt;
        count += *last - *first + 1;
    }
    return count > 0 ? std::optional(count) : std::nullopt;
}

std::optional<int> probe_cores(const FileReader& files) {
    if (const auto online = files.read("/sys/devices/system/cpu/online")) {
        if (const auto count = count_cpu_list(*online)) return count;
    }
    int processors = 0;
    if (const auto cpuinfo = files.read("/proc/cpuinfo")) {
        for (const std::string& line : split(*cpuinfo, '\n')) {
            if (trim(line.substr(0, line.find(':'))) == "processor") ++processors;
        }
    }
    return processors > 0 ? std::optional(processors) : std::nullopt;
}

std::optional<std::uint64_t> probe_memory(const FileReader& files) {
    const auto meminfo = files.read("/proc/meminfo");
    if (!meminfo) return std::nullopt;
    for (const std::string& line : split(*meminfo, '\n')) {
        if (!line.starts_with("MemTotal:")) continue;
        const auto words = split(trim(std::string_view(line).substr(9)), ' ');
        const auto kib = number<std::uint64_t>(words.front());
        return kib && *kib > 0 ? std::optional(*kib * kKiB) : std::nullopt;
    }
    return std::nullopt;
}

// The kernel tells every process its page size in the auxiliary vector (getauxval(3)).
std::optional<std::uint64_t> probe_page_size(const FileReader& files, const std::string& architecture) {
    if (const auto vector = files.read("/proc/self/auxv")) {
        Elf64_auxv_t entry{};
        for (std::size_t at = 0; at + sizeof entry <= vector->size(); at += sizeof entry) {
            std::memcpy(&entry, vector->data() + at, sizeof entry);
            if (entry.a_type == AT_PAGESZ) return entry.a_un.a_val;
        }
    }
    // x86-64 has one base page size; arm64 and POWER kernels are built with several.
    if (architecture == "x86_64") return 4096;
    return std::nullopt;
}

std::string probe_architecture(const FileReader& files) {
    if (auto architecture = trimmed(files.read("/proc/sys/kernel/arch")); !architecture.empty())
        return architecture;
    // /proc/sys/kernel/arch is there from Linux 6.1 on; before, the processor description tells the common
    // ones.
    const auto cpuinfo = files.read("/proc/cpuinfo");
    if (!cpuinfo) return {};
    for (const std::string& line : split(*cpuinfo, '\n')) {
        const auto colon = line.find(':');
        if (colon == std::string::npos) continue;
        const std::string key(trim(line.substr(0, colon)));
        if (key == "flags" && (line + " ").find(" lm ") != std::string::npos) return "x86_64";
        if (key == "CPU architecture" && trim(line.substr(colon + 1)) == "8") return "aarch64";
    }
    return {};
}

// os-release(5): shell assignments, values optionally quoted.
std::string os_release_value(std::string_view text, std::string_view key) {
    for (const std::string& raw : split(text, '\n')) {
        const std::string_view line = trim(raw);
        if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != '=') continue;
        std::string_view value = trim(line.substr(key.size() + 1));
        if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
            value.back() == value.front()) {
            value = value.substr(1, value.size() - 2);
        }
        return std::string(value);
    }
    return {};
}

// ".../kernel/fs/xfs/xfs.ko.zst: dependencies" -> "xfs"; a module named like its folder below fs/ is a
// filesystem.
std::string filesystem_of_module(std::string_view line) {
    line = line.substr(0, line.find(':'));
    const auto fs = line.rfind("kernel/fs/");
    if (fs == std::string_view::npos) return {};
    const auto parts = split(line.substr(fs + 10), '/');
    if (parts.size() != 2) return {};
    const std::string name = parts[1].substr(0, parts[1].find(".ko"));
    return name == parts[0] ? name : std::string();
}

std::optional<std::set<std::string>> probe_filesystems(const FileReader& files, const std::string& release) {
    const auto registered = files.read("/proc/filesystems");
    if (!registered) return std::nullopt;  // module files alone do not tell what is built in
    std::set<std::string> names;
    for (const std::string& line : split(*registered, '\n')) {
        if (!line.starts_with("nodev") && !trim(line).empty()) names.emplace(trim(line));
    }
    if (release.empty()) return names;
    for (const char* index : {"modules.builtin", "modules.dep"}) {
        const auto modules = files.read("/lib/modules/" + release + "/" + index);
        if (!modules) continue;
        for (const std::string& line : split(*modules, '\n')) {
            if (std::string name = filesystem_of_module(line); !name.empty()) names.insert(std::move(name));
        }
    }
    return names;
}

}  // namespace

Host probe_host(const FileReader& files) {
    Host host;
    host.source = "probed";
    host.kernel = trimmed(files.read("/proc/sys/kernel/osrelease"));
    host.architecture = probe_architecture(files);
    auto release = files.read("/etc/os-release");
    if (!release) release = files.read("/usr/lib/os-release");
    if (release) {
        host.distribution = os_release_value(*release, "ID");
        host.distribution_version = os_release_value(*release, "VERSION_ID");
    }
    host.cores = probe_cores(files);
    host.memory_bytes = probe_memory(files);
    host.page_size_bytes = probe_page_size(files, host.architecture);
    host.filesystems = probe_filesystems(files, host.kernel);
    host.kernel_features = probe_kernel_features(files, host.kernel);
    return host;
}

}  // namespace fsadvise
