// The launches of a device: what the host started and when, and when it began. The table
// `launch_delay` and the derived tracks "Queue" and "Launch delay" are made of them
// (docs/rules.md#devices).
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "model/analysis/devices/device_events.h"
#include "model/analysis/intervals/event_order.h"

namespace stepscope {

// A launch call and the first event that it led to on a stream. Times are ps.
struct DeviceLaunch {
  uint32_t call = 0, row = 0;
  // Begin of the call; when the delay starts to count: the call's end, a graph's call's begin;
  // begin of the event.
  Ps begin = 0, ready = 0, start = 0;
  Ps delay() const { return start > ready ? start - ready : 0; }
  // The end of the time in which the launch waits; that time starts with the call's begin.
  Ps begun() const { return start > begin ? start : begin; }
};

// By MetaId, whether it is a call that launches a graph. O(names).
std::vector<bool> GraphLaunches(const Trace& trace);

// Pairs launches with their work. One thread uses one reader; copies share
// what was found out about names.
class LaunchReader {
 public:
  explicit LaunchReader(const Trace& trace);

  bool IsGraph(uint32_t call) { return any_graph_ && (*graph_)[calls_.Meta(call)]; }
  using ByStream = std::vector<std::pair<TrackId, std::vector<DeviceLaunch>>>;
  // The launches of the device's events whose launch is known, by stream, then in order of the
  // calls. If a graph launched several events on a stream, only the first waited for the launch;
  // the launch belongs to the part of the trace in which that one begins.
  // O(events log events).
  ByStream Read(const DeviceEvents& events, PlaneId device);

 private:
  // An event that a call led to.
  struct Work {
    uint32_t call, row;
    Ps start;
  };
  struct StreamWork {
    TrackId track;
    std::vector<Work> work = {};  // in order of the stream's lanes
    bool calls_rise = true;
  };
  DeviceLaunch LaunchOf(const Work& work);
  std::vector<DeviceLaunch> InOrderOfCalls(const StreamWork& stream);
  void KeepFirstOfGraphs(std::vector<DeviceLaunch>* launches);
  void DropBegunGraphs(const DeviceEvents& events, PlaneId device, ByStream* streams);

  RowReader calls_;
  std::shared_ptr<const std::vector<bool>> graph_;  // by MetaId
  bool any_graph_;
};

// How long the launches of a stream wait for it, and how many wait at once.
struct StreamDelays {
  SharedText host, device, stream;
  uint64_t launches = 0, graph_launches = 0;
  double mean_us = 0, median_us = 0, p95_us = 0, max_us = 0;
  double queue_mean = 0;
  int64_t queue_max = 0;
  EventRows rows;  // what was launched
};
struct LaunchDelays {
  std::vector<StreamDelays> streams;  // by device, then stream

  static AnalysisParams KeyOf(AnalysisParams params);
  static LaunchDelays Compute(AnalysisContext& context, const AnalysisParams& params);
};
ResultTable LaunchDelayTable(const LaunchDelays& delays);

}  // namespace stepscope
