// Shows how the durations of the same events spread in two profiles, one drawn over the other. UI
// thread only, except CompareDurations.
#pragma once

#include <imgui.h>

#include "model/analysis/tables/result_table.h"
#include "model/query/event_stats.h"
#include "viewer/core/panel.h"

namespace stepscope {

struct ComparedDurations {
  DurationHistogram a, b;
  uint64_t count_a = 0, count_b = 0;  // counted events
  uint64_t all_a = 0, all_b = 0;      // all events; a link may list fewer
};

// Counts the events that a row links to in each profile. Any thread. O(events)
ComparedDurations CompareDurations(const Profile& run_a, const RowLink& a, const Profile& run_b,
                                   const RowLink& b);
// Draws B as bars and A as a line on the axis of DrawDurationBars. Both show shares of their own
// events, so that profiles of different lengths can be compared; the tooltip has the counts.
void DrawComparedBars(const PanelContext& context, const ComparedDurations& durations, ImVec2 size);

}  // namespace stepscope
