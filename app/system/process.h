// What the process takes: time, processor time and memory; and how Ctrl+C ends it.
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <thread>

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

// Interrupt: Ctrl+C as a stop token, for a command that ends in good order: it says that it was
// cancelled, and removes what it began to write. A second Ctrl+C ends the program at once. One at a
// time, on the thread that starts the work.
class Interrupt {
 public:
  Interrupt();   // from here on; threads that run already may still end the program
  ~Interrupt();  // Ctrl+C ends the program again
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  // Ends the program as Ctrl+C does, so that a shell stops its script too. Call it last.
  [[noreturn]] static void End();

 private:
  std::stop_source source_;
  int signals_ = -1;  // a descriptor that becomes readable with the signal
  std::jthread waiting_;
};

}  // namespace stepscope
