// The steps of TPU cores: from Steps lines, the host's marks, or runs of the main program
// (docs/rules.md#tpu). Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/analysis/grouping/grouping.h"
#include "model/analysis/tpu/core.h"

namespace stepscope {

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
