// DevicePeaks: how fast a device can compute and move bytes at most (docs/rules.md#hlo-peaks).
// Values; any thread. GFLOP/s and GiB/s; 0: not known.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "model/analysis/analysis.h"
#include "model/analysis/own_peaks.h"
#include "model/xla/shape.h"

namespace stepscope {

inline constexpr double kBytesPerGiB = 1073741824;
inline constexpr double kGBPerGiB = kBytesPerGiB / 1e9;

// The arithmetic whose peaks differ.
enum class PeakKind : uint8_t { kFp64, kFp32, kFp16, kFp8, kFp4, kInt8, kCount };

struct DevicePeaks {
  std::string device;  // as XProf names its type
  std::string source;  // where the numbers come from, for people
  double flops = 0;    // of any type: the largest
  std::array<double, static_cast<size_t>(PeakKind::kCount)> flops_of{};  // by PeakKind
  double tf32 = 0;  // products of float32 that matrix units round (TF32, xf32)
  double hbm = 0;
  double sram_read = 0, sram_write = 0;  // all on-chip memory
  double cmem_read = 0, cmem_write = 0, vmem_read = 0, vmem_write = 0;
  bool merged_vmem = false, megacore = false;

  // The peak for elements of that type, or `flops` where it is not known.
  double FlopsOf(xla::ElementType type) const;
};

// The peaks of the first device. By default the user's own, then those that the vendor publishes,
// where the device is known; XProf's rules otherwise, and with its definitions. O(planes).
DevicePeaks DevicePeaksOf(const Trace& trace, bool as_xprof, std::span<const OwnPeaks> own = {});

}  // namespace stepscope
