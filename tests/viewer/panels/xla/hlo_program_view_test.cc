#include "viewer/panels/xla/hlo_program_view.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/hlo_trace.h"

namespace stepscope {
namespace {

std::shared_ptr<const HloProgramView> Opened(AnalysisContext& context, const char* program = "") {
  AnalysisParams params;
  params.hlo.program = program;
  std::string why_not;
  auto view = OpenProgramView(context, params, &why_not);
  CHECK((view == nullptr) == !why_not.empty());
  return view;
}

std::vector<std::string> Names(const HloProgramView& program, const HloGraphScene& scene) {
  std::vector<std::string> names;
  for (const HloGraphNode& node : scene.nodes)
    names.emplace_back(program.At(node.instruction).name);
  return names;
}

TEST_CASE("a program is opened with the times of its instructions and who calls what") {
  AnalysisContext context(test::HloTrace(), Definitions::kStepscope);
  const auto program = Opened(context);
  REQUIRE(program != nullptr);
  CHECK(program->name == "jit_step(7)");
  CHECK(program->id == 7);
  CHECK(program->At(program->Root()).name == "neg.1");
  CHECK(program->At(program->Longest()).name == "dot.1");
  CHECK(program->self_time.at(program->module->Find("dot.1")) == 40 * kPsPerUs);
  CHECK(program->busy == 50 * kPsPerUs);
  const uint32_t fused = program->module->Find("tanh.1");
  CHECK(program->At(program->CallerOf(fused)).name == "fusion.1");
  CHECK(program->CallerOf(program->Root()) == xla::kNone);
  const HloFacts facts = program->FactsOf(program->module->Find("dot.1"));
  CHECK(facts.source == "model.py:12");
  CHECK(facts.category == "dot");
  CHECK(Opened(context, "no_such_program") == nullptr);
}

TEST_CASE("a scene has what is around the centre, and what an expanded node leads to") {
  AnalysisContext context(test::HloTrace(), Definitions::kStepscope);
  const auto program = Opened(context);
  const uint32_t dot = program->module->Find("dot.1"), add = program->module->Find("add.1");
  const HloGraphScene near = MakeGraphScene(*program, dot, 1, {});
  CHECK(Names(*program, near) == std::vector<std::string>{"dot.1", "a", "b", "add.1"});
  CHECK(near.edges.size() == 4);  // a and b to dot.1, dot.1 and a to add.1
  const auto more = std::find_if(near.nodes.begin(), near.nodes.end(),
                                 [&](const HloGraphNode& n) { return n.instruction == add; });
  CHECK(more->users_left_out == 1);
  CHECK(more->operands_left_out == 0);
  CHECK(near.nodes[0].time == "40 \u00b5s");
  CHECK(near.nodes[0].share == doctest::Approx(0.8));
  const HloGraphScene expanded = MakeGraphScene(*program, dot, 1, {add});
  CHECK(Names(*program, expanded).back() == "fusion.1");
  CHECK(expanded.layout.nodes.size() == expanded.nodes.size());
}

TEST_CASE("a scene has no more nodes than can be drawn, and says how many it leaves out") {
  test::HloProgram p("wide");
  p.Computation("main");
  std::vector<int64_t> operands;
  for (int i = 0; i < 1000; ++i)
    operands.push_back(p.Add("p" + std::to_string(i), "parameter", "f32[4]"));
  p.Add("t", "custom-call", "f32[4]", operands);
  const HloProgramView program(p.Module(), 1, "wide(1)");
  const HloGraphScene scene = MakeGraphScene(program, program.Root(), 2, {});
  CHECK(scene.nodes.size() == HloGraphScene::kMostNodes);
  CHECK(scene.left_out == 1001 - HloGraphScene::kMostNodes);
  CHECK(scene.nodes[0].operands_left_out == scene.left_out);
}

TEST_CASE("lines are found by their text in any case") {
  const HloProgramView program(test::StepProgram().Module(), 7, "jit_step(7)");
  CHECK(FindLines(program, "TANH") == std::vector<uint32_t>{4});
  CHECK(FindLines(program, "f32[64,64]").size() > 6);
  CHECK(FindLines(program, "nothing").empty());
}

}  // namespace
}  // namespace stepscope
