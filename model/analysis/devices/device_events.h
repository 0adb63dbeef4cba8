// The work of devices. This folder reads the streams of GPUs in a part of a trace and makes the
// tables about them: DeviceEvents gives each event its class and its launch; device_launches.h
// pairs calls with the work that they started; device_tables.h has the tables
// (docs/rules.md#devices). precision.h says how kernels compute.
//
// DeviceEvents is immutable; any thread may read it. Times are ps.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/grouping/grouping.h"
#include "model/analysis/intervals/lane_merge.h"
#include "model/analysis/naming/time_classes.h"
#include "model/analysis/steps/device_classes.h"
#include "model/analysis/steps/scope.h"

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
  // The GPUs of the hosts that params ask for. The context must outlive it.
  DeviceEvents(AnalysisContext& context, const AnalysisParams& params);

  const Trace& trace() const { return context_.trace(); }
  const Scope& scope() const { return scope_; }
  // In the trace's order; also those without events.
  const std::vector<PlaneId>& devices() const { return devices_; }
  // "GPU 0"; HostOf: the name of its host.
  std::string NameOf(PlaneId device) const;
  std::string HostOf(PlaneId device) const;
  // Calls fn(DeviceEvent) for each event of the device that takes time: stream by stream, and lane
  // by lane of a stream, each in order of begin. O(events).
  template <typename Fn>
  void ForEach(PlaneId device, Fn fn) const {
    ForEachIn(device, scope_.OfHost(PlaneOf(device).host), fn);
  }
  // The same for all streams together, in order of begin (ForEachByStart). The launches of these
  // events are not looked up.
  template <typename Fn>
  void ForEachByBegin(PlaneId device, Fn fn) const;
  // The same as ForEach for the events that begin before the part asked for: what has begun there
  // does not begin again in the part.
  template <typename Fn>
  void ForEachBefore(PlaneId device, Fn fn) const {
    const TimeScope& scope = scope_.OfHost(PlaneOf(device).host);
    if (scope.first > kMinPs) ForEachIn(device, {kMinPs, scope.first - 1}, fn);
  }

 private:
  const Plane& PlaneOf(PlaneId device) const { return context_.trace().planes[device.value]; }
  template <typename Fn>
  void ForEachIn(PlaneId device, TimeScope scope, Fn fn) const;

  AnalysisContext& context_;
  const Scope scope_;
  const std::vector<uint8_t>& classes_;
  std::vector<PlaneId> devices_;
};

template <typename Fn>
void DeviceEvents::ForEachIn(PlaneId device, TimeScope scope, Fn fn) const {
  const Trace& trace = context_.trace();
  const LaunchLinks& launches = context_.Get<Grouping>().launches;
  for (const Lane* lane : WorkLanes(trace, PlaneOf(device))) {
    CheckStop();
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

template <typename Fn>
void DeviceEvents::ForEachByBegin(PlaneId device, Fn fn) const {
  const TimeScope scope = scope_.OfHost(PlaneOf(device).host);
  ForEachByStart(WorkLanes(trace(), PlaneOf(device)), [&](const Lane& lane, uint32_t i) {
    const uint8_t c = classes_[lane.meta[i]];
    if (c == 0 || lane.dur[i] <= 0 || !scope.Contains(lane.start[i])) return;
    fn(DeviceEvent{lane.first_row + i, lane.meta[i], lane.track, lane.start[i], lane.end(i),
                   static_cast<TimeClass>(c), EventRow()});
  });
}

// The rows that fill(device, rows) gives for each device, in the order of the devices. Calls fill
// for several devices at once, so it must be thread-safe.
template <typename Row, typename Fill>
std::vector<Row> RowsOfDevices(const DeviceEvents& events, const Fill& fill) {
  std::vector<std::vector<Row>> parts(events.devices().size());
  ParallelFor(parts.size(), [&](size_t d) { fill(events.devices()[d], &parts[d]); });
  std::vector<Row> rows;
  for (std::vector<Row>& part : parts)
    rows.insert(rows.end(), std::make_move_iterator(part.begin()),
                std::make_move_iterator(part.end()));
  return rows;
}

}  // namespace stepscope
