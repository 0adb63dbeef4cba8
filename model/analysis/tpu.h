// TPU profiles (docs/rules.md#tpu): steps from each core's Steps line, operations from the stats of
// the events' metadata. Checked on synthetic input only, for want of a real profile. The same
// in both definitions. O(events * log lanes), one pass a core.
#pragma once

#include <stop_token>

#include "model/analysis/analysis.h"
#include "model/analysis/op_database.h"
#include "model/analysis/scope.h"
#include "model/analysis/steps.h"

namespace stepscope {

inline constexpr const char* kTpuCaveat = "TPU rules are checked on synthetic input only.";

// What the category of an HLO op makes it in a step.
enum class TpuClass : uint8_t { kCompute, kInfeed, kOutfeed, kCollective };
TpuClass TpuClassOf(std::string_view hlo_category);

// Steps of all hosts; the k-th step of every core of a host is one. A step's time is the longest
// core's; infeed the largest, the others the mean. Empty without a Steps or XLA Modules line.
StepDatabase TpuSteps(const Trace& trace, const StatTable& stats, const std::stop_token& stop);

// Adds the ops of the host's cores to its device side, its counts and its order aside: events of
// XLA Ops lines that have a program and a symbol id, self time without what is directly inside.
void AddTpuOps(const Trace& trace, const StatTable& stats, HostId host, const Scope& scope,
               OpSide* side);

}  // namespace stepscope
