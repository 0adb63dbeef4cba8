#include "model/analysis/ranks/rank_order.h"

#include <algorithm>
#include <map>

#include "model/analysis/analysis.h"
#include "model/analysis/ranks/host_clocks.h"
#include "model/analysis/ranks/lateness.h"

namespace stepscope {
namespace {

// The number of collectives on each track of a rank.
using CallsOnTracks = std::map<uint32_t, uint64_t>;

std::vector<CallsOnTracks> CallsOf(const Trace& trace, const PairedRanks& paired) {
  std::vector<CallsOnTracks> calls(paired.ranks.size());
  for (const CollectiveCall& call : paired.calls.calls) {
    if (call.row < trace.set.rows) ++calls[call.rank][trace.set.TrackOf(EventRow(call.row)).value];
  }
  return calls;
}

// The busiest stream of the rank's devices on which no collective runs; invalid: none.
TrackId BusiestWithout(const Trace& trace, const Rank& rank, const CallsOnTracks& calls) {
  TrackId busiest;
  for (const PlaneId device : rank.devices) {
    for (const TrackId id : trace.planes[device.value].tracks) {
      const Track& track = trace.set.tracks[id.value];
      if (track.kind != TrackKind::kStream || track.events == 0 || calls.contains(id.value))
        continue;
      if (!busiest.valid() || track.busy > trace.set.tracks[busiest.value].busy) busiest = id;
    }
  }
  return busiest;
}

}  // namespace

std::vector<RankTracks> RanksByLateness(const AnalysisContext& context, const PairedRanks& paired) {
  const Trace& trace = context.trace();
  if (paired.ranks.size() < 2) return {};
  const std::vector<TimeRange> recording = RecordingOf(paired.calls, paired.steps, paired.clocks);
  const Lateness lateness = FindLateness(paired.calls, paired.clocks, recording);
  const std::vector<CallsOnTracks> calls = CallsOf(trace, paired);
  std::vector<RankTracks> out;
  for (size_t r = 0; r < paired.ranks.size(); ++r) {
    if (calls[r].empty()) continue;
    RankTracks& rank = out.emplace_back();
    rank.number = paired.ranks[r].number;
    if (lateness.steps > 0) {
      rank.late_percent =
          100 * static_cast<double>(lateness.ranks[r].steps) / static_cast<double>(lateness.steps);
    }
    const TrackId compute = BusiestWithout(trace, paired.ranks[r], calls[r]);
    if (compute.valid()) rank.tracks.push_back(compute);
    const auto most =
        std::max_element(calls[r].begin(), calls[r].end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    rank.tracks.emplace_back(most->first);
  }
  if (out.size() < 2) return {};
  std::stable_sort(out.begin(), out.end(), [](const RankTracks& a, const RankTracks& b) {
    return a.late_percent > b.late_percent;
  });
  return out;
}

}  // namespace stepscope
