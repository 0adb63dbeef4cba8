// The analysis `hlo_graph`: a program's text, and what is around one of its instructions
// (docs/rules.md#hlo-graph).
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "model/analysis/definitions.h"
#include "model/analysis/pages/hlo_op_pages.h"
#include "model/analysis/steps/steps.h"
#include "model/analysis/tables/in_unit.h"
#include "model/analysis/xla/hlo_ops.h"
#include "model/analysis/xla/hlo_programs.h"
#include "model/xla/cost_model.h"
#include "model/xla/hlo_text.h"
#include "model/xla/neighbourhood.h"

namespace stepscope {
namespace {

using V = ValueType;
using xla::HloModule;

// The text of a larger program has only the computation of the chosen instruction, up to this many
// lines.
constexpr size_t kMostLines = 20'000;
constexpr int kMostRadius = 100;

// The root of the entry; kNone if there is none.
uint32_t RootOf(const HloModule& module) {
  return module.entry == xla::kNone ? xla::kNone : module.computations[module.entry].root;
}

class GraphWriter {
 public:
  GraphWriter(const HloModule& module, const HloOpTable& ops, uint32_t program)
      : module_(module), users_(module) {
    for (const HloOp& op : ops.ops) {
      if (op.program == program) ops_[op.instruction] = &op;
    }
  }

  ResultTable Nodes(const xla::Neighbourhood& around) const {
    ResultTable table{
        "nodes",
        "Instructions around it",
        {{"instruction", "Instruction", Unit::kNone, V::kString, "", true},
         {"distance", "Distance", Unit::kNone, V::kInt, "steps from the centre"},
         {"opcode", "Opcode", Unit::kNone, V::kString, "", true},
         {"category", "Category", Unit::kNone, V::kString, ""},
         {"shape", "Shape", Unit::kNone, V::kString, "", true},
         {"bytes", "Size", Unit::kBytes, V::kInt, "of its value", true},
         {"users", "Users", Unit::kCount, V::kInt, ""},
         {"users_left_out", "Users left out", Unit::kNone, V::kBool, "it has more than 16"},
         {"computation", "Computation", Unit::kNone, V::kString, ""},
         {"called", "Calls", Unit::kNone, V::kString, ""},
         {"self_time", "Self time", Unit::kUs, V::kReal, "of all its events", true},
         {"tf_op_name", "Framework op", Unit::kNone, V::kString, ""},
         {"source", "Source", Unit::kNone, V::kString, ""}}};
    for (const xla::GraphNode& node : around.nodes) AddNode(node, &table);
    return table;
  }

  ResultTable Edges(const xla::Neighbourhood& around) const {
    ResultTable table{"edges",
                      "Values between them",
                      {{"from", "From", Unit::kNone, V::kString, "", true},
                       {"to", "To", Unit::kNone, V::kString, "", true},
                       {"operand", "Operand", Unit::kNone, V::kInt, "which one of its user"},
                       {"bytes", "Size", Unit::kBytes, V::kInt, "", true}}};
    for (const xla::GraphEdge& edge : around.edges) {
      const xla::Instruction& from = module_.instructions[edge.from];
      table.AddRow({SharedText(from.name), SharedText(module_.instructions[edge.to].name),
                    static_cast<int64_t>(edge.operand), xla::BytesOf(module_.ShapeOf(from))});
    }
    return table;
  }

  ResultTable Adjacent(uint32_t centre, xla::TupleElements elements) const {
    ResultTable table{"adjacent",
                      "Operands and users",
                      {{"role", "Role", Unit::kNone, V::kString, "", true},
                       {"instruction", "Instruction", Unit::kNone, V::kString,
                        "elements of tuples stand for the tuple's own instruction", true},
                       {"shape", "Shape", Unit::kNone, V::kString, "", true}}};
    const auto add = [&](const char* role, const std::vector<uint32_t>& instructions) {
      for (const uint32_t i : instructions) {
        const xla::Instruction& instruction = module_.instructions[i];
        table.AddRow({role, SharedText(instruction.name), ToText(module_.ShapeOf(instruction))});
      }
    };
    add("operand", OperandsThroughTuples(module_, centre, elements));
    add("user", UsersThroughTuples(module_, users_, centre, elements));
    return table;
  }

  const xla::InstructionUsers& users() const { return users_; }

