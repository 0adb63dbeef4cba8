// WithoutPython: a trace's tracks without the frames of Python stacks, nested again, so that ops
// lie on the first rows instead of thirty frames down. Only the drawing changes: parents, self
// times and analyses stay those of the trace. It is built when frames are hidden, in O(n log n)
// of the tracks that have frames.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/trace.h"

namespace stepscope {

struct WithoutPython {
  // The set number under which Highlight::Rows and other lists name its rows.
  static constexpr uint32_t kSet = 0xffffffffu;
  TrackSet set;                // slices only: instants stay with the trace's own lanes
  std::vector<TrackId> track;  // by track of the trace; invalid: it has no frames
  std::vector<EventRow> row;   // by row of the trace; invalid: a frame, an instant, another track
};

// Returns null if the trace has no Python frames. Too slow for a
// frame: run it as a job.
std::shared_ptr<const WithoutPython> LeaveOutPython(const Trace& trace);

}  // namespace stepscope
