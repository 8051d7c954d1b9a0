// Lets an optimizer of another program drive trials: requests and answers as JSON lines; docs/study-serve.md.
//
// Errors: a bad line is answered with {"error": ...} and changes nothing; the end of the input ends the
// session, what was measured is in the answers and in the log. kRunFailed when the answers cannot be written.
// Threads: one. Bounds: a line of 1 MiB.
#pragma once

#include <string>

#include "tuner/replay/replay.h"

namespace fsadvise::tuner {

struct ServeOptions {
    std::uint64_t seed = 1;
    double added_noise = 0;
    int trials = 0;  // refuse further runs after so many; 0 = no limit
};

struct ServeSummary {
    int trials = 0, failed = 0, refused = 0;  // refused: bad lines
};

// `ours` answers "ask". `read` gives the next line (without its end), false at the end of the input; `write`
// sends one.
class LineChannel {
  public:
    virtual ~LineChannel() = default;
    virtual bool read(std::string& line) = 0;
    virtual Result<void> write(const std::string& line) = 0;
};

Result<ServeSummary> serve_replay(const ReplayTable& table, Sampler& ours, const ServeOptions& options,
                                  LineChannel& channel);

}  // namespace fsadvise::tuner
