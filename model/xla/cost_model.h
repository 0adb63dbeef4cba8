// CostModel: how much each instruction of a program computes and moves in one execution, as XLA's
// HloCostAnalysis counts it (docs/rules.md#hlo-costs). kBase is XLA's own count of operations,
// which holds for CPUs; kGpu is the one that XProf uses for GPUs, where an elementwise operation
// counts as the clock cycles that it takes. A loop counts once. Counts are doubles: sizes come from
// files, and huge ones saturate (shape.h) instead of overflowing.
//
// Immutable; any thread. Views the module, which must outlive it. O(instructions + edges) to build,
// without recursion.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/xla/cost.h"
#include "model/xla/hlo_module.h"

namespace stepscope::xla {

class CostModel {
 public:
  // `pointer_bytes`: what a tuple's table takes for a member; 4 in programs of JAX on a CPU.
  CostModel(const HloModule& module, CostVariant variant, int64_t pointer_bytes = 8);

  const Cost& Of(uint32_t instruction) const { return instructions_[instruction]; }
  // The sum over a computation's instructions; of the entry: one execution of the program.
  const Cost& OfComputation(uint32_t computation) const { return computations_[computation]; }
  // Instructions whose opcode or custom call is not known. They cost nothing.
  uint64_t unknown() const { return unknown_; }
  std::string_view first_unknown() const { return first_unknown_; }

 private:
  std::vector<Cost> instructions_, computations_;
  uint64_t unknown_ = 0;
  std::string_view first_unknown_;
};

// The share of an instruction's operations that counts as work of the device: 1/2 where its widest
// operand has 8 bits, 1/4 where it has 4, because such operations run faster by that.
double DeviceFlopsShare(const HloModule& module, const Instruction& instruction);

}  // namespace stepscope::xla
