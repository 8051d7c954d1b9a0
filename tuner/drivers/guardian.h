// Internal: the process between fsadvise and a program it started; see child.h.
//
// Only async-signal-safe calls: it runs between fork and exec of a process that may have threads.
#pragma once

namespace fsadvise::tuner {

// Becomes the parent of `program`: hands on the signals read as bytes from `control`; at its end, or the
// program's, kills everything below and exits with the program's status (128 + signal).
[[noreturn]] void guard(int program, int control);

// pidfd_open(2), -1 where the kernel lacks it.
int open_pidfd(int process);

// Closes every descriptor from 3 up, but for `kept` (sorted).
void close_others(const int* kept, int count);

}  // namespace fsadvise::tuner
