// Names and properties of the devices of a trace. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>

#include "model/analysis/naming/kernel_rules.h"
#include "model/trace.h"

namespace stepscope {

// The plane of a GPU says this about it: stats of an XSpace, or deviceProperties of PyTorch.
struct DeviceFacts {
  // "NVIDIA H100 80GB HBM3". Unknown names are empty, unknown numbers 0.
  std::string name;
  int64_t memory_bytes = 0;
  int64_t processors = 0;  // streaming multiprocessors (NVIDIA) or compute units (AMD)
  GpuVendor vendor = GpuVendor::kUnknown;
};
DeviceFacts DeviceFactsOf(const Plane& plane);

// NVIDIA's compute capability: its major number, 7 for Volta and Turing, 8 for Ampere. 0: unknown.
int64_t ComputeMajorOf(const Plane& plane);

// Whether it is a GPU of AMD, by its vendor or its name.
bool IsAmdGpu(const Plane& plane);
// Whether the GPU has units for products of matrices: NVIDIA's since Volta, AMD's since CDNA.
bool HasMatrixUnits(const Plane& plane);

// The type of the first device: "Nvidia GPU (Ampere)", "AMD GPU - gfx942", "CPU", as XProf names
// it; the device's own name in formats that XProf does not read. O(planes).
std::string DeviceTypeOf(const Trace& trace);
// The first device's own name, or else its type. O(planes).
std::string DeviceNameOf(const Trace& trace);

}  // namespace stepscope
