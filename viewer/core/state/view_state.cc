#include "viewer/core/state/view_state.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "model/base/check.h"
#include "model/base/sort_runs.h"

namespace stepscope {

void HighlightedEvents::Set(std::vector<EventRef> events) {
  events_ = std::move(events);
  recorded_ = static_cast<size_t>(std::count_if(
      events_.begin(), events_.end(), [](const EventRef& event) { return event.set == 0; }));
  at_ = 0;
  ordered_ = false;
  ++version_;
}

void HighlightedEvents::Drop(const std::function<bool(const EventRef&)>& gone) {
  std::vector<EventRef> left;
  std::remove_copy_if(events_.begin(), events_.end(), std::back_inserter(left), gone);
  if (left.size() < events_.size()) Set(std::move(left));
}

EventRef HighlightedEvents::Earliest(const StartOf& start) const {
  STEPSCOPE_DCHECK(!events_.empty());
  EventRef earliest = events_.front();
  Ps least = start(earliest);
  for (const EventRef& event : events_) {
    const Ps begin = start(event);
    if (begin < least) least = begin, earliest = event;
  }
  return earliest;
}

EventRef HighlightedEvents::Step(int direction, const StartOf& start) {
  STEPSCOPE_DCHECK(!events_.empty());
  if (!ordered_) {
    std::vector<std::pair<Ps, EventRef>> keyed;
    keyed.reserve(events_.size());
    for (const EventRef& event : events_) keyed.emplace_back(start(event), event);
    // A run for each lane.
    SortRuns(keyed.begin(), keyed.end(),
             [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t i = 0; i < keyed.size(); ++i) events_[i] = keyed[i].second;
    ordered_ = true;
  }
  at_ = (at_ + (direction < 0 ? events_.size() - 1 : 1)) % events_.size();
  return events_[at_];
}

namespace {

// t * by / of, for positive factors, rounded half away from 0. The product passes 64 bits.
Ps Scale(Ps t, int64_t by, int64_t of) {
  if (by == of) return t;
  __extension__ using Wide = __int128;
  const Wide product = static_cast<Wide>(t) * by, half = of / 2;
  const Wide scaled = (product < 0 ? product - half : product + half) / of;
  return static_cast<Ps>(std::clamp(scaled, static_cast<Wide>(kMinPs), static_cast<Wide>(kMaxPs)));
}

TimeRange NotEmpty(Ps begin, Ps end) { return {begin, std::max(end, SaturatingAdd(begin, 1))}; }

}  // namespace

Ps TimeMap::ToShared(Ps t) const { return SaturatingAdd(Scale(t, shared, of_own), offset); }

Ps TimeMap::ToTrace(Ps t) const { return Scale(SaturatingSub(t, offset), of_own, shared); }

TimeRange TimeMap::ToShared(TimeRange range) const {
  return range.empty() ? TimeRange{} : NotEmpty(ToShared(range.begin), ToShared(range.end));
}

TimeRange TimeMap::ToTrace(TimeRange range) const {
  return range.empty() ? TimeRange{} : NotEmpty(ToTrace(range.begin), ToTrace(range.end));
}

}  // namespace stepscope
