// A small knowledge base of three filesystems for the tests of the space module.
#pragma once

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "space/context.h"
#include "space/knowledge.h"

namespace fsadvise::testing {

inline constexpr const char* kExt4 = R"json({"schema_version": 1, "kind": "filesystem", "id": "ext4", "title": "ext4",
 "summary": "s", "mkfs": "mkfs.ext4", "mkfs_aliases": ["mke2fs"], "mkfs_quiet": ["-q"], "mkfs_overwrite": ["-F"],
 "switches": ["-n", "-E nodiscard"], "value_flags": ["-L", "-E offset"], "last_only_flags": ["-E", "-O"],
 "mount_words": ["acl", "jqfmt="], "tool": "e2fsprogs", "kernel_module": "ext4", "minimum": "2Mi", "maximum": "1024Pi",
 "maximum_file": "16Ti", "fstab_pass": 2, "capabilities": {"snapshots": "no: needs LVM", "shrink": "yes"},
 "sources": ["mke2fs(8)"]
})json";

inline constexpr const char* kExt4Parameters = R"json({"schema_version": 1, "kind": "parameters", "filesystem": "ext4",
 "parameters": [
 {"id": "ext4.mkfs.block_size", "title": "block", "type": "size", "domain": {"min": "1024", "max": "65536",
  "power_of_two": true}, "default": [{"when": "device.size < 512Mi", "value": "1024"}, {"value": "4096"}],
  "spelling": {"form": "value", "flag": "-b"}, "read_back": {"source": "dumpe2fs", "key": "Block size"},
  "change": "reformat", "search": ["1024", "65536 * 2", "4096"], "meaning": "m", "sources": ["mke2fs(8)"]
},
 {"id": "ext4.mkfs.stride", "title": "stride", "type": "integer", "domain": {"min": "0"}, "default": [{"value": "0"}],
  "spelling": {"form": "suboption", "flag": "-E", "key": "stride"},
  "read_back": {"source": "dumpe2fs", "key": "RAID stride"}, "change": "reformat", "meaning": "m", "sources": ["s"]},
 {"id": "ext4.mkfs.stripe_width", "title": "stripe", "type": "integer", "domain": {"min": "0"},
  "default": [{"value": "0"}],
  "spelling": {"form": "suboption", "flag": "-E", "key": "stripe_width", "aliases": ["stripe-width"]},
  "change": "reformat", "meaning": "m", "sources": ["s"]},
 {"id": "ext4.mkfs.discard", "title": "discard", "type": "bool", "domain": {}, "default": [{"value": "true"}],
  "spelling": {"form": "suboption", "flag": "-E", "key": "discard",
               "words": {"true": ["discard"], "false": ["nodiscard"]}},
  "change": "reformat", "meaning": "m", "sources": ["s"]},
 {"id": "ext4.mkfs.has_journal", "title": "journal", "type": "bool", "domain": {}, "default": [{"value": "true"}],
  "spelling": {"form": "feature", "flag": "-O", "key": "has_journal"},
  "read_back": {"source": "dumpe2fs", "key": "feature:has_journal"}, "durability": {"false": "scratch"},
  "search": ["false"], "change": "offline", "meaning": "m", "risk": "no journal", "sources": ["s"]},
 {"id": "ext4.mkfs.fast_commit", "title": "fast commit", "type": "bool", "domain": {}, "default": [{"value": "false"}],
  "active": "ext4.mkfs.has_journal",
  "versions": [{"component": "kernel", "introduced": "5.10"}, {"component": "e2fsprogs", "introduced": "1.46"}],
  "spelling": {"form": "feature", "flag": "-O", "key": "fast_commit"}, "search": ["true"],
  "read_back": {"source": "dumpe2fs", "key": "feature:fast_commit"}, "change": "offline", "meaning": "m",
  "sources": ["s"]},
 {"id": "ext4.mkfs.journal_size", "title": "journal size", "type": "size", "domain": {"min": "1Mi"},
  "spelling": {"form": "suboption", "flag": "-J", "key": "size", "unit": 1048576},
  "read_back": {"source": "dumpe2fs", "key": "Total journal size"}, "change": "offline", "meaning": "m",
  "search": ["128Mi", "256Mi"], "sources": ["s"]},
 {"id": "ext4.mount.data", "title": "data", "type": "enum",
  "domain": {"values": ["ordered", "writeback", "journal"]}, "default": [{"value": "'ordered'"}],
  "spelling": {"form": "key", "key": "data"}, "durability": {"writeback": "relaxed"}, "search": ["'writeback'"],
  "change": "fresh-mount", "meaning": "m", "sources": ["s"]},
 {"id": "ext4.mount.commit", "title": "commit", "type": "integer", "domain": {"min": "0", "max": "21474836",
  "special": [0]}, "default": [{"value": "5"}], "spelling": {"form": "key", "key": "commit"},
  "durability": {"*": "relaxed"}, "change": "remount", "meaning": "m", "sources": ["s"]},
 {"id": "ext4.mount.stripe", "title": "stripe", "type": "integer", "domain": {"min": "0"},
  "default": [{"value": "0"}], "spelling": {"form": "key", "key": "stripe"},
  "read_back": {"source": "mountinfo", "key": "stripe"}, "change": "remount", "meaning": "m", "sources": ["s"]},
 {"id": "ext4.mount.barrier", "title": "barrier", "type": "bool", "domain": {}, "default": [{"value": "true"}],
  "spelling": {"form": "words", "words": {"true": ["barrier", "barrier=1"], "false": ["nobarrier", "barrier=0"]}},
  "durability": {"false": "scratch"}, "change": "remount", "meaning": "m", "sources": ["s"]},
 {"id": "ext4.mount.atime", "title": "atime", "type": "enum",
  "domain": {"values": ["relatime", "noatime", "strictatime"]}, "default": [{"value": "'relatime'"}],
  "spelling": {"form": "words", "words": {"relatime": ["relatime"], "noatime": ["noatime"],
               "strictatime": ["strictatime"]}},
  "change": "remount", "search": ["'noatime'"], "meaning": "m", "sources": ["s"]}]
})json";

