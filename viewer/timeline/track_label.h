// TrackLabel: how a track is called beside the timeline: its name without what the file's format
// adds, and its number apart. Pure; O(length of the name).
#pragma once

#include <string>

#include "model/track.h"

namespace stepscope {

struct TrackLabel {
  std::string name;  // "Compute", "python3", "tf_Compute"
  std::string tag;   // "#14", "2417", "\u20267184": right, muted; may be empty
};

// "Stream #14(Compute)" is Compute, #14; "thread 25286 (python3)" is python3, 25286; thread ids
// that are hashes keep their last digits. `derived`: of a derived set, whose ids are of no
// interest.
TrackLabel LabelOf(const TrackSet& set, const Track& track, bool derived);

// A counter's value with the unit that its name, or that of its first series, tells: "1.95 GiB",
// "42.1 %", "7.5 us", "12.4 k".
std::string CounterText(const TrackSet& set, const Track& track, double value);

}  // namespace stepscope
