// Kernels that follow one another on a stream and do together what one fused kernel does: attention
// (a softmax between two batched matrix multiplications), an RMS norm (square, mean, rsqrt,
// multiply) and a rotary embedding (negate, concatenate, multiply, add). The rules are in
// docs/findings.md#rules. Pure; times are ps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/analysis/kernels/kernel_stats.h"
#include "model/analysis/steps/steps.h"
#include "model/analysis/tables/result_table.h"

namespace stepscope {

enum class FusedPattern : uint8_t { kAttention, kNorm, kRotary };

struct KernelSequence {
  FusedPattern pattern = FusedPattern::kAttention;
  uint32_t step = 0;  // index into StepDatabase::steps
  PlaneId device;
  Ps time = 0;                           // of all kernels of the sequence
  Ps longest = 0;                        // its longest kernel
  Ps products = 0;                       // attention: the two matrix multiplications
  EventRow first_product, last_product;  // attention only
  std::vector<EventRow> kernels;         // by time
};

// The sequences that begin in a step, by device and stream. `kernels`: all of
// them. O(groups) for profiles without a softmax, rsqrt or negation; others O(kernels log streams).
std::vector<KernelSequence> FindKernelSequences(AnalysisContext& context, const StepDatabase& db,
                                                std::span<const KernelGroup> kernels);

}  // namespace stepscope
