#include "model/analysis/grouping/flow_index.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace stepscope {
namespace {

struct Context {
  uint32_t host = 0;
  int64_t type = 0, id = 0;
  uint32_t row = 0;
  auto Key() const { return std::tie(host, type, id); }
};

// The producers or the consumers of all contexts, sorted by key.
std::vector<Context> ContextsOf(const Trace& trace, const StatTable& stats, IntStat type_stat,
                                IntStat id_stat) {
  std::vector<Context> out;
  for (const Track& track : trace.set.tracks) {
    if (!track.plane.valid()) continue;
    const uint32_t host = trace.planes[track.plane.value].host.value;
    ForColumn(stats.Int(id_stat), RowsOf(trace.set, track), [&](uint32_t row, int64_t id) {
      if (const auto type = stats.Int(type_stat).Find(EventRow(row)))
        out.push_back({host, *type, id, row});
    });
  }
  std::sort(out.begin(), out.end(), [](const Context& a, const Context& b) {
    return std::make_tuple(a.Key(), a.row) < std::make_tuple(b.Key(), b.row);
  });
  return out;
}

void AddContexts(const Trace& trace, const StatTable& stats, const std::stop_token& stop,
                 std::vector<FlowArrow>* arrows) {
  const auto producers = ContextsOf(trace, stats, IntStat::kProducerType, IntStat::kProducerId);
  const auto consumers = ContextsOf(trace, stats, IntStat::kConsumerType, IntStat::kConsumerId);
  auto c = consumers.begin();
  for (auto p = producers.begin(); p != producers.end() && !stop.stop_requested();) {
    const auto key = p->Key();
    const auto other = [&](const Context& context) { return context.Key() != key; };
    const auto p_end = std::find_if(p, producers.end(), other);
    while (c != consumers.end() && c->Key() < key) ++c;
    const auto c_end = std::find_if(c, consumers.end(), other);
    if (static_cast<size_t>(p_end - p) * static_cast<size_t>(c_end - c) <= kMostContextPairs) {
      for (; p != p_end; ++p) {
        for (auto to = c; to != c_end; ++to) {
          if (p->row != to->row) arrows->push_back({p->row, to->row, FlowKind::kContext});
        }
      }
    }
    p = p_end;
    c = c_end;
  }
}

// The arrows with this row at the end that they are sorted by.
std::span<const FlowArrow> OfRow(const std::vector<FlowArrow>& arrows, uint32_t row,
                                 uint32_t FlowArrow::*end) {
  const auto first = std::partition_point(arrows.begin(), arrows.end(),
                                          [&](const FlowArrow& arrow) { return arrow.*end < row; });
  const auto last = std::partition_point(first, arrows.end(),
                                         [&](const FlowArrow& arrow) { return arrow.*end == row; });
  return {first, last};
}

}  // namespace

FlowIndex::FlowIndex(std::vector<FlowArrow> arrows) : by_from_(std::move(arrows)) {
  std::sort(by_from_.begin(), by_from_.end(), [](const FlowArrow& a, const FlowArrow& b) {
    return std::tie(a.from, a.to, a.kind) < std::tie(b.from, b.to, b.kind);
  });
  // The first of equal pairs stays: launches sort before recorded
  // arrows, and those before contexts.
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
  return OfRow(by_from_, row.value, &FlowArrow::from);
}

std::span<const FlowArrow> FlowIndex::To(EventRow row) const {
  return OfRow(by_to_, row.value, &FlowArrow::to);
}

size_t FlowIndex::bytes() const {
  return (by_from_.capacity() + by_to_.capacity()) * sizeof(FlowArrow);
}

FlowIndex BuildFlowIndex(const Trace& trace, const Grouping* grouping, const StatTable* stats,
                         const std::stop_token& stop) {
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
  if (stats != nullptr) AddContexts(trace, *stats, stop, &arrows);
  return FlowIndex(std::move(arrows));
}

}  // namespace stepscope
