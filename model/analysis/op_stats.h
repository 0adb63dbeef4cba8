// Framework op statistics (semantics 5.4): time of each op on hosts and devices. For traces of
// PyTorch the host ops are PyTorch's cpu_op events, and the device ops are the kernels under the op
// that launched them. Owned by the AnalysisContext; immutable. O(n), parallel over lines.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"

namespace stepscope {

struct OpRow {
  std::string name, type;
  uint64_t occurrences = 0;
  Ps time = 0, self = 0;
  bool eager = false;
  Ps device_time = 0;          // host ops: of the device events that they launched
  bool stage = false;          // an input-pipeline stage by its _ipl_stage stats
  std::vector<EventRow> rows;  // at most kMaxOpLinks
};
// 100,000 of them took 180 ms and 50 MB more on a profile of 4.76 M events.
inline constexpr size_t kMaxOpLinks = 5'000;

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
};

struct HostOps {
  HostId host;
  OpSide host_side, device_side;
  EnqueueRatio enqueue;
};

struct OpDatabase {
  std::vector<HostOps> hosts;
  // All hosts, or the one named, added up.
  HostOps Of(const Trace& trace, const std::string& host) const;
};

OpDatabase BuildOps(AnalysisContext& context, std::stop_token stop);

AnalysisResult RunOpStats(AnalysisContext& context, const AnalysisParams& params,
                          std::stop_token stop);

}  // namespace stepscope
