// The cost of a fusion: of its fused instructions, and of the bytes that leave or enter it.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "model/xla/cost_context.h"
#include "model/xla/fusion_reads.h"
#include "model/xla/gpu_utilization.h"

namespace stepscope::xla {
namespace {

// The gather or scatter of a custom fusion, which then costs what that costs; null if there is
// none.
const Instruction* CustomKernel(const CostContext& c, const Instruction& fusion,
                                const Computation& fused) {
  if (c.module.DetailsOf(fusion).fusion_kind != "kCustom") return nullptr;
  for (const Instruction& i : c.module.InstructionsOf(fused)) {
    if (i.opcode == Op("gather") || i.opcode == Op("scatter")) return &i;
  }
  return nullptr;
}

void Write(const Shape& shape, double bytes, Cost* cost) {
  cost->bytes += bytes;
  (shape.memory_space == 0 ? cost->written : cost->elsewhere) += bytes;
}

// Writes the leaves of the output. An update in place counts with what it updates only. `root`:
// null if it is not known.
void WriteOutput(const CostContext& c, const Shape& shape, const Instruction* root, bool top,
                 Cost* cost) {
  if (shape.is_tuple()) {
    const bool tuple = top && root != nullptr && root->opcode == Op("tuple");
    for (size_t k = 0; k < shape.members.size(); ++k)
      WriteOutput(c, shape.members[k], tuple ? c.module.Operand(*root, k) : nullptr, false, cost);
    return;
  }
  const bool update = root != nullptr && root->opcode == Op("dynamic-update-slice");
  Write(shape, update ? c.OperandBytes(*root, 1) : c.Bytes(shape), cost);
}

void Read(const CostContext& c, const Instruction& parameter, double bytes, Cost* cost) {
  cost->bytes += bytes;
  const Shape& shape = c.module.ShapeOf(parameter);
  (shape.memory_space == 0 ? cost->read : cost->elsewhere) += bytes;
}

// Constants of some size lie in memory and are read.
double ConstantBytes(const CostContext& c, const Instruction& constant) {
  const Shape& shape = c.module.ShapeOf(constant);
  return Elements(shape) > (c.gpu() ? 8 : 1) ? c.Bytes(shape) : 0;
}

void ReadBase(const CostContext& c, const Computation& fused, Cost* cost) {
  FusionReads reads(c);
  for (const Instruction& i : c.module.InstructionsOf(fused)) {
    if (i.opcode == Op("constant")) cost->bytes += ConstantBytes(c, i);
    if (i.opcode == Op("parameter")) Read(c, i, reads.Of(c.module.IndexOf(i)), cost);
  }
}

void ReadGpu(const CostContext& c, const Computation& fused, Cost* cost) {
  const GpuUtilization use(c.module, fused);
  cost->flops = 0;
  for (const Instruction& i : c.module.InstructionsOf(fused)) {
    const uint32_t index = c.module.IndexOf(i);
    const double times = use.Of(index), share = std::min(1.0, times);
    cost->flops += times * std::max(0.0, c.instructions[index].flops);
    if (i.opcode == Op("constant")) cost->bytes += ConstantBytes(c, i) * share;
    if (i.opcode == Op("parameter"))
      Read(c, i, std::floor(c.Bytes(c.module.ShapeOf(i)) * share), cost);
  }
}

}  // namespace

Cost FusionCost(const CostContext& c, const Instruction& fusion) {
  const Computation* fused = c.module.FirstCalled(fusion);
  if (fused == nullptr) return DefaultCost(c, fusion);
  if (const Instruction* kernel = CustomKernel(c, fusion, *fused))
    return c.instructions[c.module.IndexOf(*kernel)];
  Cost cost;
  const Cost sums = c.Called(fusion);
  cost.flops = sums.flops;
  cost.transcendentals = sums.transcendentals;
  WriteOutput(c, c.module.ShapeOf(fusion), c.module.RootOf(*fused), true, &cost);
  if (c.gpu()) {
    ReadGpu(c, *fused, &cost);
  } else {
    ReadBase(c, *fused, &cost);
  }
  return cost;
}

}  // namespace stepscope::xla
