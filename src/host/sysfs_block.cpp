#include "host/sysfs_block.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace fsadvise {

namespace {

constexpr int kMostLinks = 16;  // by-id and mapper names need one or two

// Lexical: removes "." and "..", as udev's relative links need.
std::string normalized(std::string_view path) {
    std::vector<std::string> parts;
    for (std::string& part : split(path, '/')) {
        if (part.empty() || part == ".") continue;
        if (part == "..") {
            if (!parts.empty()) parts.pop_back();
        } else {
            parts.push_back(std::move(part));
        }
    }
    return "/" + join(parts, "/");
}

std::string block_folder(const std::string& name) {
    return "/sys/class/block/" + name;
}

}  // namespace

std::string block_name(const FileReader& files, const std::string& path) {
    std::string current = normalized(path);
    for (int followed = 0; followed < kMostLinks; ++followed) {
        const auto target = files.link(current);
        if (!target) break;
        current = normalized(
            target->starts_with('/') ? *target : current.substr(0, current.rfind('/')) + "/" + *target);
    }
    if (!current.starts_with("/dev/")) return {};
    std::string name = current.substr(5);
    std::replace(name.begin(), name.end(), '/', '!');  // cciss/c0d0 is cciss!c0d0 in sysfs
    return name;
}

bool is_block_name(const FileReader& files, const std::string& name) {
    return !name.empty() && files.read(block_folder(name) + "/dev").has_value();
}

std::string whole_disk(const FileReader& files, const std::string& name) {
    if (!block_text(files, name, "partition")) return name;
    // /sys/class/block/sda1 -> ../../devices/.../block/sda/sda1
    const auto target = files.link(block_folder(name));
    if (!target) return name;
    const auto parts = split(*target, '/');
    return parts.size() >= 2 ? parts[parts.size() - 2] : name;
}

std::vector<std::string> partitions_of(const FileReader& files, const std::string& disk) {
    std::vector<std::string> names;
    for (const std::string& entry : files.list(block_folder(disk))) {
        if (entry.starts_with(disk) && block_text(files, disk + "/" + entry, "partition"))
            names.push_back(entry);
    }
    return names;
}

std::optional<std::string> block_text(const FileReader& files, const std::string& name,
                                      const std::string& attribute) {
    const auto text = files.read(block_folder(name) + "/" + attribute);
    if (!text || trim(*text).empty()) return std::nullopt;
    return std::string(trim(*text));
}

std::optional<std::uint64_t> block_number(const FileReader& files, const std::string& name,
                                          const std::string& attribute) {
    const auto text = block_text(files, name, attribute);
    if (!text) return std::nullopt;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc{} || end != text->data() + text->size()) return std::nullopt;
    return value;
}

}  // namespace fsadvise
