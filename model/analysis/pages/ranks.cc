// The analysis `ranks` (docs/rules.md#ranks): which rank of a job the others wait for, and why.
// O(n log n) in collectives, O(n) in device events; memory is bounded by the rows listed.
#include <span>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/fleet/fleet.h"
#include "model/analysis/ranks/gather_facts.h"
#include "model/analysis/ranks/rank_finding.h"
#include "model/analysis/ranks/rank_step_table.h"
#include "model/analysis/ranks/rank_tables.h"

namespace stepscope {
namespace {

constexpr const char* kOneRank =
    "This profile is of one rank. Open what all ranks of the job wrote together: a folder with "
    "several ranks' traces (rank0.json.gz, rank1.json.gz, ...; PyTorch's own names do), or a run "
    "directory with the files of several hosts.";

// The part of the job that params ask for.
JobPart PartOf(const Scope& scope, const StepDatabase& db, const std::vector<RankFacts>& facts) {
  std::vector<Rank> ranks;
  ranks.reserve(facts.size());
  for (const RankFacts& f : facts) ranks.push_back(f.rank);
  return {[&scope](const Rank& rank, Ps begin) { return scope.OfHost(rank.host).Contains(begin); },
          StepsOfRanks(ranks, db, scope)};
}

void AddTables(std::span<const RankFacts> facts, const RankJob& job, bool with_events,
               AnalysisResult* result) {
  if (facts.size() < 2) {
    result->empty_reason = kOneRank;
    return;
  }
  AddRankProperties(job, result);
  result->tables.push_back(RankTable(job, with_events));
  result->tables.push_back(CollectiveTable(facts, job, with_events));
  result->tables.push_back(RankStepTable(job, with_events));
  result->findings.push_back(FindingOf(job));
}

}  // namespace

AnalysisResult RunRanks(AnalysisContext& context, const AnalysisParams& params) {
  AnalysisResult result;
  result.panel = "ranks";
  if (const Fleet* fleet = FleetOf(context.trace())) {
    const FleetRun& run = fleet->ShownRun();
    AddTables(run.facts, PutTogether(run.facts), false, &result);
    return result;
  }
  const std::vector<RankFacts> facts = GatherFacts(context, params, FactsDepth::kWaits);
  CheckStop();
  const Scope scope(context.trace(), params, context.Get<StepDatabase>());
  const JobPart part = PartOf(scope, context.Get<StepDatabase>(), facts);
  AddTables(facts, PutTogether(facts, &part), true, &result);
  return result;
}

}  // namespace stepscope
