#include "model/xla/hlo_text.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/support/hlo_trace.h"

namespace stepscope::xla {
namespace {

TEST_CASE("lines of a program's text are made one by one, and are those of the whole") {
  const auto module = test::StepProgram().Module();
  const ProgramText text(*module);
  const std::vector<TextLine> whole = ModuleText(*module);
  REQUIRE(text.size() == whole.size());
  for (size_t i = 0; i < whole.size(); ++i) {
    CAPTURE(i);
    CHECK(text.Line(i).text == whole[i].text);
    CHECK(text.InstructionAt(i) == whole[i].instruction);
    if (whole[i].instruction != kNone) CHECK(text.LineOf(whole[i].instruction) == i);
  }
  CHECK(whole[0].text.starts_with("HloModule jit_step"));
  CHECK(whole[1].text.empty());
  CHECK(whole[2].text == "fused {");
  CHECK(whole[4].text == "  ROOT tanh.1 = f32[64,64]{1,0} tanh(x)");
  CHECK(whole[5].text == "}");
  CHECK(whole[7].text == "ENTRY main {");
  CHECK(whole.back().text.empty());
}

TEST_CASE("annotations stand behind the other attributes, as XLA writes them") {
  using test::IntsField, test::TextField;
  test::HloProgram p("m");
  p.Computation("main");
  const std::string devices = TextField(
      40, IntsField(1, {3}) + IntsField(3, {2, 1, 4}) + IntsField(6, {1}) + IntsField(9, {8}));
  const int64_t x = p.Add("x", "parameter", "f32[8]", {}, {}, devices);
  const std::string turned = TextField(
      40, IntsField(1, {3}) + IntsField(3, {2, 2}) + IntsField(9, {2, 2}) + IntsField(10, {1, 0}));
  const int64_t y = p.Add("y", "copy", "f32[8]", {x}, {}, turned);
  const std::string tuple =
      TextField(40, IntsField(1, {2}) + TextField(5, IntsField(1, {0})) +
                        TextField(5, IntsField(1, {1}) + IntsField(4, {3})) +
                        TextField(5, IntsField(1, {3}) + IntsField(3, {2}) + IntsField(4, {1, 0}) +
                                         IntsField(8, {4})));
  p.Add("z", "iota", "s32[8]", {}, {}, tuple);
  const std::string attributes =
      TextField(68, TextField(1, TextField(1, "b") + TextField(2, "true")) +
                        TextField(1, TextField(1, "a") + TextField(2, "{c = 1}")));
  p.Add("r", "copy", "f32[8]", {y}, {}, attributes + TextField(43, R"({"k":1})"));
  p.Raw(TextField(8, TextField(1, IntsField(1, {0}) + IntsField(4, {1})) +
                         TextField(1, IntsField(1, {1, 2}) + IntsField(2, {1}) + IntsField(3, {0}) +
                                          IntsField(4, {2}))));
  p.Raw(TextField(19, TextField(1, TextField(1, "mesh") + TextField(2, "x"))));
  const auto module = p.Module();
  const auto text = [&](const char* name) {
    return InstructionText(*module, module->instructions[module->Find(name)], TextForm::kShort);
  };
  CHECK(text("x") ==
        "x = f32[8]{0} parameter(0), sharding={devices=[2,1,4]<=[8] last_tile_dim_replicate}");
  CHECK(text("y") == "y = f32[8]{0} copy(x), sharding={devices=[2,2]<=[2,2]T(1,0)}");
  CHECK(text("z") ==
        "z = s32[8]{0} iota(), iota_dimension=0, sharding={{replicated}, {maximal device=3}, "
        "{devices=[2]1,0 last_tile_dims={manual}}}");
  CHECK(text("r") ==
        "r = f32[8]{0} copy(y), frontend_attributes={a={c = 1},b=\"true\"}, "
        "backend_config={\"k\":1}");
  CHECK(
      ProgramText(*module).Line(0).text ==
      "HloModule m, input_output_alias={ {0}: (0, {}, may-alias), {1, 2}: (1, {0}, must-alias) }, "
      "entry_computation_layout={(f32[8]{0})->f32[8]{0}}, frontend_attributes={mesh=\"x\"}");
}

TEST_CASE("a program without computations has a header and an end") {
  const auto module = test::HloProgram("empty").Module();
  const ProgramText text(*module);
  REQUIRE(text.size() == 2);
  CHECK(text.Line(0).text == "HloModule empty");
  CHECK(text.Line(1).text.empty());
  CHECK(text.InstructionAt(1) == kNone);
}

}  // namespace
}  // namespace stepscope::xla
