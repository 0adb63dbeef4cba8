// Finds what is around an instruction in a program's graph of data. Pure; views the module.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/xla/hlo_module.h"

namespace stepscope::xla {

// The users of each instruction. Immutable. O(operands) to build.
class InstructionUsers {
 public:
  explicit InstructionUsers(const HloModule& module);
  // In order of the file, each once.
  std::span<const uint32_t> Of(uint32_t instruction) const {
    return std::span(users_).subspan(first_[instruction],
                                     first_[instruction + 1] - first_[instruction]);
  }

 private:
  std::vector<uint32_t> first_, users_;
};

// How elements of tuples are known: by their opcode, or as XProf does by their name.
enum class TupleElements : uint8_t { kByOpcode, kByName };
// The operands, or the users, of an instruction. In place of a get-tuple-element stands what it
// takes its value from, or who uses it. Each as often as it is one.
std::vector<uint32_t> OperandsThroughTuples(const HloModule& module, uint32_t instruction,
                                            TupleElements elements = TupleElements::kByOpcode);
std::vector<uint32_t> UsersThroughTuples(const HloModule& module, const InstructionUsers& users,
                                         uint32_t instruction,
                                         TupleElements elements = TupleElements::kByOpcode);

struct GraphNode {
  uint32_t instruction = 0;
  int distance = 0;
  bool users_left_out = false;  // it has more users than are shown
};
struct GraphEdge {
  uint32_t from = 0, to = 0;  // instructions
  uint32_t operand = 0;       // which one of `to`
};
struct Neighbourhood {
  std::vector<GraphNode> nodes;  // by distance; the first is the centre
  std::vector<GraphEdge> edges;  // between nodes
};

inline constexpr size_t kMostShownUsers = 16;
inline constexpr size_t kMostGraphNodes = 5'000;

// Breadth first over operands and users, `radius` steps far. A step over a bitcast is free. A tuple
// is not entered from what it holds, users beyond kMostShownUsers of one instruction are left out,
// and no node comes after kMostGraphNodes. O(nodes and their edges).
Neighbourhood NeighbourhoodOf(const HloModule& module, const InstructionUsers& users,
                              uint32_t centre, int radius);

}  // namespace stepscope::xla
