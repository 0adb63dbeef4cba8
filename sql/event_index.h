// EventIndex: the rows of a trace's events, put together by name or by step. It holds row numbers
// only: 4 bytes an event, and 4 for each key. Immutable; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/query/event_groups.h"
#include "model/trace.h"

namespace stepscope {

// The rows of place p are rows[first[p]] to rows[first[p + 1]], ascending.
struct EventIndex {
  std::vector<uint32_t> rows, first;
  size_t places() const { return first.empty() ? 0 : first.size() - 1; }
  std::span<const uint32_t> At(size_t place) const {
    return std::span(rows).subspan(first[place], first[place + 1] - first[place]);
  }
  uint64_t count(size_t place) const { return first[place + 1] - first[place]; }
};

// By name, in the order of their bytes, as SQL sorts texts.
struct NameIndex : EventIndex {
  std::vector<StringId> name;       // by place
  std::vector<uint32_t> of_meta;    // place by MetaId; the last is for unknown ones
  std::vector<uint32_t> of_string;  // place by StringId; kNone if no event has the name
  static constexpr uint32_t kNone = 0xffffffffu;
};

// By the number of the step. Place 0 is for events outside of steps.
struct StepIndex : EventIndex {
  std::vector<int64_t> number;  // by place, rising; number[0] means nothing
};

// The number of the step of an event; nullopt if there is none.
class StepNumbers {
 public:
  // Borrows the trace and what describes its steps. O(steps).
  StepNumbers(const Trace& trace, const StepDatabase& steps, const Grouping& grouping);
  // O(log steps).
  std::optional<int64_t> Of(const Lane& lane, uint32_t index) const;
  // Calls fn(index, group) for all events of a lane; group == size() - 1: no step.
  const EventGroups& groups() const { return *groups_; }
  std::optional<int64_t> Number(size_t group) const;

 private:
  StatsQuestion question_;
  const StepDatabase& steps_;
  std::optional<EventGroups> groups_;
};

// O(events).
NameIndex IndexNames(const Trace& trace);
// O(events log steps).
StepIndex IndexSteps(const Trace& trace, const StepNumbers& steps);

}  // namespace stepscope
