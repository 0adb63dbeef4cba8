// The share of device work that computes with 16 bits or fewer (docs/rules.md#precision): by the
// input types that PyTorch recorded for the op, else by the kernel's name. Each name and text is
// looked at once. Parallel over devices; O(events log events).
#pragma once

#include <array>

#include "model/analysis/analysis.h"
#include "model/analysis/naming/precision_names.h"

namespace stepscope {

struct StepDatabase;  // model/analysis/steps/steps.h

// Time of kernels without collectives in ps: of those with 16 bits and fewer, of those with more
// than 32, of those about which a type or a name tells the bits, and of all; and the part of all in
// graphs that were recorded as a whole, whose kernels are not known.
struct PrecisionTimes {
  double narrow = 0, wide = 0, known = 0, all = 0, graphs = 0;
  std::array<double, kNarrowTypes> of_type{};  // the part of narrow by type
  // The type with at least half of the time of all; kUnknown: there is none.
  NarrowType most() const;
  // Whether half of what is known computes in 64 bits: who needs these has no use for 16.
  bool mostly_wide() const { return known > 0 && wide >= known / 2; }
  // Whether so much is in whole graphs that the other kernels say nothing of the program.
  bool mostly_graphs() const { return graphs > all / 2; }
  double percent() const { return all > 0 ? 100 * narrow / all : 0; }

  static constexpr size_t kKept = 2;
  static AnalysisParams KeyOf(AnalysisParams params);
  // It adds up the steps that params select.
  static PrecisionTimes Compute(AnalysisContext& context, const AnalysisParams& params);
};
// The kernels that begin in a step that counts; without steps, all kernels in the part that params
// ask for.
PrecisionTimes ComputePrecision(AnalysisContext& context, const AnalysisParams& params,
                                const StepDatabase& steps);

}  // namespace stepscope
