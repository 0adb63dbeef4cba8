#include "model/analysis/devices/launch_facts.h"

#include <algorithm>

#include "model/lookup.h"

namespace stepscope {
namespace {

uint64_t QueueLength(const Lane& lane, Ps call_begin, Ps start) {
  const auto first = std::lower_bound(lane.start.begin(), lane.start.end(), call_begin);
  return static_cast<uint64_t>(std::lower_bound(first, lane.start.end(), start) - first);
}

std::vector<EventRow> StackAround(const TrackSet& set, EventRow call) {
  std::vector<EventRow> stack;
  EventRow row = Parent(set, call);
  for (; row.valid() && stack.size() < kMostLaunchStack; row = Parent(set, row))
    stack.push_back(row);
  return stack;
}

}  // namespace

std::optional<LaunchFacts> FindLaunchFacts(const Trace& trace, const FlowIndex& flows,
                                           EventRow row) {
  const std::span<const FlowArrow> to = flows.To(row);
  const auto launch = std::find_if(
      to.begin(), to.end(), [](const FlowArrow& arrow) { return arrow.kind == FlowKind::kLaunch; });
  if (launch == to.end()) return std::nullopt;
  const TrackSet& set = trace.set;
  const EventRow call(launch->from);
  const Ps begin = set.Start(call), ready = SaturatingAdd(begin, set.Duration(call));
  const Ps start = set.Start(row);
  LaunchFacts facts;
  facts.call = call;
  facts.delay = std::max<Ps>(0, SaturatingSub(start, ready));
  facts.queue_length = QueueLength(set.lanes[set.LaneOf(row).value], begin, start);
  facts.stack = StackAround(set, call);
  return facts;
}

}  // namespace stepscope
