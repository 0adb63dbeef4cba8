// TpuCore: the ops of a TPU core in order, with its clock. Made for one host at a time; views the
// trace and its stats.
#pragma once

#include <string_view>
#include <vector>

#include "model/analysis/naming/core_op.h"
#include "model/analysis/tpu/core_clock.h"
#include "model/analysis/tpu/program_runs.h"

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

}  // namespace stepscope
