// Tables of a fleet (docs/fleet.md#results). Pure functions.
#pragma once

#include <span>

#include "model/analysis/fleet/fleet.h"
#include "model/analysis/fleet/slow_kernels.h"
#include "model/analysis/fleet/slow_links.h"
#include "model/analysis/fleet/what_if.h"
#include "model/analysis/ranks/put_together.h"
#include "model/analysis/tables/result_table.h"

namespace stepscope {

// The answers that follow from the facts of a run's ranks.
struct FleetAnswers {
  RankJob job;
  KernelSpeeds kernels;
  std::vector<Link> links;
  WhatIf what_if;
};
FleetAnswers AnswersOf(const FleetRun& run);

ResultTable FleetRankTable(const Fleet& fleet, const FleetRun& run, const FleetAnswers& answers);
ResultTable FleetKernelTable(const FleetAnswers& answers);
ResultTable FleetLinkTable(const FleetAnswers& answers);
ResultTable WhatIfTable(const FleetAnswers& answers);
// Answers in a few numbers.
RunSummary SummaryOf(const FleetRun& run, const FleetAnswers& answers);
// The runs of the fleet, the newest first; `summaries`: by run.
ResultTable FleetRunTable(const Fleet& fleet, std::span<const RunSummary> summaries,
                          const FleetRun& shown);
// The profiles without facts.
ResultTable FleetFileTable(const Fleet& fleet);

// Tables of facts: what `stepscope-fleet` writes for each profile. Calls name their rank by its
// place, because a profile alone does not know its rank's number.
std::vector<ResultTable> FactTables(std::span<const RankFacts> facts);

}  // namespace stepscope
