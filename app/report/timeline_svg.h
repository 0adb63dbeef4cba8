// A picture of a part of the timeline for the HTML report. It shows the tracks of some events,
// the busiest streams and the busiest host thread, with the events marked.
#pragma once

#include <span>
#include <string>

#include "model/trace.h"

namespace stepscope {

struct TimelinePicture {
  TimeRange range;                 // what is shown, not empty
  TimeRange marked;                // shaded; may be empty
  std::span<const EventRow> rows;  // events of the trace, whose tracks come first
};

// A picture of the first of some events, with a third of its length on either side.
TimelinePicture PictureOf(const Trace& trace, std::span<const EventRow> rows);

// Returns SVG, or an empty text where nothing is in the range. Slices narrower than a pixel share
// one. Texts of the profile are escaped. O(tracks log events + events in the range).
std::string TimelineSvg(const Trace& trace, const TimelinePicture& picture);

}  // namespace stepscope
