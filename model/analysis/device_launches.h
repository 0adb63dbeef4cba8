// The launches of a device: what the host started, when, and when it began. What the table
// `launch_delay` and the lanes of a GPU are made of.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "model/analysis/device_events.h"
#include "model/analysis/event_order.h"

namespace stepscope {

// A launch, and the first event that it led to on a stream.
struct DeviceLaunch {
  uint32_t call = 0, row = 0;
  Ps begin = 0, ready = 0, start = 0;  // of the call; from when the delay counts; of the event
  Ps delay() const { return start > ready ? start - ready : 0; }
  // It waits from the call's begin until then.
  Ps begun() const { return start > begin ? start : begin; }
};

// By meta, whether it is a call that launches a graph.
std::vector<bool> GraphLaunches(const Trace& trace);

// Reads launches. Copies share what was found out about names; one thread uses one.
class LaunchReader {
 public:
  explicit LaunchReader(const Trace& trace);

  bool IsGraph(uint32_t call) { return (*graph_)[calls_.Meta(call)]; }
  using ByStream = std::vector<std::pair<TrackId, std::vector<DeviceLaunch>>>;
  // Of a device's events whose launch is known; of what a graph launched on a stream only the first
  // event waits for the launch. By stream, then by call. O(events log events).
  ByStream Read(const DeviceEvents& events, PlaneId device);

 private:
  DeviceLaunch Of(const DeviceEvent& event);
  void KeepFirstOfGraphs(std::vector<DeviceLaunch>* launches);

  RowReader calls_;
  std::shared_ptr<const std::vector<bool>> graph_;  // by meta: the call launches a graph
};

}  // namespace stepscope