 private:
  void AddNode(const xla::GraphNode& node, ResultTable* table) const {
    const xla::Instruction& i = module_.instructions[node.instruction];
    const auto op = ops_.find(node.instruction);
    const xla::Computation* called = module_.FirstCalled(i);
    table->AddRow({SharedText(i.name), static_cast<int64_t>(node.distance),
                   SharedText(i.opcode_name), HloCategoryOf(module_, i), ToText(module_.ShapeOf(i)),
                   xla::BytesOf(module_.ShapeOf(i)),
                   static_cast<int64_t>(users_.Of(node.instruction).size()), node.users_left_out,
                   SharedText(module_.computations[i.computation].name),
                   SharedText(called == nullptr ? std::string_view() : called->name),
                   op == ops_.end() ? Value() : Value(InUs(op->second->self)),
                   ProvenanceOf(module_.MetadataOf(i)), SourceLineOf(module_, i)});
    table->links.push_back(op == ops_.end() ? RowLink() : LinkTo(*op->second));
  }

  const HloModule& module_;
  xla::InstructionUsers users_;
  std::unordered_map<uint32_t, const HloOp*> ops_;  // by instruction
};

ResultTable TextTable(const HloModule& module, uint32_t centre) {
  ResultTable table{"text",
                    "Program",
                    {{"line", "Line", Unit::kNone, V::kInt, ""},
                     {"text", "Text", Unit::kNone, V::kString, "", true},
                     {"instruction", "Instruction", Unit::kNone, V::kString, ""}}};
  const bool whole = module.instructions.size() <= kMostLines;
  const std::vector<xla::TextLine> lines =
      whole ? ModuleText(module)
            : ComputationText(module, module.instructions[centre].computation, kMostLines);
  for (const xla::TextLine& line : lines) {
    const bool named = line.instruction != xla::kNone;
    table.AddRow(
        {static_cast<int64_t>(table.size() + 1), line.text,
         SharedText(named ? module.instructions[line.instruction].name : std::string_view())});
  }
  return table;
}

ResultTable ComputationsTable(const HloModule& module) {
  ResultTable table{"computations",
                    "Computations",
                    {{"computation", "Computation", Unit::kNone, V::kString, "", true},
                     {"instructions", "Instructions", Unit::kCount, V::kInt, "", true},
                     {"root", "Root", Unit::kNone, V::kString, "", true},
                     {"entry", "Entry", Unit::kNone, V::kBool, ""}}};
  for (const uint32_t c : module.call_order) {
    const xla::Computation& computation = module.computations[c];
    const xla::Instruction* root = module.RootOf(computation);
    table.AddRow(
        {SharedText(computation.name), static_cast<int64_t>(computation.instructions.count),
         SharedText(root == nullptr ? std::string_view() : root->name), c == module.entry});
  }
  return table;
}

// The tables of whole programs in a report: sizes, and instructions with their costs.
class ProgramsWriter {
 public:
  explicit ProgramsWriter(AnalysisContext& context) : context_(context) {}

  // `centre` chooses the computation of which a large program is shown.
  void Add(uint32_t program, const HloModule& module, uint32_t centre) {
    const std::string name = context_.Get<HloPrograms>().NameOf(program);
    programs_.AddRow({name, static_cast<int64_t>(module.computations.size()),
                      static_cast<int64_t>(module.instructions.size())});
    // Programs of CPUs have tuples whose members take four bytes, as XLA counts them.
    const bool gpu = KindOf(context_.trace()) == DeviceKind::kGpu;
    const bool cpu = KindOf(context_.trace()) == DeviceKind::kCpuOnly;
    const xla::CostModel costs(module, gpu ? xla::CostVariant::kGpu : xla::CostVariant::kBase,
                               cpu ? 4 : 8);
    const xla::InstructionUsers users(module);
    const auto add = [&](uint32_t computation) {
      for (const uint32_t i : module.computations[computation].sequence)
        if (instructions_.size() < kMostInstructions) AddRow(name, module, i, costs, users);
    };
    if (centre != xla::kNone && module.instructions.size() > kMostLines)
      return add(module.instructions[centre].computation);
    for (const uint32_t c : module.call_order) add(c);
  }

  void Move(AnalysisResult* result) {
    result->tables.push_back(std::move(programs_));
    result->tables.push_back(std::move(instructions_));
  }

 private:
  static constexpr size_t kMostInstructions = 200'000;

  std::string Names(const HloModule& module, std::span<const uint32_t> instructions) const {
    std::string names;
    for (const uint32_t i : instructions) {
      names += names.empty() ? "" : ", ";
      names += i == xla::kNone ? std::string_view("?") : module.instructions[i].name;
    }
    return names;
  }

  void AddRow(const std::string& program, const HloModule& module, uint32_t index,
              const xla::CostModel& costs, const xla::InstructionUsers& users) {
    const xla::Instruction& i = module.instructions[index];
    const xla::Cost& cost = costs.Of(index);
    instructions_.AddRow({program, SharedText(module.computations[i.computation].name),
                          SharedText(i.name), SharedText(i.opcode_name), ToText(module.ShapeOf(i)),
                          Names(module, module.Operands(i)), Names(module, users.Of(index)),
                          cost.flops, cost.bytes, cost.transcendentals,
                          InstructionText(module, i, xla::TextForm::kShort)});
  }

