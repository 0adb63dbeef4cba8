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
// The program's text in kShort, computations before those that call them. O(its length).
std::vector<TextLine> ModuleText(const HloModule& module);

// The first `most` lines of one computation.
std::vector<TextLine> ComputationText(const HloModule& module, uint32_t computation, size_t most);

// ", kind=kLoop, calls=%fused". Empty where an instruction has none.
std::string AttributeText(const HloModule& module, const Instruction& instruction, TextForm form);

}  // namespace stepscope::xla
