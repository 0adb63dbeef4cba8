#include "model/xla/fusion_reads.h"

#include <algorithm>

namespace stepscope::xla {
namespace {

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

}  // namespace

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

}  // namespace stepscope::xla
