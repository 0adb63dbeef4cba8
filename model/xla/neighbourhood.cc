#include "model/xla/neighbourhood.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

namespace stepscope::xla {
namespace {

bool IsTupleElement(const HloModule& module, uint32_t i, TupleElements elements) {
  const Instruction& instruction = module.instructions[i];
  if (elements == TupleElements::kByName) return instruction.name.starts_with("get-tuple-element");
  return instruction.opcode == Op("get-tuple-element");
}

class GraphSearch {
 public:
  GraphSearch(const HloModule& module, const InstructionUsers& users, int radius)
      : module_(module), users_(users), radius_(radius) {}

  Neighbourhood From(uint32_t centre) {
    Reach(centre, 0);
    while (!next_.empty()) {
      const auto [i, distance] = next_.front();
      next_.pop_front();
      if (distance == found_[i]) Expand(i, distance, i == centre);
    }
    return Collect(centre);
  }

 private:
  void Reach(uint32_t i, int distance) {
    if (distance > radius_ || found_.size() >= kMostGraphNodes) return;
    const auto [it, added] = found_.try_emplace(i, distance);
    if (!added && it->second <= distance) return;
    it->second = distance;
    next_.emplace_back(i, distance);
  }

  int Step(uint32_t to) const { return module_.instructions[to].opcode == Op("bitcast") ? 0 : 1; }

  void Expand(uint32_t i, int distance, bool centre) {
    for (const uint32_t operand : module_.Operands(module_.instructions[i])) {
      if (operand != kNone) Reach(operand, distance + Step(operand));
    }
    const auto users = users_.Of(i);
    if (!centre && users.size() > kMostShownUsers) return;
    for (const uint32_t user : users.subspan(0, std::min(users.size(), kMostShownUsers))) {
      if (module_.instructions[user].opcode != Op("tuple")) Reach(user, distance + Step(user));
    }
  }

  Neighbourhood Collect(uint32_t centre) const {
    Neighbourhood result;
    for (const auto& [i, distance] : found_)
      result.nodes.push_back({i, distance, users_.Of(i).size() > kMostShownUsers});
    std::sort(result.nodes.begin(), result.nodes.end(), [&](const auto& a, const auto& b) {
      if (a.instruction == centre || b.instruction == centre) return a.instruction == centre;
      return std::pair(a.distance, a.instruction) < std::pair(b.distance, b.instruction);
    });
    for (const GraphNode& node : result.nodes) {
      const auto operands = module_.Operands(module_.instructions[node.instruction]);
      for (uint32_t k = 0; k < operands.size(); ++k) {
        if (found_.contains(operands[k]))
          result.edges.push_back({operands[k], node.instruction, k});
      }
    }
    return result;
  }

  const HloModule& module_;
  const InstructionUsers& users_;
  const int radius_;
  std::unordered_map<uint32_t, int> found_;  // distances
  std::deque<std::pair<uint32_t, int>> next_;
};

}  // namespace

InstructionUsers::InstructionUsers(const HloModule& module)
    : first_(module.instructions.size() + 1) {
  const auto for_each = [&](auto fn) {
    std::vector<uint32_t> last(module.instructions.size(), kNone);  // the last user of each
    for (const Instruction& i : module.instructions) {
      const uint32_t user = module.IndexOf(i);
      for (const uint32_t operand : module.Operands(i)) {
        if (operand == kNone || std::exchange(last[operand], user) == user) continue;
        fn(operand, user);
      }
    }
  };
  for_each([&](uint32_t operand, uint32_t) { ++first_[operand + 1]; });
  for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  users_.resize(first_.back());
  std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
  for_each([&](uint32_t operand, uint32_t user) { users_[next[operand]++] = user; });
}

std::vector<uint32_t> OperandsThroughTuples(const HloModule& module, uint32_t instruction,
                                            TupleElements elements) {
  std::vector<uint32_t> found;
  for (uint32_t operand : module.Operands(module.instructions[instruction])) {
    while (operand != kNone && IsTupleElement(module, operand, elements)) {
      const auto inner = module.Operands(module.instructions[operand]);
      operand = inner.empty() ? kNone : inner[0];
    }
    if (operand != kNone) found.push_back(operand);
  }
  return found;
}

std::vector<uint32_t> UsersThroughTuples(const HloModule& module, const InstructionUsers& users,
                                         uint32_t instruction, TupleElements elements) {
  std::vector<uint32_t> found, open = {instruction};
  while (!open.empty()) {
    const uint32_t at = open.back();
    open.pop_back();
    for (const uint32_t user : users.Of(at))
      (IsTupleElement(module, user, elements) ? open : found).push_back(user);
  }
  return found;
}

Neighbourhood NeighbourhoodOf(const HloModule& module, const InstructionUsers& users,
                              uint32_t centre, int radius) {
  return GraphSearch(module, users, radius).From(centre);
}

}  // namespace stepscope::xla
