// Internal: the accesses of one fio job as a mix.
#pragma once

#include "tuner/exchange/fio_jobs.h"
#include "tuner/exchange/mix.h"

namespace fsadvise::tuner {

// What is common to reads and writes of a job.
struct FioAccess {
    AccessMix mix;
    bool random = false, reads = false, writes = false;
    double skew = 0;
    SyncPolicy sync = SyncPolicy::kNone;  // as the files are opened
};

// Block sizes, shares, syncs and pauses. Errors: kBadInput with "file:line".
Result<FioAccess> fio_access(const FioJob& job, Notes& notes);

}  // namespace fsadvise::tuner
