// The analysis `hlo_graph`: a program's text, and what is around one of its instructions
// (docs/rules.md#hlo-graph).
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "model/analysis/definitions.h"
#include "model/analysis/pages/hlo_op_pages.h"
#include "model/analysis/steps/steps.h"
#include "model/analysis/tables/schema.h"
#include "model/analysis/xla/hlo_programs.h"
#include "model/jobs/job.h"
#include "model/xla/cost_model.h"
#include "model/xla/hlo_text.h"
#include "model/xla/neighbourhood.h"

namespace stepscope {
namespace {

using xla::HloModule;
using xla::Instruction;

// The text of a larger program has only the computation of the chosen instruction, up to this many
// lines.
constexpr size_t kMostLines = 20'000;
constexpr size_t kMostInstructions = 200'000;  // of all programs
constexpr int kMostRadius = 100;

// The root of the entry; kNone if there is none.
uint32_t RootOf(const HloModule& module) {
  return module.entry == xla::kNone ? xla::kNone : module.computations[module.entry].root;
}

// A program whose instructions tables list.
struct Program {
  Program(std::string program_name, const HloModule& of)
      : name(std::move(program_name)), module(of), users(of) {}

  const std::string name;
  const HloModule& module;
  const xla::InstructionUsers users;
  std::unordered_map<uint32_t, const HloOp*> ops;  // that ran, by instruction