inline constexpr const char* kExt4Constraints = R"json({"schema_version": 1, "kind": "constraints", "filesystem": "ext4",
 "constraints": [
 {"id": "ext4.data-needs-journal", "scope": "cross-component", "effect": "mount-refuses",
  "when": "set(ext4.mount.data) and not ext4.mkfs.has_journal", "says": "data= needs a journal", "fix": "drop data=",
  "sources": ["s"]},
 {"id": "ext4.block-above-page", "scope": "cross-component", "effect": "mount-refuses",
  "when": "ext4.mkfs.block_size > page_size", "says": "the block is larger than a page", "fix": "4096",
  "sources": ["s"]}]})json";

inline constexpr const char* kXfs = R"json({"schema_version": 1, "kind": "filesystem", "id": "xfs", "title": "XFS",
 "summary": "s", "mkfs": "mkfs.xfs", "mkfs_quiet": ["-q"], "mkfs_overwrite": ["-f"], "switches": ["-N"],
 "value_flags": ["-L", "-m uuid"], "mount_words": ["nouuid"], "tool": "xfsprogs", "kernel_module": "xfs",
 "minimum": "300Mi", "maximum": "8192Pi", "maximum_file": "8192Pi", "fstab_pass": 0,
 "capabilities": {"snapshots": "no: needs LVM", "reflink": "yes", "shrink": "no: XFS only grows"},
 "sources": ["mkfs.xfs(8)"]
})json";

