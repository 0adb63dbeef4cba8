// RankFacts: what one rank did, as far as other ranks matter to it (docs/rules.md#ranks). It is
// made where the rank's trace is and needs no trace afterwards. A value. Times are in ps on the
// rank's own clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/analysis/ranks/rank_steps.h"
#include "model/analysis/steps/losses.h"

namespace stepscope {

// A rank's part in a collective.
struct RankCall {
  static constexpr uint32_t kNoGroup = 0xffffffffu;
  uint32_t row = 0;           // its device event, or host event
  uint32_t group = kNoGroup;  // in RankFacts::groups; kNoGroup: its participants are not known
  uint32_t name = 0;          // in RankFacts::names
  bool in_step = false;       // `step` is known
  bool explained = false;     // there is time from `since` to `begin`
  Ps begin = 0, end = 0;
  Ps since = 0;       // end of the rank's earlier collectives, or its first step's begin
  int64_t order = 0;  // `Seq`, else the step's number
  int64_t step = 0;
  int64_t bytes = -1;      // of the larger side, as recorded; -1: unknown
  int64_t group_size = 0;  // recorded number of participants; 0: unknown
};

// A process group, or the two ends of a message, as a rank records it.
struct RankGroup {
  std::string name, ranks;     // "[0, 1, 5]"; either may be empty
  bool has_order = false;      // `Seq` is recorded
  int64_t from = -1, to = -1;  // of a message
  bool operator==(const RankGroup&) const = default;
};

// A part of the time before a call, from `since` to `begin`, by the class that it went to.
struct RankWait {
  uint32_t call = 0;  // in RankFacts::calls
  StepTimeClass loss = StepTimeClass::kUnknown;
  Ps time = 0;
};
struct RankCause {
  uint32_t call = 0;
  StepTimeClass loss = StepTimeClass::kUnknown;
  uint32_t event = 0;  // in RankFacts::events
  Ps time = 0;
};

struct RankKernel {
  std::string name;
  int64_t count = 0;
  Ps total = 0;
  Ps median = 0;  // of one run
};

struct RankFacts {
  Rank rank;
  Ps moved = 0;                 // what was added to all times since they were gathered
  std::vector<RankStep> steps;  // by begin
  std::vector<std::string> names;
  std::vector<RankGroup> groups;
  std::vector<RankCall> calls;  // stream by stream, each by begin
  std::vector<RankWait> waits;  // by call; the classes with time
  std::vector<std::string> events;
  std::vector<RankCause> causes;    // by call
  std::vector<RankKernel> kernels;  // those with most time, by falling time
  int64_t peak_bytes = -1;          // the most that its allocators held; -1: unknown
  int64_t capacity_bytes = -1;      // of its device; -1: unknown
};

}  // namespace stepscope
