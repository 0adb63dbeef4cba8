// Tables about what devices do (docs/rules.md#devices). Each is a pure function of the device
// events of a part of a trace, O(events log events).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/analysis/devices/device_events.h"
#include "model/analysis/devices/step_spans.h"
#include "model/analysis/naming/time_classes.h"

namespace stepscope {

// The collectives of each device, and the part of their time that computation hides, in the steps
// that count. `events` must have all events of these steps.
ResultTable OverlapTable(const DeviceEvents& events, const StepSpans& steps);

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
