#include "model/analysis/ranks/host_clocks.h"

#include <algorithm>
#include <cstddef>

#include "model/analysis/analysis.h"
#include "model/analysis/ranks/gather_facts.h"
#include "model/base/statistics.h"
#include "model/shift_hosts.h"

namespace stepscope {
namespace {

constexpr Ps kLeastOffset = 5 * kPsPerUs;  // clocks are not known more exactly

}  // namespace

PairedRanks PairRanks(AnalysisContext& context, const AnalysisParams& params) {
  PairedRanks out;
  std::vector<RankFacts> facts = GatherFacts(context, params, FactsDepth::kCalls);
  out.clocks.resize(facts.size());
  if (facts.size() >= 2) {
    out.calls = PairCollectives(facts);
    out.clocks = AlignClocks(out.calls, facts.size());
  }
  for (RankFacts& f : facts) {
    out.ranks.push_back(std::move(f.rank));
    if (facts.size() >= 2) out.steps.push_back(std::move(f.steps));
  }
  return out;
}

std::vector<Ps> HostClockOffsets(AnalysisContext& context) {
  if (context.trace().hosts.size() < 2) return {};
  const PairedRanks paired = PairRanks(context, {});
  CheckStop();
  return HostClockOffsets(context.trace(), paired);
}

std::vector<Ps> HostClockOffsets(const Trace& trace, const PairedRanks& paired) {
  const size_t hosts = trace.hosts.size();
  if (hosts < 2) return {};
  std::vector<std::vector<Ps>> of_ranks(hosts);
  std::vector<Ps> errors(hosts, kLeastOffset);
  for (size_t r = 0; r < paired.ranks.size(); ++r) {
    const RankClock& clock = paired.clocks[r];
    const uint32_t host = paired.ranks[r].host.value;
    if (!clock.aligned || host >= hosts) continue;
    of_ranks[host].push_back(clock.offset);
    errors[host] = std::max(errors[host], SaturatingMul(clock.residual, 2));
  }
  std::vector<Ps> offsets(hosts);
  bool any = false;
  for (size_t h = 0; h < hosts; ++h) {
    if (of_ranks[h].empty()) continue;
    const Ps offset = LowerMedian(of_ranks[h]);
    if (offset <= errors[h] && offset >= -errors[h]) continue;
    offsets[h] = offset;
    any = true;
  }
  if (!any) offsets.clear();
  return offsets;
}

std::shared_ptr<const Trace> OnOneClock(AnalysisContext& context,
                                        const std::shared_ptr<const Trace>& trace) {
  const std::vector<Ps> offsets = HostClockOffsets(context);
  if (offsets.empty()) return nullptr;
  return ShiftHosts(trace, offsets);
}

}  // namespace stepscope
