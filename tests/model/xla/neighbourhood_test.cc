#include "model/xla/neighbourhood.h"

#include <doctest/doctest.h>

#include "tests/support/hlo_program.h"

namespace stepscope::xla {
namespace {

using test::HloProgram;

std::vector<std::string_view> Names(const HloModule& module, const Neighbourhood& around) {
  std::vector<std::string_view> names;
  for (const GraphNode& n : around.nodes) names.push_back(module.instructions[n.instruction].name);
  return names;
}

TEST_CASE("a neighbourhood goes a number of steps; a bitcast is no step") {
  HloProgram p("m");
  p.Computation("main");
  const int64_t a = p.Add("a", "parameter", "f32[4]");
  const int64_t b = p.Add("b", "bitcast", "f32[4]", {a});
  const int64_t c = p.Add("c", "negate", "f32[4]", {b});
  const int64_t d = p.Add("d", "negate", "f32[4]", {c});
  p.Add("e", "negate", "f32[4]", {d});
  const auto module = p.Module();
  const InstructionUsers users(*module);
  const auto around = NeighbourhoodOf(*module, users, module->Find("c"), 1);
  CHECK(Names(*module, around) == std::vector<std::string_view>{"c", "b", "a", "d"});
  CHECK(around.edges.size() == 3);
}

TEST_CASE("tuples are not entered from what they hold, and users beyond 16 are left out") {
  HloProgram p("m");
  p.Computation("main");
  const int64_t a = p.Add("a", "parameter", "f32[4]");
  for (int i = 0; i < 20; ++i) p.Add("u" + std::to_string(i), "negate", "f32[4]", {a});
  p.Add("t", "tuple", "(f32[4], f32[4])", {2, 3});
  const auto module = p.Module();
  const InstructionUsers users(*module);
  const auto around = NeighbourhoodOf(*module, users, module->Find("u0"), 3);
  CHECK(Names(*module, around) == std::vector<std::string_view>{"u0", "a"});
  CHECK(around.nodes[1].users_left_out);
  const auto of_tuple = NeighbourhoodOf(*module, users, module->Find("t"), 1);
  CHECK(of_tuple.nodes.size() == 3);
}

TEST_CASE("operands and users stand in for elements of tuples, whatever these are called") {
  HloProgram p("m");
  p.Computation("main");
  const int64_t t = p.Add("t", "parameter", "(f32[4], f32[4])");
  const int64_t e = p.Add("first", "get-tuple-element", "f32[4]", {t});
  p.Add("y", "negate", "f32[4]", {e});
  const auto module = p.Module();
  const InstructionUsers users(*module);
  CHECK(OperandsThroughTuples(*module, module->Find("y")) ==
        std::vector<uint32_t>{module->Find("t")});
  CHECK(UsersThroughTuples(*module, users, module->Find("t")) ==
        std::vector<uint32_t>{module->Find("y")});
  CHECK(OperandsThroughTuples(*module, module->Find("y"), TupleElements::kByName) ==
        std::vector<uint32_t>{module->Find("first")});
}

}  // namespace
}  // namespace stepscope::xla
