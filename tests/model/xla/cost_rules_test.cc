// Each row of the cost model's table (docs/rules.md#hlo-costs) with a cost that was worked out by
// hand. cost_model_test.cc has fusions, convolutions, loops and what is damaged.
#include <doctest/doctest.h>

#include <string>

#include "model/xla/cost_model.h"
#include "tests/support/hlo_program.h"
#include "tests/support/wire.h"

namespace stepscope::xla {
namespace {

using test::HloProgram;
using test::IntsField;
using test::TextField;
using test::WindowField;

constexpr CostVariant kCpu = CostVariant::kBase, kGpu = CostVariant::kGpu;

// A program with one instruction under test, "y", in its entry.
class OneOp {
 public:
  OneOp() : program_("m") {}
  // A computation of two parameters of that type and one instruction; before the first Parameter.
  int64_t Applied(const char* opcode, const char* shape = "f32[]") {
    const std::string n = std::to_string(++applied_);
    const int64_t id = program_.Computation("applied" + n);
    const int64_t a = program_.Add("a" + n, "parameter", shape);
    const int64_t b = program_.Add("b" + n, "parameter", shape);
    program_.Add("r" + n, opcode, shape, {a, b});
    return id;
  }
  OneOp& Entry() {
    program_.Computation("main");
    return *this;
  }
  int64_t Parameter(const char* shape) {
    return program_.Add("p" + std::to_string(++parameters_), "parameter", shape);
  }
  Cost Of(CostVariant variant, const char* opcode, const char* shape, std::vector<int64_t> operands,
          std::vector<int64_t> called = {}, std::string_view more = {}) {
    const std::string name = "y" + std::to_string(++tested_);
    program_.Add(name, opcode, shape, std::move(operands), std::move(called), more);
    const auto module = program_.Module();
    const CostModel costs(*module, variant);
    CHECK(costs.unknown() == 0);
    return costs.Of(module->Find(name));
  }

