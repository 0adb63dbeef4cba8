// HloRates: how fast an op, or several, computed and moved bytes, and which limit it is nearest to
// (docs/rules.md#hlo-rates). Values. Pure; any thread.
#pragma once

#include <string_view>

#include "model/analysis/xla/hlo_op_table.h"

namespace stepscope {

// a / b; 0 where b is 0 or next to it.
double Quotient(double a, double b);

// Rates in GFLOP/s and GiB/s, intensities in operations a byte, the rest shares of 1. 0 where the
// peak is not known.
struct HloRates {
  double flops = 0, model_flops = 0, bytes = 0, hbm = 0;
  double cmem_read = 0, cmem_written = 0, vmem_read = 0, vmem_written = 0;
  double intensity = 0, hbm_intensity = 0;
  double cmem_read_intensity = 0, cmem_written_intensity = 0;
  double vmem_read_intensity = 0, vmem_written_intensity = 0;
  double bound_intensity = 0;  // of the limit that it is nearest to
  std::string_view bound_by = "Unknown";
  double compute_share = 0, memory_share = 0, hbm_share = 0;  // of the peaks
  double efficiency = 0;  // the larger of compute_share and memory_share
  double optimal_flops = 0;
  double stall = 0;

  double wasted() const { return efficiency > 1 ? 0 : 1 - efficiency; }
};

// `peak_flops`: GFLOP/s for its type of elements.
HloRates RatesOf(const HloSums& sums, const DevicePeaks& peaks, double peak_flops, DeviceKind kind);

}  // namespace stepscope
