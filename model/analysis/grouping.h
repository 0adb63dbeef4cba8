// Grouping: which step (group) each event belongs to, by XProf's rules (docs/rules.md#grouping);
// for Chrome traces by ProfilerStep#N. Owned by the AnalysisContext, immutable, shared between
// threads. 4 bytes an event and the launches.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "model/analysis/event_forest.h"
#include "model/analysis/event_order.h"
#include "model/stats.h"
#include "model/trace.h"

namespace stepscope {

struct EventGroup {
  HostId host;
  int64_t id = 0;         // group_id: counts from 0 in each host
  std::string name;       // "train 3"
  EventRow root;          // invalid for groups that the file brought along
  bool implicit = false;  // root is a FunctionRun or the like: XProf gives its group no step name
};

struct Grouping {
  static constexpr int32_t kNone = -1;
  std::vector<int32_t> group;        // by row: index into groups, or kNone
  std::vector<EventGroup> groups;    // by host, then id
  std::vector<LaunchLink> launches;  // by device row
  std::vector<bool> eager;           // by row; empty: none is eager
  std::vector<HostEventType> types;  // by MetaId
  bool from_file = false;            // the file was grouped already

  const EventGroup* GroupOf(EventRow row) const {
    return row.value < group.size() && group[row.value] >= 0
               ? &groups[static_cast<size_t>(group[row.value])]
               : nullptr;
  }
  bool IsEager(uint32_t row) const { return row < eager.size() && eager[row]; }
  // The launch of a device event; invalid if unknown. O(log n).
  EventRow LaunchOf(uint32_t device_row) const;
};

// ungrouped_events_join: see Quirks.
Grouping BuildGrouping(const Trace& trace, const StatTable& stats, const EventOrder& order,
                       bool ungrouped_events_join, std::stop_token stop);

}  // namespace stepscope
