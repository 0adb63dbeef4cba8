#include "model/analysis/grouping/grouping.h"

#include <algorithm>

namespace stepscope {

EventRow Grouping::LaunchOf(uint32_t device_row) const {
  auto it = std::lower_bound(launches.begin(), launches.end(), device_row,
                             [](const LaunchLink& l, uint32_t r) { return l.device_row < r; });
  return it != launches.end() && it->device_row == device_row ? EventRow(it->launch_row)
                                                              : EventRow();
}

}  // namespace stepscope
