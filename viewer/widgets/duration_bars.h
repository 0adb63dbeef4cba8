// Shows how durations spread on a logarithmic axis with four bars per doubling. UI thread only.
#pragma once

#include <imgui.h>

#include <optional>
#include <string>
#include <utility>

#include "model/query/event_stats.h"
#include "viewer/core/panel.h"

namespace stepscope {

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
