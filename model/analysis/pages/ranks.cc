// The analysis `ranks` (docs/rules.md#ranks): which rank of a job the others wait for, and why.
// O(n log n) in collectives, O(n) in device events; memory is bounded by the rows listed.
#include <memory>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/fleet/fleet.h"
#include "model/analysis/ranks/ranks.h"

namespace stepscope {
namespace {

constexpr const char* kOneRank =
    "This profile is of one rank. Open what all ranks of the job wrote together: a folder with "
    "several ranks' traces (rank0.json.gz, rank1.json.gz, ...; PyTorch's own names do), or a run "
    "directory with the files of several hosts.";

}  // namespace

AnalysisResult RunRanks(AnalysisContext& context, const AnalysisParams& params) {
  AnalysisResult result;
  result.panel = "ranks";
  std::shared_ptr<const Ranks> ranks;
  if (const Fleet* fleet = FleetOf(context.trace())) {
    const std::vector<RankFacts>& facts = fleet->ShownRun().facts;
    ranks = std::make_shared<const Ranks>(RanksOf(facts, PutTogether(facts), false));
  } else {
    ranks = context.Get<Ranks>(params);
  }
  if (ranks->ranks.empty()) {
    result.empty_reason = kOneRank;
    return result;
  }
  result.properties = PropertiesOf(ranks->summary);
  result.tables = TablesOf(*ranks);
  result.findings = CutFindings(*ranks);
  result.findings.push_back(ranks->summary.finding);
  result.SetSource(ranks);
  return result;
}

}  // namespace stepscope
