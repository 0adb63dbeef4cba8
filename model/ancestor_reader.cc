#include "model/ancestor_reader.h"

#include <algorithm>

#include "model/lookup.h"

namespace stepscope {

std::vector<bool> MetasOf(const NameTable& names, EventCategory category) {
  std::vector<bool> wanted;
  wanted.reserve(names.metas.size());
  for (const EventMeta& meta : names.metas) wanted.push_back(meta.category == category);
  return wanted;
}

AncestorReader::AncestorReader(const TrackSet& set) : set_(set), near_(set.lanes.size()) {}

// Nested lanes come first in a track, in order of depth.
EventRow AncestorReader::Find(EventRow row, const std::vector<bool>& wanted) {
  if (row.value >= set_.rows) return {};
  uint32_t at = LaneOf(row.value);
  uint32_t i = row.value - set_.lanes[at].first_row;
  while (!wanted[set_.lanes[at].meta[i]]) {
    const Lane& lane = set_.lanes[at];
    if (lane.kind != LaneKind::kNested) {
      const EventRow parent = Parent(set_, EventRow(lane.first_row + i));
      if (!parent.valid()) return {};
      at = set_.LaneOf(parent).value;
      i = parent.value - set_.lanes[at].first_row;
      continue;
    }
    if (lane.depth == 0) return {};
    const uint32_t after = FirstAfter(--at, lane.start[i]);
    if (after == 0) return {};
    i = after - 1;
  }
  return EventRow(set_.lanes[at].first_row + i);
}

uint32_t AncestorReader::LaneOf(uint32_t row) {
  if (row - set_.lanes[lane_].first_row >= set_.lanes[lane_].size())
    lane_ = set_.LaneOf(EventRow(row)).value;
  return lane_;
}

// The first event of the lane that begins after the time. Searches in steps that double, from where
// it was found before.
uint32_t AncestorReader::FirstAfter(uint32_t lane, Ps time) {
  const std::span<const Ps> starts = set_.lanes[lane].start;
  size_t low = near_[lane], high = low, step = 1;
  if (low == 0 || starts[low - 1] <= time) {
    for (; high < starts.size() && starts[high] <= time; step *= 2) low = high + 1, high += step;
    high = std::min(high, starts.size());
  } else {
    low = high = low - 1;
    for (; low > 0 && starts[low - 1] > time; step *= 2) high = low - 1, low -= std::min(step, low);
  }
  const auto found = std::upper_bound(starts.begin() + static_cast<ptrdiff_t>(low),
                                      starts.begin() + static_cast<ptrdiff_t>(high), time);
  return near_[lane] = static_cast<uint32_t>(found - starts.begin());
}

}  // namespace stepscope
