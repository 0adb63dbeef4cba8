// Internal to the op database (op_database.h): the sums of an op while lines are read, and the
// two functions that read the lines of hosts and of GPUs.
#pragma once

#include <algorithm>
#include <vector>

#include "model/analysis/ops/op_database.h"
#include "model/analysis/steps/scope.h"
#include "model/stats.h"
#include "model/trace.h"

namespace stepscope {

// The sums of one op on one line or plane.
struct OpSum : OpTotals {
  std::vector<EventRow> rows;
  void Add(Ps duration, Ps own, bool is_eager, EventRow row) {
    OpTotals::Add({1, duration, own, is_eager});
    rows.push_back(row);
  }
};

// The time from the first begin to the last end of the events that count.
struct Extent {
  Ps first = kMaxPs, last = kMinPs;
  void Add(Ps begin, Ps end) { first = std::min(first, begin), last = std::max(last, end); }
  Ps length() const { return last > first ? last - first : 0; }
};

inline void AddSum(OpSum sum, OpRow* op) {
  op->OpTotals::Add(sum);
  op->rows.Append(EventRows(std::move(sum.rows)));
}

// Adds the ops of the host's threads that begin in the scope to `out->host_side`: a sweep over
// the begins and ends of each line, lines in parallel. O(n log n).
void CollectHostOps(AnalysisContext& context, HostId host, const Scope& scope, HostOps* out);

// Adds the ops of all GPUs to the device side of their hosts (by HostId): one pass, parts of lanes
// in parallel. O(n).
void CollectDeviceOps(AnalysisContext& context, const Scope& scope, std::vector<HostOps>* hosts);

// Adds the ops of the host's cores to its device side; FinishSide computes counts and order. The
// ops are the events of XLA Ops lines that have a program and a symbol id, by the core's own clock
// (model/analysis/tpu/core_events.h). Self time leaves out the events directly inside. O(n log n).
void AddTpuOps(const Trace& trace, const StatTable& stats, HostId host, const Scope& scope,
               OpSide* side);

}  // namespace stepscope
