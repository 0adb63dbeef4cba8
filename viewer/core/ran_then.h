// What a run was doing at a moment: for a click on what lies below it on the same time axis. Pure;
// O(lanes log n).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "viewer/core/run.h"

namespace stepscope {

struct RanThen {
  EventRef event;
  std::string track;  // "GPU 0 \u00b7 Stream #7"
  std::string name;   // of the event, for people
};
// For each track the innermost slice that contains `time` (of the trace): devices first, then
// threads, at most `most`.
std::vector<RanThen> EventsAt(const Run& run, Ps time, size_t most);

}  // namespace stepscope
