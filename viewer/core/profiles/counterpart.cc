#include "viewer/core/profiles/counterpart.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace stepscope {
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

}  // namespace stepscope
