// HloOpTable: the HLO ops of a trace with their sums (hlo_ops.h). Plain data. Times are ps.
#pragma once

#include <cstdint>
#include <string>
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
  // Of the hosts, steps and range that params name. O(events + instructions of the programs that
  // ran).
  static HloOpTable Compute(AnalysisContext& context, const AnalysisParams& params);
};

}  // namespace stepscope
