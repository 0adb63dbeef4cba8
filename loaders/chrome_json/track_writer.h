// From a file's events to planes and tracks of the builder: which process is which device, which
// thread is which stream.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "loaders/chrome_json/file_events.h"
#include "model/trace_builder.h"

namespace stepscope::chrome {

// An entry of Kineto's deviceProperties.
struct DeviceProperties {
  int id = -1;
  std::string name;
  std::vector<PlaneStat> stats;
};

struct TrackPlacement {
  HostId host;
  uint32_t source = 0;  // index of the file in the stat source
  Ps shift = 0;         // added to all times
  std::vector<DeviceProperties> devices;
};

// Consumes the events' columns. Leaves the builder half filled when asked to stop.
void BuildTracks(const TrackPlacement& placement, FileEvents* events, MetaTable* metas,
                 TraceBuilder* builder, const std::stop_token& stop);

}  // namespace stepscope::chrome
