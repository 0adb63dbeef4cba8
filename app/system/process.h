// What the process takes: time, processor time and memory.
#pragma once

#include <chrono>
#include <cstdint>

namespace stepscope {

// Measures the time since it was made.
class Stopwatch {
 public:
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  double Ms() const { return Seconds() * 1e3; }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// With another C library than glibc the functions that limit or return memory do nothing.
// Makes all threads share two arenas, unless MALLOC_ARENA_MAX says how many. By default malloc
// gives each new thread an arena of its own, up to eight for each core, and retains what is freed
// there. Our jobs start threads for each piece of work: with two arenas the window of a profile
// of 308 MB takes 100 MB less, and is no slower. Call it before the first thread starts.
void LimitMallocArenas();

// Gives free whole pages back to the system. Other threads that allocate wait meanwhile, 10 to 60
// ms. Any thread may call it.
void ReturnFreeMemory();

// Gives the threads that start from now on stacks of at most 2 MB. Our jobs start up to 16 threads
// for each piece of work, and glibc keeps 40 MB of ended threads' stacks for the next ones. By
// default a stack has 8 MB, so that most stacks would be mapped and unmapped again each time, which
// takes as long as starting the threads. Call it before the first thread starts.
void LimitThreadStacks();

// Milliseconds since the process was started, dynamic linking before main() included. The kernel
// counts the start in ticks of 10 ms, so the result may be up to 10 ms too large.
double MsSinceProcessStart();
// Highest resident memory so far, bytes; 0 if unknown.
uint64_t PeakResidentBytes();
// Processor time of all threads so far, milliseconds.
double CpuMs();

}  // namespace stepscope
