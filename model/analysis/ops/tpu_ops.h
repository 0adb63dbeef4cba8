// Ops of TPU profiles (docs/rules.md#tpu), from the stats of the metadata of XLA Ops events.
#pragma once

#include "model/analysis/ops/op_database.h"
#include "model/analysis/steps/scope.h"
#include "model/stats.h"
#include "model/trace.h"

namespace stepscope {

// Adds the ops of the host's cores to its device side; FinishSide computes counts and order. The
// ops are the events of XLA Ops lines that have a program and a symbol id, by the core's own clock
// (model/analysis/tpu/core_events.h). Self time leaves out the events directly inside. O(n log n).
void AddTpuOps(const Trace& trace, const StatTable& stats, HostId host, const Scope& scope,
               OpSide* side);

}  // namespace stepscope
