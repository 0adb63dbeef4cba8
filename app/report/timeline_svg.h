// A picture of a part of the timeline for the HTML report: the tracks of some events, the busiest
// streams and the busiest host thread, with the events marked.
#pragma once

#include <span>
#include <string>

#include "model/trace.h"

namespace stepscope {

struct TimelinePicture {
  TimeRange range;                 // what is shown, not empty
  TimeRange marked;                // shaded; may be empty
  std::span<const EventRow> rows;  // of the trace's own events: their tracks come first
};

// What shows some events: the first of them with a third of its length around it.
TimelinePicture PictureOf(const Trace& trace, std::span<const EventRow> rows);

// SVG; empty where nothing is in the range. Slices narrower than a pixel share one. What came from
// the profile is escaped. O(tracks log events + events in the range).
std::string TimelineSvg(const Trace& trace, const TimelinePicture& picture);

}  // namespace stepscope
