#include "model/xla/hlo_text.h"

#include <algorithm>

namespace stepscope::xla {
namespace {

constexpr size_t kMarkEvery = 5;  // operands between which XLA writes their number

void AppendName(std::string_view name, TextForm form, std::string* out) {
  if (form == TextForm::kExpression) *out += '%';
  *out += name;
}

void AppendOperands(const HloModule& module, const Instruction& i, TextForm form,
                    std::string* out) {
  for (size_t k = 0; k < i.operands.count; ++k) {
    const bool shapes = form == TextForm::kExpression;
    if (k > 0) *out += ", ";
    if (shapes && k > 0 && k % kMarkEvery == 0) *out += "/*index=" + std::to_string(k) + "*/";
    const Instruction* operand = module.Operand(i, k);
    if (operand == nullptr) {
      *out += '?';
      continue;
    }
    if (shapes) *out += ToText(module.ShapeOf(*operand)) + ' ';
    AppendName(operand->name, form, out);
  }
}

void AppendArguments(const HloModule& module, const Instruction& i, TextForm form,
                     std::string* out) {
  if (i.opcode == Op("parameter")) {
    *out += std::to_string(i.number);
  } else if (i.opcode == Op("constant")) {
    const std::string& literal = module.DetailsOf(i).literal;
    *out += literal.empty() ? "{...}" : literal;
  } else {
    AppendOperands(module, i, form, out);
  }
}

// The parameters' shapes by number, and the root's.
std::string EntryLayout(const HloModule& module, const Computation& entry) {
  std::vector<const Instruction*> parameters;
  for (const Instruction& i : module.InstructionsOf(entry)) {
    if (i.opcode == Op("parameter")) parameters.push_back(&i);
  }
  std::stable_sort(
      parameters.begin(), parameters.end(),
      [](const Instruction* a, const Instruction* b) { return a->number < b->number; });
  std::string text = "(";
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (k > 0) text += ", ";
    if (k > 0 && k % kMarkEvery == 0) text += "/*index=" + std::to_string(k) + "*/";
    text += ToText(module.ShapeOf(*parameters[k]));
  }
  const Instruction* root = module.RootOf(entry);
  return text + ")->" + (root == nullptr ? "()" : ToText(module.ShapeOf(*root)));
}

std::string Header(const HloModule& module) {
  std::string text = "HloModule " + std::string(module.name);
  if (module.entry == kNone) return text;
  const Computation& entry = module.computations[module.entry];
  if (entry.scheduled) text += ", is_scheduled=true";
  if (!module.input_output_alias.empty())
    text += ", input_output_alias=" + module.input_output_alias;
  text += ", entry_computation_layout={" + EntryLayout(module, entry) + "}";
  if (!module.frontend_attributes.empty())
    text += ", frontend_attributes=" + module.frontend_attributes;
  return text;
}

}  // namespace

std::string InstructionText(const HloModule& module, const Instruction& i, TextForm form) {
  std::string text;
  AppendName(i.name, form, &text);
  text += " = " + ToText(module.ShapeOf(i)) + ' ';
  text += i.opcode_name;
  text += '(';
  AppendArguments(module, i, form, &text);
  return text + ')' + AttributeText(module, i, form);
}

namespace {

// The line before a computation's first instruction, or that of the instruction.
std::string Opening(const HloModule& module, uint32_t c) {
  return (c == module.entry ? "ENTRY " : "") + std::string(module.computations[c].name) + " {";
}

TextLine InstructionLine(const HloModule& module, const Computation& computation, uint32_t i) {
  const char* indent = i == computation.root ? "  ROOT " : "  ";
  return {indent + InstructionText(module, module.instructions[i], TextForm::kShort), i};
}

}  // namespace

std::vector<TextLine> ComputationText(const HloModule& module, uint32_t c, size_t most) {
  const Computation& computation = module.computations[c];
  std::vector<TextLine> lines = {{Opening(module, c), kNone}};
  for (const uint32_t i : computation.sequence) {
    if (lines.size() >= most) return lines;
    lines.push_back(InstructionLine(module, computation, i));
  }
  lines.push_back({"}", kNone});
  return lines;
}

ProgramText::ProgramText(const HloModule& module)
    : module_(module), line_of_(module.instructions.size()), size_(1) {
  for (const uint32_t c : module.call_order) {
    first_.push_back(size_);
    size_ += 2;  // an empty line, and the opening
    for (const uint32_t i : module.computations[c].sequence)
      line_of_[i] = static_cast<uint32_t>(size_++);
    ++size_;
  }
  ++size_;
}

ProgramText::Place ProgramText::PlaceOf(size_t line) const {
  const auto after = std::upper_bound(first_.begin(), first_.end(), line);
  if (after == first_.begin() || line + 1 >= size_) return {};
  const auto k = static_cast<size_t>(after - first_.begin()) - 1;
  return {module_.call_order[k], line - first_[k]};
}

uint32_t ProgramText::InstructionAt(size_t line) const {
  const Place place = PlaceOf(line);
  if (place.computation == kNone || place.at < 2) return kNone;
  const auto& sequence = module_.computations[place.computation].sequence;
  return place.at - 2 < sequence.size() ? sequence[place.at - 2] : kNone;
}

TextLine ProgramText::Line(size_t line) const {
  if (line == 0) return {Header(module_), kNone};
  const Place place = PlaceOf(line);
  if (place.computation == kNone || place.at == 0) return {};
  if (place.at == 1) return {Opening(module_, place.computation), kNone};
  const uint32_t i = InstructionAt(line);
  if (i == kNone) return {"}", kNone};
  return InstructionLine(module_, module_.computations[place.computation], i);
}

std::vector<TextLine> ModuleText(const HloModule& module) {
  const ProgramText text(module);
  std::vector<TextLine> lines;
  lines.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) lines.push_back(text.Line(i));
  return lines;
}

}  // namespace stepscope::xla
