// Shows how durations spread on a logarithmic axis with four bars per doubling, of one profile or
// of two, one drawn over the other. UI thread only, except CompareDurations.
#pragma once

#include <imgui.h>

#include <optional>
#include <string>
#include <utility>

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

// Where a bin begins: "12.5 µs".
std::string DurationLimit(size_t bin);
// Draws the line below bars, from `base` on, and where the first bin begins and the last one ends.
// The bins take `used` of the `width`.
void DrawDurationAxis(const PanelContext& context, ImVec2 base, float width, float used,
                      std::pair<size_t, size_t> bins);
// Draws nothing without durations. A bar's tooltip has its limits and its count. The bar of the
// duration `marked` stands out.
void DrawDurationBars(const PanelContext& context, const DurationHistogram& histogram, ImVec2 size,
                      std::optional<Ps> marked = {});

}  // namespace stepscope
