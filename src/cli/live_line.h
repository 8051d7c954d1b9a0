// Progress on standard error: one rewritten line on a terminal, one plain line a step elsewhere.
#pragma once

#include <string>

namespace fsadvise::cli {

// Clears its line when it goes out of scope.
class LiveLine {
  public:
    explicit LiveLine(bool quiet);
    ~LiveLine();
    LiveLine(const LiveLine&) = delete;
    LiveLine& operator=(const LiveLine&) = delete;
    void show(std::string line);

  private:
    bool quiet_, live_, shown_ = false;
};

}  // namespace fsadvise::cli
