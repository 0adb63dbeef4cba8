// ProgramRuns: the runs of XLA programs on TPU cores. Ops carry no number of their run, and lines
// of modules have the session's times, which bend: so runs are found among the ops themselves
// (docs/rules.md#tpu). Pure; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "model/analysis/tpu/core_events.h"

namespace stepscope {

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
