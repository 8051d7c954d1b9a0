// Internal: one job of fio from what a stream does to one file set.
//
// Source: fio(1) of fio 3.33.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuner/workload/workload.h"

namespace fsadvise::tuner {

// What one stream does to one file set, counted a loop.
struct FioPart {
    const FileSet* set = nullptr;
    double reads = 0, random_reads = 0, writes = 0, random_writes = 0, fsyncs = 0, fdatasyncs = 0;
    double read_bytes = 0, written_bytes = 0;
    bool appends = false, by_file = false;
    std::map<std::uint64_t, double> read_blocks, write_blocks;

    [[nodiscard]] double transfers() const { return reads + writes; }
    [[nodiscard]] double bytes() const { return read_bytes + written_bytes; }
};

struct FioPauses {
    double count = 0, ns = 0;  // a loop
};

// One phase of the load as far as its jobs say it.
struct FioJobPhase {
    std::string name, suffix;      // of the phase; behind the names of its jobs
    bool waits = false;            // for the phase before
    double seconds = 0;            // 0 = as all jobs
    std::uint64_t operations = 0;  // loops of all its streams; 0 = not limited
    double clients = 1;            // of all its streams
};

// What a job is made of. `all`: what the whole stream does a loop.
struct FioJobParts {
    const std::string& name;
    const Stream& stream;
    const FioPart& part;
    const FioPart& all;
    const FioPauses pauses;
    const FioJobPhase& phase;
};

double clients_of(const Stream& stream);
// Whether the files are opened so that each write is forced.
bool opens_for_sync(const Stream& stream);
void add_once(std::vector<std::string>& list, std::string text);
// The section of the job file; what it cannot say is added to the warnings.
std::string fio_job_text(const FioJobParts& job, std::vector<std::string>& warnings);

}  // namespace fsadvise::tuner
