#include "loaders/xplane/lines/line_coverage.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "loaders/xplane/lines/line_parser.h"

namespace stepscope::xplane {
namespace {

constexpr size_t kMostLevels = 32;

Ps Scaled(Ps busy, double by, Ps room) {
  const double scaled = static_cast<double>(busy) * by;
  return scaled < static_cast<double>(room) ? std::max<Ps>(1, static_cast<Ps>(scaled)) : room;
}

}  // namespace

void LineCoverage::Add(uint64_t at, uint64_t bytes, const RawEvents& slices,
                       const RawEvents& instants) {
  Place place;
  place.at = at;
  place.bytes = bytes;
  for (size_t i = 0; i < instants.start.size(); ++i) {
    if (instants.meta[i] >= kMissingMeta) continue;
    if (place.has_instant && place.instant <= instants.start[i]) continue;
    place.has_instant = true;
    place.instant = instants.start[i];
    place.instant_meta = instants.meta[i];
  }
  events_.clear();
  for (size_t i = 0; i < slices.start.size(); ++i) {
    if (slices.meta[i] >= kMissingMeta) continue;
    const Ps begin = slices.start[i];
    events_.push_back({begin, SaturatingAdd(begin, slices.dur[i]), slices.meta[i]});
  }
  if (events_.empty() && !place.has_instant) return;
  place.begin = place.instant;
  if (!events_.empty()) AddLevels(&place);
  places_.push_back(std::move(place));
}

void LineCoverage::AddLevels(Place* place) {
  std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
    return std::tuple(a.begin, b.end, a.meta) < std::tuple(b.begin, a.end, b.meta);
  });
  place->begin = place->end = events_.front().begin;
  open_.clear();
  for (const Event& event : events_) {
    while (!open_.empty() && open_.back() <= event.begin) open_.pop_back();
    const size_t depth = open_.size();
    if (depth >= kMostLevels) continue;
    if (place->levels.size() <= depth) place->levels.resize(depth + 1);
    const Ps until = depth == 0 ? event.end : std::min(event.end, open_.back());
    open_.push_back(until);
    Level& level = place->levels[depth];
    level.busy = SaturatingAdd(level.busy, std::max<Ps>(0, SaturatingSub(until, event.begin)));
    place->end = std::max(place->end, event.end);
    const Ps length = SaturatingSub(event.end, event.begin);
    if (length > level.longest) level.longest = length, level.meta = event.meta;
  }
}

// In order of the file, a place stands for the bytes until the next one.
void LineCoverage::WeighPlaces() {
  std::sort(places_.begin(), places_.end(),
            [](const Place& a, const Place& b) { return a.at < b.at; });
  for (size_t i = 0; i + 1 < places_.size(); ++i) {
    const auto until_next = static_cast<double>(places_[i + 1].at - places_[i].at);
    places_[i].stands_for =
        std::max(1.0, until_next / static_cast<double>(std::max<uint64_t>(1, places_[i].bytes)));
  }
}

Ps LineCoverage::Take(RawEvents* slices, RawEvents* instants) {
  WeighPlaces();
  std::stable_sort(places_.begin(), places_.end(),
                   [](const Place& a, const Place& b) { return a.begin < b.begin; });
  Ps busy = 0;
  for (size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    if (place.has_instant) instants->Add(place.instant, 0, place.instant_meta, Lane::kNoRef);
    const Ps next = i + 1 < places_.size() ? places_[i + 1].begin : place.end;
    const Ps room = SaturatingSub(next, place.begin);
    Ps length = room;  // of the slice above
    for (const Level& level : place.levels) {
      if (level.longest < 0 || length <= 0) break;
      length = std::min(length, Scaled(level.busy, place.stands_for, room));
      slices->Add(place.begin, length, level.meta, Lane::kNoRef);
      if (&level == &place.levels.front()) busy = SaturatingAdd(busy, length);
    }
  }
  places_.clear();
  return busy;
}

}  // namespace stepscope::xplane
