// The time of a profile's steps that count, device by device, for figures that must speak of the
// same steps as the verdict (docs/rules.md#verdict). Immutable; any thread. Times are ps.
#pragma once

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "model/analysis/intervals/ranges.h"
#include "model/analysis/steps/steps.h"
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

// Reads events of devices, and whether they begin in a span of their device. Views trace and spans.
// O(1) amortised where the events follow one another on a lane, else O(log lanes). One thread.
class SpanReader {
 public:
  SpanReader(const Trace& trace, const StepSpans& spans) : set_(trace.set), spans_(spans) {}
  // The event's duration if it counts; nullopt: it begins in no span.
  std::optional<Ps> DurationIn(EventRow event);

 private:
  void Enter(EventRow event);

  const TrackSet& set_;
  const StepSpans& spans_;
  const Lane* lane_ = nullptr;
  const Ranges* of_device_ = nullptr;
  size_t after_ = 0;  // index of the first span that begins later than the last event
  uint32_t last_ = 0;
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
