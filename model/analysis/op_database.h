// The op database, from which op statistics and the input pipeline are made (docs/rules.md#ops):
// time of each op on hosts and devices. For traces of PyTorch the host ops are PyTorch's cpu_op
// events, and the device ops are the kernels under the op that launched them. Owned by the
// AnalysisContext; immutable. O(n), parallel over lines.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"

namespace stepscope {

struct OpTotals {
  uint64_t occurrences = 0;
  Ps time = 0, self = 0;
  bool eager = false;  // any of them was
  void Add(const OpTotals& o) {
    occurrences += o.occurrences;
    time += o.time;
    self += o.self;
    eager = eager || o.eager;
  }
};

struct OpRow : OpTotals {
  std::string name, type;
  Ps device_time = 0;  // host ops: of the device events that they launched
  bool stage = false;  // an input-pipeline stage by its _ipl_stage stats
  EventRows rows;
  void Add(const OpRow& o) {
    OpTotals::Add(o);
    device_time += o.device_time;
    rows.Append(o.rows);
  }
};

// Counts the op's occurrences: on devices each may be of several events.
RowLink LinkTo(const OpRow& op);

struct OpSide {
  std::vector<OpRow> ops;  // by self time descending, then name
  Ps total = 0;            // idle time included
  Ps busy = 0;             // sum of self times
  Ps eager = 0;            // self time of eager ops
  uint64_t occurrences = 0;
  Ps idle() const { return total > busy ? total - busy : 0; }
};

// Infeed enqueue calls, for the input pipeline: duration but the last, and distance of their
// starts.
struct EnqueueRatio {
  double busy = 0, period = 0;
  void Add(const EnqueueRatio& o) { busy += o.busy, period += o.period; }
};

struct HostOps {
  HostId host;
  OpSide host_side, device_side;
  EnqueueRatio enqueue;
};

struct OpDatabase {
  std::vector<HostOps> hosts;
  // The hosts that params name, added up.
  HostOps Of(const Trace& trace, const AnalysisParams& params) const;
};

// The same without a copy where one host is meant.
std::shared_ptr<const HostOps> OpsOf(std::shared_ptr<const OpDatabase> database, const Trace& trace,
                                     const AnalysisParams& params);

// Sums what the ops of the side add up to, and sorts them.
void FinishSide(OpSide* side);

// Of the events that begin in the part of the trace that params name; op_build.cc.
OpDatabase BuildOps(AnalysisContext& context, const AnalysisParams& params, std::stop_token stop);

}  // namespace stepscope
