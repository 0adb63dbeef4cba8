// Times the frames of `bench`: a scripted zoom from the whole trace down to one kernel and back,
// the same beside panels, and the tools of the timeline.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "app/window/gui.h"
#include "model/trace.h"

namespace stepscope {

// The range at the bottom of the zoom: the event in the middle of the busiest GPU stream, or of
// the busiest track if there is none. Empty if the trace has no events.
TimeRange DeepestView(const Trace& trace);

// Returns `count` ranges from `whole` to `detail` and back. Each is longer or shorter than the
// one before by a constant factor.
std::vector<TimeRange> ZoomScript(TimeRange whole, TimeRange detail, int count);

struct FrameTimes {
  double median_ms = 0, p99_ms = 0, max_ms = 0;
};
FrameTimes FrameTimesOf(std::vector<double> ms);
// {"count", "median_ms", "p99_ms", "max_ms"}
nlohmann::ordered_json FrameTimesJson(std::vector<double> ms);

// Draws the script and returns the times of its frames: count, median, 99th percentile, maximum,
// and the processor time of one. Calls `input` with the number of each frame before it, untimed.
nlohmann::ordered_json TimeFrames(Gui& gui, const Trace& trace, int frames,
                                  const std::function<void(int)>& input = {});

// Returns {"timeline": TIMES, PANEL: TIMES and "ratio" to the timeline's median, ...}. "timeline"
// is the window with every panel closed. A panel's largest table scrolls under the mouse while the
// timeline zooms. The default workspace must be open, and is again afterwards. kLimit if the window
// does not come to rest.
Result<nlohmann::ordered_json> TimePanels(Gui& gui, const Trace& trace, int frames);

// Times these panels alone, in this order, beside the default workspace: {PANEL: TIMES, ...}
// without ratios. The panels stay open.
Result<nlohmann::ordered_json> TimeSomePanels(Gui& gui, const Trace& trace, int frames,
                                              std::span<const std::string> ids);

// Times the tools of the timeline: a search is typed, a box is dragged over all visible tracks, and
// the view zooms while a query of SQL over all events runs. Returns {"search": TIMES, "box": TIMES,
// "query": TIMES}. TIMES are those of the frames; `settle_median_ms` and `settle_max_ms` run from a
// key, or the end of the drag, until the window is idle.
nlohmann::ordered_json TimeTools(Gui& gui, const Trace& trace, int frames);

}  // namespace stepscope
