// Times what `bench --tools` does on the timeline: a search is typed, a box is dragged over all
// visible tracks, and the view zooms while a query of SQL over all events runs.
#pragma once

#include <nlohmann/json.hpp>

#include "app/window/gui.h"
#include "model/trace.h"

namespace stepscope {

// Returns {"search": TIMES, "box": TIMES, "query": TIMES}. TIMES are those of the frames drawn
// meanwhile; `settle_median_ms` and `settle_max_ms` run from a key, or the end of the drag, until
// nothing works any more.
nlohmann::ordered_json TimeTools(Gui& gui, const Trace& trace, int frames);

}  // namespace stepscope
