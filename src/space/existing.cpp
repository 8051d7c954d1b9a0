#include "space/existing.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "host/mount_table.h"
#include "space/read_back.h"

namespace fsadvise {
namespace {

constexpr int kMostDepth = 64;  // of a findmnt tree

ExistingFilesystem from_listing(const Knowledge& knowledge, const MountEntry& entry) {
    ExistingFilesystem existing;
    existing.filesystem = entry.filesystem;
    existing.source = entry.source;
    existing.directory = entry.directory;
    existing.options = entry.options;
    existing.values = parse_dumps(knowledge, entry.filesystem, {{"mountinfo", entry.options}});
    return existing;
}

// Btrfs writes "/dev/sdb[/@home]" for a subvolume.
std::string without_subvolume(const std::string& source) {
    return source.substr(0, source.find('['));
}

void collect(const nlohmann::json& list, std::vector<MountEntry>& entries, int depth) {
    if (!list.is_array() || depth > kMostDepth) return;
    for (const auto& item : list) {
        if (!item.is_object()) continue;
        const auto text = [&item](const char* key) {
            const auto found = item.find(key);
            return found != item.end() && found->is_string() ? found->get<std::string>() : std::string();
        };
        entries.push_back({text("target"), without_subvolume(text("source")), text("fstype"), text("options"), 0});
        if (item.contains("children")) collect(item.at("children"), entries, depth + 1);
    }
}

Result<ExistingFilesystem> pick(const Knowledge& knowledge, const std::vector<MountEntry>& entries,
                                const std::string& directory, const std::string& name) {
    std::vector<const MountEntry*> known;
    std::vector<std::string> directories;
    for (const auto& entry : entries) {
        if (knowledge.filesystem(entry.filesystem) == nullptr) continue;
        known.push_back(&entry);
        directories.push_back(entry.directory);
    }
    if (directory.empty()) {
        if (known.size() == 1) return from_listing(knowledge, *known.front());
        return fail(ErrorCode::kUsage,
                    known.empty() ? "lists no filesystem that is known here" : "lists several filesystems", name,
                    known.empty() ? "" : "choose one with --existing: " + join(directories, ", "));
    }
    const MountEntry* entry = mount_of(entries, directory);
    if (entry == nullptr) {
        return fail(ErrorCode::kUsage, "nothing is mounted at " + directory, name,
                    "mounted: " + join(directories, ", "));
    }
    if (knowledge.filesystem(entry->filesystem) == nullptr) {
        return fail(ErrorCode::kUsage, fmt::format("{} holds {}, which is not known here", entry->directory,
                                                   entry->filesystem),
                    name, "known filesystems are mounted at: " + join(directories, ", "));
    }
    return from_listing(knowledge, *entry);
}

Result<ExistingFilesystem> from_probe(const Knowledge& knowledge, const nlohmann::json& document,
                                      const std::string& name) {
    try {
        ExistingFilesystem existing;
        FSADVISE_ASSIGN(const auto configuration, configuration_from_json(document.at("configuration"), knowledge));
        existing.filesystem = configuration.filesystem;
        if (knowledge.filesystem(existing.filesystem) == nullptr)
            return fail(ErrorCode::kBadInput, "unknown filesystem '" + existing.filesystem + "'", name);
        existing.values = configuration.values;
        existing.source = document.value("source", "");
        existing.directory = document.value("directory", "");
        existing.options = document.value("options", "");
        existing.superblock_seen = document.value("superblock_seen", false);
        existing.unseen = document.value("unseen", std::vector<std::string>{});
        return existing;
    } catch (const nlohmann::json::exception& error) {
        return fail(ErrorCode::kBadInput, error.what(), name + "#/existing");
    }
}

}  // namespace

Result<ExistingFilesystem> look_at(const Knowledge& knowledge, const std::string& directory, ProcessRunner& runner,
                                   const FileReader& files) {
    const auto entries = parse_mountinfo(files.read("/proc/self/mountinfo").value_or(""));
    FSADVISE_ASSIGN(ExistingFilesystem existing, pick(knowledge, entries, directory, "--existing"));
    const auto dumped = read_back(knowledge, {existing.filesystem, {}}, existing.source, existing.directory, runner, files);
    if (dumped) {
        existing.superblock_seen = true;
        for (const auto& [id, value] : dumped->effective) existing.values[id] = value;
    } else {
        existing.unseen.push_back("the superblock (" + to_text(dumped.error()) + ")");
    }
    return existing;
}

Result<ExistingFilesystem> existing_from_text(const Knowledge& knowledge, const std::string& text,
                                              const std::string& name, const std::string& directory) {
    std::vector<MountEntry> entries;
    if (const auto first = text.find_first_not_of(" \t\r\n"); first != std::string::npos && text[first] == '{') {
        const auto document = nlohmann::json::parse(text, nullptr, false);
        if (document.is_discarded()) return fail(ErrorCode::kBadInput, "is not JSON", name);
        if (document.contains("existing")) return from_probe(knowledge, document.at("existing"), name);
        if (!document.contains("filesystems"))
            return fail(ErrorCode::kBadInput, "is neither findmnt -J nor probe --filesystem", name,
                        "make one with: findmnt -J > FILE");
        collect(document.at("filesystems"), entries, 0);
    } else {
        entries = parse_mountinfo(text);
    }
    if (entries.empty())
        return fail(ErrorCode::kBadInput, "lists no mount", name,
                    "make one with: findmnt -J > FILE, or copy /proc/self/mountinfo");
    FSADVISE_ASSIGN(ExistingFilesystem existing, pick(knowledge, entries, directory, name));
    existing.unseen.emplace_back("the superblock (a mount listing does not show it; on that machine: fsadvise probe "
                                 "--filesystem DIR --json)");
    return existing;
}

nlohmann::json to_json(const ExistingFilesystem& existing) {
    return {{"configuration", to_json(Configuration{existing.filesystem, existing.values})},
            {"source", existing.source},
            {"directory", existing.directory},
            {"options", existing.options},
            {"superblock_seen", existing.superblock_seen},
            {"unseen", existing.unseen}};
}

}  // namespace fsadvise
