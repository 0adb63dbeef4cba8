// Kernels that follow one another on a stream and do together what one fused kernel does: attention
// (a softmax between two batched matrix multiplications), an RMS norm (square, mean, rsqrt,
// multiply) and a rotary embedding (negate, concatenate, multiply, add). The rules are in
// docs/findings.md#rules. Pure; times are ps.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

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

// The sequences that begin in a step, by device and stream. `kernels`: the result of
// `kernel_stats`; null: there are none. Stopped, the list is incomplete. Profiles without a
// softmax, rsqrt or negation cost the rows of the table `kernels`; others O(kernels log streams).
std::vector<KernelSequence> FindKernelSequences(AnalysisContext& context, const StepDatabase& db,
                                                const AnalysisResult* kernels,
                                                const std::stop_token& stop);

}  // namespace stepscope
