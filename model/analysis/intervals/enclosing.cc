#include "model/analysis/intervals/enclosing.h"

#include <algorithm>

namespace stepscope {
namespace {

std::vector<bool> MetasOf(const Trace& trace, EventCategory category) {
  std::vector<bool> found;
  for (const EventMeta& meta : trace.names().metas) found.push_back(meta.category == category);
  return found;
}

}  // namespace

Enclosing::Enclosing(const Trace& trace, EventCategory wanted)
    : Enclosing(trace, MetasOf(trace, wanted)) {}

Enclosing::Enclosing(const Trace& trace, const std::vector<bool>& wanted)
    : trace_(trace), tracks_(trace.set.tracks.size()) {
  if (std::find(wanted.begin(), wanted.end(), true) == wanted.end()) return;
  for (size_t t = 0; t < tracks_.size(); ++t) {
    for (const Lane& lane : trace.set.LanesOf(trace.set.tracks[t])) {
      if (lane.kind == LaneKind::kInstant) continue;
      Depth depth{&lane, {}};
      for (uint32_t i = 0; i < lane.size(); ++i) {
        if (wanted[lane.meta[i]]) depth.wanted.push_back(i);
      }
      if (!depth.wanted.empty()) tracks_[t].push_back(std::move(depth));
    }
    std::reverse(tracks_[t].begin(), tracks_[t].end());
    empty_ = empty_ && tracks_[t].empty();
  }
}

EventRow Enclosing::Around(EventRow row) const {
  if (empty_ || !row.valid()) return {};
  const TrackSet& set = trace_.set;
  const Lane& lane = set.lanes[set.LaneOf(row).value];
  const uint32_t at = row.value - lane.first_row;
  const Ps begin = lane.start[at], end = lane.end(at);
  for (const Depth& depth : tracks_[lane.track.value]) {
    const Lane& of = *depth.lane;
    const auto after = std::upper_bound(depth.wanted.begin(), depth.wanted.end(), begin,
                                        [&](Ps t, uint32_t i) { return t < of.start[i]; });
    if (after == depth.wanted.begin()) continue;
    const uint32_t i = *(after - 1);
    if (of.end(i) < end) continue;
    const EventRow found(of.first_row + i);
    if (found == row || of.depth < lane.depth || lane.kind != LaneKind::kNested) return found;
  }
  return {};
}

}  // namespace stepscope
