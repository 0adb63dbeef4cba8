// What copies and collectives that nothing hides are: the time of each kind on the devices.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/steps.h"

namespace stepscope {

struct ExposedKind {
  bool copy = false;  // to or from the host; else a collective
  std::string name;   // "ncclKernel_SendRecv", "Memcpy DtoH"
  double ps = 0;      // on all devices, with nothing of a higher class on the same device
  EventRow longest;   // the one that is exposed the longest, `most`
  TimeRange range;    // of that one
  Ps most = 0;
};

// Over the steps that count, within the steps of each device; by falling time. Parallel over
// devices; O(device events * streams).
std::vector<ExposedKind> ExposedKinds(const Trace& trace, const StepDatabase& db);

// The kind of a copy or a collective by its name: no parameters, places or algorithms.
std::string KindName(std::string_view device_event);

}  // namespace stepscope
