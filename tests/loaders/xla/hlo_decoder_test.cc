#include "loaders/xla/hlo_decoder.h"

#include <doctest/doctest.h>

#include "model/xla/cost_model.h"
#include "model/xla/hlo_text.h"
#include "model/xla/neighbourhood.h"
#include "tests/support/hlo_program.h"
#include "tests/support/wire.h"

namespace stepscope::xla {
namespace {

using test::HloProgram;
using test::TextField;

uint64_t Counted(const HloModule& module, const char* id) {
  const Diagnostic* d = module.diagnostics.Find(id);
  return d == nullptr ? 0 : d->count;
}

// Everything that follows from a module; none of it may crash or run for ever.
void UseAll(const HloModule& module) {
  CostModel(module, CostVariant::kBase);
  CostModel(module, CostVariant::kGpu);
  ModuleText(module);
  const InstructionUsers users(module);
  if (!module.instructions.empty()) NeighbourhoodOf(module, users, 0, 5);
}

TEST_CASE("instructions have names, shapes, operands, sources and what they call") {
  HloProgram p("jit_f");
  const int64_t fused = p.Computation("fused");
  p.Add("out", "tanh", "f32[4]", {p.Add("in", "parameter", "f32[4]")});
  p.Computation("main");
  const int64_t x = p.Add("x", "parameter", "f32[4]");
  std::string metadata;
  test::PutBytes(&metadata, 2, "jit(f)/tanh");
  test::PutBytes(&metadata, 3, "train.py");
  test::PutInt(&metadata, 4, 7);
  p.Add("fusion.1", "fusion", "f32[4]", {x}, {fused},
        TextField(7, metadata) + TextField(11, "kLoop"));
  const auto module = p.Module();
  CHECK(module->name == "jit_f");
  REQUIRE(module->instructions.size() == 4);
  const Instruction& fusion = module->instructions[module->Find("fusion.1")];
  CHECK(module->Operand(fusion, 0)->name == "x");
  CHECK(module->FirstCalled(fusion)->name == "fused");
  CHECK(SourceLineOf(*module, fusion) == "train.py:7");
  CHECK(InstructionText(*module, fusion, TextForm::kExpression) ==
        "%fusion.1 = f32[4]{0} fusion(f32[4]{0} %x), kind=kLoop, calls=%fused");
  CHECK(module->computations[module->entry].name == "main");
  CHECK(module->diagnostics.rows().empty());
}

TEST_CASE("stack frames go up their parents, and circles of them end") {
  std::string index, file, location, frame;
  test::PutBytes(&index, 1, "a.py");
  test::PutInt(&location, 1, 1);
  test::PutInt(&location, 3, 5);
  test::PutBytes(&index, 3, location);
  test::PutInt(&frame, 1, 1);
  test::PutInt(&frame, 2, 1);  // its own parent
  test::PutBytes(&index, 4, frame);
  HloProgram p("m");
  p.Computation("main");
  std::string metadata;
  test::PutInt(&metadata, 15, 1);
  p.Add("x", "parameter", "f32[]", {}, {}, TextField(7, metadata));
  p.Raw(TextField(17, index));
  const auto module = p.Module();
  CHECK(SourceLineOf(*module, module->instructions[0]) == "a.py:5");
  CHECK(StackOf(*module, module->instructions[0]).starts_with("a.py:5:0\na.py:5:0\n"));
}

TEST_CASE("operands that are not there or lead back to their user are left out") {
  HloProgram p("m");
  p.Computation("main");
  p.Add("a", "add", "f32[]", {2, 99});
  p.Add("b", "negate", "f32[]", {1});
  p.Add("c", "negate", "f32[]", {3});  // itself
  const auto module = p.Module();
  CHECK(Counted(*module, "hlo.missing_operand") == 1);
  CHECK(Counted(*module, "hlo.operand_cycle") == 2);
  UseAll(*module);
}

TEST_CASE("operands of other computations do not count") {
  HloProgram p("m");
  p.Computation("other");
  const int64_t x = p.Add("x", "parameter", "f32[]");
  p.Computation("main");
  p.Add("y", "negate", "f32[]", {x});
  CHECK(Counted(*p.Module(), "hlo.missing_operand") == 1);
}

TEST_CASE("computations that are missing or call themselves") {
  HloProgram p("m");
  const int64_t a = p.Computation("a");
  p.Add("x", "call", "f32[]", {}, {a + 1, 77});
  p.Computation("b");
  p.Add("y", "call", "f32[]", {}, {a});
  const auto module = p.Module();
  CHECK(Counted(*module, "hlo.missing_computation") == 1);
  CHECK(Counted(*module, "hlo.call_cycle") == 1);
  CHECK(module->call_order.size() == 2);
  UseAll(*module);
}

TEST_CASE("a schedule counts if it names each instruction once") {
  HloProgram p("m");
  const int64_t main = p.Computation("main");
  const int64_t x = p.Add("x", "parameter", "f32[]"), y = p.Add("y", "parameter", "f32[]");
  p.Add("z", "add", "f32[]", {x, y});
  HloProgram other = p;
  p.Schedule(main, {2, 1, 3});
  const auto module = p.Module();
  CHECK(module->computations[0].scheduled);
  CHECK(module->computations[0].sequence == std::vector<uint32_t>{1, 0, 2});
  other.Schedule(main, {2, 2, 3});
  CHECK_FALSE(other.Module()->computations[0].scheduled);
  CHECK(Counted(*other.Module(), "hlo.bad_schedule") == 1);
  CHECK(other.Module()->computations[0].sequence == std::vector<uint32_t>{0, 1, 2});
}

TEST_CASE("ids that stand twice, and roots and entries that do not exist") {
  HloProgram p("m");
  p.Computation("main");
  p.Add("x", "parameter", "f32[]");
  p.Add("twin", "parameter", "f32[]", {}, {}, test::IntsField(35, {1}));
  p.Root(55);
  const auto module = p.Module();
  CHECK(Counted(*module, "hlo.duplicate_id") == 1);
  CHECK(Counted(*module, "hlo.missing_root") == 1);
  UseAll(*module);
}

TEST_CASE("tuples in tuples are followed to a depth") {
  std::string shape = test::EncodeShape("f32[2]");
  for (int i = 0; i < 5000; ++i) {
    std::string outer;
    test::PutUint(&outer, 2, 13);
    test::PutBytes(&outer, 4, shape);
    shape = outer;
  }
  HloProgram p("m");
  p.Computation("main");
  p.Add("x", "parameter", "f32[]", {}, {}, TextField(3, shape));
  const auto module = p.Module();
  CHECK(LeafElements(module->ShapeOf(module->instructions[0])) == 0);
  UseAll(*module);
}

TEST_CASE("a module may be cut anywhere and have any byte changed") {
  HloProgram p("jit_f");
  const int64_t fused = p.Computation("fused");
  p.Add("out", "tanh", "f32[4]", {p.Add("in", "parameter", "f32[4]")});
  const int64_t main = p.Computation("main");
  const int64_t x = p.Add("x", "parameter", "(f32[4], s32[2])");
  const int64_t y = p.Add("y", "get-tuple-element", "f32[4]", {x}, {}, test::IntsField(13, {0}));
  p.Add("f", "fusion", "f32[4]", {y}, {fused}, TextField(11, "kLoop"));
  p.Schedule(main, {3, 4, 5});
  const std::string bytes = p.Bytes();
  for (size_t n = 0; n < bytes.size(); ++n) {
    if (const auto cut = DecodeHlo(bytes.substr(0, n), {}); cut.ok()) UseAll(*cut.value());
    for (const char wrong : {'\0', '\x7f', '\xff'}) {
      std::string changed = bytes;
      changed[n] = wrong;
      if (const auto module = DecodeHlo(changed, {}); module.ok()) UseAll(*module.value());
    }
  }
}

TEST_CASE("a long chain of instructions and one of calls need no deep stack") {
  HloProgram p("m");
  int64_t called = 0;
  for (int c = 0; c < 20'000; ++c) {
    const std::string n = std::to_string(c);
    const int64_t computation = p.Computation("c" + n);
    const int64_t x = p.Add("x" + n, "parameter", "f32[]");
    p.Add("y" + n, "call", "f32[]", {x}, c == 0 ? std::vector<int64_t>{} : std::vector{called});
    called = computation;
  }
  p.Computation("main");
  int64_t last = p.Add("a", "parameter", "f32[]");
  for (int i = 0; i < 100'000; ++i) last = p.Add("n", "negate", "f32[]", {last});
  p.Add("f", "call", "f32[]", {last}, {called});
  UseAll(*p.Module());
}

TEST_CASE("what is no program says so") {
  CHECK(DecodeHlo("", {}).status().code() == ErrorCode::kFormat);
  CHECK(DecodeHlo("hello", {}).status().code() == ErrorCode::kFormat);
  std::stop_source stopped;
  stopped.request_stop();
  HloProgram p("m");
  p.Computation("main");
  CHECK(DecodeHlo(p.Bytes(), stopped.get_token()).status().code() == ErrorCode::kCancelled);
}

TEST_CASE("constants have their values, if they are few") {
  HloProgram p("m");
  p.Computation("main");
  const auto literal = [](const char* shape, std::string values) {
    return TextField(8, TextField(1, test::EncodeShape(shape)) + values);
  };
  p.Add("a", "constant", "s32[]", {}, {}, literal("s32[]", test::IntsField(4, {-5})));
  p.Add("b", "constant", "s32[2,2]", {}, {}, literal("s32[2,2]", test::IntsField(4, {1, 2, 3, 4})));
  p.Add("c", "constant", "f32[]", {}, {},
        literal("f32[]", TextField(8, std::string("\0\0\x80?", 4))));
  p.Add("d", "constant", "f32[99]", {}, {}, literal("f32[99]", ""));
  const auto module = p.Module();
  const auto text = [&](size_t i) {
    return InstructionText(*module, module->instructions[i], TextForm::kShort);
  };
  CHECK(text(0) == "a = s32[] constant(-5)");
  CHECK(text(1) == "b = s32[2,2]{1,0} constant({ {1, 2}, {3, 4} })");
  CHECK(text(2) == "c = f32[] constant(1)");
  CHECK(text(3) == "d = f32[99]{0} constant({...})");
}

}  // namespace
}  // namespace stepscope::xla
