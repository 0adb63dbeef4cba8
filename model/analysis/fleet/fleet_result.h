// FleetResult: what the panels read of the analysis `fleet` (docs/fleet.md#results), beside the
// fleet itself. model/analysis/pages/fleet.cc computes it. A value.
#pragma once

#include <optional>
#include <vector>

#include "model/analysis/fleet/fleet.h"
#include "model/analysis/ranks/ranks.h"

namespace stepscope {

struct FleetResult {
  std::vector<RunSummary> runs;                   // as Fleet::runs
  std::vector<std::optional<double>> late_share;  // by rank of the shown run: percent of a step
  LateSteps late_steps;                           // of the shown run's facts
};

}  // namespace stepscope
