// How durations spread, on a logarithmic axis: four bars for a doubling. UI thread only.
#pragma once

#include <imgui.h>

#include <optional>

#include "model/query/event_stats.h"
#include "viewer/core/panel.h"

namespace stepscope {

// Nothing where there are no durations. The tooltip of a bar says its limits and its count. The bar
// of a duration that is `marked` stands out.
void DrawDurationBars(const PanelContext& context, const DurationHistogram& histogram, ImVec2 size,
                      std::optional<Ps> marked = {});

}  // namespace stepscope