 private:
  HloProgram program_;
  int applied_ = 0, parameters_ = 0, tested_ = 0;
};

void CheckCost(const Cost& cost, double flops, double bytes) {
  CHECK(cost.flops == flops);
  CHECK(cost.bytes == bytes);
}

}  // namespace

TEST_CASE("Elementwise opcodes count elements, or transcendentals; on GPUs cycles") {
  OneOp op;
  op.Entry();
  const int64_t x = op.Parameter("f32[10]"), d = op.Parameter("f64[10]"),
                k = op.Parameter("s32[10]"), b = op.Parameter("bf16[10]"),
                h = op.Parameter("f16[10]"), c = op.Parameter("c64[10]"),
                p = op.Parameter("pred[10]");
  for (const char* name : {"abs", "ceil", "negate", "sign", "floor", "round-nearest-even"}) {
    CheckCost(op.Of(kCpu, name, "f32[10]", {x}), 10, 80);
    CheckCost(op.Of(kGpu, name, "f32[10]", {x}), 30, 80);
  }
  for (const char* name :
       {"acos", "erf", "exponential", "log", "logistic", "rsqrt", "sine", "tan"}) {
    const Cost cost = op.Of(kCpu, name, "f32[10]", {x});
    CheckCost(cost, 0, 80);
    CHECK(cost.transcendentals == 10);
  }
  CheckCost(op.Of(kCpu, "select", "f32[10]", {p, x, x}), 10, 10 + 3 * 40);
  CheckCost(op.Of(kCpu, "clamp", "f32[10]", {x, x, x}), 10, 4 * 40);
  CheckCost(op.Of(kCpu, "convert", "f64[10]", {x}), 10, 120);
  CheckCost(op.Of(kCpu, "compare", "pred[10]", {x, x}), 10, 90);
  CheckCost(op.Of(kGpu, "power", "f32[10]", {x, x}), 9250, 120);
  CheckCost(op.Of(kGpu, "divide", "f32[10]", {x, x}), 30, 120);
  CheckCost(op.Of(kGpu, "divide", "f64[10]", {d, d}), 20160, 240);
  CheckCost(op.Of(kGpu, "divide", "s32[10]", {k, k}), 3060, 120);
  CheckCost(op.Of(kGpu, "exponential", "f16[10]", {h}), 1080, 40);
  CheckCost(op.Of(kGpu, "exponential", "bf16[10]", {b}), 30, 40);
  CheckCost(op.Of(kGpu, "divide", "c64[10]", {c, c}), 6870, 240);
}

TEST_CASE("Dots of all kinds count twice the products") {
  OneOp op;
  op.Entry();
  const int64_t a = op.Parameter("f8e4m3fn[16,32]"), b = op.Parameter("f8e4m3fn[32,8]"),
                s = op.Parameter("f32[16]");
  const std::string dims = TextField(30, IntsField(1, {1}) + IntsField(2, {0}));
  CheckCost(op.Of(kCpu, "scaled-dot", "f32[16,8]", {a, b, s, s}, {}, dims), 2 * 16 * 8 * 32,
            16 * 32 + 32 * 8 + 2 * 64 + 4 * 16 * 8);
  // Rows of the left operand are divided into three groups, each with a matrix of its own.
  const int64_t left = op.Parameter("f32[11,5]"), right = op.Parameter("f32[3,5,7]"),
                sizes = op.Parameter("s32[3]");
  const std::string rows = TextField(90, TextField(1, IntsField(1, {1}) + IntsField(2, {1})) +
                                             IntsField(2, {0}) + IntsField(3, {0}));
  CheckCost(op.Of(kCpu, "ragged-dot", "f32[11,7]", {left, right, sizes}, {}, rows), 2 * 11 * 7 * 5,
            4 * (11 * 5 + 3 * 5 * 7 + 3 + 11 * 7));
  // The contracted dimension is divided: each group gives a matrix, from its own rows.
  const int64_t l = op.Parameter("f32[11,5]"), r = op.Parameter("f32[5,7]");
  const std::string contracted =
      TextField(90, TextField(1, IntsField(1, {1}) + IntsField(2, {0})) + IntsField(2, {1}));
  CheckCost(op.Of(kGpu, "ragged-dot", "f32[3,11,7]", {l, r, sizes}, {}, contracted), 2 * 11 * 7 * 5,
            4 * (11 * 5 + 5 * 7 + 3 + 3 * 11 * 7));
}

TEST_CASE("Windows apply their function to all but one element") {
  OneOp op;
  const int64_t add = op.Applied("add"), ge = op.Applied("compare");
  op.Entry();
  const int64_t x = op.Parameter("f32[8,8]"), zero = op.Parameter("f32[]"),
                y = op.Parameter("f32[4,4]"), v = op.Parameter("f32[9]");
  const std::string pool = WindowField({{2, 2, 0, 0, 1, 1}, {2, 2, 0, 0, 1, 1}});
  CheckCost(op.Of(kCpu, "reduce-window", "f32[4,4]", {x, zero}, {add}, pool), 3 * 16, 256 + 4 + 64);
  CheckCost(op.Of(kGpu, "reduce-window", "f32[4,4]", {x, zero}, {add}, pool), 3 * 3 * 16,
            256 + 4 + 64);
  // A window over the whole padded dimension is a running sum: 9 / 9 + 9 - 1.
  const std::string running = WindowField({{17, 1, 8, 8, 1, 1}});
  CheckCost(op.Of(kCpu, "reduce-window", "f32[9]", {v, zero}, {add}, running), 9, 36 + 4 + 36);
  // Each of 16 gradients compares 3 times and adds once.
  CheckCost(op.Of(kCpu, "select-and-scatter", "f32[8,8]", {x, y, zero}, {ge, add}, pool),
            16 * 3 + 16, 256 + 64 + 4 + 256);
}

TEST_CASE("Scatters and gathers move what they touch") {
  OneOp op;
  const int64_t add = op.Applied("add");
  op.Entry();
  const int64_t x = op.Parameter("f32[1000,4]"), i = op.Parameter("s32[10,1]"),
                u = op.Parameter("f32[10,4]");
  CheckCost(op.Of(kCpu, "scatter", "f32[1000,4]", {x, i, u}, {add}), 40, 3 * 160 + 40);
  CheckCost(op.Of(kGpu, "scatter", "f32[1000,4]", {x, i, u}, {add}), 3 * 40, 3 * 160 + 40);
  CheckCost(op.Of(kCpu, "gather", "f32[10,4]", {x, i}), 0, 2 * 160 + 40);
  CheckCost(op.Of(kCpu, "slice", "f32[10,4]", {x}), 0, 2 * 160);
}

TEST_CASE("Functions of each element: map and scan") {
  OneOp op;
  const int64_t mul = op.Applied("multiply");
  op.Entry();
  const int64_t x = op.Parameter("f32[20]");
  CheckCost(op.Of(kCpu, "map", "f32[20]", {x, x}, {mul}), 20, 240);
  CheckCost(op.Of(kGpu, "map", "f32[20]", {x, x}, {mul}), 60, 240);
  CheckCost(op.Of(kCpu, "scan", "f32[20]", {x, x}, {mul}), 20, 240);
}

TEST_CASE("Sorts, transforms and solvers have counts of their own") {
  OneOp op;
  const int64_t less = op.Applied("compare");
  op.Entry();
  const int64_t x = op.Parameter("f32[1000]"), c = op.Parameter("c64[2,64]"),
                a = op.Parameter("f32[2,8,8]"), b = op.Parameter("f32[2,8,3]");
  CheckCost(op.Of(kCpu, "sort", "f32[1000]", {x}, {less}), 1000 * 10, 8000);
  CheckCost(op.Of(kCpu, "fft", "c64[2,64]", {c}, {}, IntsField(32, {64})), 8 * 6 * 128, 2 * 1024);
  CheckCost(op.Of(kCpu, "triangular-solve", "f32[2,8,3]", {a, b}), 2 * 8 * 48,
            192 + 256 + 192);  // b, half of a, the result
  CheckCost(op.Of(kCpu, "cholesky", "f32[2,8,8]", {a}), 8.0 * 128 / 3, 512);
  const Cost random = op.Of(kCpu, "rng", "f32[1000]", {x, x});
  CheckCost(random, 0, 12000);
  CHECK(random.transcendentals == 1000);
  CHECK(op.Of(kGpu, "rng-bit-generator", "(u64[2], u32[50])", {x}).transcendentals == 52);
}

TEST_CASE("A concatenation is dear on GPUs where its parts do not fit together") {
  OneOp op;
  op.Entry();
  const int64_t x = op.Parameter("f32[4,64]"), y = op.Parameter("f32[4,3]");
  CheckCost(op.Of(kCpu, "concatenate", "f32[8,64]", {x, x}, {}, IntsField(14, {0})), 0, 4096);
  CheckCost(op.Of(kGpu, "concatenate", "f32[8,64]", {x, x}, {}, IntsField(14, {0})), 6 * 512, 4096);
  CheckCost(op.Of(kGpu, "concatenate", "f32[4,128]", {x, x}, {}, IntsField(14, {1})), 6 * 512,
            4096);
  CheckCost(op.Of(kGpu, "concatenate", "f32[4,67]", {y, x}, {}, IntsField(14, {1})), 400 * 268,
            48 + 1024 + 1072);
}

TEST_CASE("What moves a whole value reads and writes it") {
  OneOp op;
  op.Entry();
  const int64_t x = op.Parameter("f32[4,8]"), s = op.Parameter("s32[]");
  for (const char* name :
       {"copy", "reshape", "reverse", "copy-done", "async-update", "async-done",
        "optimization-barrier", "collective-permute", "all-to-all", "collective-broadcast"})
    CheckCost(op.Of(kCpu, name, "f32[4,8]", {x}), 0, 256);
  CheckCost(op.Of(kCpu, "broadcast", "f32[10,4,8]", {x}), 0, 128 + 1280);
  CheckCost(op.Of(kCpu, "pad", "f32[8,8]", {x, s}), 0, 128 + 4 + 256);
  CheckCost(op.Of(kCpu, "iota", "s32[100]", {}), 0, 400);
  CheckCost(op.Of(kCpu, "topk", "(f32[4,2], s32[4,2])", {x}), 0, 128 + 64);
  CheckCost(op.Of(kCpu, "batch-norm-inference", "f32[4,8]", {x, s, s, s, s}), 0, 256 + 16);
  CheckCost(op.Of(kCpu, "batch-norm-training", "(f32[4,8], f32[8], f32[8])", {x, s, s}), 0,
            128 + 8 + 192);
  CheckCost(op.Of(kCpu, "copy-start", "(f32[4,8], f32[4,8], u32[])", {x}), 0, 128 + 260);
  CheckCost(op.Of(kCpu, "partition-id", "u32[]", {}), 0, 4);
  CheckCost(op.Of(kCpu, "send", "(f32[4,8], u32[], token[])", {x, s}), 0, 128 + 4 + 132);
  const std::string turned = IntsField(14, {1, 0});
  CheckCost(op.Of(kCpu, "transpose", "f32[8,4]", {x}, {}, turned), 0, 256);
}

TEST_CASE("Renaming and grouping values is free") {
  OneOp op;
  op.Entry();
  const int64_t x = op.Parameter("f32[4,8]");
  for (const char* name : {"bitcast", "get-tuple-element", "after-all", "add-dependency", "domain"})
    CheckCost(op.Of(kCpu, name, "f32[4,8]", {x}), 0, 0);
  CheckCost(op.Of(kCpu, "constant", "f32[1000]", {}), 0, 0);
  CheckCost(op.Of(kCpu, "tuple", "(f32[4,8], f32[4,8])", {x, x}), 0, 16);
}

TEST_CASE("Infeeds count what arrives, outfeeds what leaves") {
  OneOp op;
  op.Entry();
  const int64_t x = op.Parameter("f32[4,8]"), token = op.Parameter("token[]");
  CheckCost(op.Of(kCpu, "infeed", "((f32[10], s32[2]), token[])", {token}), 0, 48);
  CheckCost(op.Of(kCpu, "outfeed", "token[]", {x, token}), 0, 128);
}

TEST_CASE("Calls count what they call; an asynchronous one on GPUs only its reduce-scatter") {
  OneOp op;
  const int64_t add = op.Applied("add", "f32[8]");
  const int64_t scatter = op.Applied("reduce-scatter", "f32[8]");
  op.Entry();
  const int64_t x = op.Parameter("f32[8]");
  CheckCost(op.Of(kCpu, "call", "f32[8]", {x, x}, {add}), 8, 96);
  CheckCost(op.Of(kCpu, "async-start", "((f32[8]), f32[8])", {x, x}, {add}), 8, 96);
  CHECK(op.Of(kGpu, "call", "f32[8]", {x, x}, {add}).flops == 24);
  CHECK(op.Of(kGpu, "async-start", "((f32[8]), f32[8])", {x, x}, {add}).flops == 0);
  const Cost own = op.Of(kGpu, "async-start", "((f32[8]), f32[8])", {x, x}, {scatter});
  CHECK(own.bytes == 64 * (3 * 1 - 1));  // two operands of a group of one rank
}

TEST_CASE("Collectives on GPUs count what each rank sends and receives") {
  OneOp op;
  const int64_t add = op.Applied("add");
  op.Entry();
  const int64_t x = op.Parameter("f32[64]");
  const std::string groups = TextField(49, IntsField(1, {0, 1, 2, 3}));
  CheckCost(op.Of(kCpu, "all-reduce", "f32[64]", {x}, {add}, groups), 64, 512);
  CheckCost(op.Of(kGpu, "all-reduce", "f32[64]", {x}, {add}, groups), 3 * 64, 512);
  CheckCost(op.Of(kGpu, "all-reduce-start", "f32[64]", {x}, {add}, groups), 3 * 64, 256);
  CheckCost(op.Of(kCpu, "all-gather", "f32[256]", {x}, {}, groups), 0, 256 + 1024);
  CheckCost(op.Of(kGpu, "all-gather", "f32[256]", {x}, {}, groups), 0, 1024.0 / 4 * 11);
  CheckCost(op.Of(kCpu, "reduce-scatter", "f32[16]", {x}, {add}, groups), 16, 256 + 64);
  CheckCost(op.Of(kGpu, "reduce-scatter", "f32[16]", {x}, {add}, groups), 3 * 16, 256.0 / 4 * 11);
}

TEST_CASE("A custom fusion around a gather costs what the gather does") {
  HloProgram p("m");
  const int64_t fused = p.Computation("fused");
  const int64_t table = p.Add("table", "parameter", "f32[1000,4]");
  const int64_t at = p.Add("at", "parameter", "s32[10,1]");
  p.Add("g", "gather", "f32[10,4]", {table, at});
  p.Computation("main");
  const int64_t x = p.Add("x", "parameter", "f32[1000,4]");
  const int64_t i = p.Add("i", "parameter", "s32[10,1]");
  p.Add("f", "fusion", "f32[10,4]", {x, i}, {fused}, TextField(11, "kCustom"));
  const auto module = p.Module();
  CheckCost(CostModel(*module, kGpu).Of(module->Find("f")), 0, 2 * 160 + 40);
  CheckCost(CostModel(*module, kCpu).Of(module->Find("f")), 0, 2 * 160 + 40);
}

TEST_CASE("Libraries' matrix products in each of their names; on CPUs no custom call is known") {
  const std::string config =
      R"({"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"]}}})";
  for (const char* target : {"__cublas$gemm", "__cublas$lt$matmul", "__cublas$lt$matmul$f8",
                             "__cublas$lt$matmul$mx", "__cublas$lt$groupedMatmul"}) {
    OneOp op;
    op.Entry();
    const int64_t a = op.Parameter("bf16[16,32]"), b = op.Parameter("bf16[32,8]");
    const std::string more = TextField(28, target) + TextField(43, config);
    CheckCost(op.Of(kGpu, "custom-call", "(bf16[16,8], s8[4096])", {a, b}, {}, more),
              2 * 16 * 8 * 32, 2 * (16 * 32 + 32 * 8 + 16 * 8));
  }
  HloProgram p("m");
  p.Computation("main");
  p.Add("y", "custom-call", "f32[8]", {p.Add("x", "parameter", "f32[8]")}, {},
        TextField(28, "__cublas$gemm"));
  const auto module = p.Module();
  CHECK(CostModel(*module, kCpu).unknown() == 1);
  CHECK(CostModel(*module, kCpu).Of(module->Find("y")).bytes == 0);
}

TEST_CASE("Convolutions of cuDNN and MIOpen in each of their names") {
  const std::string dims = IntsField(3, {1}) + IntsField(4, {2}) + IntsField(6, {0}) +
                           IntsField(7, {0}) + IntsField(8, {2}) + IntsField(9, {0}) +
                           IntsField(10, {2}) + IntsField(11, {1}) + IntsField(12, {1});
  for (const char* target :
       {"__cudnn$convForward", "__cudnn$convForwardGraph", "__cudnn$convBackwardInput",
        "__cudnn$convBackwardFilter", "__cudnn$convBiasActivationForward"}) {
    OneOp op;
    op.Entry();
    const int64_t x = op.Parameter("f32[2,10,4]"), k = op.Parameter("f32[3,4,5]");
    const std::string more =
        WindowField({{3, 1, 0, 0, 1, 1}}) + TextField(16, dims) + TextField(28, target);
    CHECK(op.Of(kGpu, "custom-call", "(f32[2,8,5], u8[0])", {x, k}, {}, more).flops ==
          2 * 4 * 5 * 2 * 24);
  }
}

}  // namespace stepscope::xla
