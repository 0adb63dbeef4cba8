#include "viewer/core/profiles/same_event.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "viewer/core/state/track_rules.h"

namespace stepscope {
namespace {

EventRow EventInLane(const Trace& trace, const Lane& lane, Ps begin, Ps length,
                     std::string_view name) {
  const auto first = std::lower_bound(lane.start.begin(), lane.start.end(), begin);
  for (auto i = static_cast<uint32_t>(first - lane.start.begin());
       i < lane.size() && lane.start[i] == begin; ++i) {
    const EventRow row(lane.first_row + i);
    if (lane.dur[i] == length && trace.set.Name(row) == name) return row;
  }
  return {};
}

}  // namespace

EventRow SameEvent(const Trace& from, EventRow row, const Trace& to) {
  if (row.value >= from.set.rows) return {};
  const std::string path = TrackPath(from, from.set, from.set.TrackOf(row));
  for (const Lane& lane : to.set.lanes) {
    if (TrackPath(to, to.set, lane.track) != path) continue;
    const EventRow found =
        EventInLane(to, lane, from.set.Start(row), from.set.Duration(row), from.set.Name(row));
    if (found.valid()) return found;
  }
  return {};
}

}  // namespace stepscope
