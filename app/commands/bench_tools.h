// With --tools, `bench` times what else a person does on the timeline: a search that is typed, and
// a box that is dragged over all tracks in sight.
#pragma once

#include <nlohmann/json.hpp>

#include "app/commands/picture.h"
#include "model/trace.h"

namespace stepscope {

// {"search": TIMES, "box": TIMES}: of the frames drawn meanwhile, with `settle_median_ms` and
// `settle_max_ms`, from a key or the end of the drag to the moment at which nothing runs any more.
nlohmann::ordered_json TimeTools(Stage& stage, const Trace& trace, int frames);

}  // namespace stepscope
