// What the devices of a trace are called.
#pragma once

#include <cstdint>
#include <string>

#include "model/analysis/kernel_rules.h"
#include "model/trace.h"

namespace stepscope {

// What a GPU's plane says of it: XSpace's stats, or deviceProperties of PyTorch.
struct DeviceFacts {
  std::string name;  // "NVIDIA H100 80GB HBM3"; empty if unknown, numbers 0
  int64_t memory_bytes = 0;
  int64_t processors = 0;  // streaming multiprocessors or compute units
  GpuVendor vendor = GpuVendor::kUnknown;
};
DeviceFacts DeviceFactsOf(const Plane& plane);

// "Nvidia GPU (Ampere)", "AMD GPU - gfx942", "CPU": XProf's names; of PyTorch the device's own.
// O(planes).
std::string DeviceTypeOf(const Trace& trace);

}  // namespace stepscope
