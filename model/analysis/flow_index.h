// FlowIndex: what led to an event and what it led to: the arrows that a profile recorded, and the
// launches of device work, which are found by correlation ids. Immutable; any thread. 12 bytes an
// arrow.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/analysis/grouping.h"
#include "model/trace.h"

namespace stepscope {

enum class FlowKind : uint8_t {
  kLaunch,    // from a call of the runtime to the kernel or copy that it queued
  kRecorded,  // written into the profile as an arrow
};

struct FlowArrow {  // rows of the trace's own set
  uint32_t from = 0, to = 0;
  FlowKind kind = FlowKind::kRecorded;
  bool operator==(const FlowArrow&) const = default;
};

class FlowIndex {
 public:
  // An arrow that was recorded and found is one launch. O(n log n)
  explicit FlowIndex(std::vector<FlowArrow> arrows);

  std::span<const FlowArrow> From(EventRow row) const;  // in order of `to`. O(log n)
  std::span<const FlowArrow> To(EventRow row) const;    // in order of `from`. O(log n)
  size_t size() const { return by_from_.size(); }
  size_t bytes() const;

 private:
  std::vector<FlowArrow> by_from_, by_to_;
};

// `grouping` may be null: then only what was recorded.
FlowIndex BuildFlowIndex(const Trace& trace, const Grouping* grouping);

}  // namespace stepscope
