// HighlightedEvents: the events that "show on timeline" draws bright while the rest is dimmed. A
// row of a table may have a million of them, so they are sorted only when the user steps through
// them. UI thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/ids.h"
#include "model/time.h"

namespace stepscope {

// Whoever shows events cuts off more than this and says so: a click must not be felt.
inline constexpr size_t kMaxHighlightedEvents = 1'000'000;

class HighlightedEvents {
 public:
  using StartOf = std::function<Ps(const EventRef&)>;

  void Set(std::vector<EventRef> events);
  void Drop(const std::function<bool(const EventRef&)>& gone);
  // The earliest event, the first in the list among those that begin together. There must
  // be one. O(n)
  EventRef Earliest(const StartOf& start) const;
  // Goes to the next event by start, or with direction -1 to the previous one. There must be one.
  // O(1); the first call after Set takes O(n log n).
  EventRef Step(int direction, const StartOf& start);

  const std::vector<EventRef>& events() const { return events_; }
  bool empty() const { return events_.empty(); }
  size_t size() const { return events_.size(); }
  // Those that the recording has itself: what is derived stands for events that count already.
  size_t recorded() const { return recorded_; }
  size_t at() const { return at_; }              // the event that Step went to, from 0
  uint64_t version() const { return version_; }  // another number whenever the events change
  bool operator==(const HighlightedEvents&) const = default;

 private:
  std::vector<EventRef> events_;
  size_t at_ = 0, recorded_ = 0;
  bool ordered_ = false;
  uint64_t version_ = 0;
};

}  // namespace stepscope
