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

struct StepDatabase;  // model/analysis/steps/steps.h

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

  double intensity() const { return flops / bytes; }  // operations a byte
};

// How fast an op ran, and which limit of the device it is nearest to. Not finite where the op took
// no time.
struct TorchRates {
  double tflops = 0, gbps = 0;  // TFLOP/s, GB/s
  double peak_gbps = 0;         // of the main memory; 0: not known, or of no meaning
  const char* bound_by = "Unknown";
  std::optional<double> of_limit = {};  // time at the peak of the limit / time
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

  std::string shown_device() const { return !device.empty() ? device : on_cpu ? "CPU" : "unknown"; }
  TorchRates RatesOf(const TorchOp& op) const;
  double unknown_percent() const;  // of the time of all kernels, those of unknown cost

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

// --- Pages
// Adds the table `torch_ops` and its properties. Adds nothing for traces that are not PyTorch's,
// and returns whether there is any op.
bool AddTorchRoofline(AnalysisContext& context, const AnalysisParams& params,
                      AnalysisResult* result);

// Whether AddModelFlops may add something to the overview of such a trace, for which it then asks
// AnalysisContext::torch_ops.
bool HasModelFlops(const Trace& trace);

// Adds `flops_per_step`, `step_tflops_per_s` and `mfu_percent`, of the steps that count: operations
// of products of matrices, convolutions and attention. Adds nothing without devices or shapes.
void AddModelFlops(AnalysisContext& context, const AnalysisParams& params, const StepDatabase& db,
                   AnalysisResult* result);

}  // namespace stepscope
