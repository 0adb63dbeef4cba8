// TrackLabel: the text beside a track. The name lacks what the file's format adds; the number
// stands apart. Pure. O(length of the name).
#pragma once

#include <string>

#include "model/track.h"
#include "viewer/timeline/layout/arrange.h"

namespace stepscope {

struct TrackLabel {
  std::string name;  // "Compute", "python3", "tf_Compute"
  std::string tag;   // "#14", "2417", "\u20267184": right, muted; may be empty
};

// Turns "Stream #14(Compute)" into Compute, #14 and "thread 25286 (python3)" into python3, 25286.
// Thread ids that are hashes keep their last digits. `derived`: the track belongs to a derived
// set, whose ids nobody needs.
TrackLabel LabelOf(const TrackSet& set, const Track& track, bool derived);

// The label of an item of the layout, a plane or a track: the name that the user gave it,
// else its own.
TrackLabel LabelOf(const Profile& profile, const LayoutItem& item);

std::string RankText(const RankTracks& rank);  // "Rank 3"
// How often the others wait for a rank: "last in 25 % of steps"; empty: never.
std::string LateText(const RankTracks& rank);

// Returns a counter's value with the unit that its name, or the name of its first series, tells:
// "1.95 GiB", "42.1 %", "7.5 us", "12.4 k".
std::string CounterText(const TrackSet& set, const Track& track, double value);

}  // namespace stepscope
