// Links: how long the collectives of each group and the messages of each pair take without waiting,
// beside equal ones of other groups (docs/fleet.md#links). Pure. Times are in ps.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/analysis/ranks/put_together.h"

namespace stepscope {

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
