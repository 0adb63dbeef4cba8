// HostActivity: what a host thread does at each moment that a device may wait for
// (docs/rules.md#losses): it launches, blocks, waits for input. The trace must outlive it.
// Immutable; any thread.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "model/analysis/grouping/enclosing_events.h"
#include "model/analysis/grouping/grouping.h"
#include "model/analysis/grouping/host_roles.h"
#include "model/base/column.h"
#include "model/stats.h"
#include "model/trace.h"

namespace stepscope {

// The state of a thread at a moment. Events inside a piece with kSync or a later
// state do not change its state.
enum class HostState : uint8_t {
  kNothing,
  kDispatch,
  kWork,
  kCompute,
  kLaunch,
  kSync,
  kUpkeep,  // collects garbage or saves a checkpoint
  kCompile,
  kInput
};

struct HostPiece {
  static constexpr uint32_t kNone = 0xffffffffu;
  Ps begin = 0, end = 0;
  HostState state = HostState::kNothing;
  bool marked = false;  // inside the marker of a step; `row` is the marker if nothing else is open
  bool executor = false;  // inside an executor
  uint32_t row = kNone;   // the event that gives the state
  uint32_t meta = kNone;  // its MetaId
  // MetaId of the op around a call of the runtime, or of the caller of a wait in Python
  uint32_t inside = kNone;
};

// The activity of all threads of a host together. The intervals are sorted and disjoint; each has
// the row of the first event in it.
struct HostSummary {
  std::vector<HostPiece> waits;         // when any thread waits for input
  std::vector<HostPiece> executing;     // when any thread is in an executor; filled on request
  std::vector<HostPiece> blockers;      // when any thread but the main one blocks or compiles
  std::vector<const Track*> executors;  // the threads that have an executor
};

class HostActivity {
 public:
  // For programs whose device is not the CPU.
  static HostActivity Compute(AnalysisContext& context);
  // `compute`: by MetaId, whether it is an op of a program whose device is the CPU; may be empty.
  // O(names + launches), parallel over launches.
  HostActivity(const Trace& trace, const StatTable& stats, const Grouping& grouping,
               std::span<const uint8_t> compute);

  // Tells what the thread does in the ranges, which are sorted and disjoint: pieces that cover them
  // exactly. The open event that began last is the innermost, whether they
  // nest or not. O((ranges + events that touch them) (log events + lanes of events that overlap
  // others, of which the first 64 are asked)). `looks`, unless null, is increased by the number of
  // events looked at.
  std::vector<HostPiece> During(const Track& thread, std::span<const TimeRange> ranges,
                                uint64_t* looks = nullptr) const;
  // O(events log events), parallel over threads. `executing`: whether to fill
  // HostSummary::executing. `main` may be null.
  HostSummary Summarise(HostId host, bool executing, const Track* main) const;
  // The state of the time from a launch call to its work: launching, blocking, or loading a module,
  // which only the first launch of a kernel does.
  HostState StateOfLaunch(uint32_t row, uint32_t meta, Ps duration) const;
  // Whether a launch call has the name of its kernel, "gemm", and not "cudaLaunchKernel".
  bool NamedAfterKernel(uint32_t meta) const { return roles_[meta] == HostRole::kWork; }
  // Whether an event of the track, by TrackId, launches work of a device.
  bool Launches(uint32_t track) const { return launching_[track]; }
  // Whether the event waits for results of work that other threads have yet to start.
  bool Awaits(uint32_t meta) const { return roles_[meta] == HostRole::kAwait; }
  // Whether the event's name says that it waits for another thread or process.
  bool Pauses(uint32_t meta) const { return IsPause(roles_[meta]); }
  // Returns the executor whose events enclose most launches of `thread`, by a sample of them. Null
  // if none encloses one. O(executors log events).
  const Track* ExecutorOf(const Track& thread, std::span<const Track* const> executors) const;

 private:
  // kEncloses: an event around launches of the program, whatever its name says.
  enum Launch : uint8_t { kNoLaunch, kLaunches, kFirstLaunch, kBlocking, kEncloses };
  bool IsLaunch(uint32_t row) const {
    return launch_[row] != kNoLaunch && launch_[row] != kEncloses;
  }
  struct LaunchMarks;
  LaunchMarks MarkPart(std::span<const LaunchLink> links, const std::vector<uint8_t>& pageable);
  void SummariseThread(const Track& thread, bool main, bool executing,
                       const std::vector<uint8_t>& counts, HostSummary* summary) const;
  void MarkLaunches(const StatTable& stats, const Grouping& grouping);
  void MarkFirstLaunches(const Grouping& grouping, const std::set<uint32_t>& kernels);
  void MarkEnclosing();
  bool BlocksOthers(const Lane& lane, uint32_t index) const;
  class Sweep;
  HostPiece Under(HostPiece outer, const Lane& lane, uint32_t index) const;

  const Trace& trace_;
  std::vector<HostRole> roles_;     // by MetaId
  std::vector<uint8_t> marker_;     // by MetaId: it marks a step
  std::vector<uint8_t> allocates_;  // by MetaId: a call of the runtime that asks for memory
  std::vector<Namer> namers_;       // by MetaId
  Column<uint8_t> launch_;          // by row; a Launch
  std::vector<bool> launching_;     // by TrackId: an event on it launches
};

// The tracks with threads of a host, in any format.
std::vector<const Track*> HostThreadsOf(const Trace& trace, HostId host);

}  // namespace stepscope
