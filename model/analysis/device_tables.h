// Tables about what devices do, each a pure function of the device events of a part of a trace
// (docs/rules.md#devices). O(events log events).
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "model/analysis/device_events.h"

namespace stepscope {

inline double Ms(Ps ps) { return static_cast<double>(ps) / static_cast<double>(kPsPerMs); }

// Appends the rows and links that fill(device, table) gives for each device, in their order.
// Devices are read side by side: fill must be thread-safe.
void AppendDevices(const DeviceEvents& events, ResultTable* t,
                   const std::function<void(PlaneId, ResultTable*)>& fill);
// Collectives of each device, and what of them computation hides.
ResultTable OverlapTable(const DeviceEvents& events);
// How long what was launched waits for each stream.
ResultTable LaunchDelayTable(AnalysisContext& context, const DeviceEvents& events);
// The size in "kind_src:pinned kind_dst:device size:4096 dest:0 async:1". O(length).
std::optional<int64_t> SizeInCopyDetails(std::string_view details);
// Copies by device, direction and kind of host memory.
ResultTable CopyTable(AnalysisContext& context, const DeviceEvents& events);
// Device time by the innermost user annotation around the launch. No rows where there are none.
ResultTable AnnotationTable(AnalysisContext& context, const DeviceEvents& events);
// How busy each device is, and how full.
ResultTable DeviceTable(AnalysisContext& context, const DeviceEvents& events);

}  // namespace stepscope
