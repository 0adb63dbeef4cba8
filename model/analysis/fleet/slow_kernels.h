// Kernels that are slower on some ranks than on most (docs/fleet.md#kernels): a GPU that is
// throttled runs all of its kernels slower. Pure. Times are in ps.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/analysis/ranks/rank_facts.h"

namespace stepscope {

inline constexpr double kSlowKernel = 1.1;   // times the median over ranks
inline constexpr double kSlowerShare = 0.5;  // of a rank's kernel time, in slow kernels
inline constexpr size_t kLeastRanksOfKernel = 3;

struct SlowKernel {
  uint32_t rank = 0;  // index
  std::string name;
  int64_t count = 0;
  Ps median = 0;  // of one run
  Ps others = 0;  // median of that over ranks
  double Ratio() const { return static_cast<double>(median) / static_cast<double>(others); }
};

struct RankSpeed {
  double slowdown = 0;     // medians of kernels that other ranks have / those of the median rank
  double slow_share = 0;   // of its time in them, in kernels that are slow here
  bool known = false;      // enough ranks run its kernels
  bool throttled = false;  // kSlowerShare and more of the time is in slow kernels
};

struct KernelSpeeds {
  std::vector<RankSpeed> ranks;
  std::vector<SlowKernel> slow;  // by falling lost time
};

// O(kernels log kernels).
KernelSpeeds CompareKernels(std::span<const RankFacts> facts);

}  // namespace stepscope
