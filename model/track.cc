#include "model/track.h"

#include <algorithm>

namespace stepscope {

LaneId TrackSet::LaneOf(EventRow row) const {
  if (row.value >= rows) return {};
  const auto after =
      std::upper_bound(lanes.begin(), lanes.end(), row.value,
                       [](uint32_t value, const Lane& lane) { return value < lane.first_row; });
  return LaneId(static_cast<uint32_t>(after - lanes.begin()) - 1);
}

Ps TrackSet::Start(EventRow row) const {
  const LaneId lane = LaneOf(row);
  return lane.valid() ? lanes[lane.value].start[row.value - lanes[lane.value].first_row] : 0;
}

Ps TrackSet::Duration(EventRow row) const {
  const LaneId lane = LaneOf(row);
  return lane.valid() ? lanes[lane.value].dur[row.value - lanes[lane.value].first_row] : 0;
}

MetaId TrackSet::Meta(EventRow row) const {
  const LaneId lane = LaneOf(row);
  return lane.valid() ? MetaId(lanes[lane.value].meta[row.value - lanes[lane.value].first_row])
                      : MetaId();
}

std::string_view TrackSet::Name(EventRow row) const { return names->DisplayName(Meta(row)); }

TrackId TrackSet::TrackOf(EventRow row) const {
  const LaneId lane = LaneOf(row);
  return lane.valid() ? lanes[lane.value].track : TrackId();
}

size_t TrackSet::bytes() const {
  size_t sum = lanes.capacity() * sizeof(Lane) + tracks.capacity() * sizeof(Track) +
               source.capacity() * sizeof(EventRow);
  for (const Lane& lane : lanes) {
    sum += lane.start.size_bytes() + lane.dur.size_bytes() + lane.meta.size_bytes() +
           lane.ref.size_bytes() + lane.ref_bases.size_bytes() + lane.mip.bytes();
  }
  for (const Track& track : tracks) {
    for (const CounterSeries& c : track.counters)
      sum += c.time.capacity() * sizeof(Ps) + c.value.capacity() * sizeof(double);
  }
  return sum;
}

}  // namespace stepscope
