// HostActivity: what a host thread does at each moment, as far as it explains why a device is idle
// (docs/rules.md#losses). Views the trace and the grouping, which must outlive it. Thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/analysis/grouping.h"
#include "model/stats.h"
#include "model/trace.h"

namespace stepscope {

// What an event's name says about the host, whatever is around it.
enum class HostRole : uint8_t {
  kWork,      // an op, a Python function, an annotation
  kNothing,   // a step's marker or a wrapper: what is inside it counts
  kExecutor,  // runs ops or a program that was compiled: short ops in it are dispatch
  kWait,      // waits for input, on whatever thread
  kInput,     // prepares or waits for input on the thread that feeds the device
  kSync,      // a call of the runtime that blocks until the device is done
  kAwait,     // a framework's wait for results
  kCompile,   // compiles, tunes, loads a module
  kLaunch,    // starts work on a device
  kGraph,     // starts a whole graph of it
  kCopy,      // starts a copy or fill
  kRuntime,   // another call of the runtime
  kCompute,   // an op of a program whose device is the CPU
};
HostRole RoleOfHostEvent(std::string_view name, EventCategory category);

// What a thread is doing; a later one is not overruled by what is inside it.
enum class HostState : uint8_t {
  kNothing,
  kDispatch,
  kWork,
  kCompute,
  kLaunch,
  kSync,
  kCompile,
  kInput
};

struct HostPiece {
  static constexpr uint32_t kNone = 0xffffffffu;
  Ps begin = 0, end = 0;
  HostState state = HostState::kNothing;
  bool marked = false;      // inside a step's marker, which is `row` where nothing else is open
  bool executor = false;    // inside an executor
  uint32_t row = kNone;     // the event that says so
  uint32_t meta = kNone;    // of that event
  uint32_t inside = kNone;  // meta of the op around a call of the runtime
};

// The intervals are sorted and disjoint, each named by the first event in it.
struct HostSummary {
  std::vector<HostPiece> waits;         // when any thread waits for input
  std::vector<HostPiece> executing;     // when any thread is in an executor; if asked for
  std::vector<const Track*> executors;  // threads that have one
};

class HostActivity {
 public:
  // compute: by meta, whether it is an op of a program whose device is the CPU; may be empty.
  HostActivity(const Trace& trace, const StatTable& stats, const Grouping& grouping,
               std::span<const uint8_t> compute);

  // What the thread does in ranges that are sorted and disjoint: pieces that cover them exactly.
  // O((ranges + nested events that touch them) log events), and lanes of spilled events times
  // pieces. `looks`, if any, is raised by how many events were looked for.
  std::vector<HostPiece> During(const Track& thread, std::span<const TimeRange> ranges,
                                uint64_t* looks = nullptr) const;
  // What the threads of a host do together. O(events log events).
  HostSummary Summarise(HostId host, bool executing) const;
  // What a launch call says of the time until its work starts: that it launches, loads a module or
  // blocks.
  HostState StateOfLaunch(uint32_t row, uint32_t meta, Ps duration) const;
  // Whether an event waits for results that other threads have yet to start.
  bool Awaits(uint32_t meta) const { return roles_[meta] == HostRole::kAwait; }
  // The one of `executors` whose executor encloses most of the launches of `thread`, by a sample of
  // them; null if there is none. O(executors log events).
  const Track* ExecutorOf(const Track& thread, std::span<const Track* const> executors) const;

 private:
  enum Launch : uint8_t { kNoLaunch, kLaunches, kBlocking };
  void MarkLaunches(const StatTable& stats, const Grouping& grouping);
  class NestedSweep;
  HostPiece Under(HostPiece outer, const Lane& lane, uint32_t index) const;
  void Paint(const Lane& lane, std::vector<HostPiece>* pieces) const;

  const Trace& trace_;
  std::vector<HostRole> roles_;  // by meta
  std::vector<uint8_t> marker_;  // by meta: marks a step
  std::vector<uint8_t> launch_;  // by row
};

// Threads of a host, whatever the format.
std::vector<const Track*> HostThreadsOf(const Trace& trace, HostId host);

}  // namespace stepscope
