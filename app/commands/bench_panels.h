// The frames of `bench`: the timeline zooms by the script. With --panels it does so beside each
// panel in turn, while the panel's largest table scrolls under the mouse.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "app/commands/picture.h"
#include "model/trace.h"

namespace stepscope {

// Draws the script and says what its frames took: count, median, 99th percentile, longest, and
// processor time of one. `input` gets the number of the frame that comes; it is not timed.
nlohmann::ordered_json TimeFrames(Stage& stage, const Trace& trace, int frames,
                                  const std::function<void(int)>& input = {});

// {"timeline": TIMES, PANEL: TIMES and "ratio" to the timeline's median, ...}. "timeline" is the
// window with every panel closed. Starts from the default workspace and brings it back.
Result<nlohmann::ordered_json> TimePanels(Stage& stage, const Trace& trace, int frames);

}  // namespace stepscope
