// FlowIndex: the arrows between events: those that a profile recorded, launches of device work by
// correlation id, producers and consumers by the id they share, and asynchronous ops of TPUs.
// Immutable; any thread. 24 bytes an arrow.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/analysis/grouping/grouping.h"
#include "model/stats.h"
#include "model/trace.h"

namespace stepscope {

enum class FlowKind : uint8_t {
  kLaunch,    // from a call of the runtime to the kernel or copy that it queued
  kRecorded,  // written into the profile as an arrow
  kContext,   // from a producer to a consumer of one type and id: a task and its run
  kAsync,     // from an op that starts asynchronous work to that work, and to the op that awaits it
};

struct FlowArrow {  // rows of the trace's own set
  uint32_t from = 0, to = 0;
  FlowKind kind = FlowKind::kRecorded;
  bool operator==(const FlowArrow&) const = default;
};

class FlowIndex {
 public:
  // Keeps one arrow for each pair of events, that of the first kind. O(n log n)
  explicit FlowIndex(std::vector<FlowArrow> arrows);

  std::span<const FlowArrow> From(EventRow row) const;  // in order of `to`. O(log n)
  std::span<const FlowArrow> To(EventRow row) const;    // in order of `from`. O(log n)
  size_t size() const { return by_from_.size(); }
  size_t bytes() const;

 private:
  std::vector<FlowArrow> by_from_, by_to_;
};

// A context with more pairs of producers and consumers than this gives no arrows: they would not
// say which producer led to which consumer.
inline constexpr size_t kMostContextPairs = 4096;

// All arrows of the trace. Without `grouping` (null) there are no launches, without `stats` neither
// contexts nor asynchronous ops. Ids are unique within a host only. O(n log n)
FlowIndex BuildFlowIndex(const Trace& trace, const Grouping* grouping,
                         const StatTable* stats = nullptr);

}  // namespace stepscope
