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
