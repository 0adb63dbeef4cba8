// The input pipeline: what the host spends on reading and preparing input
// (docs/rules.md#input-pipeline). This folder holds the analyses that the registry lists: each
// source has a function that makes an AnalysisResult of the context's steps, ops, kernels or
// memory. In: AnalysisContext. Out: properties, findings and tables. Start with overview.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/steps/steps.h"

namespace stepscope {

enum class InputCategory : uint8_t {
  kNotInput,
  kEnqueue,
  kDemandedRead,
  kAdvancedRead,
  kPreprocessing,
  kUnknown
};
InputCategory CategoryOfInput(std::string_view op_name, std::string_view op_type);
const char* InputCategoryName(InputCategory category);

struct InputOp {
  SharedText name;
  InputCategory category = InputCategory::kUnknown;
  uint64_t count = 0;
  Ps time = 0, self = 0;
  RowLink link;
};

// The waits for one data loader of PyTorch.
struct LoaderWaits {
  SharedText loader;  // its iterator
  Ps total = 0, max = 0;
  std::vector<EventRow> rows;
  // A loader of one process has no workers; the number of other loaders' workers is not recorded.
  std::optional<int64_t> workers() const {
    return loader.view().starts_with("_SingleProcess") ? std::optional<int64_t>(0) : std::nullopt;
  }
};

struct InputPipeline {
  bool as_xprof = false;  // by XProf's definitions, which have no verdict
  std::shared_ptr<const StepDatabase> steps;
  std::optional<Finding> finding;  // how much of a step waits for input
  std::vector<InputOp> ops;        // by falling self time, then name
  Ps all_self = 0;                 // of `ops`
  bool has_host_ops = false;       // of any kind
  // Self times of ops in us; where the steps show enqueueing, scaled to the time that is not
  // enqueueing.
  double demanded_us = 0, advanced_us = 0, preprocessing_us = 0, enqueue_us = 0, other_us = 0;
  // Only traces of PyTorch have it.
  std::optional<std::vector<LoaderWaits>> waits;  // by loader

  // O(host ops + events).
  static InputPipeline Compute(AnalysisContext& context, const AnalysisParams& params);
};

}  // namespace stepscope
