#include "viewer/core/state/highlighted_events.h"

#include <algorithm>
#include <iterator>
#include <utility>

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
  EventRef earliest = events_.front();
  Ps least = start(earliest);
  for (const EventRef& event : events_) {
    const Ps begin = start(event);
    if (begin < least) least = begin, earliest = event;
  }
  return earliest;
}

EventRef HighlightedEvents::Step(int direction, const StartOf& start) {
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

}  // namespace stepscope
