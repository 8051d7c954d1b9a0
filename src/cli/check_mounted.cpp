// check --mounted: gathers what the live machine shows. Reads files and runs the dump tools; changes nothing.
#include <set>

#include <unistd.h>

#include "advice/lint_mounted.h"
#include "base/log.h"
#include "cli/check_parts.h"
#include "host/mount_table.h"
#include "space/read_back.h"

namespace fsadvise::cli {

std::vector<MountedFilesystem> mounted_filesystems(const Knowledge& knowledge, ProcessRunner& runner) {
    const SystemFileReader files;
    std::vector<MountedFilesystem> result;
    std::set<std::string> seen;  // bind mounts and subvolumes show one superblock several times
    for (const MountEntry& entry : parse_mountinfo(files.read("/proc/self/mountinfo").value_or(""))) {
        if (knowledge.filesystem(entry.filesystem) == nullptr || !entry.source.starts_with("/dev/")) continue;
        if (!seen.insert(entry.source + "\n" + entry.options).second) continue;
        MountedFilesystem mount{entry.directory, entry.source, entry.filesystem,
                                entry.options,   {},           std::nullopt};
        if (auto device = probe_device(files, entry.source)) mount.device = std::move(*device);
        if (::geteuid() == 0) {
            const auto read =
                read_back(knowledge, {entry.filesystem, {}}, entry.source, entry.directory, runner, files);
            if (read) {
                for (const auto& [id, value] : read->effective) {
                    const auto* parameter = knowledge.parameter(id);
                    if (parameter != nullptr && parameter->layer == Layer::kMkfs)
                        mount.superblock.emplace(id, value);
                }
            } else {
                log_warning("{}: the superblock could not be read: {}", entry.source, to_text(read.error()));
            }
        } else {
            log_warning("{}: reading the superblock needs root", entry.source);
        }
        result.push_back(std::move(mount));
    }
    return result;
}

}  // namespace fsadvise::cli
