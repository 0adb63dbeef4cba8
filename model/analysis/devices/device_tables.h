// Tables about what devices do (docs/rules.md#devices). Each is a pure function of the device
// events of a part of a trace, in device_tables.cc or launch_delay_table.cc. O(events log
// events).
#pragma once

#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "model/analysis/devices/device_events.h"
#include "model/analysis/devices/step_spans.h"
#include "model/analysis/naming/time_classes.h"

namespace stepscope {

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
// The collectives of each device, and the part of their time that computation hides, in the steps
// that count. `events` must have all events of these steps.
ResultTable OverlapTable(const DeviceEvents& events, const StepSpans& steps);

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

// The size in bytes from "kind_src:pinned kind_dst:device size:4096 dest:0 async:1"; nullopt if
// there is none. O(length).
std::optional<int64_t> SizeInCopyDetails(std::string_view details);
// The copies of a device in one direction, from or to one kind of host memory.
enum class HostMemory : uint8_t { kUnknown, kPageable, kPinned };
struct DeviceCopies {
  SharedText host, device;
  CopyDirection direction = CopyDirection::kNone;
  HostMemory memory = HostMemory::kUnknown;
  Ps time = 0, timed = 0;        // `timed`: of the copies whose size is recorded
  std::optional<int64_t> bytes;  // of the same
  EventRows rows;
  std::optional<double> gb_per_s() const;
};
// By device, direction and memory.
std::vector<DeviceCopies> CopiesOf(AnalysisContext& context, const DeviceEvents& events);
ResultTable MakeCopyTable(const std::vector<DeviceCopies>& copies);
inline ResultTable CopyTable(AnalysisContext& context, const DeviceEvents& events) {
  return MakeCopyTable(CopiesOf(context, events));
}
// Device time by the innermost user annotation around the launch. No
// rows if there are no annotations.
ResultTable AnnotationTable(AnalysisContext& context, const DeviceEvents& events);
// How busy each device is, and how full its kernels make it.
ResultTable DeviceTable(AnalysisContext& context, const DeviceEvents& events);

}  // namespace stepscope