  const Instruction& At(uint32_t i) const { return module.instructions[i]; }
  std::string_view NameOf(uint32_t i) const { return i == xla::kNone ? "" : At(i).name; }
  std::string_view ComputationOf(uint32_t i) const {
    return module.computations[At(i).computation].name;
  }
  const HloOp* OpOf(uint32_t i) const {
    const auto op = ops.find(i);
    return op == ops.end() ? nullptr : op->second;
  }
  std::string Names(std::span<const uint32_t> instructions) const {
    std::string names;
    for (const uint32_t i : instructions) {
      names += names.empty() ? "" : ", ";
      names += i == xla::kNone ? std::string_view("?") : NameOf(i);
    }
    return names;
  }
};

const Schema<xla::GraphNode, Program>& NodeSchema() {
  using N = xla::GraphNode;
  using P = Program;
  // A column of the node's instruction.
  const auto of = [](auto get) {
    return [get](const N& n, const P& p) { return get(p.module, p.At(n.instruction)); };
  };
  using M = HloModule;
  using I = Instruction;
  static const Schema<N, P> schema(
      "nodes", "Instructions around it",
      {{"instruction", "Instruction", Unit::kNone, of([](const M&, const I& i) { return i.name; }),
        "", kKeyColumn},
       {"distance", "Distance", Unit::kNone, &N::distance, "steps from the centre"},
       {"opcode", "Opcode", Unit::kNone, of([](const M&, const I& i) { return i.opcode_name; }), "",
        kKeyColumn},
       {"category", "Category", Unit::kNone, of(HloCategoryOf)},
       {"shape", "Shape", Unit::kNone,
        of([](const M& m, const I& i) { return ToText(m.ShapeOf(i)); }), "", kKeyColumn},
       {"bytes", "Size", Unit::kBytes,
        of([](const M& m, const I& i) { return xla::BytesOf(m.ShapeOf(i)); }), "of its value",
        kKeyColumn},
       {"users", "Users", Unit::kCount,
        [](const N& n, const P& p) { return p.users.Of(n.instruction).size(); }},
       {"users_left_out", "Users left out", Unit::kNone, &N::users_left_out, "it has more than 16"},
       {"computation", "Computation", Unit::kNone,
        [](const N& n, const P& p) { return p.ComputationOf(n.instruction); }},
       {"called", "Calls", Unit::kNone, of([](const M& m, const I& i) {
          const xla::Computation* called = m.FirstCalled(i);
          return called == nullptr ? std::string_view() : called->name;
        })},
       {"self_time", "Self time", Unit::kUs,
        [](const N& n, const P& p) {
          const HloOp* op = p.OpOf(n.instruction);
          return op == nullptr ? std::nullopt : std::optional(op->self);
        },
        "of all its events", kKeyColumn},
       {"tf_op_name", "Framework op", Unit::kNone,
        of([](const M& m, const I& i) { return ProvenanceOf(m.MetadataOf(i)); })},
       {"source", "Source", Unit::kNone,
        of([](const M& m, const I& i) { return SourceLineOf(m, i); })}},
      [](const N& n, const P& p) {
        const HloOp* op = p.OpOf(n.instruction);
        return op == nullptr ? RowLink() : LinkTo(*op);
      });
  return schema;
}

const Schema<xla::GraphEdge, Program>& EdgeSchema() {
  using E = xla::GraphEdge;
  using P = Program;
  static const Schema<E, P> schema(
      "edges", "Values between them",
      {{"from", "From", Unit::kNone, [](const E& e, const P& p) { return p.NameOf(e.from); }, "",
        kKeyColumn},
       {"to", "To", Unit::kNone, [](const E& e, const P& p) { return p.NameOf(e.to); }, "",
        kKeyColumn},
       {"operand", "Operand", Unit::kNone, &E::operand, "which one of its user"},
       {"bytes", "Size", Unit::kBytes,
        [](const E& e, const P& p) { return xla::BytesOf(p.module.ShapeOf(p.At(e.from))); }, "",
        kKeyColumn}});
  return schema;
}

struct Adjacent {
  const char* role;
  uint32_t instruction;
};

ResultTable AdjacentTable(const Program& program, uint32_t centre, xla::TupleElements elements) {
  using A = Adjacent;
  using P = Program;
  static const Schema<A, P> schema(
      "adjacent", "Operands and users",
      {{"role", "Role", Unit::kNone, &A::role, "", kKeyColumn},
       {"instruction", "Instruction", Unit::kNone,
        [](const A& a, const P& p) { return p.NameOf(a.instruction); },
        "elements of tuples stand for the tuple's own instruction", kKeyColumn},
       {"shape", "Shape", Unit::kNone,
        [](const A& a, const P& p) { return ToText(p.module.ShapeOf(p.At(a.instruction))); }, "",
        kKeyColumn}});
  std::vector<Adjacent> rows;
  for (const uint32_t i : OperandsThroughTuples(program.module, centre, elements))
    rows.push_back({"operand", i});
  for (const uint32_t i : UsersThroughTuples(program.module, program.users, centre, elements))
    rows.push_back({"user", i});
  return schema.Make(rows, program);
}

ResultTable TextTable(const Program& program, uint32_t centre) {
  using L = xla::TextLine;
  using P = Program;
  static const Schema<L, P> schema(
      "text", "Program",
      {{"line", "Line", Unit::kNone, [](const L&, const P&, size_t i) { return i + 1; }},
       {"text", "Text", Unit::kNone, &L::text, "", kKeyColumn},
       {"instruction", "Instruction", Unit::kNone,
        [](const L& line, const P& p) { return p.NameOf(line.instruction); }}});
  const HloModule& module = program.module;
  const bool whole = module.instructions.size() <= kMostLines;
  return schema.Make(whole ? ModuleText(module)
                           : ComputationText(module, program.At(centre).computation, kMostLines),
                     program);
}

ResultTable ComputationsTable(const Program& program) {
  using C = uint32_t;  // index of a computation
  using P = Program;
  static const Schema<C, P> schema(
      "computations", "Computations",
      {{"computation", "Computation", Unit::kNone,
        [](C c, const P& p) { return p.module.computations[c].name; }, "", kKeyColumn},
       {"instructions", "Instructions", Unit::kCount,
        [](C c, const P& p) { return p.module.computations[c].instructions.count; }, "",
        kKeyColumn},
       {"root", "Root", Unit::kNone,
        [](C c, const P& p) {
          const Instruction* root = p.module.RootOf(p.module.computations[c]);
          return root == nullptr ? std::string_view() : root->name;
        },
        "", kKeyColumn},
       {"entry", "Entry", Unit::kNone, [](C c, const P& p) { return c == p.module.entry; }}});
  return schema.Make(program.module.call_order, program);
}

// --- The tables of whole programs in a report: sizes, and instructions with their costs
struct ProgramSize {
  std::string program;
  size_t computations = 0, instructions = 0;
};

const Schema<ProgramSize>& SizeSchema() {
  using P = ProgramSize;
  static const Schema<P> schema(
      "programs", "Programs",
      {{"program", "Program", Unit::kNone, &P::program, "", kKeyColumn},
       {"computations", "Computations", Unit::kCount, &P::computations, "", kKeyColumn},
       {"instructions", "Instructions", Unit::kCount, &P::instructions, "", kKeyColumn}});
  return schema;
}

struct CostedProgram {
  const Program& program;
  const xla::CostModel& costs;
};

const Schema<uint32_t, CostedProgram>& InstructionsSchema() {
  using I = uint32_t;  // index of an instruction
  using C = CostedProgram;
  // A column of the instruction.
  const auto of = [](auto get) {
    return [get](I i, const C& c) { return get(c.program, c.program.At(i)); };
  };
  const auto cost = [](double xla::Cost::*member) {
    return [member](I i, const C& c) { return c.costs.Of(i).*member; };
  };
  using P = Program;
  static const Schema<I, C> schema(
      "instructions", "Instructions",
      {{"program", "Program", Unit::kNone, [](I, const C& c) { return c.program.name; }},
       {"computation", "Computation", Unit::kNone,
        [](I i, const C& c) { return c.program.ComputationOf(i); }},
       {"name", "Instruction", Unit::kNone, [](I i, const C& c) { return c.program.NameOf(i); }, "",
        kKeyColumn},
       {"opcode", "Opcode", Unit::kNone,
        of([](const P&, const Instruction& i) { return i.opcode_name; }), "", kKeyColumn},
       {"shape", "Shape", Unit::kNone,
        of([](const P& p, const Instruction& i) { return ToText(p.module.ShapeOf(i)); })},
       {"operands", "Operands", Unit::kNone,
        of([](const P& p, const Instruction& i) { return p.Names(p.module.Operands(i)); })},
       {"users", "Users", Unit::kNone,
        [](I i, const C& c) { return c.program.Names(c.program.users.Of(i)); }},
       {"flops", "Operations", Unit::kNone, cost(&xla::Cost::flops), "of one execution",
        kKeyColumn},
       {"bytes_accessed", "Bytes", Unit::kBytes, cost(&xla::Cost::bytes),
        "read and written in one execution", kKeyColumn},
       {"transcendentals", "Transcendentals", Unit::kNone, cost(&xla::Cost::transcendentals),
        "of one execution"},
       {"hlo_text", "Text", Unit::kNone, of([](const P& p, const Instruction& i) {
          return InstructionText(p.module, i, xla::TextForm::kShort);
        })}});
  return schema;
}

// The instructions that a table of the program lists, at most so many. `centre` chooses the
// computation of which a large program is shown.
std::vector<uint32_t> ListedInstructions(const HloModule& module, uint32_t centre, size_t most) {
  std::vector<uint32_t> listed;
  const auto add = [&](uint32_t computation) {
    for (const uint32_t i : module.computations[computation].sequence)
      if (listed.size() < most) listed.push_back(i);
  };
  if (centre != xla::kNone && module.instructions.size() > kMostLines) {
    add(module.instructions[centre].computation);
  } else {
    for (const uint32_t c : module.call_order) add(c);
  }
  return listed;
}

ResultTable InstructionsTable(const Program& program, DeviceKind kind, uint32_t centre,
                              size_t most) {
  // Programs of CPUs have tuples whose members take four bytes, as XLA counts them.
  const xla::CostModel costs(
      program.module, kind == DeviceKind::kGpu ? xla::CostVariant::kGpu : xla::CostVariant::kBase,
      kind == DeviceKind::kCpuOnly ? 4 : 8);
  return InstructionsSchema().Make(ListedInstructions(program.module, centre, most),
                                   {program, costs});
}

// Both tables have the same columns.
void Append(const ResultTable& part, ResultTable* table) {
  for (size_t c = 0; c < table->columns.size(); ++c) {
    for (size_t r = 0; r < part.size(); ++r)
      table->columns[c].values.Add(part.columns[c].values.Own(r));
  }
  table->links.insert(table->links.end(), part.links.begin(), part.links.end());
}

void AddPrograms(AnalysisContext& context, const HloChoice& choice, uint32_t chosen,
                 uint32_t centre, AnalysisResult* result) {
  const HloPrograms& programs = context.Get<HloPrograms>();
  const DeviceKind kind = KindOf(context.trace());
  std::vector<ProgramSize> sizes;
  const TableDesc desc = InstructionsSchema().Describe();
  ResultTable instructions{desc.id, desc.title, desc.columns};
  for (uint32_t p = 0; p < programs.list().size(); ++p) {
    CheckStop();
    if (p != chosen && !choice.program.empty()) continue;
    const auto module = programs.Module(p);
    if (!module) continue;
    const Program program(programs.NameOf(p), *module);
    sizes.push_back({program.name, module->computations.size(), module->instructions.size()});
    Append(InstructionsTable(program, kind, p == chosen ? centre : RootOf(*module),
                             kMostInstructions - instructions.size()),
           &instructions);
  }
  result->tables.push_back(SizeSchema().Make(sizes));
  result->tables.push_back(std::move(instructions));
}

std::vector<Property> PropertiesOf(const Program& program, uint32_t centre) {
  using I = Instruction;
  using P = Program;
  static const Schema<I, P> schema(
      "hlo_graph", "HLO graph",
      {{"program", "Program", Unit::kNone, [](const I&, const P& p) { return p.name; }},
       {"instructions", "Instructions", Unit::kNone,
        [](const I&, const P& p) { return p.module.instructions.size(); }},
       {"instruction", "Instruction", Unit::kNone, [](const I& i) { return i.name; }},
       {"expression", "Expression", Unit::kNone,
        [](const I& i, const P& p) {
          return InstructionText(p.module, i, xla::TextForm::kExpression);
        }},
       {"tf_op_name", "Framework op", Unit::kNone,
        [](const I& i, const P& p) { return ProvenanceOf(p.module.MetadataOf(i)); }},
       {"source", "Source", Unit::kNone,
        [](const I& i, const P& p) { return SourceLineOf(p.module, i); }},
       {"source_stack", "Stack", Unit::kNone,
        [](const I& i, const P& p) { return StackOf(p.module, i); }}});
  return schema.Properties(program.At(centre), program);
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
  const std::string& wanted = params.hlo.instruction;
  const uint32_t centre = wanted.empty() ? RootOf(*module) : module->Find(wanted);
  if (centre == xla::kNone) {
    result.empty_reason = fmt::format("The program {} has no instruction '{}'.",
                                      programs.NameOf(found.program), wanted);
    return result;
  }
  Program program(programs.NameOf(found.program), *module);
  const auto table = context.Get<HloOpTable>(params);
  for (const HloOp& op : table->ops) {
    if (op.program == found.program) program.ops[op.instruction] = &op;
  }
  result.properties = PropertiesOf(program, centre);
  const auto around = NeighbourhoodOf(*module, program.users, centre,
                                      std::clamp(params.hlo.radius, 0, kMostRadius));
  const auto elements = context.xprof().tuple_elements_by_name ? xla::TupleElements::kByName
                                                               : xla::TupleElements::kByOpcode;
  result.tables = {NodeSchema().Make(around.nodes, program),
                   EdgeSchema().Make(around.edges, program),
                   AdjacentTable(program, centre, elements), ComputationsTable(program),
                   TextTable(program, centre)};
  if (params.hlo.whole) AddPrograms(context, params.hlo, found.program, centre, &result);
  return result;
}

}  // namespace stepscope
