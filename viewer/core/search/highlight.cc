#include "viewer/core/search/highlight.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "model/base/check.h"
#include "model/base/sort_runs.h"

namespace stepscope {

const std::vector<uint32_t>* Highlight::Find(ProfileId profile, uint32_t set) const {
  for (const Rows& r : rows) {
    if (r.profile == profile && r.set == set) return r.rows.get();
  }
  return nullptr;
}

Highlight::Rows RowsOf(ProfileId profile, uint32_t set, std::vector<uint32_t> rows) {
  STEPSCOPE_DCHECK(std::is_sorted(rows.begin(), rows.end()));
  return {profile, set, std::make_shared<const std::vector<uint32_t>>(std::move(rows))};
}

std::vector<Highlight::Rows> ByRunAndSet(std::span<const EventRef> events) {
  struct Part {
    ProfileId profile;
    uint32_t set = 0;
    std::vector<uint32_t> rows;
  };
  std::vector<Part> parts;
  for (const EventRef& event : events) {
    auto found = std::find_if(parts.begin(), parts.end(), [&](const Part& part) {
      return part.profile == event.trace && part.set == event.set;
    });
    if (found == parts.end()) found = parts.insert(found, {event.trace, event.set, {}});
    found->rows.push_back(event.row.value);
  }
  std::vector<Highlight::Rows> sorted;
  for (Part& part : parts) {
    SortRuns(part.rows.begin(), part.rows.end(), std::less<>());
    sorted.push_back(RowsOf(part.profile, part.set, std::move(part.rows)));
  }
  return sorted;
}

std::vector<Highlight::Rows> CountedRows(std::span<const Highlight::Rows> rows) {
  const auto has_own = [&](ProfileId profile) {
    return std::any_of(rows.begin(), rows.end(), [&](const Highlight::Rows& part) {
      return part.profile == profile && part.set == 0 && !part.rows->empty();
    });
  };
  std::vector<Highlight::Rows> counted;
  for (const Highlight::Rows& part : rows) {
    const bool counts = part.set == 0 || !has_own(part.profile);
    if (counts && !part.rows->empty()) counted.push_back(part);
  }
  return counted;
}

HitsInTime::HitsInTime(std::span<const Highlight::Rows> hits, std::span<const Profile> profiles)
    : profiles_(profiles) {
  for (const Highlight::Rows& part : hits) {
    for (const Profile& profile : profiles) {
      if (profile.id != part.profile || part.set >= profile.sets()) continue;
      parts_.push_back({&profile, part.set, *part.rows});
      AddLanes(static_cast<uint32_t>(parts_.size() - 1));
    }
  }
}

void HitsInTime::AddLanes(uint32_t part) {
  const Part& of = parts_[part];
  ForLanesWith(of.profile->Set(of.set), of.rows,
               [&](const Lane& lane, std::span<const uint32_t> rows) {
                 lanes_.push_back({part, &lane, rows});
                 size_ += rows.size();
               });
}

HitsInTime::Place HitsInTime::PlaceOf(const LaneHits& hits, size_t i) const {
  const uint32_t row = hits.rows[i];
  return {hits.lane->start[row - hits.lane->first_row], hits.part, row};
}

std::optional<HitsInTime::Place> HitsInTime::PlaceOfHit(const EventRef& event) const {
  for (uint32_t p = 0; p < parts_.size(); ++p) {
    const Part& part = parts_[p];
    if (part.profile->id != event.trace || part.set != event.set) continue;
    if (std::binary_search(part.rows.begin(), part.rows.end(), event.row.value))
      return Place{StartOf(event), p, event.row.value};
  }
  return std::nullopt;
}

Ps HitsInTime::StartOf(const EventRef& event) const {
  for (const Profile& profile : profiles_) {
    if (const TrackSet* set = profile.SetOf(event)) return set->Start(event.row);
  }
  return kMinPs;
}

size_t HitsInTime::CountBefore(const LaneHits& hits, const Place& place) const {
  const auto behind = std::partition_point(hits.rows.begin(), hits.rows.end(), [&](uint32_t row) {
    return Place{hits.lane->start[row - hits.lane->first_row], hits.part, row} < place;
  });
  return static_cast<size_t>(behind - hits.rows.begin());
}

uint64_t HitsInTime::CountBefore(const Place& place) const {
  return std::transform_reduce(
      lanes_.begin(), lanes_.end(), uint64_t{0}, std::plus<>(),
      [&](const LaneHits& hits) -> uint64_t { return CountBefore(hits, place); });
}

std::optional<HitsInTime::Place> HitsInTime::Following(const Place& place, bool itself) const {
  std::optional<Place> next;
  for (const LaneHits& hits : lanes_) {
    size_t i = CountBefore(hits, place);
    if (!itself && i < hits.rows.size() && PlaceOf(hits, i) == place) ++i;
    if (i < hits.rows.size() && (!next || PlaceOf(hits, i) < *next)) next = PlaceOf(hits, i);
  }
  return next;
}

std::optional<HitsInTime::Place> HitsInTime::Preceding(const Place& place) const {
  std::optional<Place> previous;
  for (const LaneHits& hits : lanes_) {
    const size_t i = CountBefore(hits, place);
    if (i > 0 && (!previous || *previous < PlaceOf(hits, i - 1))) previous = PlaceOf(hits, i - 1);
  }
  return previous;
}

EventRef HitsInTime::Ref(const Place& place) const {
  return {parts_[place.part].profile->id, parts_[place.part].set, EventRow(place.row)};
}

EventRef HitsInTime::Next(const EventRef& from, int direction) const {
  if (lanes_.empty()) return {};
  constexpr uint32_t kLast = std::numeric_limits<uint32_t>::max();
  const Place begin{kMinPs, 0, 0}, end{kMaxPs, kLast, kLast};
  const std::optional<Place> hit = PlaceOfHit(from);
  const Place at = hit ? *hit : Place{StartOf(from), 0, 0};
  std::optional<Place> next = direction > 0 ? Following(at, !hit) : Preceding(at);
  if (!next) next = direction > 0 ? Following(begin, true) : Preceding(end);
  return Ref(*next);
}

uint64_t HitsInTime::Before(const EventRef& hit) const {
  const std::optional<Place> place = PlaceOfHit(hit);
  return place ? CountBefore(*place) : 0;
}

std::vector<EventRef> HitsInTime::Earliest(uint64_t most) const {
  // The latest time with at most `most` hits before it.
  Ps end = kMaxPs;
  if (size_ > most) {
    Ps low = kMinPs;
    while (low < end - 1) {
      const Ps middle = std::midpoint(low, end);
      (CountBefore({middle, 0, 0}) <= most ? low : end) = middle;
    }
    end = low;
  }
  std::vector<EventRef> earliest;
  const auto add = [&](const LaneHits& hits, Ps from, Ps to) {
    const size_t last = to == kMaxPs ? hits.rows.size() : CountBefore(hits, {to, 0, 0});
    for (size_t i = CountBefore(hits, {from, 0, 0}); i < last && earliest.size() < most; ++i)
      earliest.push_back(Ref(PlaceOf(hits, i)));
  };
  for (const LaneHits& hits : lanes_) add(hits, kMinPs, end);
  if (end == kMaxPs) return earliest;
  // Some of the hits that begin at that time fill the rest.
  for (const LaneHits& hits : lanes_) add(hits, end, end + 1);
  return earliest;
}

}  // namespace stepscope
