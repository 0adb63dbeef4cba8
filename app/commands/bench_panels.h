// The frames of `bench --panels`: each panel in turn opened beside the timeline, which zooms by the
// script while the panel's largest table scrolls under the mouse.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "app/commands/picture.h"
#include "model/trace.h"

namespace stepscope {

// Times of frames as JSON: count, median, 99th percentile, longest, and processor time of one.
nlohmann::ordered_json FrameTimesJson(std::vector<double> ms, double cpu_ms);

// {"timeline": TIMES, PANEL: TIMES and "ratio" to the timeline's median, ...}. "timeline" is the
// window with every panel closed. Starts from the default workspace and brings it back.
Result<nlohmann::ordered_json> TimePanels(Stage& stage, const Trace& trace, int frames);

}  // namespace stepscope
