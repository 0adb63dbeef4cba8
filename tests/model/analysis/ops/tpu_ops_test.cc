// Ops of TPU profiles (docs/rules.md#tpu), on small profiles built here.
#include "model/analysis/ops/op_collect.h"
#include "tests/support/loaded.h"

#include <doctest/doctest.h>

#include "loaders/loader.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

constexpr int64_t kMs = kPsPerMs;

// Two cores, `steps` steps of 10 ms: 1 ms infeed, a loop of 4 ms around a fusion of 2 ms, an
// all-reduce of 1 ms (2 ms on the second core).
std::shared_ptr<const Trace> MakeTpu(int64_t steps) {
  test::XSpaceBuilder b;
  b.Hostname("h");
  for (int64_t c = 0; c < 2; ++c) {
    auto& core = b.Plane("/device:TPU:" + std::to_string(c)).Id(c);
    core.Stat("device_type_string", "TPU v4");
    const auto op = [&](const char* name, int64_t symbol, const char* category) -> auto& {
      return core.EventMetadata(name)
          .Stat("program_id", int64_t{7})
          .Stat("symbol_id", symbol)
          .Stat("hlo_category", category);
    };
    op("%infeed", 1, "infeed");
    op("%while", 2, "while").DisplayName("while.2");
    op("%fusion", 3, "convolution fusion").Stat("tf_op", "model/MatMul:MatMul");
    op("%all-reduce", 4, "all-reduce");
    op("%stray", 0, "copy");  // without a symbol it is no op of the table
    auto& lines_of_steps = core.Line(1, "Steps");
    auto& ops = core.Line(3, "XLA Ops");
    for (int64_t k = 0; k < steps; ++k) {
      const int64_t t = k * 10 * kMs;
      lines_of_steps.Event(std::to_string(k), t, 9 * kMs);
      ops.Event("%infeed", t, kMs);
      ops.Event("%while", t + kMs, 4 * kMs);
      ops.Event("%fusion", t + 2 * kMs, 2 * kMs);
      ops.Event("%all-reduce", t + 5 * kMs, (1 + c) * kMs);
    }
    ops.Event("%stray", steps * 10 * kMs, kMs);
  }
  return test::Loaded("h.xplane.pb", b.Bytes());
}

}  // namespace

TEST_CASE(
    "Times of TPU ops are the core's own, and an op ran as often as its busiest instruction") {
  test::XSpaceBuilder b;
  auto& core = b.Plane("/device:TPU:0").Id(0);
  for (const char* name : {"%fusion.1", "%fusion.2"}) {
    core.EventMetadata(name)
        .Stat("program_id", int64_t{7})
        .Stat("symbol_id", int64_t{name[8]})
        .Stat("tf_op", "jit(f)/add:");
  }
  auto& ops = core.Line(3, "XLA Ops");
  const auto add = [&](const char* name, int64_t session_ms, int64_t own_ms, int64_t duration_ms) {
    ops.Event(name, session_ms * kMs, 5 * kMs)
        .Stat("device_offset_ps", own_ms * kMs)
        .Stat("device_duration_ps", duration_ms * kMs);
  };
  add("%fusion.1", 0, 0, 10);
  add("%fusion.2", 5, 10, 2);
  add("%fusion.1", 30, 20, 10);
  const auto trace = LoadBytes("h.xplane.pb", b.Bytes(), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kXprof);
  const OpSide& side = context.Get<OpDatabase>(AnalysisParams())->hosts[0].device_side;
  REQUIRE(side.ops.size() == 1);
  CHECK(side.ops[0].occurrences == 2);
  CHECK(side.ops[0].time == 22 * kMs);
  CHECK(side.total == 30 * kMs);
  CHECK(side.idle() == 8 * kMs);
}

TEST_CASE("TPU ops come from the metadata's stats; self time leaves out the ops directly inside") {
  AnalysisContext context(MakeTpu(3), Definitions::kStepscope);
  const OpSide side = context.Get<OpDatabase>(AnalysisParams())->hosts.at(0).device_side;
  REQUIRE(side.ops.size() == 4);
  const auto find = [&](std::string_view name) -> const OpRow& {
    for (const OpRow& op : side.ops) {
      if (op.name == name) return op;
    }
    FAIL("no op " << name);
    return side.ops[0];
  };
  CHECK(find("model/MatMul").type == "MatMul");
  CHECK(find("model/MatMul").occurrences == 6);
  CHECK(find("model/MatMul").self == 12 * kMs);
  CHECK(find("while.2").type == "Unknown");
  CHECK(find("while.2").time == 24 * kMs);
  CHECK(find("while.2").self == 12 * kMs);
}

}  // namespace stepscope
