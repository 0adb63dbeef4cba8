// Kernel statistics: every GPU kernel grouped by name, launch parameters and framework op
// (docs/rules.md#kernels). ComputeKernels is a pure function; O(kernels), parallel over device
// planes.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/kernel_rules.h"

namespace stepscope {

inline constexpr double kUnknownOccupancy = -1;

struct KernelGroup {
  SharedText name, op_name;  // the same as in the tables made of it
  KernelLaunch launch;       // its occupancy is not part of the key, see occupancy_pct
  bool xprof_uses_tensor_core = false;
  bool uses_matrix_unit = false;
  bool eligible = false;
  uint64_t occurrences = 0;
  Ps total = 0, min = kMaxPs, max = 0;
  int64_t total_ns = 0, min_ns = INT64_MAX,
          max_ns = 0;              // each kernel floored to whole ns, as XProf has it
  double first_occupancy_pct = 0;  // of the first in the file: XProf's
  double mean_occupancy_pct = 0;   // weighted by duration: ours; or kUnknownOccupancy
  EventRows rows;
};

// What kernels that share something came to.
struct KernelSum {
  SharedText name;                                  // what they share
  Ps total = 0, min = kMaxPs, max = 0, matrix = 0;  // matrix: in kernels that use the matrix unit
  uint64_t count = 0;
  EventRows rows;
  void Add(const KernelGroup& group);
};

// `all`: largest total time first; ties by name, grid, block, registers, shared memory, Tensor Core
// use, op.
struct KernelGroups {
  std::vector<KernelGroup> all;
  std::vector<KernelSum> by_stream;  // by name: "GPU 0, Stream #14(Compute)"
};
KernelGroups ComputeKernels(AnalysisContext& context, const AnalysisParams& params,
                            std::stop_token stop);

// Computes the panel's tables. The analysis "kernel_stats" hands out the one that the context
// keeps: overview and op statistics read it too.
AnalysisResult RunKernelStats(AnalysisContext& context, const AnalysisParams& params,
                              std::stop_token stop);

}  // namespace stepscope
