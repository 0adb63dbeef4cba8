// The rules of the cost model read this: the module, and the costs that are known already. Internal
// to cost_model.cc and the sources that it calls.
#pragma once

#include <optional>
#include <span>

#include "model/xla/cost.h"
#include "model/xla/hlo_module.h"

namespace stepscope::xla {

struct CostContext {
  const HloModule& module;
  CostVariant variant;
  int64_t pointer_bytes;
  std::span<const Cost> instructions, computations;  // valid for called computations

  bool gpu() const { return variant == CostVariant::kGpu; }
  double Bytes(const Shape& shape) const {
    return static_cast<double>(BytesOf(shape, pointer_bytes));
  }
  double OperandBytes(const Instruction& i, size_t k) const {
    return Bytes(module.OperandShape(i, k));
  }
  // The costs of the k-th called computation; nothing where it has none.
  Cost Called(const Instruction& i, size_t k = 0) const {
    return k < i.called.count ? computations[module.Called(i)[k]] : Cost();
  }
};

// Bytes of all operands, each counted as often as it is used, and of the leaves of the output.
Cost DefaultCost(const CostContext& context, const Instruction& i);
// The rule of the instruction's opcode; nothing for an unknown one. Fusions have their own.
std::optional<Cost> RuleCost(const CostContext& context, const Instruction& i);
// Dots and convolutions, also those in custom calls.
double DotFlops(const Shape& left, const Shape& output, std::span<const int64_t> contracting);
double ConvolutionFlops(const HloModule& module, const Instruction& i);
// nullopt for a custom call that is not known.
std::optional<Cost> CustomCallCost(const CostContext& context, const Instruction& i);
std::optional<Cost> CollectiveCost(const CostContext& context, const Instruction& i);
Cost FusionCost(const CostContext& context, const Instruction& fusion);

// Clock cycles of an elementwise operation on one element on GPUs, as XLA has measured them on
// compute capability 8.6 (xla/service/gpu/model/hlo_op_profiles_data.h), which XProf uses for every
// GPU; 3 for what the table does not have.
int GpuCycles(Opcode opcode, ElementType type);

}  // namespace stepscope::xla
