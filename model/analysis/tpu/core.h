// TpuCore: the ops of a TPU core in order, with its clock. Made for one host at a time; views the
// trace and its stats.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/grouping/grouping.h"
#include "model/analysis/naming/core_op.h"
#include "model/analysis/tpu/core_clock.h"
#include "model/analysis/tpu/core_events.h"

namespace stepscope {

struct TpuCore {
  const Plane* plane = nullptr;
  PlaneId id;
  std::vector<CoreOp> ops;  // by begin
  CoreClock clock;
  // By op: time before it in which the core waits for other cores, within the gap before the op.
  std::vector<Ps> barrier;

  TimeRange Session(Ps begin, Ps end) const {
    return {clock.ToSession(begin), clock.ToSession(end)};
  }
};

// The cores of a host that have ops or a Steps line, in order of planes. O(events log events).
std::vector<TpuCore> CoresOf(const Trace& trace, const StatTable& stats, HostId host);

CoreWork WorkOf(const Trace& trace, const StatTable& stats, const CoreOp& op);

// The steps of TPU cores: from Steps lines, the host's marks, or runs of the main program
// (docs/rules.md#tpu). Pure; any thread.

// One step of one core. Its ops are those of [first, last).
struct CoreStep {
  std::string label;
  int32_t group = -1;     // index into Grouping::groups; -1: not marked by the host
  Ps begin = 0, end = 0;  // of the core
  TimeRange span;         // of the session
  EventRow row;           // the marker, or the first op of the run
  size_t first = 0, last = 0;
};

struct CoreSteps {
  std::vector<std::vector<CoreStep>> steps;  // by core, then time
  bool inferred = false;
  std::string how;  // as a sentence

  bool any() const;
};

// Those of the cores' Steps lines. O(events log events).
CoreSteps StepsOfLines(const Trace& trace, const StatTable& stats,
                       const std::vector<TpuCore>& cores);
// Those of the Steps lines; else the runs that the host has marked; else the runs of the program
// with most time. The latter two tile a core's time: a step goes on from the end of the one before.
CoreSteps FindCoreSteps(const Trace& trace, const StatTable& stats, const Grouping& grouping,
                        const std::vector<TpuCore>& cores);

}  // namespace stepscope
