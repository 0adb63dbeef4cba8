#include "model/xla/gpu_utilization.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "model/xla/depth_first.h"

namespace stepscope::xla {
namespace {

constexpr size_t kMostSteps = 20'000'000;

bool PassesUseOn(Opcode opcode) {
  return ElementwiseOf(opcode) != ElementwiseKind::kNone || opcode == Op("copy") ||
         opcode == Op("tuple") || opcode == Op("get-tuple-element");
}

double Ratio(double a, double b) { return b > 0 ? a / b : 0; }

// The share of its operand k that the instruction reads, for each time that it runs.
double OperandShare(const HloModule& module, const Instruction& i, size_t k) {
  const double out = ElementsOf(FirstArray(module.ShapeOf(i)));
  switch (i.opcode) {
    case Op("slice"):
    case Op("dynamic-slice"):
    case Op("gather"):
      return k == 0 ? Ratio(out, ElementsOf(module.OperandShape(i, 0))) : 1;
    case Op("dynamic-update-slice"):
      return k == 0 ? Ratio(out - ElementsOf(module.OperandShape(i, 1)), out) : 1;
    case Op("reduce"):
      return k >= i.operands.count / 2 ? out : 1;
    default:
      return 1;
  }
}

std::vector<uint32_t> Union(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  std::vector<uint32_t> all;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

}  // namespace

GpuUtilization::GpuUtilization(const HloModule& module, const Computation& fused)
    : module_(module),
      first_(fused.instructions.first),
      use_(fused.instructions.count),
      root_use_(fused.instructions.count),
      roots_(fused.instructions.count) {
  if (fused.root == kNone) return;
  root_use_[fused.root - first_] = 1;
  roots_[fused.root - first_].push_back(fused.root - first_);
  for (const uint32_t i : UsersFirst(fused)) {
    double use = 0;
    for (const uint32_t root : roots_[i - first_]) use += root_use_[root];
    use_[i - first_] = steps_ < kMostSteps ? use : 1;
    PassOn(module.instructions[i], use_[i - first_], i == fused.root);
  }
}

// The root, then each instruction after all of its users; only what the root needs.
std::vector<uint32_t> GpuUtilization::UsersFirst(const Computation& fused) const {
  std::vector<uint32_t> order;
  DepthFirst search(fused.instructions.count, first_);
  const auto edges = [&](uint32_t i) { return module_.instructions[i].operands.count; };
  const auto target = [&](uint32_t i, uint32_t k) {
    return module_.Operands(module_.instructions[i])[k];
  };
  search.Visit(
      fused.root, edges, target, [](uint32_t, uint32_t) {},
      [&](uint32_t i) { order.push_back(i); });
  std::reverse(order.begin(), order.end());
  return order;
}

void GpuUtilization::PassOn(const Instruction& user, double use, bool is_root) {
  for (size_t k = 0; k < user.operands.count; ++k) {
    if (module_.Operands(user)[k] != kNone) PassTo(user, k, use, is_root);
  }
}

void GpuUtilization::PassTo(const Instruction& user, size_t k, double use, bool is_root) {
  const uint32_t operand = module_.Operands(user)[k] - first_;
  std::vector<uint32_t>& roots = roots_[operand];
  if (PassesUseOn(user.opcode)) {
    const std::vector<uint32_t>& passed = roots_[module_.IndexOf(user) - first_];
    steps_ += roots.size() + passed.size();
    if (steps_ < kMostSteps) roots = Union(roots, passed);
    return;
  }
  roots = Union(roots, {operand});
  steps_ += roots.size();
  const bool in_place = is_root && k == 0 && user.opcode == Op("dynamic-update-slice");
  const double n = static_cast<double>(LeafElements(module_.OperandShape(user, k)));
  const double share = in_place ? 0 : use * OperandShare(module_, user, k);
  if (n > 0) root_use_[operand] += std::ceil(share * n) / n;
}

}  // namespace stepscope::xla
