// What the operating system knows about this process. Linux.
#pragma once

#include <cstdint>

namespace stepscope {

// Milliseconds since the process was started (before main, dynamic linking included). The kernel
// counts the start in ticks of 10 ms, so this may be up to 10 ms too much.
double MsSinceProcessStart();
// Highest resident memory so far, bytes; 0 if unknown.
uint64_t PeakResidentBytes();
// Processor time of all threads so far, milliseconds.
double CpuMs();

}  // namespace stepscope
