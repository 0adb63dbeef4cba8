// Kernel statistics: every GPU kernel grouped by name, launch parameters and framework op
// (docs/rules.md#kernels). In: the events of GPU streams. Out: KernelGroups, and the tables of
// the analysis `kernel_stats`. Start here; kernel_collect.cc computes the groups, graph_tables.h
// adds the kernels of graphs. ComputeKernels is a pure function, O(kernels), parallel over device
// planes.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/naming/kernel_rules.h"
#include "model/analysis/naming/matrix_unit.h"

namespace stepscope {

inline constexpr double kUnknownOccupancy = -1;
// A shorter kernel ends before the next one is launched: a launch takes the host 20 to 40 us
// (TensorFlow's guide to GPU performance).
inline constexpr Ps kShortKernel = 20 * kPsPerUs;

struct KernelGroup {
  SharedText name, op_name;  // the tables share these texts
  KernelLaunch launch;       // without its occupancy, which differs between events
  bool xprof_uses_tensor_core = false;
  bool uses_matrix_unit = false;
  bool eligible = false;
  MatrixUnit unit = MatrixUnit::kNoWork;
  uint64_t occurrences = 0;
  Ps total = 0, min = kMaxPs, max = 0;
  int64_t total_ns = 0, min_ns = INT64_MAX,
          max_ns = 0;              // each event floored to whole ns, as in XProf
  double first_occupancy_pct = 0;  // of the first event in the file, as in XProf
  double mean_occupancy_pct = 0;   // weighted by duration (our definition), or kUnknownOccupancy
  EventRows rows;
};

// Sums of kernels that share a name, an op or a stream.
struct KernelSum {
  SharedText name;                                  // of what they share
  Ps total = 0, min = kMaxPs, max = 0, matrix = 0;  // matrix: in kernels that use the matrix unit
  uint64_t count = 0;
  EventRows rows;
  void Add(const KernelGroup& group);
};

// `all`: the largest total time first, ties by name, grid, block, registers, shared memory,
// Tensor Core use and op.
struct KernelGroups {
  std::vector<KernelGroup> all;
  std::vector<KernelSum> by_stream;  // by name: "GPU 0, Stream #14(Compute)"
};
KernelGroups ComputeKernels(AnalysisContext& context, const AnalysisParams& params,
                            std::stop_token stop);

// Computes the tables of `kernel_stats`. Callers take the result that the context keeps, which
// overview and op statistics read too.
AnalysisResult RunKernelStats(AnalysisContext& context, const AnalysisParams& params,
                              std::stop_token stop);

}  // namespace stepscope
