// Says of the ranks of a job who is late, and why (docs/rules.md#ranks). Pure functions.
#pragma once

#include <string>

#include "model/analysis/ranks/put_together.h"

namespace stepscope {

// Says what keeps a rank, with the host's event: "waiting for input (DataLoader)". Empty if
// unknown.
std::string CauseTextOf(const LateCause& cause);
// The job needs two ranks and more.
Finding FindingOf(const RankJob& job);
void AddRankProperties(const RankJob& job, AnalysisResult* result);

}  // namespace stepscope