  AnalysisContext& context_;
  ResultTable programs_{"programs",
                        "Programs",
                        {{"program", "Program", Unit::kNone, V::kString, "", true},
                         {"computations", "Computations", Unit::kCount, V::kInt, "", true},
                         {"instructions", "Instructions", Unit::kCount, V::kInt, "", true}}};
  ResultTable instructions_{
      "instructions",
      "Instructions",
      {{"program", "Program", Unit::kNone, V::kString, ""},
       {"computation", "Computation", Unit::kNone, V::kString, ""},
       {"name", "Instruction", Unit::kNone, V::kString, "", true},
       {"opcode", "Opcode", Unit::kNone, V::kString, "", true},
       {"shape", "Shape", Unit::kNone, V::kString, ""},
       {"operands", "Operands", Unit::kNone, V::kString, ""},
       {"users", "Users", Unit::kNone, V::kString, ""},
       {"flops", "Operations", Unit::kNone, V::kReal, "of one execution", true},
       {"bytes_accessed", "Bytes", Unit::kBytes, V::kReal, "read and written in one execution",
        true},
       {"transcendentals", "Transcendentals", Unit::kNone, V::kReal, "of one execution"},
       {"hlo_text", "Text", Unit::kNone, V::kString, ""}}};
};

void AddPrograms(AnalysisContext& context, const HloChoice& choice, uint32_t chosen,
                 uint32_t centre, AnalysisResult* result) {
  const HloPrograms& programs = context.Get<HloPrograms>();
  ProgramsWriter writer(context);
  for (uint32_t p = 0; p < programs.list().size(); ++p) {
    CheckStop();
    if (p != chosen && !choice.program.empty()) continue;
    if (const auto module = programs.Module(p))
      writer.Add(p, *module, p == chosen ? centre : RootOf(*module));
  }
  writer.Move(result);
}

// The chosen instruction, or the root of the entry; kNone if there is none.
uint32_t CentreOf(const HloModule& module, const std::string& name) {
  return name.empty() ? RootOf(module) : module.Find(name);
}

void AddProperties(const HloModule& module, const std::string& program, uint32_t centre,
                   AnalysisResult* result) {
  const xla::Instruction& i = module.instructions[centre];
  const auto add = [&](const char* id, const char* label, Value value) {
    result->properties.push_back({id, label, std::move(value), Unit::kNone, ""});
  };
  add("program", "Program", program);
  add("instructions", "Instructions", static_cast<int64_t>(module.instructions.size()));
  add("instruction", "Instruction", SharedText(i.name));
  add("expression", "Expression", InstructionText(module, i, xla::TextForm::kExpression));
  add("tf_op_name", "Framework op", ProvenanceOf(module.MetadataOf(i)));
  add("source", "Source", SourceLineOf(module, i));
  add("source_stack", "Stack", StackOf(module, i));
}

}  // namespace

AnalysisResult RunHloGraph(AnalysisContext& context, const AnalysisParams& params) {
  AnalysisResult result;
  result.panel = "hlo_graph";
  const HloChoiceFound found = FindHloProgram(context, params);
  result.empty_reason = found.why_not;
  if (!found.why_not.empty()) return result;
  const HloPrograms& programs = context.Get<HloPrograms>();
  const auto module = programs.Module(found.program);
  const uint32_t centre = CentreOf(*module, params.hlo.instruction);
  if (centre == xla::kNone) {
    result.empty_reason = fmt::format("The program {} has no instruction '{}'.",
                                      programs.NameOf(found.program), params.hlo.instruction);
    return result;
  }
  AddProperties(*module, programs.NameOf(found.program), centre, &result);
  const GraphWriter writer(*module, *context.Get<HloOpTable>(params), found.program);
  const auto around = NeighbourhoodOf(*module, writer.users(), centre,
                                      std::clamp(params.hlo.radius, 0, kMostRadius));
  result.tables.push_back(writer.Nodes(around));
  result.tables.push_back(writer.Edges(around));
  result.tables.push_back(writer.Adjacent(centre, context.xprof().tuple_elements_by_name
                                                      ? xla::TupleElements::kByName
                                                      : xla::TupleElements::kByOpcode));
  result.tables.push_back(ComputationsTable(*module));
  result.tables.push_back(TextTable(*module, centre));
  if (params.hlo.whole) AddPrograms(context, params.hlo, found.program, centre, &result);
  return result;
}

}  // namespace stepscope
