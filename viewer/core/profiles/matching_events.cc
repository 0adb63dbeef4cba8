#include "viewer/core/profiles/matching_events.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/lookup.h"
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

namespace {

// An event that was found by its name.
struct Found {
  Ps begin = 0;
  EventRow row;
};

// The events of a name on tracks of a kind, by begin.
std::vector<Found> EventsOf(const Trace& trace, std::string_view name, TrackKind kind) {
  const NameTable& names = trace.names();
  std::vector<uint8_t> wanted(names.metas.size());
  for (uint32_t m = 0; m < wanted.size(); ++m) wanted[m] = names.DisplayName(MetaId(m)) == name;
  std::vector<Found> found;
  for (const Lane& lane : trace.set.lanes) {
    if (trace.set.tracks[lane.track.value].kind != kind) continue;
    for (uint32_t i = 0; i < lane.size(); ++i) {
      if (lane.meta[i] < wanted.size() && wanted[lane.meta[i]] != 0)
        found.push_back({lane.start[i], EventRow(lane.first_row + i)});
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return a.begin < b.begin; });
  return found;
}

// The place of the step that a time lies in, or of the last step before it.
size_t StepAt(std::span<const StepMarker> steps, Ps t) {
  const auto after = std::partition_point(steps.begin(), steps.end(),
                                          [t](const StepMarker& s) { return s.range.begin <= t; });
  return after == steps.begin() ? 0 : static_cast<size_t>(after - steps.begin()) - 1;
}

// The events of the step at a place; all events where there are no steps.
std::span<const Found> InStep(std::span<const Found> events, std::span<const StepMarker> steps,
                              size_t place) {
  if (place >= steps.size()) return events;
  const Ps begin = place == 0 ? kMinPs : steps[place].range.begin;
  const Ps end = place + 1 < steps.size() ? steps[place + 1].range.begin : kMaxPs;
  const auto first = std::partition_point(events.begin(), events.end(),
                                          [begin](const Found& e) { return e.begin < begin; });
  const auto last =
      std::partition_point(first, events.end(), [end](const Found& e) { return e.begin < end; });
  return {first, last};
}

// The place in `to` of the step with the same number. Without one: the same place, or the last step
// where `to` has fewer.
size_t SameStep(std::span<const StepMarker> from, size_t place, std::span<const StepMarker> to) {
  if (to.empty() || from.empty()) return 0;
  const int64_t number = from[place].number;
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i].number == number) return i;
  }
  return std::min(place, to.size() - 1);
}

}  // namespace

EventRow CounterpartOf(const Profile& from, EventRow row, const Profile& to) {
  const TrackSet& set = from.trace->set;
  const std::string_view name = set.Name(row);
  const TrackKind kind = set.tracks[set.TrackOf(row).value].kind;
  const std::vector<Found> here = EventsOf(*from.trace, name, kind);
  const std::vector<Found> there = EventsOf(*to.trace, name, kind);
  const size_t place = StepAt(from.Steps(), set.Start(row));
  const std::span<const Found> mine = InStep(here, from.Steps(), place);
  const std::span<const Found> theirs =
      InStep(there, to.Steps(), SameStep(from.Steps(), place, to.Steps()));
  if (theirs.empty()) return there.empty() ? EventRow() : there.back().row;
  const auto at = std::find_if(mine.begin(), mine.end(),
                               [row](const Found& event) { return event.row == row; });
  const auto k = static_cast<size_t>(at - mine.begin());
  return theirs[std::min(k, theirs.size() - 1)].row;
}

namespace {

EventRow InnermostAt(const TrackSet& set, TrackId track, Ps time) {
  EventRow found;
  for (const Lane& lane : set.LanesOf(set.tracks[track.value])) {
    if (lane.kind == LaneKind::kInstant) continue;
    const std::optional<uint32_t> at = EventAt(lane, time);
    if (at) found = EventRow(lane.first_row + *at);
  }
  return found;
}

int RankOfKind(PlaneKind kind) {
  if (kind == PlaneKind::kGpu || kind == PlaneKind::kTpu) return 0;
  return kind == PlaneKind::kHostThreads ? 1 : 2;
}

}  // namespace

std::vector<ActivityAtTime> EventsAt(const Profile& profile, Ps time, size_t most) {
  std::vector<ActivityAtTime> found;
  const Trace& trace = *profile.trace;
  for (int rank = 0; rank < 3; ++rank) {
    for (const Plane& plane : trace.planes) {
      if (RankOfKind(plane.kind) != rank) continue;
      for (const TrackId track : plane.tracks) {
        if (found.size() == most) return found;
        const EventRow row = InnermostAt(trace.set, track, time);
        if (!row.valid()) continue;
        const std::string_view name =
            trace.names().strings.View(trace.set.tracks[track.value].name);
        found.push_back({EventRef{profile.id, 0, row},
                         plane.display_name + " \u00b7 " + std::string(name),
                         std::string(trace.names().DisplayName(trace.set.Meta(row)))});
      }
    }
  }
  return found;
}

}  // namespace stepscope
