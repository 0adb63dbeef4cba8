// This folder joins XLA's programs with the events of a trace: which instruction each event ran,
// how long, and how much it computed and moved. HloOpTable has a row for each HLO op; the pages
// hlo_stats, hlo_profile and roofline are made of it (docs/rules.md#hlo-ops). Start here;
// collect_gpu_ops.cc, collect_tpu_ops.cc and collect_cpu_ops.cc read the events, hlo_op_builder.h
// adds what the programs know of an op, and hlo_programs.h keeps the programs.
//
// Times are ps, by the clock of the core on TPUs. The AnalysisContext owns the table, which is
// immutable. Values; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/steps/steps.h"
#include "model/analysis/xla/device_peaks.h"
#include "model/event_rows.h"

namespace stepscope {

// Sums over the executions of one op, or of several.
struct HloSums {
  uint64_t occurrences = 0;  // executions; with XProf's definitions events
  Ps time = 0, self = 0;
  Ps normalized = 0;  // time by the nominal clock of a TPU
  Ps stall = 0;       // in which a TPU waited for its DMA
  double flops = 0;   // as the device runs them
  double model_flops = 0, bytes = 0;
  bool split = false;  // whether it is known which memory the bytes are in, as below
  double hbm = 0;
  double on_chip_read = 0, on_chip_written = 0;  // all memories but HBM
  double cmem_read = 0, cmem_written = 0, vmem_read = 0, vmem_written = 0;

  HloSums& operator+=(const HloSums& o);
};

struct HloOp : HloSums {
  uint64_t program_id = 0;
  uint32_t program = 0xffffffffu;      // index in HloPrograms::list(); 0xffffffff: not in the file
  uint32_t instruction = 0xffffffffu;  // in the program's module
  std::string name, module, category, provenance, expression, source, stack, deduplicated_name;
  uint64_t events = 0;            // kernels on GPUs
  uint64_t events_by_kernel = 0;  // of these, events that are known by their kernel's name only
  double peak_flops = 0;          // GFLOP/s for the op's type of elements
  EventRows rows;
};

struct HloOpTable {
  DeviceKind kind = DeviceKind::kCpuOnly;
  std::vector<HloOp> ops;  // by self time descending, then name
  Ps total = 0;            // of all devices, idle time included
  Ps busy = 0;             // sum of self times
  uint32_t devices = 0;
  DevicePeaks peaks;
  uint64_t unknown_costs = 0;      // ops that the cost model does not know
  uint64_t dropped_events = 0;     // whose instruction no program has; with XProf's definitions
  uint64_t events_by_program = 0;  // events of programs that are not in the file
  std::string first_unknown;
  Ps idle() const { return total > busy ? total - busy : 0; }

  static constexpr size_t kKept = 2;
  static AnalysisParams KeyOf(AnalysisParams params);  // without the choice of a program
  // It adds up the hosts, steps and range that params name. O(events + instructions of the programs
  // that ran).
  static HloOpTable Compute(AnalysisContext& context, const AnalysisParams& params);
};

// a / b; 0 where b is 0 or next to it.
double Quotient(double a, double b);

// How fast an op, or several, computed and moved bytes, and which limit it is nearest to
// (docs/rules.md#hlo-rates). Rates in GFLOP/s and GiB/s, intensities in operations a byte, the rest
// shares of 1. 0 where the peak is not known.
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
