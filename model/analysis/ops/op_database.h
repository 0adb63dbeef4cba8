// The op database: the time of each op on hosts and devices (docs/rules.md#ops). In: the events
// of a trace, or of the part of it that the params name. Out: the sums from which op statistics,
// the overview and the input pipeline are made. Start here; op_collect_host.cc and
// op_collect_device.cc fill it, and device_op_names.h finds the op of a device event. In traces
// of PyTorch the host ops are the cpu_op events, and device events belong to the op that launched
// them. Times are in ps. The AnalysisContext owns the database, which is immutable. O(n log n),
// parallel over lines.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"

namespace stepscope {

struct OpTotals {
  uint64_t occurrences = 0;
  Ps time = 0, self = 0;
  bool eager = false;  // whether any of them ran eagerly
  void Add(const OpTotals& o) {
    occurrences += o.occurrences;
    time += o.time;
    self += o.self;
    eager = eager || o.eager;
  }
};

struct OpRow : OpTotals {
  std::string name, type;
  Ps device_time = 0;  // host ops: sum of the device events that they launched
  bool stage = false;  // an input-pipeline stage by its _ipl_stage stats
  EventRows rows;
  void Add(const OpRow& o) {
    OpTotals::Add(o);
    device_time += o.device_time;
    rows.Append(o.rows);
  }
};

// The link's total is the op's occurrences; on devices an occurrence may have several events.
RowLink LinkTo(const OpRow& op);

struct OpSide {
  std::vector<OpRow> ops;  // by self time descending, then name
  Ps total = 0;            // idle time included
  Ps busy = 0;             // sum of self times
  Ps eager = 0;            // self time of eager ops
  uint64_t occurrences = 0;
  Ps idle() const { return total > busy ? total - busy : 0; }
};

// Infeed enqueue calls, for the input pipeline: the durations of all but the last, and the
// distances between their starts.
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
  // Adds up the hosts that params name.
  HostOps Of(const Trace& trace, const AnalysisParams& params) const;

  static constexpr size_t kKept = 4;
  // Ops are of all hosts: tables choose the hosts.
  static AnalysisParams KeyOf(AnalysisParams params);
  // It has the events that begin in the part of the trace that params name (op_build.cc).
  static OpDatabase Compute(AnalysisContext& context, const AnalysisParams& params);
};

// As OpDatabase::Of, without a copy where params name one host.
std::shared_ptr<const HostOps> OpsOf(std::shared_ptr<const OpDatabase> database, const Trace& trace,
                                     const AnalysisParams& params);

// Computes the totals of the side from its ops, and sorts them.
void FinishSide(OpSide* side);

// As OpDatabase::Compute, without the ops of devices.
OpDatabase BuildHostOps(AnalysisContext& context, const AnalysisParams& params);

// --- Ops that run on the host of a program with devices (docs/rules.md#verdict). Pure.

// By MetaId, whether an event is such an op: one of TensorFlow, or one of PyTorch that launches no
// kernel. PyTorch's are unknown where none of them launches any. O(names + ops).
std::vector<uint8_t> HostSideOps(const Trace& trace, const HostOps& ops);

}  // namespace stepscope
