// What a condition in the knowledge can ask about: host, device, request, and the configuration in question.
#pragma once

#include <map>
#include <set>
#include <string>

#include "host/host.h"
#include "space/configuration.h"
#include "space/expression.h"
#include "space/knowledge.h"

namespace fsadvise {

// What the user insists on. Keys of `needs`: snapshots, compression, data-checksums, shrink, project-quotas,
// reflink, case-folding, dax, encryption, online-shrink, vendor-support.
struct Requirements {
    std::set<std::string> needs;
    std::string durability = "strict";     // strict | relaxed | scratch
    std::vector<std::string> filesystems;  // if not empty: only these
    // What must read the result besides the target: "kernel" -> "5.4", "grub" -> "2.06", "e2fsprogs" -> "1.45".
    std::map<std::string, std::string> readers;
    std::optional<std::uint64_t> largest_file_bytes, largest_volume_bytes;  // what it must hold, or grow to
};

// What may be true of the use and of no machine: "replicated", "unreliable-power", ...
const std::vector<std::string>& known_circumstances();

struct Request {
    std::string workload;  // id
    Host host;             // host.device describes the disk; size in host.device->size_bytes
    Requirements requirements;
    std::string mount_point;                // empty = the workload's customary one
    std::optional<double> files;            // expected number of files, if told
    std::optional<double> mean_file_bytes;  // if told; else the workload's
    std::optional<double> generations;      // snapshots or backups kept side by side, if told
    std::set<std::string> given;            // circumstances: words of known_circumstances()
};

// Names it resolves (anything else is unknown):
//   kernel, architecture, distribution, distribution_version, cores, memory, page_size, e2fsprogs, xfsprogs,
//   btrfs-progs spelled btrfs_progs, f2fs-tools spelled f2fs_tools, util_linux
//   available.xfs (the target kernel has it: true, false, or unknown)
//   kernel_has.NAME (the kernel was built with it; names in kKernelFeatures of host/host.h; unknown by default)
//   device.size, device.media, device.rotational, device.logical_sector, device.physical_sector,
//   device.minimum_io, device.optimal_io, device.discard, device.dax, device.write_cache, device.raid_level,
//   device.raid_disks, device.chunk, device.count, device.backing, cloud
//
//   workload.id, workload.mean_file, workload.files, workload.generations
//
//   trait.NAME, require.NAME, given.NAME (closed world: false when not given; '-' in names is written '_')
//
//   durability
//
//   <parameter id>: the explicit value in the configuration, else the parameter's default
//
//   filesystem: id of the configuration's filesystem
class Context final : public Scope {
  public:
    Context(const Knowledge& knowledge, const Request& request, const Configuration& configuration = {});
    // Traits derived by rules; added to those of the workload.
    void add_trait(const std::string& name);

    std::optional<Value> lookup(std::string_view name) const override;
    bool is_set(std::string_view parameter_id) const override;

    [[nodiscard]] const Knowledge& knowledge() const { return *knowledge_; }
    [[nodiscard]] const Request& request() const { return *request_; }
    [[nodiscard]] const Configuration& configuration() const { return configuration_; }

  private:
    const Knowledge* knowledge_;
    const Request* request_;
    Configuration configuration_;
    std::set<std::string> traits_;
    mutable int depth_ = 0;  // guards against defaults that refer to each other in a circle
};

// Default of a parameter in this context, or nullopt if unknown (then the tool decides).
std::optional<Value> default_value(const Parameter& parameter, const Scope& scope);

}  // namespace fsadvise
