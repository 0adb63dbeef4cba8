// This folder is XLA's half of a profile: the programs (HLO modules) that it has, and what follows
// from them without events. Start here: HloModule is a program as it was compiled.
// hlo_module_builder.h makes one, hlo_source.h is where a trace keeps them undecoded, cost_model.h
// says how much an instruction computes and moves, buffer_heap.h how full memory is, hlo_text.h
// writes XLA's text and neighbourhood.h finds what is around an instruction.
//
// HloModule: an immutable program. Owns its texts. Any thread may read it. What the file gets wrong
// is repaired by the builder and counted in `diagnostics`: indices are valid or kNone, operands
// have no cycles, and no computation calls itself. Names need not be unique.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/diagnostics.h"
#include "model/xla/buffer_assignment.h"
#include "model/xla/instruction_details.h"
#include "model/xla/opcode.h"
#include "model/xla/shape.h"

namespace stepscope::xla {

inline constexpr uint32_t kNone = 0xffffffffu;

// The program's source: OpMetadata.
struct OpMetadata {
  std::string_view op_type, op_name, source_file, deduplicated_name;
  int32_t source_line = 0;
  uint32_t stack_frame = 0;  // 1 is the first of HloModule::frames; 0: none
};

// A range of one of the module's pools.
struct PoolRange {
  uint32_t first = 0, count = 0;
};

struct Instruction {
  std::string_view name, opcode_name;
  int64_t id = 0;
  int64_t number = 0;  // of a parameter, or of the element of a tuple
  PoolRange operands, called, control;
  uint32_t computation = 0, shape = 0, metadata = 0, details = 0;  // indices; 0 is the empty one
  Opcode opcode = kUnknownOpcode;
};

struct Computation {
  std::string_view name;
  int64_t id = 0;
  uint32_t root = kNone;           // an instruction; kNone if it has no instructions
  PoolRange instructions;          // in HloModule::instructions
  std::vector<uint32_t> sequence;  // of all its instructions: the schedule, else operands first
  bool scheduled = false, fusion = false;
};

struct StackFrame {
  std::string_view file, function;
  int32_t line = 0, column = 0;
  uint32_t parent = 0;  // 0: none; always less deep than 1000 frames
};

struct HloModule {
  std::string_view name;
  int64_t id = 0;
  uint32_t entry = kNone;  // a computation
  std::vector<Computation> computations;
  std::vector<uint32_t> call_order;  // computations, callees before callers
  std::vector<Instruction> instructions;
  std::vector<Shape> shapes;
  std::vector<OpMetadata> metadata;
  std::vector<InstructionDetails> details;
  std::vector<StackFrame> frames;
  std::vector<uint32_t> operand_pool, called_pool, control_pool;
  std::string input_output_alias, frontend_attributes;  // as XLA writes them, with their braces
  BufferAssignment buffers;
  Diagnostics diagnostics;
  std::deque<std::string> texts;  // what string_views point into

  // Instructions, kNone where the file names none that there is.
  std::span<const uint32_t> Operands(const Instruction& i) const {
    return std::span(operand_pool).subspan(i.operands.first, i.operands.count);
  }
  std::span<const uint32_t> Control(const Instruction& i) const {
    return std::span(control_pool).subspan(i.control.first, i.control.count);
  }
  // Computations, without those that the module does not have.
  std::span<const uint32_t> Called(const Instruction& i) const {
    return std::span(called_pool).subspan(i.called.first, i.called.count);
  }
  std::span<const Instruction> InstructionsOf(const Computation& c) const {
    return std::span(instructions).subspan(c.instructions.first, c.instructions.count);
  }
  const Shape& ShapeOf(const Instruction& i) const { return shapes[i.shape]; }
  const OpMetadata& MetadataOf(const Instruction& i) const { return metadata[i.metadata]; }
  const InstructionDetails& DetailsOf(const Instruction& i) const { return details[i.details]; }
  uint32_t IndexOf(const Instruction& i) const {
    return static_cast<uint32_t>(&i - instructions.data());
  }
  // Null where there is no such operand.
  const Instruction* Operand(const Instruction& i, size_t k) const {
    if (k >= i.operands.count) return nullptr;
    const uint32_t index = operand_pool[i.operands.first + k];
    return index == kNone ? nullptr : &instructions[index];
  }
  // The empty shape where there is no such operand.
  const Shape& OperandShape(const Instruction& i, size_t k) const {
    const Instruction* operand = Operand(i, k);
    return shapes[operand == nullptr ? 0 : operand->shape];
  }
  // The first called computation; null if there is none.
  const Computation* FirstCalled(const Instruction& i) const {
    return i.called.count == 0 ? nullptr : &computations[called_pool[i.called.first]];
  }
  const Instruction* RootOf(const Computation& c) const {
    return c.root == kNone ? nullptr : &instructions[c.root];
  }
  // The instruction of that name: in the entry computation if it has one, else the first; kNone if
  // there is none. O(instructions).
  uint32_t Find(std::string_view instruction) const;
};

// The shape of the value that the buffer holds; the empty shape if it is not known.
const Shape& BufferShape(const HloModule& module, const LogicalBuffer& buffer);
// "FILE:LINE" of the instruction, else of its first stack frame; "" if neither is known.
std::string SourceLineOf(const HloModule& module, const Instruction& instruction);
// A line "FILE:LINE:COLUMN\n" for each stack frame, innermost first.
std::string StackOf(const HloModule& module, const Instruction& instruction);

}  // namespace stepscope::xla
