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

// How many wanted events begin by then, which is mostly `near` or one more.
size_t Enclosing::Begun(const Depth& depth, Ps time, size_t near) {
  const std::vector<uint32_t>& wanted = depth.wanted;
  const auto by_then = [&](size_t i) { return depth.lane->start[wanted[i]] <= time; };
  for (size_t n = near; n <= std::min(near + 1, wanted.size()); ++n) {
    if ((n == 0 || by_then(n - 1)) && (n == wanted.size() || !by_then(n))) return n;
  }
  const auto after = std::upper_bound(wanted.begin(), wanted.end(), time,
                                      [&](Ps t, uint32_t i) { return t < depth.lane->start[i]; });
  return static_cast<size_t>(after - wanted.begin());
}

// `places`: by depth, what Begun said of the event before; or null.
EventRow Enclosing::Find(const Lane& lane, EventRow row, size_t* places) const {
  const uint32_t at = row.value - lane.first_row;
  const Ps begin = lane.start[at], end = lane.end(at);
  const std::vector<Depth>& depths = tracks_[lane.track.value];
  for (size_t d = 0; d < depths.size(); ++d) {
    const Depth& depth = depths[d];
    const Lane& of = *depth.lane;
    const size_t begun = Begun(depth, begin, places != nullptr ? places[d] : 0);
    if (places != nullptr) places[d] = begun;
    if (begun == 0) continue;
    const uint32_t i = depth.wanted[begun - 1];
    if (of.end(i) < end) continue;
    const EventRow found(of.first_row + i);
    if (found == row || of.depth < lane.depth || lane.kind != LaneKind::kNested) return found;
  }
  return {};
}

EventRow Enclosing::Around(EventRow row) const {
  if (empty_ || !row.valid()) return {};
  return Find(LaneOf(row), row, nullptr);
}

EventRow Enclosing::Reader::Around(EventRow row) {
  if (enclosing_.empty() || !row.valid()) return {};
  if (lane_ == nullptr || row.value - lane_->first_row >= lane_->size()) {
    const Lane& lane = enclosing_.LaneOf(row);
    if (lane_ == nullptr || lane.track != lane_->track)
      places_.assign(enclosing_.tracks_[lane.track.value].size(), 0);
    lane_ = &lane;
  }
  return enclosing_.Find(*lane_, row, places_.data());
}

}  // namespace stepscope
