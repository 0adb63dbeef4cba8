// TorchCost: what one call of an op of PyTorch computes and moves at least, by its recorded shapes
// and types (docs/rules.md#pytorch-ops). Formulas are those of torch.utils.flop_counter: two
// operations for a multiplication with its addition; bytes are each input once and the output once.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/analysis/torch/torch_call.h"

namespace stepscope {

enum class TorchEngine : uint8_t { kMatrix, kVector, kNetwork };

struct TorchCost {
  double flops = 0;
  double flops_uncut = 0;  // of causal attention, without the half that is left out; else flops
  double bytes = 0;        // 0: unknown
  TorchEngine engine = TorchEngine::kVector;
  bool estimate = false;  // operations of an element are a rough count
};

// nullopt if there is no formula for the op, or its shapes do not fit it. O(arguments).
std::optional<TorchCost> CostOf(const TorchCall& call);
// Whether there is a formula for the name; CostOf() may still give nothing.
bool HasTorchCost(std::string_view name);
// Whether the formula reads `Concrete Inputs`.
bool NeedsConcrete(std::string_view name);
// Whether all that runs inside the op counts for it: aten::convolution has cuDNN's op and the sum
// with the bias in it.
bool OwnsInner(std::string_view name);

}  // namespace stepscope
