#include "model/analysis/grouping/flow_index.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "model/analysis/naming/core_op.h"

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

void AddContexts(const Trace& trace, const StatTable& stats, std::vector<FlowArrow>* arrows) {
  const auto producers = ContextsOf(trace, stats, IntStat::kProducerType, IntStat::kProducerId);
  const auto consumers = ContextsOf(trace, stats, IntStat::kConsumerType, IntStat::kConsumerId);
  auto c = consumers.begin();
  for (auto p = producers.begin(); p != producers.end();) {
    CheckStop();
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

// The ops of a TPU core by name, each in order of begin.
using OpRows = std::map<std::string_view, std::vector<uint32_t>>;

OpRows OpsByName(const Trace& trace, const Plane& core) {
  OpRows rows;
  for (const TrackId t : core.tracks) {
    const Track& track = trace.set.tracks[t.value];
    if (track.kind != TrackKind::kXlaOps) continue;
    for (const Lane& lane : trace.set.LanesOf(track)) {
      for (uint32_t i = 0; i < lane.size(); ++i)
        rows[trace.names().DisplayName(MetaId(lane.meta[i]))].push_back(lane.first_row + i);
    }
  }
  for (auto& [name, of_name] : rows) {
    std::stable_sort(of_name.begin(), of_name.end(), [&](uint32_t a, uint32_t b) {
      return trace.set.Start(EventRow(a)) < trace.set.Start(EventRow(b));
    });
  }
  return rows;
}

// The last run of the op that begins by then; null if there is none.
const uint32_t* RunBefore(const Trace& trace, const OpRows& ops, std::string_view name, Ps time) {
  const auto found = ops.find(name);
  if (found == ops.end()) return nullptr;
  const auto after =
      std::upper_bound(found->second.begin(), found->second.end(), time,
                       [&](Ps t, uint32_t row) { return t < trace.set.Start(EventRow(row)); });
  return after == found->second.begin() ? nullptr : &*(after - 1);
}

// "copy-start.2" of "%copy-start.2 = (f32[8]{0}, ...".
std::string_view NameIn(std::string_view text) {
  return text.starts_with('%') ? text.substr(1, text.find(' ') - 1) : std::string_view();
}

// From the op that starts asynchronous work to the event of that work, and from there to the op
// that awaits it. Returns whether the core has such events.
bool AddAsyncEvents(const Trace& trace, const StatTable& stats, const Plane& core,
                    const OpRows& ops, std::vector<FlowArrow>* arrows) {
  bool any = false;
  for (const TrackId t : core.tracks) {
    const Track& track = trace.set.tracks[t.value];
    if (track.kind != TrackKind::kAsyncXlaOps) continue;
    for (const Lane& lane : trace.set.LanesOf(track)) {
      for (uint32_t i = 0; i < lane.size(); ++i) {
        const uint32_t row = lane.first_row + i;
        any = true;
        const std::string_view start = NameIn(trace.names().Name(MetaId(lane.meta[i])));
        if (const uint32_t* from = RunBefore(trace, ops, start, lane.start[i]))
          arrows->push_back({*from, row, FlowKind::kAsync});
        const auto done = stats.Text(StringStat::kHloOp).Find(EventRow(row));
        if (!done) continue;
        const std::string_view name = stats.strings->View(*done);
        if (const uint32_t* to = RunBefore(trace, ops, name, lane.end(i)))
          arrows->push_back({row, *to, FlowKind::kAsync});
      }
    }
  }
  return any;
}

// From the op that starts asynchronous work to the op that awaits it.
void AddStartsAndDones(const Trace& trace, const StatTable& stats, const OpRows& ops,
                       std::vector<FlowArrow>* arrows) {
  for (const auto& [name, rows] : ops) {
    for (const uint32_t row : rows) {
      const auto category = stats.Text(StringStat::kHloCategory).Find(EventRow(row));
      if (!category || !IsDone(stats.strings->View(*category))) break;
      const std::string_view text = trace.names().Name(trace.set.Meta(EventRow(row)));
      const uint32_t* start =
          RunBefore(trace, ops, LastOperandOf(text), trace.set.Start(EventRow(row)));
      if (start != nullptr) arrows->push_back({*start, row, FlowKind::kAsync});
    }
  }
}

void AddAsync(const Trace& trace, const StatTable& stats, std::vector<FlowArrow>* arrows) {
  for (const Plane& plane : trace.planes) {
    if (plane.kind != PlaneKind::kTpu) continue;
    const OpRows ops = OpsByName(trace, plane);
    if (!AddAsyncEvents(trace, stats, plane, ops, arrows))
      AddStartsAndDones(trace, stats, ops, arrows);
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

FlowIndex BuildFlowIndex(const Trace& trace, const Grouping* grouping, const StatTable* stats) {
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
  if (stats != nullptr) {
    AddContexts(trace, *stats, &arrows);
    AddAsync(trace, *stats, &arrows);
  }
  return FlowIndex(std::move(arrows));
}

}  // namespace stepscope
