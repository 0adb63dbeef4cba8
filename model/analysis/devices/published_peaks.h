// The limits of a device: dense operations by type of elements, and bandwidth of the main memory.
// One table has those that vendors publish; a user's own win (docs/rules.md#published-peaks). Any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/analysis/naming/device_type.h"
#include "model/analysis/own_peaks.h"
#include "model/trace.h"

namespace stepscope {

// A device is known by a part of its name, or, where it has none, by its compute capability,
// processors and memory.
struct PublishedPeaks {
  std::string_view name;
  GpuVendor vendor;
  int capability;  // major * 10 + minor
  int64_t processors, least_memory_gb;
  PeakNumbers numbers;
  std::string_view source;
};

std::span<const PublishedPeaks> AllPublishedPeaks();
// Null where the plane's device is not known. O(table).
const PublishedPeaks* PublishedPeaksOf(const Plane& plane);

// Returns the known facts of the trace's first device.
struct KnownPeaks {
  std::string name;  // of the row of the table, or of the user's
  PeakNumbers numbers;
  std::string source;  // for people
  bool own = false;    // whether the user stated numbers
};
// nullopt: nothing is known. O(planes + table).
std::optional<KnownPeaks> KnownPeaksOf(const Trace& trace, std::span<const OwnPeaks> own);

}  // namespace stepscope
