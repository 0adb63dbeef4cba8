// DeviceEvents: the work of the GPUs in the part of a trace that was asked for, device by device,
// each event with its class and the host call that launched it. What tables about devices read.
#pragma once

#include <algorithm>
#include <stop_token>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/device_steps.h"
#include "model/analysis/grouping.h"
#include "model/analysis/scope.h"
#include "model/analysis/time_classes.h"

namespace stepscope {

struct DeviceEvent {
  uint32_t row = 0, meta = 0;
  TrackId track;
  Ps begin = 0, end = 0;
  TimeClass time_class = TimeClass::kUnknown;
  EventRow launch;  // the call that launched it; invalid if unknown
  Ps length() const { return end - begin; }
  bool is_compute() const {
    return time_class == TimeClass::kCompute16 || time_class == TimeClass::kCompute32;
  }
};

class DeviceEvents {
 public:
  // The context must outlive it.
  DeviceEvents(AnalysisContext& context, const AnalysisParams& params, std::stop_token stop);

  const Scope& scope() const { return scope_; }
  // GPUs of the hosts asked for, in the trace's order; those without events too.
  const std::vector<PlaneId>& devices() const { return devices_; }
  // "GPU 0"
  std::string NameOf(PlaneId device) const;
  std::string HostOf(PlaneId device) const;
  // Calls fn(DeviceEvent) for each event that takes time, stream by stream, each by begin.
  template <typename Fn>
  void ForEach(PlaneId device, Fn fn) const;

 private:
  AnalysisContext& context_;
  const Scope scope_;
  std::stop_token stop_;
  std::vector<uint8_t> classes_;
  std::vector<PlaneId> devices_;
};

template <typename Fn>
void DeviceEvents::ForEach(PlaneId device, Fn fn) const {
  const Trace& trace = context_.trace();
  const Plane& plane = trace.planes[device.value];
  const TimeScope& scope = scope_.OfHost(plane.host);
  const std::vector<LaunchLink>& launches = context_.grouping(stop_).launches;
  for (const Lane* lane : WorkLanes(trace, plane)) {
    if (stop_.stop_requested()) return;
    auto launch = std::lower_bound(
        launches.begin(), launches.end(), lane->first_row,
        [](const LaunchLink& link, uint32_t row) { return link.device_row < row; });
    for (uint32_t i = 0; i < lane->size(); ++i) {
      const uint32_t row = lane->first_row + i, meta = lane->meta[i];
      while (launch != launches.end() && launch->device_row < row) ++launch;
      if (classes_[meta] == 0 || lane->dur[i] <= 0 || !scope.Contains(lane->start[i])) continue;
      const bool known = launch != launches.end() && launch->device_row == row;
      fn(DeviceEvent{row, meta, lane->track, lane->start[i], lane->end(i),
                     static_cast<TimeClass>(classes_[meta]),
                     known ? EventRow(launch->launch_row) : EventRow()});
    }
  }
}

}  // namespace stepscope
