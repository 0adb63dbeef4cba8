// What two runs were: devices, versions, sizes. What differs is no contribution to a change, but
// may be its reason.
#pragma once

#include <string>
#include <vector>

#include "model/compare/compare_table.h"
#include "model/compare/run_items.h"
#include "model/compare/run_steps.h"

namespace stepscope {

struct RunDifference {
  std::string id, what, a, b;
  bool size = false;  // another number of devices, hosts or steps: small changes mean nothing then
};

struct ComparedRun {
  AnalysisContext& context;
  const AnalysisParams& params;
  const RunSteps& steps;
  const RunItems& items;
};

// O(planes + names).
std::vector<RunDifference> FindDifferences(const ComparedRun& a, const ComparedRun& b);
void AddDifferenceTable(const std::vector<RunDifference>& differences, CompareResult* to);

}  // namespace stepscope
