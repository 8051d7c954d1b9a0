// Internal: what of fio's jobs is about time: limits of their rate, and jobs that wait for others.
//
// Source: fio(1) of fio 3.33.
#pragma once

#include <string>
#include <vector>

#include "tuner/exchange/fio_mix.h"

namespace fsadvise::tuner {

// rate= and rate_iops= as the rate of the stream, which has its steps already. Both are of each clone of a
// job.
Result<void> set_fio_rate(const FioJob& job, const FioAccess& access, Stream& stream, Notes& notes);

// The groups of jobs that stonewall (or its alias wait_for_previous) makes, as phases of the load.
class FioPhases {
  public:
    // In the order of the jobs. Errors: kBadInput for a length that is none.
    Result<void> add(const FioJob& job, const Stream& stream);
    // Background streams, and where there are several groups, the phases. A stream with a limited rate is a
    // background of the others of its group; if all are limited they are the load.
    void finish(Load& load, Notes& notes) const;

  private:
    struct Member {
        std::string stream;
        bool limited = false;   // in its rate
        double seconds = 0;     // of runtime, 0 = not limited
        double operations = 0;  // loops until all is transferred, 0 = as long as the time says
    };
    struct Group {
        std::string place;
        std::vector<Member> members;
    };
    static Phase phase_of(const Group& group, const Load& load);
    std::vector<Group> groups_;
};

}  // namespace fsadvise::tuner
