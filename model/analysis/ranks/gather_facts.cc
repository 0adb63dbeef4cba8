#include "model/analysis/ranks/gather_facts.h"

#include <algorithm>
#include <map>
#include <utility>

#include "model/analysis/grouping/host_collectives.h"
#include "model/analysis/ranks/clocks.h"
#include "model/analysis/ranks/rank_calls.h"
#include "model/analysis/ranks/rank_waits.h"
#include "model/base/statistics.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

constexpr size_t kMostKernels = 100;  // of a rank; those with most time

struct KernelRuns {
  Ps total = 0;
  std::vector<Ps> durations;
};

void AddKernels(const Trace& trace, const DeviceEvents& events, RankFacts* facts) {
  std::map<std::string_view, KernelRuns> by_name;  // equal names may have several metas
  std::map<uint32_t, KernelRuns*> by_meta;
  for (const PlaneId device : facts->rank.devices) {
    events.ForEach(device, [&](const DeviceEvent& e) {
      if (!e.is_compute()) return;
      KernelRuns*& runs = by_meta[e.meta];
      if (runs == nullptr) runs = &by_name[trace.names().DisplayName(MetaId(e.meta))];
      runs->total = SaturatingAdd(runs->total, e.length());
      runs->durations.push_back(e.length());
    });
  }
  for (auto& [name, runs] : by_name) {
    const auto count = static_cast<int64_t>(runs.durations.size());
    facts->kernels.push_back({std::string(name), count, runs.total, Median(runs.durations)});
  }
  std::stable_sort(facts->kernels.begin(), facts->kernels.end(),
                   [](const RankKernel& a, const RankKernel& b) { return a.total > b.total; });
  if (facts->kernels.size() > kMostKernels) facts->kernels.resize(kMostKernels);
}

}  // namespace

std::vector<RankFacts> GatherFacts(AnalysisContext& context, const AnalysisParams& params,
                                   FactsDepth depth) {
  AnalysisParams whole;  // participants are paired wherever they begin
  whole.hosts = params.hosts;
  const DeviceEvents events(context, whole);
  std::vector<Rank> ranks = ListRanks(context.trace(), whole, events);
  if (ranks.size() < 2 && depth != FactsDepth::kAll) {
    std::vector<RankFacts> alone(ranks.size());
    for (size_t r = 0; r < ranks.size(); ++r) alone[r].rank = std::move(ranks[r]);
    return alone;
  }
  std::vector<std::vector<RankStep>> steps =
      StepsOfRanks(ranks, context.Get<StepDatabase>(), events.scope());
  const std::vector<uint8_t> on_host = HostCollectiveMetas(context.trace().names());
  std::vector<RankFacts> facts(ranks.size());
  ParallelFor(ranks.size(), [&](size_t r) {
    facts[r].rank = std::move(ranks[r]);
    facts[r].steps = std::move(steps[r]);
    CheckStop();
    AddCalls(context, events, on_host, &facts[r]);
    if (depth == FactsDepth::kAll) AddKernels(context.trace(), events, &facts[r]);
  });
  if (depth != FactsDepth::kCalls) AddWaits(context, facts);
  return facts;
}

}  // namespace stepscope
