#include "model/xla/hlo_text.h"

#include <algorithm>
#include <iterator>

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
  return text + ", entry_computation_layout={" + EntryLayout(module, entry) + "}";
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

std::vector<TextLine> ComputationText(const HloModule& module, uint32_t c, size_t most) {
  const Computation& computation = module.computations[c];
  const std::string name(computation.name);
  std::vector<TextLine> lines = {{(c == module.entry ? "ENTRY " : "") + name + " {", kNone}};
  for (const uint32_t i : computation.sequence) {
    if (lines.size() >= most) return lines;
    const char* indent = i == computation.root ? "  ROOT " : "  ";
    lines.push_back(
        {indent + InstructionText(module, module.instructions[i], TextForm::kShort), i});
  }
  lines.push_back({"}", kNone});
  return lines;
}

std::vector<TextLine> ModuleText(const HloModule& module) {
  std::vector<TextLine> lines = {{Header(module), kNone}};
  for (const uint32_t c : module.call_order) {
    lines.push_back({"", kNone});
    std::vector<TextLine> part = ComputationText(module, c, SIZE_MAX);
    lines.insert(lines.end(), std::make_move_iterator(part.begin()),
                 std::make_move_iterator(part.end()));
  }
  lines.push_back({"", kNone});
  return lines;
}

}  // namespace stepscope::xla
