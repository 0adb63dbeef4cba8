#include "model/lookup.h"

#include <algorithm>

#include "model/jobs/job.h"

namespace stepscope {
namespace {

uint32_t FirstAtOrAfter(const Lane& lane, Ps t) {
  return static_cast<uint32_t>(std::lower_bound(lane.start.begin(), lane.start.end(), t) -
                               lane.start.begin());
}
uint32_t FirstAfter(const Lane& lane, Ps t) {
  return static_cast<uint32_t>(std::upper_bound(lane.start.begin(), lane.start.end(), t) -
                               lane.start.begin());
}

// The position of a row: its lane, its index there, and its track's lanes.
struct Place {
  const Track* track = nullptr;  // null: there is no such row
  const Lane* lane = nullptr;
  uint32_t index = 0;
  std::span<const Lane> lanes;
};

Place Locate(const TrackSet& set, EventRow row) {
  const LaneId id = set.LaneOf(row);
  if (!id.valid()) return {};
  const Lane& lane = set.lanes[id.value];
  const Track& track = set.tracks[lane.track.value];
  return {&track, &lane, row.value - lane.first_row, set.LanesOf(track)};
}

// The nested lane of a depth. Nested lanes come first in a track, in order of depth.
const Lane* NestedLane(std::span<const Lane> lanes, uint32_t depth) {
  return depth < lanes.size() && lanes[depth].kind == LaneKind::kNested ? &lanes[depth] : nullptr;
}

// The events one depth down: [first, last) of *lane.
std::pair<uint32_t, uint32_t> ChildRange(const Place& p, const Lane** lane) {
  *lane = p.track && p.lane->kind == LaneKind::kNested ? NestedLane(p.lanes, p.lane->depth + 1u)
                                                       : nullptr;
  if (*lane == nullptr) return {0, 0};
  // An event of the next depth that starts inside this one is its child.
  return {FirstAtOrAfter(**lane, p.lane->start[p.index]),
          FirstAtOrAfter(**lane, p.lane->end(p.index))};
}

EventRow InnermostAt(std::span<const Lane> lanes, Ps t) {
  EventRow found;
  for (uint32_t depth = 0;; ++depth) {
    const Lane* lane = NestedLane(lanes, depth);
    const auto index = lane ? EventAt(*lane, t) : std::nullopt;
    if (!index) return found;
    found = EventRow(lane->first_row + *index);
  }
}

}  // namespace

bool HasGpuPlane(const Trace& trace) {
  return std::any_of(trace.planes.begin(), trace.planes.end(),
                     [](const Plane& plane) { return plane.kind == PlaneKind::kGpu; });
}

std::optional<uint32_t> EventAt(const Lane& lane, Ps t, Ps slop) {
  const uint32_t after = FirstAfter(lane, t);
  if (after > 0 && lane.dur[after - 1] > 0 && lane.end(after - 1) > t) return after - 1;
  // No event contains t. The answer is the nearer of the two neighbours that have no duration.
  std::optional<uint32_t> best;
  Ps best_distance = slop;
  const auto consider = [&](uint32_t i) {
    const Ps distance =
        lane.start[i] > t ? SaturatingSub(lane.start[i], t) : SaturatingSub(t, lane.start[i]);
    if (lane.dur[i] != 0 || distance > best_distance || (best && distance == best_distance)) return;
    best = i;
    best_distance = distance;
  };
  if (after > 0) consider(after - 1);
  if (after < lane.size()) consider(after);
  return best;
}

std::pair<uint32_t, uint32_t> EventsIn(const Lane& lane, TimeRange range) {
  return EventsTouching(lane.view(), range);
}

EventRow Parent(const TrackSet& set, EventRow row) {
  const Place p = Locate(set, row);
  if (p.track == nullptr || p.lane->kind == LaneKind::kSpill) return {};
  const Ps start = p.lane->start[p.index];
  if (p.lane->kind == LaneKind::kInstant) return InnermostAt(p.lanes, start);
  const Lane* above = p.lane->depth > 0 ? NestedLane(p.lanes, p.lane->depth - 1u) : nullptr;
  const uint32_t after = above ? FirstAfter(*above, start) : 0;
  return after > 0 ? EventRow(above->first_row + after - 1) : EventRow();
}

std::vector<EventRow> Children(const TrackSet& set, EventRow row) {
  const Lane* lane = nullptr;
  const auto [first, last] = ChildRange(Locate(set, row), &lane);
  std::vector<EventRow> out;
  if (lane == nullptr) return out;
  out.reserve(last - first);
  for (uint32_t i = first; i < last; ++i) out.emplace_back(lane->first_row + i);
  return out;
}

Ps SelfTime(const TrackSet& set, EventRow row) {
  const Place p = Locate(set, row);
  if (p.track == nullptr) return 0;
  const Ps dur = p.lane->dur[p.index];
  const Lane* below = nullptr;
  const auto [first, last] = ChildRange(p, &below);
  if (below == nullptr || first == last) return dur;
  return dur - below->mip.BusyIn(below->view(), {p.lane->start[p.index], p.lane->end(p.index)});
}

EventRow NextSameName(const TrackSet& set, EventRow row, int direction) {
  const Place p = Locate(set, row);
  if (p.track == nullptr || direction == 0) return {};
  const auto& metas = set.names->metas;
  const uint32_t meta = p.lane->meta[p.index];
  const auto same = [&](uint32_t m) {  // several metas may have one name
    return m == meta || (m < metas.size() && meta < metas.size() &&
                         set.names->DisplayName(MetaId(m)) == set.names->DisplayName(MetaId(meta)));
  };
  // Events of a track are ordered by start, then by row. Each lane gives its nearest; the nearest
  // of those is the answer.
  using Key = std::pair<Ps, uint32_t>;
  const Key here{p.lane->start[p.index], row.value};
  std::optional<Key> best;
  for (const Lane& lane : p.lanes) {
    const auto key = [&](uint32_t i) { return Key{lane.start[i], lane.first_row + i}; };
    if (direction > 0) {
      for (uint32_t i = FirstAtOrAfter(lane, here.first);
           i < lane.size() && !(best && key(i) > *best); ++i) {
        if (key(i) <= here || !same(lane.meta[i])) continue;
        best = key(i);
        break;
      }
    } else {
      for (uint32_t i = FirstAfter(lane, here.first); i-- > 0 && !(best && key(i) < *best);) {
        if (key(i) >= here || !same(lane.meta[i])) continue;
        best = key(i);
        break;
      }
    }
  }
  return best ? EventRow(best->second) : EventRow();
}

SameNameEvents AllOfSameName(const TrackSet& set, EventRow row, size_t most) {
  SameNameEvents out;
  const uint32_t meta = set.Meta(row).value;
  for (const Lane& lane : set.LanesOf(set.tracks[set.TrackOf(row).value])) {
    CheckStop();
    for (uint32_t i = 0; i < lane.size(); ++i) {
      if (lane.meta[i] != meta) continue;
      if (out.total++ < most) out.rows.push_back(EventRow(lane.first_row + i));
    }
  }
  return out;
}

}  // namespace stepscope
