// SIGINT/SIGTERM as a flag that long steps poll, so that every exit path runs destructors.
//
// First signal: sets the flag; the operation in hand ends safely and the program prints how to resume.
// Second signal, half a second later at least (timeout(1) signals twice at once): the process exits at once
// with 128 + signal (mounts live in a private namespace and vanish with it).
#pragma once

namespace fsadvise {

// Installs the handlers; call once from main.
void install_interrupt_handlers();
// 0, or the signal number that arrived first.
int interrupted();
// For tests.
void set_interrupted(int signal_number);

}  // namespace fsadvise
