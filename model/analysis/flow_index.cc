#include "model/analysis/flow_index.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace stepscope {

FlowIndex::FlowIndex(std::vector<FlowArrow> arrows) : by_from_(std::move(arrows)) {
  std::sort(by_from_.begin(), by_from_.end(), [](const FlowArrow& a, const FlowArrow& b) {
    return std::tie(a.from, a.to, a.kind) < std::tie(b.from, b.to, b.kind);
  });
  // Launches sort before what was recorded, and stay.
  const auto same = [](const FlowArrow& a, const FlowArrow& b) {
    return a.from == b.from && a.to == b.to;
  };
  by_from_.erase(std::unique(by_from_.begin(), by_from_.end(), same), by_from_.end());
  by_from_.shrink_to_fit();
  by_to_ = by_from_;
  std::sort(by_to_.begin(), by_to_.end(), [](const FlowArrow& a, const FlowArrow& b) {
    return std::tie(a.to, a.from) < std::tie(b.to, b.from);
  });
}

std::span<const FlowArrow> FlowIndex::From(EventRow row) const {
  const auto found = std::ranges::equal_range(by_from_, row.value, {}, &FlowArrow::from);
  return {found.begin(), found.end()};
}

std::span<const FlowArrow> FlowIndex::To(EventRow row) const {
  const auto found = std::ranges::equal_range(by_to_, row.value, {}, &FlowArrow::to);
  return {found.begin(), found.end()};
}

size_t FlowIndex::bytes() const {
  return (by_from_.capacity() + by_to_.capacity()) * sizeof(FlowArrow);
}

FlowIndex BuildFlowIndex(const Trace& trace, const Grouping* grouping) {
  std::vector<FlowArrow> arrows;
  arrows.reserve(trace.flows.size() + (grouping != nullptr ? grouping->launches.size() : 0));
  for (const Flow& flow : trace.flows) {
    if (flow.from.valid() && flow.to.valid())
      arrows.push_back({flow.from.value, flow.to.value, FlowKind::kRecorded});
  }
  if (grouping != nullptr) {
    for (const LaunchLink& link : grouping->launches)
      arrows.push_back({link.launch_row, link.device_row, FlowKind::kLaunch});
  }
  return FlowIndex(std::move(arrows));
}

}  // namespace stepscope
