// Times the frames of `bench`, in which the timeline zooms by the script of bench_frames.h. With
// --panels it zooms beside each panel in turn, while the panel's largest table scrolls under the
// mouse.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "app/window/gui.h"
#include "model/trace.h"

namespace stepscope {

// Draws the script and returns what its frames took: count, median, 99th percentile, maximum, and
// the processor time of one. Before each frame `input` is called with its number; it is not
// timed.
nlohmann::ordered_json TimeFrames(Gui& gui, const Trace& trace, int frames,
                                  const std::function<void(int)>& input = {});

// Returns {"timeline": TIMES, PANEL: TIMES and "ratio" to the timeline's median, ...}. "timeline"
// is the window with every panel closed. The default workspace must be open, and is again
// afterwards. kLimit where the window does not come to rest.
Result<nlohmann::ordered_json> TimePanels(Gui& gui, const Trace& trace, int frames);

// The same for these panels alone, in this order, beside the default workspace: {PANEL: TIMES, ...}
// without ratios. The panels stay open.
Result<nlohmann::ordered_json> TimeSomePanels(Gui& gui, const Trace& trace, int frames,
                                              std::span<const std::string> ids);

}  // namespace stepscope
