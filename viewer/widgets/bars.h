// Bars of durations and of a waterfall. DrawDurationBars shows how durations spread on a
// logarithmic axis with four bars per doubling, of one profile or of two, one drawn over the other.
// UI thread only, except CompareDurations.
#pragma once

#include <imgui.h>

#include <optional>
#include <string>
#include <utility>

#include "model/analysis/tables/result_table.h"
#include "model/compare/waterfall.h"
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

// Draws a Waterfall (model/compare/waterfall.h): a row for each bar, with its name, the bar and its
// number. UI thread only.
struct WaterfallChoice {
  int bar = -1;       // index of the bar that the user chose in this frame, or -1
  bool show = false;  // its events are wanted: a click, or Enter
};

float WaterfallRowHeight(const PanelContext& context);
// Draws the bars in a child window, which scrolls if `size` is too low for them. `current` is the
// bar that is marked, or -1. The arrow keys choose another one while the child has the keyboard, or
// if `keys` says that the panel has it. O(bars).
WaterfallChoice DrawWaterfall(const PanelContext& context, const char* id,
                              const compare::Waterfall& waterfall, int current, bool keys,
                              ImVec2 size);

}  // namespace stepscope
