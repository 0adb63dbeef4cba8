#include "model/xla/cost_model.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/hlo_program.h"
#include "tests/support/wire.h"

namespace stepscope::xla {
namespace {

using test::HloProgram;
using test::IntsField;
using test::TextField;
using test::WindowField;

// The cost of the instruction called `name`.
Cost CostOf(const HloProgram& program, const char* name, CostVariant variant = CostVariant::kBase) {
  const auto module = program.Module();
  const uint32_t i = module->Find(name);
  REQUIRE(i != kNone);
  return CostModel(*module, variant).Of(i);
}

std::string DotField(std::initializer_list<int64_t> left, std::initializer_list<int64_t> right) {
  return TextField(30, IntsField(1, left) + IntsField(2, right));
}

// A reducer of f32: adds two values.
int64_t AddReducer(HloProgram* p) {
  const int64_t reducer = p->Computation("add");
  const int64_t a = p->Add("a", "parameter", "f32[]"), b = p->Add("b", "parameter", "f32[]");
  p->Add("sum", "add", "f32[]", {a, b});
  return reducer;
}

TEST_CASE("elementwise operations cost one an element, transcendental ones apart, cycles on GPUs") {
  HloProgram p("m");
  p.Computation("main");
  const int64_t x = p.Add("x", "parameter", "f32[8,4]");
  const int64_t y = p.Add("y", "add", "f32[8,4]", {x, x});
  p.Add("z", "tanh", "f32[8,4]", {y});
  CHECK(CostOf(p, "y").flops == 32);
  CHECK(CostOf(p, "y").bytes == 3 * 128);
  CHECK(CostOf(p, "z").flops == 0);
  CHECK(CostOf(p, "z").transcendentals == 32);
  CHECK(CostOf(p, "y", CostVariant::kGpu).flops == 3 * 32);
  CHECK(CostOf(p, "z", CostVariant::kGpu).flops == 190 * 32);  // f32 tanh: 190 cycles
  CHECK(CostOf(p, "x").bytes == 0);
}

TEST_CASE("a dot costs two operations for each product") {
  HloProgram p("m");
  p.Computation("main");
  const int64_t a = p.Add("a", "parameter", "bf16[16,32]"),
                b = p.Add("b", "parameter", "bf16[32,8]");
  p.Add("c", "dot", "bf16[16,8]", {a, b}, {}, DotField({1}, {0}));
  const Cost cost = CostOf(p, "c");
  CHECK(cost.flops == 2 * 16 * 8 * 32);
  CHECK(cost.bytes == 2 * (16 * 32 + 32 * 8 + 16 * 8));
  CHECK(cost.read == 2 * (16 * 32 + 32 * 8));
  CHECK(cost.written == 2 * 16 * 8);
}

TEST_CASE("bytes in other memories are told apart") {
  HloProgram p("m");
  p.Computation("main");
  const int64_t a = p.Add("a", "parameter", "f32[16]{0:S(5)}");
  p.Add("b", "copy", "f32[16]", {a});
  const Cost cost = CostOf(p, "b");
  CHECK(cost.bytes == 128);
  CHECK(cost.read == 0);
  CHECK(cost.written == 64);
  CHECK(cost.elsewhere == 64);
}

std::string ConvolutionField(std::initializer_list<std::initializer_list<int64_t>> window) {
  // Input [batch, spatial, feature], kernel [spatial, in, out], output [batch, spatial, feature].
  const std::string dims = IntsField(3, {1}) + IntsField(4, {2}) + IntsField(6, {0}) +
                           IntsField(7, {0}) + IntsField(8, {2}) + IntsField(9, {0}) +
                           IntsField(10, {2}) + IntsField(11, {1}) + IntsField(12, {1});
  return WindowField(window) + TextField(16, dims);
}

double ConvolutionFlops(const char* input, const char* kernel, const char* output,
                        std::initializer_list<std::initializer_list<int64_t>> window) {
  HloProgram p("m");
  p.Computation("main");
  const int64_t x = p.Add("x", "parameter", input), k = p.Add("k", "parameter", kernel);
  p.Add("y", "convolution", output, {x, k}, {}, ConvolutionField(window));
  return CostOf(p, "y").flops;
}

TEST_CASE("a convolution counts the products of positions inside its input") {
  // 10 inputs, 3 taps, 8 outputs: all 24 pairs are inside. 2 * 4 in * 5 out * 2 batch * 24.
  CHECK(ConvolutionFlops("f32[2,10,4]", "f32[3,4,5]", "f32[2,8,5]", {{3, 1, 0, 0, 1, 1}}) ==
        2 * 4 * 5 * 2 * 24);
  // Padded by one on both sides: 10 outputs, and two pairs read the padding.
  CHECK(ConvolutionFlops("f32[2,10,4]", "f32[3,4,5]", "f32[2,10,5]", {{3, 1, 1, 1, 1, 1}}) ==
        2 * 4 * 5 * 2 * 28);
  // Stride 2: outputs at 0, 2, 4, 6 with 3 taps each.
  CHECK(ConvolutionFlops("f32[1,9,1]", "f32[3,1,1]", "f32[1,4,1]", {{3, 2, 0, 0, 1, 1}}) == 2 * 12);
  // Base dilation 2 of 4 inputs (positions 0, 2, 4, 6), 3 taps, 5 outputs: pairs on even positions.
  CHECK(ConvolutionFlops("f32[1,4,1]", "f32[3,1,1]", "f32[1,5,1]", {{3, 1, 0, 0, 1, 2}}) == 2 * 8);
  // Window dilation 2: taps at 0, 2, 4.
  CHECK(ConvolutionFlops("f32[1,9,1]", "f32[3,1,1]", "f32[1,5,1]", {{3, 1, 0, 0, 2, 1}}) == 2 * 15);
}

TEST_CASE("absurd convolutions end and are finite") {
  const double flops =
      ConvolutionFlops("f32[1,9223372036854775807,1]", "f32[9223372036854775807,1,1]",
                       "f32[1,9223372036854775807,1]",
                       {{INT64_MAX, INT64_MAX, INT64_MIN, INT64_MAX, INT64_MAX, INT64_MAX}});
  CHECK(std::isfinite(flops));
}

TEST_CASE("a reduction applies its function to all but one element of each output") {
  HloProgram p("m");
  const int64_t reducer = AddReducer(&p);
  p.Computation("main");
  const int64_t x = p.Add("x", "parameter", "f32[8,4]"), zero = p.Add("zero", "constant", "f32[]");
  p.Add("r", "reduce", "f32[8]", {x, zero}, {reducer}, IntsField(14, {1}));
  CHECK(CostOf(p, "r").flops == 32 - 8);
  CHECK(CostOf(p, "r").bytes == 128 + 4 + 32);
  CHECK(CostOf(p, "r", CostVariant::kGpu).flops == 3 * (32 - 8));
  CHECK(CostOf(p, "r", CostVariant::kGpu).bytes == 128 + 8 * 4 + 32);  // the zero for each output
}

TEST_CASE("slices, gathers and updates move only what they touch") {
  HloProgram p("m");
  p.Computation("main");
  const int64_t x = p.Add("x", "parameter", "f32[1000]"), i = p.Add("i", "parameter", "s32[]");
  const int64_t part = p.Add("part", "dynamic-slice", "f32[10]", {x, i});
  p.Add("updated", "dynamic-update-slice", "f32[1000]", {x, part, i});
  CHECK(CostOf(p, "part").bytes == 2 * 40 + 4);
  CHECK(CostOf(p, "updated").bytes == 2 * 40 + 4);
}

TEST_CASE("a loop counts one iteration, a branch the dearest one") {
  HloProgram p("m");
  const int64_t body = p.Computation("body");
  p.Add("b", "add", "f32[8]", {p.Add("p", "parameter", "f32[8]"), 1});
  const int64_t condition = p.Computation("condition");
  p.Add("lt", "compare", "pred[]", {p.Add("q", "parameter", "f32[]"), 3});
  p.Computation("main");
  const int64_t x = p.Add("x", "parameter", "f32[8]");
  p.Add("w", "while", "f32[8]", {x}, {body, condition});
  p.Add("c", "conditional", "f32[8]", {x}, {body, condition});
  CHECK(CostOf(p, "w").flops == 8 + 1);
  CHECK(CostOf(p, "c").flops == 8);
}

TEST_CASE("a fusion reads parts of parameters and computes shared values again on GPUs") {
  HloProgram p("m");
  const int64_t fused = p.Computation("fused");
  const int64_t a = p.Add("a", "parameter", "f32[100]");
  const int64_t s = p.Add("s", "slice", "f32[10]", {a});
  const int64_t e = p.Add("e", "exponential", "f32[10]", {s});
  p.Add("r", "add", "f32[10]", {e, e});
  p.Computation("main");
  const int64_t x = p.Add("x", "parameter", "f32[100]");
  p.Add("f", "fusion", "f32[10]", {x}, {fused}, TextField(11, "kLoop"));
  const Cost base = CostOf(p, "f"), gpu = CostOf(p, "f", CostVariant::kGpu);
  CHECK(base.flops == 10);
  CHECK(base.transcendentals == 10);
  CHECK(base.bytes == 40 + 40);  // what it writes, and the slice
  CHECK(gpu.flops == 10 * (3 + 86));
  CHECK(gpu.bytes == 40 + 40);  // a tenth of the parameter
}

TEST_CASE("a library's convolution with a workspace") {
  HloProgram p("m");
  p.Computation("main");
  const int64_t x = p.Add("x", "parameter", "bf16[2,10,4]"),
                k = p.Add("k", "parameter", "bf16[3,4,5]");
  p.Add("y", "custom-call", "(bf16[2,8,5], u8[1000])", {x, k}, {},
        ConvolutionField({{3, 1, 0, 0, 1, 1}}) + TextField(28, "__cudnn$convForward"));
  const Cost gpu = CostOf(p, "y", CostVariant::kGpu);
  CHECK(gpu.flops == 2 * 4 * 5 * 2 * 24);
  CHECK(gpu.bytes == 160 + 120 + 160);  // without the workspace
  CHECK(gpu.read == 160 + 120);
  CHECK(gpu.written == 0);  // as XLA has it: the output is a tuple
  CHECK(gpu.elsewhere == 0);
}

TEST_CASE("a library's matmul finds its dimensions in its configuration") {
  HloProgram p("m");
  p.Computation("main");
  const int64_t a = p.Add("a", "parameter", "s8[16,32]"), b = p.Add("b", "parameter", "s8[32,8]");
  p.Add("c", "custom-call", "(s32[16,8], s8[64])", {a, b}, {},
        TextField(28, "__cublas$lt$matmul") +
            TextField(43, R"({"gemm_backend_config":{"dot_dimension_numbers":)"
                          R"({"lhs_contracting_dimensions":["1"]}}})"));
  CHECK(CostOf(p, "c", CostVariant::kGpu).flops == 2 * 16 * 8 * 32);
  const auto module = p.Module();
  CHECK(DeviceFlopsShare(*module, module->instructions[module->Find("c")]) == 0.5);
}

TEST_CASE("what is not known costs nothing and is counted") {
  HloProgram p("m");
  p.Computation("main");
  const int64_t x = p.Add("x", "parameter", "f32[8]");
  p.Add("y", "custom-call", "f32[8]", {x}, {}, TextField(28, "mine"));
  p.Add("z", "teleport", "f32[8]", {x});
  const auto module = p.Module();
  const CostModel costs(*module, CostVariant::kGpu);
  CHECK(costs.unknown() == 2);
  CHECK(costs.first_unknown() == "y");
  CHECK(costs.OfComputation(module->entry).bytes == 0);
}

TEST_CASE("absurd shapes saturate") {
  HloProgram p("m");
  p.Computation("main");
  const int64_t x = p.Add("x", "parameter", "f32[9223372036854775807,9223372036854775807,-3]");
  const int64_t y = p.Add("y", "parameter", "f32[9223372036854775807,9223372036854775807]");
  p.Add("z", "add", "f32[9223372036854775807,9223372036854775807]", {y, y});
  CHECK(CostOf(p, "z").flops == static_cast<double>(kMostElements));
  CHECK(CostOf(p, "z").bytes == 3 * static_cast<double>(kMostElements));
  const auto module = p.Module();
  CHECK(Elements(module->ShapeOf(module->instructions[module->Find("x")])) == 0);
  CHECK(x > 0);
}

TEST_CASE("a chain of fusions that each use the next twice takes no exponential time") {
  HloProgram p("m");
  int64_t called = p.Computation("fused0");
  p.Add("root", "negate", "f32[8]", {p.Add("in", "parameter", "f32[8]")});
  for (int level = 1; level < 200; ++level) {
    const std::string n = std::to_string(level);
    const int64_t computation = p.Computation("fused" + n);
    const int64_t in = p.Add("in" + n, "parameter", "f32[8]");
    const int64_t a = p.Add("a" + n, "fusion", "f32[8]", {in}, {called});
    const int64_t b = p.Add("b" + n, "fusion", "f32[8]", {in}, {called});
    p.Add("r" + n, "add", "f32[8]", {a, b});
    called = computation;
  }
  p.Computation("main");
  p.Add("f", "fusion", "f32[8]", {p.Add("x", "parameter", "f32[8]")}, {called});
  CHECK(CostOf(p, "f").flops > 1e50);
  CHECK(std::isfinite(CostOf(p, "f", CostVariant::kGpu).bytes));
}

}  // namespace
}  // namespace stepscope::xla