inline constexpr const char* kXfsParameters = R"json({"schema_version": 1, "kind": "parameters", "filesystem": "xfs",
 "parameters": [
 {"id": "xfs.mkfs.block_size", "title": "b", "type": "size", "domain": {"min": "512", "max": "65536",
  "power_of_two": true}, "default": [{"value": "4096"}], "spelling": {"form": "suboption", "flag": "-b", "key": "size"},
  "read_back": {"source": "xfs_info", "key": "data.bsize"}, "change": "reformat", "meaning": "m", "sources": ["s"]},
 {"id": "xfs.mkfs.agcount", "title": "g", "type": "integer", "domain": {"min": "1", "max": "floor(device.size / 16Mi)"
}
, "default" : [ {"value" : "4"} ],
              "spelling" : {"form" : "suboption", "flag" : "-d", "key" : "agcount"},
                           "read_back" : {"source" : "xfs_info", "key" : "agcount"},
                                         "search" : [ "8", "cores * 4" ],
                                                    "change" : "reformat",
                                                               "meaning" : "m",
                                                                           "sources" : ["s"]
},
 {"id": "xfs.mkfs.su", "title": "su", "type": "size", "domain": {"multiple_of": "xfs.mkfs.block_size"},
  "default": [{"value": "0"}], "spelling": {"form": "suboption", "flag": "-d", "key": "su", "unit": 1024,
  "suffix": "k"}, "read_back": {"source": "xfs_info", "key": "data.sunit.bytes"}, "change": "reformat",
  "meaning": "m", "sources": ["s"]},
 {"id": "xfs.mkfs.log_size", "title": "l", "type": "size", "domain": {"min": "64Mi"},
  "spelling": {"form": "suboption", "flag": "-l", "key": "size"},
  "read_back": {"source": "xfs_info", "key": "log.blocks.bytes"}, "change": "reformat", "meaning": "m",
  "sources": ["s"]},
 {"id": "xfs.mkfs.reflink", "title": "r", "type": "bool", "domain": {}, "default": [{"value": "true"}],
  "spelling": {"form": "suboption", "flag": "-m", "key": "reflink"},
  "read_back": {"source": "xfs_info", "key": "reflink", "map": {"1": "true", "0": "false"}}, "search": ["false"],
  "change": "reformat", "meaning": "m", "sources": ["s"]},
 {"id": "xfs.mkfs.nodiscard", "title": "K", "type": "bool", "domain": {}, "default": [{"value": "false"}],
  "spelling": {"form": "switch", "flag": "-K"}, "change": "reformat", "meaning": "m", "sources": ["s"]},
 {"id": "xfs.mount.barrier", "title": "b", "type": "bool", "domain": {}, "default": [{"value": "true"}],
  "versions": [{"component": "kernel", "removed": "4.19"},
               {"component": "kernel", "removed": "4.18", "distribution": "rhel", "distribution_version": "8"}],
  "spelling": {"form": "words", "words": {"true": ["barrier"], "false": ["nobarrier"]}},
  "durability": {"false": "scratch"}, "change": "remount", "meaning": "m", "sources": ["s"]},
 {"id": "xfs.mount.logbsize", "title": "l", "type": "size", "domain": {"min": "16Ki", "max": "256Ki",
  "power_of_two": true, "special": [0]}, "default": [{"value": "32Ki"}],
  "spelling": {"form": "key", "key": "logbsize", "unit": 1024, "suffix": "k"},
  "read_back": {"source": "mountinfo", "key": "logbsize", "unit": 1024}, "search": ["256Ki"], "change": "fresh-mount",
  "meaning": "m", "sources": ["s"]}]
})json";

inline constexpr const char* kBtrfs = R"json({"schema_version": 1, "kind": "filesystem", "id": "btrfs", "title": "Btrfs",
 "summary": "s", "mkfs": "mkfs.btrfs", "mkfs_overwrite": ["-f"], "switches": ["--quiet"], "value_flags": ["--label", "-L"],
 "mount_words": ["subvol="], "tool": "btrfs-progs", "kernel_module": "btrfs", "minimum": "110Mi", "maximum": "8192Pi",
 "maximum_file": "8192Pi", "fstab_pass": 0, "capabilities": {"snapshots": "yes", "shrink": "yes"},
 "sources": ["mkfs.btrfs(8)"]
})json";

