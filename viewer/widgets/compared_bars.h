// How the durations of the same events spread in two runs, one over the other. UI thread only, but
// for the counting.
#pragma once

#include <imgui.h>

#include "model/analysis/result_table.h"
#include "model/query/event_stats.h"
#include "viewer/core/panel.h"

namespace stepscope {

struct ComparedDurations {
  DurationHistogram a, b;
  uint64_t count_a = 0, count_b = 0;  // that are counted
  uint64_t all_a = 0, all_b = 0;      // that there are: links may have fewer
};

// The events that a row links to in each run. Any thread. O(events)
ComparedDurations CompareDurations(const Run& run_a, const RowLink& a, const Run& run_b,
                                   const RowLink& b);
// On the axis of DrawDurationBars: B as bars, A as a line. Each is shown by its share of its own
// events, so that runs of different lengths can be compared; the tooltip has the counts.
void DrawComparedBars(const PanelContext& context, const ComparedDurations& durations, ImVec2 size);

}  // namespace stepscope
