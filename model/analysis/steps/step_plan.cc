#include "model/analysis/steps/step_plan.h"

#include <algorithm>

namespace stepscope {

int32_t StepPlan::StepOf(const Trace& trace, const Grouping& grouping, uint32_t row,
                         Ps start) const {
  if (by_time()) {
    if (by_launch) {
      const EventRow launch = grouping.LaunchOf(row);
      if (launch.valid()) start = trace.set.Start(launch);
    }
    auto it = std::upper_bound(boundaries.begin(), boundaries.end(), start);
    if (it == boundaries.begin() || it == boundaries.end()) return -1;
    return step_of_boundary[static_cast<size_t>(it - boundaries.begin() - 1)];
  }
  int32_t group = grouping.group[row];
  return group < 0 ? -1 : step_of_group[static_cast<size_t>(group)];
}

}  // namespace stepscope
