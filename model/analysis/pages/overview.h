// Overview: steps, where their time goes, the verdict and the environment (docs/rules.md#overview).
// The page `overview` and its early part are made from it; the panel, the strip under the menu bar
// and the markers of steps read it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/recording/recording.h"
#include "model/analysis/steps/builders/infer_steps.h"
#include "model/analysis/steps/scope.h"
#include "model/analysis/steps/verdict.h"

namespace stepscope {

// One of the ops that take most device time. Shares are of all device op time, 0 to 1.
struct TopOp {
  std::string type, name;
  double share = 0, cumulative = 0;
  double gflops_per_s = 0;              // of one core of a TPU; else 0
  bool eligible = false, uses = false;  // the matrix unit; false on TPUs
  RowLink link;
};
// The ops of one type. Many of them may take most of the time though each takes little.
struct TopOpType {
  std::string type, largest;
  double share = 0, cumulative = 0, largest_share = 0;
  int64_t ops = 0;
  RowLink link;
};

// Percents are empty where they are shares of nothing; by XProf's definitions these are 0.
struct Overview {
  bool as_xprof = false;  // by XProf's definitions, which have no verdict
  std::shared_ptr<const JudgedSteps> steps;
  std::shared_ptr<const Recording> recording;
  StepSummary step_times;                               // of `selected`, as pages say them
  std::optional<double> busy_percent, compute_percent;  // of `judged`
  EqualParts parts;                                     // of the only step; else none
  Verdict verdict;
  Finding first;                 // the verdict in words
  std::vector<AsyncWait> waits;  // of TPUs

  // Of the compute time, if most of it is in graphs that were recorded as a whole; else 0.
  double whole_graphs_percent = 0;
  std::optional<double> bits16_percent, bits32_percent;  // of GPUs' compute time
  bool advises_16_bits = false;
  std::optional<double> host_op_percent, device_op_percent;        // by number of runs
  std::optional<double> host_eager_percent, device_eager_percent;  // of the ops' self time
  std::vector<TopOp> top_ops;
  std::vector<TopOpType> top_op_types;

  std::string device_type;
  int64_t devices = 0;             // also those without events
  std::vector<std::string> hosts;  // sorted
  bool is_training = false;
  std::vector<std::pair<std::string, std::string>> environment;  // "Device": "A100"

  const StepDatabase& db() const { return *steps->selected; }
  const StepDatabase& judged() const { return *steps->judged; }
  bool on_gpu() const { return db().kind == DeviceKind::kGpu; }
  bool on_tpu() const { return db().kind == DeviceKind::kTpu; }
  // Whether any step was found, so that step times are known; by XProf's definitions always.
  bool has_times() const { return as_xprof || !db().steps.empty(); }
  // The median of our definitions, the mean of XProf's; ms.
  double step_ms() const { return as_xprof ? step_times.mean : step_times.median; }

  // O(events), parallel.
  static Overview Compute(AnalysisContext& context, const AnalysisParams& params);
};

// Computes in parallel what the overview shares with other pages. Each part has a thread of its
// own, which may wait for what two of them need; where params name steps, the others wait for the
// steps.
void ReadForOverview(AnalysisContext& context, const AnalysisParams& params);

// The first sentence and its numbers, without a pass over all kernels; the rest is empty. By
// XProf's definitions, which have no such sentence, all is.
Overview ComputeFirstSentence(AnalysisContext& context, const AnalysisParams& params);

// step_ms() as a property.
Property StepTimeProperty(const Overview& overview);
// The shares of precisions, and of ops by where and how they ran. On GPUs six, else without the
// two of precisions.
std::vector<Property> PlacementProperties(const Overview& overview);

}  // namespace stepscope
