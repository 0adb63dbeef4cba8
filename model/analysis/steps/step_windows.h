// The spans of one device's steps, by begin, for sweeps over its events. Pure. O(n log n)
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/analysis/steps/steps.h"

namespace stepscope {

struct StepWindow {
  TimeRange span;
  uint32_t step = 0;  // index into StepDatabase::steps
};

inline std::vector<StepWindow> StepWindowsOf(const StepDatabase& db, PlaneId device) {
  std::vector<StepWindow> windows;
  for (const DeviceStep& d : db.device_steps) {
    if (d.device == device) windows.push_back({d.span, d.step});
  }
  std::sort(windows.begin(), windows.end(),
            [](const StepWindow& a, const StepWindow& b) { return a.span.begin < b.span.begin; });
  return windows;
}

}  // namespace stepscope
