// TorchOps: the time of PyTorch's kernels by op and shapes, with what the ops cost
// (docs/rules.md#pytorch-ops). Values. Times are ps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/devices/published_peaks.h"
#include "model/analysis/torch/torch_cost.h"
#include "model/event_rows.h"

namespace stepscope {

// The calls of one op with equal shapes and types.
struct TorchOp {
  std::string operation;          // "aten::mm"; "(no op)": kernels that no op launched
  std::string dims, types;        // as recorded; empty: not recorded
  std::optional<TorchCost> cost;  // of one call; nullopt: unknown
  uint64_t calls = 0;             // whose first kernel begins in the part asked for
  Ps time = 0;                    // of their kernels; of a program without devices, of the calls
  double flops = 0, bytes = 0;    // of all calls; each kernel has its share by time
  std::string type;               // of the first tensor: "c10::BFloat16"
  double peak_tflops = 0;         // of the engine for that type; 0: not known
  std::string_view peak_of;       // "fp16 matrix"
  EventRows rows;                 // kernels, or calls
};

// Operations of products of matrices in one interval on one device.
struct TorchWork {
  PlaneId device;
  Ps begin = 0;
  double flops = 0;
  double at_peak = 0;  // seconds that the device needs for them at its peak; 0: not known
};

struct TorchOps {
  bool on_cpu = false;
  std::vector<TorchOp> ops;         // by falling time
  std::vector<TorchWork> work;      // kernel by kernel, by device and begin
  Ps total = 0, unknown = 0;        // time of all kernels, and of those of unknown cost
  std::optional<KnownPeaks> peaks;  // of the first device; nullopt: not known
  std::string device;               // its name

  static constexpr size_t kKept = 2;
  static AnalysisParams KeyOf(AnalysisParams params);  // without the choice of a program
  // Empty for traces that are not PyTorch's. O(kernels * depth of calls).
  static TorchOps Compute(AnalysisContext& context, const AnalysisParams& params);
};

// The peak for an op in TFLOP/s, 0 if unknown, and what it is called. `tf32`: the kernels' names
// say that float32 is rounded to TF32.
struct TorchPeak {
  double tflops = 0;
  std::string_view name;
};
TorchPeak PeakOf(const PeakNumbers* peaks, TorchEngine engine, std::string_view type, bool tf32);

}  // namespace stepscope
