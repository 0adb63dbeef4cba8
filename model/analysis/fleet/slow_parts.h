// What is slower on some ranks than on most (docs/fleet.md#kernels, #links). Kernels: a GPU that is
// throttled runs all of its kernels slower. Links: how long the collectives of each group and the
// messages of each pair take without waiting, beside equal ones of other groups. Pure. Times are in
// ps.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/analysis/ranks/put_together.h"

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

inline constexpr double kSlowLink = 1.25;  // times the median of equal groups
inline constexpr size_t kLeastEqualGroups = 3;

struct Link {
  uint32_t group = 0;  // in CollectiveCalls::groups
  uint32_t name = 0;   // in CollectiveCalls::names
  int64_t bytes = -1;  // of a collective; -1: unknown
  uint32_t participants = 0;
  uint64_t count = 0;
  Ps transfer = 0;  // median
  Ps others = 0;    // median of that over groups that do the same; 0: fewer than three do
  bool slow = false;
  double Ratio() const {
    return others > 0 ? static_cast<double>(transfer) / static_cast<double>(others) : 0;
  }
};

// A link for each group, name and size with several participants; the slowest beside others first.
// O(calls log calls).
std::vector<Link> CompareLinks(std::span<const RankFacts> facts, const RankJob& job);

}  // namespace stepscope
