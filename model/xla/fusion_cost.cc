// The cost of a fusion: of its fused instructions, and of the bytes that leave or enter it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <unordered_map>
#include <vector>

#include "model/xla/cost_context.h"
#include "model/xla/depth_first.h"
#include "model/xla/hlo_module.h"

namespace stepscope::xla {
namespace {

// The bytes that a fusion reads of a parameter, by XLA's base rule: users that take a
// part of it read that part, all others together read it once.
class FusionReads {
 public:
  explicit FusionReads(const CostContext& context) : c_(context) {}
  // `parameter`: an instruction of a fused computation. Nested fusions are followed to a depth of
  // 64. O(users of the parameters that it meets), each once.
  double Of(uint32_t parameter, int depth = 0);

 private:
  // The bytes that the users of one parameter, or of one nested fusion, read so far.
  struct Sum {
    double bytes = 0;
    bool whole = false;
    void AddWhole(double size) {
      if (!whole) bytes += size;
      whole = true;
    }
  };
  void AddUser(const Instruction& user, uint32_t parameter, int depth, Sum* sum);
  double OfNested(const Instruction& fusion, uint32_t parameter, int depth);
  double OfInner(const Instruction& fusion, const Instruction& inner, bool direct, int depth);
  const std::vector<uint32_t>& UsersOf(uint32_t instruction);

  const CostContext& c_;
  std::unordered_map<uint32_t, double> known_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> users_;
  std::unordered_map<uint32_t, bool> listed_;  // computations whose users are in users_
};

constexpr int kMostDepth = 64;

const Instruction* ParameterOf(const HloModule& module, const Computation& computation,
                               size_t number) {
  for (const Instruction& i : module.InstructionsOf(computation)) {
    if (i.opcode == Op("parameter") && i.number == static_cast<int64_t>(number)) return &i;
  }
  return nullptr;
}

bool Uses(const HloModule& module, const Instruction& user, uint32_t operand, size_t k) {
  return k < user.operands.count && module.Operands(user)[k] == operand;
}

const std::vector<uint32_t>& FusionReads::UsersOf(uint32_t instruction) {
  const uint32_t computation = c_.module.instructions[instruction].computation;
  if (listed_.try_emplace(computation, true).second) {
    for (const Instruction& user : c_.module.InstructionsOf(c_.module.computations[computation])) {
      for (const uint32_t operand : c_.module.Operands(user)) {
        if (operand == kNone) continue;
        std::vector<uint32_t>& list = users_[operand];
        if (list.empty() || list.back() != c_.module.IndexOf(user))
          list.push_back(c_.module.IndexOf(user));
      }
    }
  }
  return users_[instruction];
}

double FusionReads::Of(uint32_t parameter, int depth) {
  const auto known = known_.find(parameter);
  if (known != known_.end()) return known->second;
  if (depth > kMostDepth) return c_.Bytes(c_.module.ShapeOf(c_.module.instructions[parameter]));
  Sum sum;
  const std::vector<uint32_t> users = UsersOf(parameter);
  for (const uint32_t user : users) AddUser(c_.module.instructions[user], parameter, depth, &sum);
  known_[parameter] = sum.bytes;
  return sum.bytes;
}

void FusionReads::AddUser(const Instruction& user, uint32_t parameter, int depth, Sum* sum) {
  const HloModule& m = c_.module;
  const double size = c_.Bytes(m.ShapeOf(m.instructions[parameter]));
  const bool first = Uses(m, user, parameter, 0);
  const Opcode op = user.opcode;
  if (op == Op("fusion")) {
    sum->bytes += OfNested(user, parameter, depth);
  } else if (op == Op("slice") || (op == Op("dynamic-slice") && first)) {
    sum->bytes += c_.Bytes(m.ShapeOf(user));
  } else if (op == Op("broadcast") || op == Op("reshape")) {
    sum->bytes += size;
  } else if (op != Op("dynamic-update-slice") || !first) {
    sum->AddWhole(size);
  }
}

double FusionReads::OfNested(const Instruction& fusion, uint32_t parameter, int depth) {
  const HloModule& m = c_.module;
  const Computation* fused = m.FirstCalled(fusion);
  if (fused == nullptr) return c_.Bytes(m.ShapeOf(m.instructions[parameter]));
  const Instruction* root = m.RootOf(*fused);
  double bytes = 0;
  for (size_t k = 0; k < fusion.operands.count; ++k) {
    if (!Uses(m, fusion, parameter, k)) continue;
    const Instruction* inner = ParameterOf(m, *fused, k);
    if (inner == nullptr) continue;
    const bool direct =
        root == nullptr || root->operands.count == 0 || m.Operands(*root)[0] == m.IndexOf(*inner);
    bytes += OfInner(fusion, *inner, direct, depth);
  }
  return bytes;
}

// `direct`: the parameter feeds the root of the nested fusion, so that slices of the fusion's
// output read only their part of it.
double FusionReads::OfInner(const Instruction& fusion, const Instruction& inner, bool direct,
                            int depth) {
  const HloModule& m = c_.module;
  const uint32_t index = m.IndexOf(fusion);
  const double size = c_.Bytes(m.ShapeOf(fusion));
  Sum sum;
  const std::vector<uint32_t> users = UsersOf(index);
  for (const uint32_t u : users) {
    const Instruction& user = m.instructions[u];
    const bool first = Uses(m, user, index, 0);
    if (direct && user.opcode == Op("slice")) {
      sum.bytes += c_.Bytes(m.ShapeOf(user));
    } else if (direct && user.opcode == Op("dynamic-slice")) {
      first ? void(sum.bytes += c_.Bytes(m.ShapeOf(user))) : sum.AddWhole(size);
    } else if (direct && user.opcode == Op("dynamic-update-slice")) {
      if (!first) sum.AddWhole(size);
    } else if (!sum.whole) {
      sum.AddWhole(Of(m.IndexOf(inner), depth + 1));
    }
  }
  return sum.bytes;
}

// How often a fusion computes each fused instruction, by XLA's rule for GPUs
// (GpuHloCostAnalysis): from the root back, an elementwise user passes its own use on, and any
// other user needs the operand anew. O(instructions * roots of
// elementwise use); beyond 20 million steps the rest counts once.
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
