// The peaks that vendors publish for their devices, in one table: dense operations and bandwidth of
// the main memory (docs/rules.md#published-peaks). Constant; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "model/analysis/naming/device_type.h"
#include "model/trace.h"

namespace stepscope {

// TFLOP/s (int8: Tera operations), and GB/s; 10^12 and 10^9. 0: the device does not have the type,
// or its vendor says nothing. A device is known by a part of its name, or, where it has none, by
// its compute capability, processors and memory.
struct PublishedPeaks {
  std::string_view name;
  GpuVendor vendor;
  int capability;  // major * 10 + minor
  int64_t processors, least_memory_gb;
  double fp64, fp64_matrix;
  double fp32;  // of the vector units
  double tf32;  // and what AMD calls xf32
  double fp16, bf16, fp8, int8;
  double gbps;
  std::string_view source;
};

std::span<const PublishedPeaks> AllPublishedPeaks();
// Null where the plane's device is not known. O(table).
const PublishedPeaks* PublishedPeaksOf(const Plane& plane);

}  // namespace stepscope
