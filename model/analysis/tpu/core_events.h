// The cores of TPUs: what their lines tell, by the core's own clock (docs/rules.md#tpu). This
// folder knows events of cores and no steps. Start here: CoreEventsOf() reads a line; core_clock.h
// leads from the core's clock to the session's, by which the timeline is drawn; core_op.h says what
// an op does or waits for; RunsOf() finds the runs of programs; async_waits.h joins the ops
// that start asynchronous work with those that wait for it.
//
// Values; any thread. Times are ps.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "model/analysis/intervals/time_scope.h"
#include "model/stats.h"
#include "model/trace.h"

namespace stepscope {

struct CoreEvent {
  EventRow row;
  uint32_t meta = 0;
  Ps begin = 0, duration = 0;  // of the core, if the event has both stats; else of the session
  Ps self = 0;                 // duration less that of the events directly inside
  Ps session = 0;              // its begin by the session's clock
  Ps end() const { return SaturatingAdd(begin, duration); }
};

// The events of the track that begin in the scope, by the session's clock, in the order of the
// file. O(n log n).
std::vector<CoreEvent> CoreEventsOf(const Trace& trace, const StatTable& stats, const Track& track,
                                    const TimeScope& scope);

// The track of the plane of that kind with most events; null if none has any. O(tracks).
const Track* CoreLine(const Trace& trace, const Plane& core, TrackKind kind);

// ProgramRuns: the runs of XLA programs on TPU cores. Ops carry no number of their run, and lines
// of modules have the session's times, which bend: so runs are found among the ops themselves
// (docs/rules.md#tpu). Pure; any thread.

struct CoreOp : CoreEvent {
  int64_t program = 0;
  std::string_view name;  // "copy-done.2"; of the trace's names
};

// Consecutive ops of a core that belong to one run of a program.
struct ProgramRun {
  int64_t program = 0;
  size_t first = 0, count = 0;  // index into the core's ops
};

// The ops of the core that name a program, by their begin on its own clock. O(n log n).
std::vector<CoreOp> OpsOfCore(const Trace& trace, const StatTable& stats, const Plane& core);

// By program, the op with which its runs begin: of the ops that ran about as often as the program's
// modules, the one that most modules begin with. `cores` and `ops` are alike long. O(n log n).
std::map<int64_t, std::string_view> RunStarts(const Trace& trace,
                                              std::span<const Plane* const> cores,
                                              std::span<const std::vector<CoreOp>> ops);

// A run begins with its program's start, or where another program ran before. O(n log programs).
std::vector<ProgramRun> RunsOf(std::span<const CoreOp> ops,
                               const std::map<int64_t, std::string_view>& starts);

}  // namespace stepscope
