// Watches a running system for a while and writes down what load it sees, as a workload document.
//
// Only reads: /proc, directory entries without touching their times, notifications of the kernel. Runs at the
// lowest priority; its share of a processor stays below about 2 %. Errors: kUsage for a path or device that
// is none, kUnavailable where nothing at all can be seen. Bounds: 200 000 directory entries, 65 536 open
// files, a queue of 16 384 events.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/file_reader.h"
#include "base/result.h"
#include "tuner/exchange/exchange.h"

namespace fsadvise::tuner {

// Counters of a block device since the system began. Units: milliseconds, sectors of 512 bytes.
// Source: Documentation/admin-guide/iostats.rst of Linux 6.1.
struct DiskCounters {
    std::uint64_t reads = 0, read_merges = 0, read_sectors = 0, read_ms = 0;
    std::uint64_t writes = 0, write_merges = 0, write_sectors = 0, write_ms = 0;
    std::uint64_t busy_ms = 0, weighted_ms = 0;
    std::optional<std::uint64_t> discards, discard_sectors, flushes, flush_ms;  // newer kernels
};
// nullopt if the device is not listed, or the line is not understood.
std::optional<DiskCounters> parse_diskstats(const std::string& text, const std::string& name);
DiskCounters difference(const DiskCounters& later, const DiskCounters& earlier);

struct ProcessUse {  // of a process that had files below the path open
    std::string name;
    std::uint64_t read_calls = 0, write_calls = 0, read_chars = 0, written_chars = 0;
    std::uint64_t read_bytes = 0, written_bytes = 0;  // of the block layer
};

struct OpenFiles {
    std::set<std::string> paths;  // regular files, distinct
    std::uint64_t bytes = 0;      // of those
    std::uint64_t readable = 0, writable = 0, direct = 0, synchronous = 0, data_synchronous = 0,
                  append = 0;       // descriptors
    std::uint64_t moved_bytes = 0;  // by which positions advanced: sequential use
    std::uint64_t processes_unseen = 0;
};

struct FileEvents {
    std::uint64_t opens = 0, reads = 0, writes = 0, writers_closed = 0, creates = 0, deletes = 0, renames = 0;
    bool names = false;  // creates, deletes and renames were reported
    bool overflowed = false, thinned = false;
};

struct TreeFacts {
    std::uint64_t files = 0, directories = 0, bytes = 0;
    std::vector<std::uint64_t> sizes;  // sorted
    bool complete = true;
};

// What was seen; empty optionals were not.
struct CaptureFacts {
    std::string path, device, filesystem;
    double seconds = 0;
    bool interrupted = false;
    std::optional<DiskCounters> disk;
    std::map<int, ProcessUse> processes;
    OpenFiles open;
    std::optional<FileEvents> events;
    std::string events_missing;  // why there are none
    std::optional<TreeFacts> tree;
};

struct CaptureOptions {
    std::string path, device;  // one of them
    double seconds = 60;
    std::string id;
};

Result<CaptureFacts> watch(const CaptureOptions& options, const FileReader& files);
// Errors: kUnavailable if no transfer was seen.
Result<WorkloadDocument> document_of(const CaptureFacts& facts, const std::string& id);

}  // namespace fsadvise::tuner
