// Shows how durations spread on a logarithmic axis with four bars per doubling. UI thread only.
#pragma once

#include <imgui.h>

#include <optional>

#include "model/query/event_stats.h"
#include "viewer/core/panel.h"

namespace stepscope {

// Draws nothing without durations. A bar's tooltip has its limits and its count. The bar of the
// duration `marked` stands out.
void DrawDurationBars(const PanelContext& context, const DurationHistogram& histogram, ImVec2 size,
                      std::optional<Ps> marked = {});

}  // namespace stepscope
