// OpStats: the ops of the hosts and devices that params name, one by one (docs/rules.md#ops). In:
// the op database. Out: OpStats, and the page `op_stats`. Values; any thread. Times are ps.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/ops/op_database.h"

namespace stepscope {

struct OpStatsRow {
  std::shared_ptr<const OpRow> op;   // "IDLE" of the type "IDLE": the time in which nothing ran
  SharedText name, type;             // of the op; tables share these texts
  bool on_device = false;            // else on a host
  double share = 0, cumulative = 0;  // of its side's time; of the rows up to this one
  double matrix_use = 0;             // time in kernels that use Tensor Cores / in kernels of the op
};

struct OpStats {
  std::shared_ptr<const HostOps> ops;
  // Devices first, each side by self time. With XProf's definitions at most 500 of a side.
  std::vector<OpStatsRow> rows, with_idle;
  bool training = false;

  static OpStats Compute(AnalysisContext& context, const AnalysisParams& params);
};

// Why kernels of JAX and TensorFlow name no op, and how to record so that they do, if XLA launched
// them as command buffers; else empty.
std::string OpsHiddenByBuffers(AnalysisContext& context);

}  // namespace stepscope
