// Reads the figures that Linux keeps about this process.
#pragma once

#include <cstdint>

namespace stepscope {

// Milliseconds since the process was started, dynamic linking before main() included. The kernel
// counts the start in ticks of 10 ms, so the result may be up to 10 ms too large.
double MsSinceProcessStart();
// Highest resident memory so far, bytes; 0 if unknown.
uint64_t PeakResidentBytes();
// Processor time of all threads so far, milliseconds.
double CpuMs();

}  // namespace stepscope
