// Which step and which launch an event belongs to. This folder reads names, times and ids
// of events (EventOrder, StatTable) and gives each event its group, that is its step, and
// each device event its launch: Grouping. Rules: docs/rules.md#grouping, XProf's, and for
// Chrome traces by ProfilerStep#N.
//
// Start reading in grouping_build.cc; event_forest.h finds who encloses and causes whom,
// group_spreader.h gives the groups of roots to what they lead to. grouping_chrome.h has the rules
// of PyTorch's recordings, grouping_tpu.h those of TPUs. host_activity.h says what a host thread
// does at a moment, which idle causes and step inference read; flow_index.h has the arrows of the
// timeline.
//
// Grouping is owned by the AnalysisContext and immutable; any thread may read
// it. 4 bytes an event, 8 a launch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/analysis/grouping/event_forest.h"
#include "model/analysis/intervals/event_order.h"
#include "model/stats.h"
#include "model/trace.h"

namespace stepscope {

class AnalysisContext;  // model/analysis/analysis.h

struct EventGroup {
  HostId host;
  int64_t id = 0;    // group_id: counts from 0 on each host
  std::string name;  // "train 3"
  // The event that begins the group; invalid if the file came with groups.
  EventRow root;
  // The root is a FunctionRun or the like, whose group has no step name in XProf.
  bool implicit = false;
};

struct Grouping {
  static constexpr int32_t kNone = -1;
  Column<int32_t> group;             // by row: index into groups, or kNone
  std::vector<EventGroup> groups;    // by host, then id
  LaunchLinks launches;              // by device row
  std::vector<bool> eager;           // by row; empty: no event is eager
  std::vector<HostEventType> types;  // by MetaId
  bool from_file = false;            // the file came with groups

  const EventGroup* GroupOf(EventRow row) const {
    return row.value < group.size() && group[row.value] >= 0
               ? &groups[static_cast<size_t>(group[row.value])]
               : nullptr;
  }
  bool IsEager(uint32_t row) const { return row < eager.size() && eager[row]; }
  // The call that launched a device event; invalid if it is unknown. O(log n).
  EventRow LaunchOf(uint32_t device_row) const;

  static Grouping Compute(AnalysisContext& context);
};

// Whether the file says which group each event is in, as XProf saves it.
bool HasRecordedGroups(const Trace& trace, const StatTable& stats);

// Groups all events. The first table holds the stats of all events but allocations; any other is
// asked for recorded groups only. `ungrouped_events_join` is the field of XprofDefinitions.
// Parallel over tracks; O(n log n).
Grouping BuildGrouping(const Trace& trace, std::span<const StatTable* const> tables,
                       const EventOrder& order, bool ungrouped_events_join);

}  // namespace stepscope
