// GpuUtilization: how often a fusion computes each fused instruction, by XLA's rule for GPUs
// (GpuHloCostAnalysis): from the root back, an elementwise user passes its own use on, and any
// other user needs the operand anew. Internal to the cost model. O(instructions * roots of
// elementwise use); beyond 20 million steps the rest counts once.
#pragma once

#include <cstdint>
#include <vector>

#include "model/xla/hlo_module.h"

namespace stepscope::xla {

class GpuUtilization {
 public:
  GpuUtilization(const HloModule& module, const Computation& fused);
  // 1: each element once; 0: not at all. `instruction`: of the fused computation.
  double Of(uint32_t instruction) const { return use_[instruction - first_]; }

 private:
  void PassOn(const Instruction& user, double use, bool is_root);
  void PassTo(const Instruction& user, size_t k, double use, bool is_root);
  std::vector<uint32_t> UsersFirst(const Computation& fused) const;

  const HloModule& module_;
  uint32_t first_;
  std::vector<double> use_;                   // by instruction
  std::vector<double> root_use_;              // of an instruction as a root of elementwise use
  std::vector<std::vector<uint32_t>> roots_;  // by instruction, ascending
  size_t steps_ = 0;
};

}  // namespace stepscope::xla
