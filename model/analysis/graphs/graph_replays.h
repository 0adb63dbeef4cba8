// The kernels of a trace that were launched as graphs, launch by launch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/analysis/analysis.h"

namespace stepscope {

struct ReplayedKernel {
  // The row of the launch; where it is unknown, the graph's id with kUnknownLaunch set.
  uint64_t launch = 0;
  uint32_t track = 0;
  Ps begin = 0;
  uint32_t row = 0;
};
inline constexpr uint64_t kUnknownLaunch = uint64_t{1} << 63;

// `graph_launches`: by meta, whether a call launches a graph. Sorted by launch, then stream, then
// begin. O(n log n).
std::vector<ReplayedKernel> ReplayedKernels(AnalysisContext& context,
                                            const std::vector<bool>& graph_launches);

// Calls fn(kernels) for each launch.
template <typename Fn>
void ForEachLaunch(std::span<const ReplayedKernel> kernels, Fn fn) {
  for (size_t begin = 0; begin < kernels.size();) {
    size_t end = begin;
    while (end < kernels.size() && kernels[end].launch == kernels[begin].launch) ++end;
    fn(kernels.subspan(begin, end - begin));
    begin = end;
  }
}

}  // namespace stepscope
