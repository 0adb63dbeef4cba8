#include "model/xla/cost_model.h"

#include <algorithm>

#include "model/xla/cost_context.h"

namespace stepscope::xla {

Cost& Cost::operator+=(const Cost& o) {
  flops += o.flops, transcendentals += o.transcendentals, bytes += o.bytes;
  read += o.read, written += o.written, elsewhere += o.elsewhere;
  return *this;
}

CostModel::CostModel(const HloModule& module, CostVariant variant, int64_t pointer_bytes)
    : instructions_(module.instructions.size()), computations_(module.computations.size()) {
  const CostContext context{module, variant, pointer_bytes, instructions_, computations_};
  for (const uint32_t c : module.call_order) {
    for (const Instruction& i : module.InstructionsOf(module.computations[c])) {
      Cost& cost = instructions_[module.IndexOf(i)];
      if (i.opcode == Op("fusion")) {
        cost = FusionCost(context, i);
      } else if (const std::optional<Cost> known = RuleCost(context, i)) {
        cost = *known;
      } else if (unknown_++ == 0) {
        first_unknown_ = i.name;
      }
      computations_[c] += cost;
    }
  }
}

double DeviceFlopsShare(const HloModule& module, const Instruction& i) {
  const bool first_only = module.DetailsOf(i).custom_call_target.starts_with("__cublas$lt$matmul");
  int widest = 0;
  for (size_t k = 0; k < i.operands.count && (k == 0 || !first_only); ++k) {
    const Shape& shape = module.OperandShape(i, k);
    widest = std::max(widest, shape.type == ElementType::kPred ? 0 : BitsOf(shape.type));
  }
  return widest == 8 ? 0.5 : widest == 4 ? 0.25 : 1;
}

}  // namespace stepscope::xla
