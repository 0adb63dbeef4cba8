// The overview: for each lane some hundred nodes, each of which stands for events that follow one
// another. It comes before the events, so that a trace that arrives slowly can be drawn at once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/raw_events.h"
#include "model/track.h"

namespace stepscope::store {

// Returns the number of nodes. O(events).
uint32_t WriteOverview(const TrackSet& set, std::string* out);
// Nodes as slices: from the begin of a node's first event, as long as the node is busy, under the
// name of its longest event. False where the bytes make no sense. `lanes`: as in the file.
struct OverviewLane {
  uint32_t lane = 0;
  std::vector<Ps> begin, busy;
  std::vector<uint32_t> meta;
};
bool ReadOverview(std::string_view bytes, uint32_t nodes, std::vector<OverviewLane>* out);

}  // namespace stepscope::store
