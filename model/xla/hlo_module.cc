#include "model/xla/hlo_module.h"

#include <fmt/format.h>
#include <unordered_map>

namespace stepscope::xla {

Opcode FindOpcode(std::string_view name) {
  static const auto kByName = [] {
    std::unordered_map<std::string_view, Opcode> map;
    for (size_t i = 0; i < opcode_table::kRows.size(); ++i)
      map.emplace(opcode_table::kRows[i].name, static_cast<Opcode>(i));
    return map;
  }();
  const auto it = kByName.find(name);
  return it == kByName.end() ? kUnknownOpcode : it->second;
}

ElementwiseKind ElementwiseOf(Opcode opcode) {
  const size_t i = static_cast<size_t>(opcode);
  return i < opcode_table::kRows.size() ? opcode_table::kRows[i].elementwise
                                        : ElementwiseKind::kNone;
}

namespace {

constexpr size_t kMostFrames = 1000;

template <typename Fn>
void ForFrames(const HloModule& module, uint32_t frame, Fn fn) {
  for (size_t n = 0; n < kMostFrames && frame > 0 && frame <= module.frames.size(); ++n) {
    const StackFrame& f = module.frames[frame - 1];
    fn(f);
    frame = f.parent;
  }
}

}  // namespace

uint32_t HloModule::Find(std::string_view instruction) const {
  uint32_t found = kNone;
  for (const Instruction& i : instructions) {
    if (i.name != instruction) continue;
    if (i.computation == entry) return IndexOf(i);
    if (found == kNone) found = IndexOf(i);
  }
  return found;
}

std::string SourceLineOf(const HloModule& module, const Instruction& instruction) {
  const OpMetadata& metadata = module.MetadataOf(instruction);
  if (!metadata.source_file.empty())
    return fmt::format("{}:{}", metadata.source_file, metadata.source_line);
  if (metadata.stack_frame == 0 || metadata.stack_frame > module.frames.size()) return {};
  const StackFrame& frame = module.frames[metadata.stack_frame - 1];
  return fmt::format("{}:{}", frame.file, frame.line);
}

std::string StackOf(const HloModule& module, const Instruction& instruction) {
  std::string text;
  ForFrames(module, module.MetadataOf(instruction).stack_frame, [&](const StackFrame& f) {
    text += fmt::format("{}:{}:{}\n", f.file, f.line, f.column);
  });
  return text;
}

const Shape& BufferShape(const HloModule& module, const LogicalBuffer& buffer) {
  if (buffer.instruction == kNone) return module.shapes.front();
  const Shape& shape = module.ShapeOf(module.instructions[buffer.instruction]);
  if (buffer.shape_index.empty()) return shape;
  const int64_t member = buffer.shape_index.back();
  const bool known = member >= 0 && static_cast<size_t>(member) < shape.members.size();
  return known ? shape.members[static_cast<size_t>(member)] : shape;
}

}  // namespace stepscope::xla
