// Lanes of each GPU (docs/rules.md#lanes): why it is idle, how busy it is, what waits for it, how
// long launches take to begin, memory in use; as track sets of the timeline, one a GPU. By our
// definitions, whatever the format. O(n log n) in device events, parallel over the GPUs.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "model/analysis/analysis.h"

namespace stepscope {

// In the order in which they stand below a GPU's heading; the id of the track.
enum class DeviceLane : uint8_t {
  kNone,         // another track
  kIdle,         // slices: parts of idle time by class and cause; `source` is the host's event
  kUtilisation,  // percent of the time with a device event open
  kQueue,        // launches that wait to begin
  kLaunchDelay,  // us, of the launch whose event began last
  kMemory,       // bytes in use of one allocator
};

// Of a track of a derived set.
DeviceLane DeviceLaneOf(const Track& track);

// A counter has at most so many points, 16 bytes each; what has more keeps its peaks.
inline constexpr size_t kMostLanePoints = 131'072;
// Of the utilisation, which is exact below and a mean over windows of equal length above.
inline constexpr size_t kMostUtilisationPoints = 16'384;

// GPUs without device events have none, and a lane that would be empty is left out. An idle slice's
// meta has the id of its class (IdOf) as its name and is of category kOverhead.
std::vector<std::shared_ptr<const TrackSet>> BuildDeviceLanes(AnalysisContext& context,
                                                              std::stop_token stop);

}  // namespace stepscope