inline constexpr const char* kBtrfsParameters = R"json({"schema_version": 1, "kind": "parameters", "filesystem": "btrfs",
 "parameters": [
 {"id": "btrfs.mkfs.csum", "title": "c", "type": "enum", "domain": {"values": ["crc32c", "xxhash", "sha256"]},
  "default": [{"value": "'crc32c'"}], "spelling": {"form": "value", "flag": "--csum", "aliases": ["--checksum"]},
  "read_back": {"source": "btrfs-super", "key": "csum_type", "map": {"xxhash64": "xxhash"}}, "change": "reformat",
  "meaning": "m", "sources": ["s"]},
 {"id": "btrfs.mkfs.nodesize", "title": "n", "type": "size", "domain": {"min": "4096", "max": "65536"},
  "default": [{"value": "16384"}], "spelling": {"form": "value", "flag": "-n", "aliases": ["--nodesize"]},
  "read_back": {"source": "btrfs-super", "key": "nodesize"}, "change": "reformat", "meaning": "m", "sources": ["s"]},
 {"id": "btrfs.mkfs.metadata", "title": "m", "type": "enum", "domain": {"values": ["single", "dup"]},
  "spelling": {"form": "value", "flag": "-m", "aliases": ["--metadata"]},
  "read_back": {"source": "btrfs-super", "key": "profile:metadata"}, "change": "online", "meaning": "m",
  "sources": ["s"]},
 {"id": "btrfs.mkfs.free_space_tree", "title": "f", "type": "bool", "domain": {}, "default": [{"value": "true"}],
  "spelling": {"form": "feature", "flag": "-O", "key": "free-space-tree", "aliases": ["-R"]},
  "read_back": {"source": "btrfs-super", "key": "feature:free-space-tree"}, "change": "offline", "meaning": "m",
  "sources": ["s"]},
 {"id": "btrfs.mkfs.no_holes", "title": "h", "type": "bool", "domain": {}, "default": [{"value": "true"}],
  "spelling": {"form": "feature", "flag": "-O", "key": "no-holes"},
  "read_back": {"source": "btrfs-super", "key": "feature:no-holes"}, "change": "offline", "meaning": "m",
  "sources": ["s"]},
 {"id": "btrfs.mount.compress", "title": "c", "type": "enum", "domain": {"values": ["no", "zlib", "zstd:3"]},
  "default": [{"value": "'no'"}],
  "spelling": {"form": "key", "key": "compress", "words": {"zlib": ["compress=zlib", "compress"],
               "zstd:3": ["compress=zstd:3", "compress=zstd"]}},
  "change": "remount", "meaning": "m", "sources": ["s"]}]})json";

inline constexpr const char* kDistributions =
    R"json({"schema_version": 1, "kind": "distribution", "distributions": [
 {"id": "rhel", "version": "8", "title": "RHEL 8", "kernel": "4.18", "default_filesystem": "xfs",
  "tools": {"xfsprogs": "5.0.0"}, "filesystems": {"xfs": "supported", "ext4": "supported", "btrfs": "unsupported"},
  "sources": ["s"]}]})json";

inline constexpr const char* kWorkload =
    R"json({"schema_version": 1, "kind": "workload", "id": "database", "title": "d",
 "aliases": ["db"], "summary": "s", "traits": ["random-overwrite"], "mount_point": "/srv/db", "application": "",
 "durability": "strict", "mean_file": "64Mi", "derivation": "d", "sources": ["s"],
 "load": {"metric": "operations", "flush_in_window": false, "window_seconds": 0.1,
  "file_sets": [{"name": "heap", "files": 1, "size": "1Mi"}],
  "streams": [{"name": "b", "file_set": "heap", "threads": 1, "depth": 1, "counts": true,
               "steps": [{"operation": "read", "block": "8Ki"}]}]}})json";

inline Knowledge small_knowledge() {
    const std::vector<KnowledgeFile> files{{"ext4.json", kExt4},
                                           {"ext4-p.json", kExt4Parameters},
                                           {"ext4-c.json", kExt4Constraints},
                                           {"xfs.json", kXfs},
                                           {"xfs-p.json", kXfsParameters},
                                           {"btrfs.json", kBtrfs},
                                           {"btrfs-p.json", kBtrfsParameters},
                                           {"d.json", kDistributions},
                                           {"w.json", kWorkload}};
    auto loaded = Knowledge::load(files);
    if (!loaded) FAIL(to_text(loaded.error()));
    return std::move(*loaded);
}

inline Request small_request() {
    Request request;
    request.workload = "database";
    request.host.kernel = "6.1";
    request.host.cores = 4;
    request.host.page_size_bytes = 4096;
    request.host.tools = {{"e2fsprogs", "1.47.0"}, {"xfsprogs", "6.1.0"}, {"btrfs-progs", "6.2"}};
    request.host.device.emplace();
    request.host.device->size_bytes = 100 * kGiB;
    request.host.device->media = "nvme";
    return request;
}

}  // namespace fsadvise::testing
