#include "cli/live_line.h"

#include <cstdio>

#include <unistd.h>

#include "cli/command.h"

namespace fsadvise::cli {

LiveLine::LiveLine(bool quiet) : quiet_(quiet), live_(::isatty(STDERR_FILENO) == 1) {}

LiveLine::~LiveLine() {
    if (live_ && shown_) std::fputs("\r\x1b[K", stderr);
}

void LiveLine::show(std::string line) {
    if (quiet_) return;
    if (!live_) {
        std::fputs((line + "\n").c_str(), stderr);
        return;
    }
    const std::size_t width = terminal_width(STDERR_FILENO) - 1;
    if (line.size() > width) line = line.substr(0, width - 3) + "...";
    std::fputs(("\r\x1b[K" + line).c_str(), stderr);
    std::fflush(stderr);
    shown_ = true;
}

}  // namespace fsadvise::cli
