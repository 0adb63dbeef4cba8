// The time of a profile's steps that count, device by device, for figures that must speak of the
// same steps as the verdict (docs/rules.md#verdict). Immutable; any thread. Times are ps.
#pragma once

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <vector>

#include "model/analysis/intervals/event_order.h"
#include "model/analysis/intervals/ranges.h"
#include "model/analysis/steps/steps.h"
#include "model/event_rows.h"
#include "model/trace.h"

namespace stepscope {

class StepSpans {
 public:
  // The steps that count, or all if none counts. O(steps log steps).
  explicit StepSpans(const StepDatabase& db);
  // Whether no device has a step: then all of the recording counts.
  bool none() const { return by_device_.empty(); }
  // The spans of a device; null if it has no such step.
  const Ranges* Of(PlaneId device) const {
    const auto found = by_device_.find(device.value);
    return found != by_device_.end() ? &found->second : nullptr;
  }

 private:
  std::unordered_map<uint32_t, Ranges> by_device_;
};

// Finds the events that begin in no span of their device, by their rows alone. Nearly all events
// begin in a span, so a sum less what is left out takes less time than a sum of what counts. Views
// the set.
class LeftOutRows {
 public:
  // O((lanes + spans of their devices) log events).
  LeftOutRows(const TrackSet& set, const StepSpans& spans);
  // Calls fn(row, duration) for those of `rows` that are left out. O(rows) where they mostly
  // ascend.
  template <typename Fn>
  void ForEach(const EventRows& rows, Fn fn) const {
    RowReader events(set_);
    auto range = ranges_.begin();
    for (const EventRow row : rows) {
      if (range != ranges_.begin() && row.value < std::prev(range)->end()) range = First(row.value);
      while (range != ranges_.end() && range->end() <= row.value) ++range;
      if (range != ranges_.end() && range->Contains(row.value)) fn(row, events.Duration(row.value));
    }
  }

 private:
  using Ranges = std::vector<RowRange>;
  Ranges::const_iterator First(uint32_t row) const;  // the first range that ends behind the row
  void Add(const Lane& lane, uint32_t first, uint32_t end);

  const TrackSet& set_;
  Ranges ranges_;  // ascending
};

// Says whether a time is in one of the spans, for times that mostly ascend. Views the spans. O(1)
// amortised over a stream.
class SpanCursor {
 public:
  explicit SpanCursor(const Ranges& spans) : spans_(spans) {}
  bool Has(Ps t) {
    if (t < last_) after_ = 0;
    last_ = t;
    while (after_ < spans_.size() && spans_[after_].begin <= t) ++after_;
    return after_ > 0 && t < spans_[after_ - 1].end;
  }

 private:
  const Ranges& spans_;
  size_t after_ = 0;  // index of the first span that begins later
  Ps last_ = kMinPs;
};

// Says how much of an interval lies in the spans, for disjoint intervals that ascend. Views the
// spans. O(1) amortised.
class SpanClip {
 public:
  explicit SpanClip(const Ranges& spans) : spans_(spans) {}
  Ps LengthOf(TimeRange r) {
    while (at_ < spans_.size() && spans_[at_].end <= r.begin) ++at_;
    Ps length = 0;
    for (size_t i = at_; i < spans_.size() && spans_[i].begin < r.end; ++i)
      length += std::min(spans_[i].end, r.end) - std::max(spans_[i].begin, r.begin);
    return length;
  }

 private:
  const Ranges& spans_;
  size_t at_ = 0;  // index of the first span that ends later than the last interval begins
};

}  // namespace stepscope
