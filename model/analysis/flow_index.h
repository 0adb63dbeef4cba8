// FlowIndex: what led to an event and what it led to: the arrows that a profile recorded, the
// launches of device work, which are found by correlation ids, and who waited for whom by the ids
// of producers and consumers. Immutable; any thread. 12 bytes an arrow.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "model/analysis/grouping.h"
#include "model/stats.h"
#include "model/trace.h"

namespace stepscope {

enum class FlowKind : uint8_t {
  kLaunch,    // from a call of the runtime to the kernel or copy that it queued
  kRecorded,  // written into the profile as an arrow
  kContext,   // from a producer to a consumer of the same type and id, such as a task to its run
};

struct FlowArrow {  // rows of the trace's own set
  uint32_t from = 0, to = 0;
  FlowKind kind = FlowKind::kRecorded;
  bool operator==(const FlowArrow&) const = default;
};

class FlowIndex {
 public:
  // Of several between the same events the first kind stays. O(n log n)
  explicit FlowIndex(std::vector<FlowArrow> arrows);

  std::span<const FlowArrow> From(EventRow row) const;  // in order of `to`. O(log n)
  std::span<const FlowArrow> To(EventRow row) const;    // in order of `from`. O(log n)
  size_t size() const { return by_from_.size(); }
  size_t bytes() const;

 private:
  std::vector<FlowArrow> by_from_, by_to_;
};

// Where many produce and many consume one id nothing is known of a single pair: no arrows.
inline constexpr size_t kMostContextPairs = 4096;

// `grouping` may be null: then no launches. `stats` may be: then no contexts. Ids count within a
// host. O(n log n)
FlowIndex BuildFlowIndex(const Trace& trace, const Grouping* grouping,
                         const StatTable* stats = nullptr, const std::stop_token& stop = {});

}  // namespace stepscope
