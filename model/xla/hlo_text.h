// The text of a program and of its instructions, as XLA writes it. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/xla/hlo_module.h"

namespace stepscope::xla {

// kExpression: as XProf shows an op: names with %, shapes of operands, no backend_config.
// kShort: as the graph viewer's short text: names alone.
enum class TextForm : uint8_t { kExpression, kShort };

// "%add.1 = f32[8]{0} add(f32[8]{0} %p0, f32[8]{0} %p1)". O(its length).
std::string InstructionText(const HloModule& module, const Instruction& instruction, TextForm form);

struct TextLine {
  std::string text;
  uint32_t instruction = kNone;  // kNone: no instruction is in the line
};
// The program's text in kShort, computations before those that call them, line by line: a line is
// made when it is asked for, so that a program of any length can be looked at. Views the module,
// which must outlive it. Immutable. O(instructions) to build.
class ProgramText {
 public:
  explicit ProgramText(const HloModule& module);
  size_t size() const { return size_; }
  TextLine Line(size_t line) const;  // O(log computations + its length)
  // The instruction that a line is of; kNone if there is none. O(log computations).
  uint32_t InstructionAt(size_t line) const;
  size_t LineOf(uint32_t instruction) const { return line_of_[instruction]; }

 private:
  struct Place {
    uint32_t computation = kNone;  // kNone: the header, or the end
    size_t at = 0;                 // line in it; 0: the empty one before it
  };
  Place PlaceOf(size_t line) const;

  const HloModule& module_;
  std::vector<size_t> first_;      // line of each computation of call_order
  std::vector<uint32_t> line_of_;  // by instruction
  size_t size_ = 0;
};

// All lines of it. O(its length).
std::vector<TextLine> ModuleText(const HloModule& module);

// The first `most` lines of one computation.
std::vector<TextLine> ComputationText(const HloModule& module, uint32_t computation, size_t most);

// ", kind=kLoop, calls=%fused". Empty where an instruction has none.
std::string AttributeText(const HloModule& module, const Instruction& instruction, TextForm form);

}  // namespace stepscope::xla
