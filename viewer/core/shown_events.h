// ShownEvents: "show on timeline", events that are drawn bright while the rest is dimmed. A row of
// a table may have a million of them, so they are put into order only when they are gone through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/ids.h"
#include "model/time.h"

namespace stepscope {

// More are cut off, which the note says: a click that shows them must not be felt.
inline constexpr size_t kMaxShownEvents = 1'000'000;

class ShownEvents {
 public:
  using StartOf = std::function<Ps(const EventRef&)>;

  void Set(std::vector<EventRef> events);
  void Drop(const std::function<bool(const EventRef&)>& gone);
  // The earliest; the first of those that begin together. Not of none. O(n)
  EventRef Earliest(const StartOf& start) const;
  // Goes to the next one, with direction -1 to the previous one, by start. Not of none. O(1), and
  // O(n log n) after Set.
  EventRef Step(int direction, const StartOf& start);

  const std::vector<EventRef>& events() const { return events_; }
  bool empty() const { return events_.empty(); }
  size_t size() const { return events_.size(); }
  size_t at() const { return at_; }              // where Step went to
  uint64_t version() const { return version_; }  // another one whenever the events change
  bool operator==(const ShownEvents&) const = default;

 private:
  std::vector<EventRef> events_;
  size_t at_ = 0;
  bool ordered_ = false;
  uint64_t version_ = 0;
};

}  // namespace stepscope
