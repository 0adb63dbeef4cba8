// Builds planes and tracks from a file's events: it finds which process is which device, and which
// thread is which stream.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "loaders/chrome_json/file_events.h"
#include "loaders/chrome_json/named_processes.h"
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
  std::string file;     // its name, for diagnostics
  uint32_t source = 0;  // index of the file in ArgsSource
  Ps shift = 0;         // added to all times
  std::vector<DeviceProperties> devices;
};

// Adds the planes and tracks to the builder and frees the events' columns on the way. Leaves the
// builder half filled when asked to stop. `named`: those of `events`. O(n log n) in events.
void BuildTracks(const TrackPlacement& placement, const NamedProcesses& named, FileEvents* events,
                 MetaTable* metas, TraceBuilder* builder, const std::stop_token& stop);

}  // namespace stepscope::chrome
