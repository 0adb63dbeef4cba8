// The time of copies and collectives that nothing hides, by kind (docs/rules.md#verdict).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/steps/steps.h"

namespace stepscope {

struct ExposedKind {
  bool copy = false;  // a copy to or from the host; else a collective
  std::string name;   // "ncclKernel_SendRecv", "Memcpy DtoH"
  double ps = 0;      // on all devices, while nothing of a higher class runs on the same device
  EventRow longest;   // the event that is exposed longest
  TimeRange range;    // its time
  Ps most = 0;
};

// All kinds, those with most time first, over the steps that count and within each device's own
// steps. Parallel over devices; O(device events * streams).
std::vector<ExposedKind> FindExposedKinds(const Trace& trace, const StepDatabase& db);
// The same of the steps that the verdict speaks of (JudgedSteps).
struct ExposedKinds {
  std::vector<ExposedKind> kinds;

  static constexpr size_t kKept = 2;
  static AnalysisParams KeyOf(AnalysisParams params);
  static ExposedKinds Compute(AnalysisContext& context, const AnalysisParams& params);
};

}  // namespace stepscope
