// Events around what the program launches: their names are no cause (docs/rules.md#losses). Each
// name stands for its cause where nothing is launched inside.
#include "model/analysis/grouping/enclosing_events.h"

#include <doctest/doctest.h>

#include <string>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/analysis/steps/steps.h"
#include "model/analysis/steps/verdict.h"
#include "tests/support/judged.h"
#include "tests/support/kineto_text.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

constexpr int kSteps = 6, kStepUs = 2'000, kLaunches = 10;

enum class Around : uint8_t { kProgram, kStep, kNothing };

// Steps of 2 ms, each with ten ops that launch a kernel of 20 us and then half a millisecond in
// which only `name` is open. It is around the program, around a step's ops, or around no launch.
Verdict VerdictOf(const std::string& name, Around around) {
  test::KinetoText t;
  if (around == Around::kProgram) t.Host("user_annotation", name, 0, kSteps * kStepUs + 100);
  for (int s = 0; s < kSteps; ++s) {
    const int begin = 10 + s * kStepUs;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(s), begin, kStepUs - 5);
    if (around == Around::kStep) t.Host("user_annotation", name, begin + 2, kStepUs - 20);
    if (around == Around::kNothing) t.Host("user_annotation", name, begin + 1'200, 700);
    for (int k = 0; k < kLaunches; ++k) {
      const int at = begin + 5 + 100 * k, id = 1 + s * kLaunches + k;
      t.Host("cpu_op", "aten::mul", at, 90)
          .Launch(id, at + 80, 5)
          .Kernel("kernel", id, at + 88, 20);
    }
    const int last = 10'000 + s;
    t.Launch(last, begin + 1'950, 5).Kernel("kernel", last, begin + 1'960, 20);
  }
  auto trace = LoadBytes("t.json", t.Text(test::kH100), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  return test::JudgedAlone(**trace, context.Get<StepDatabase>());
}

// The third step's time of compilation in us: `outer` is a function around 0.9 ms of each step of
// 1 ms. `raw`: it launches a kernel without an op, 0.5 ms after its begin; that is inside `inner`,
// unless that is empty.
int CompileUs(const std::string& outer, bool raw, const std::string& inner = "") {
  test::KinetoText t;
  for (int s = 0; s < 4; ++s) {
    const int begin = s * 1'000;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(s), begin, 990);
    t.Host("python_function", outer, begin + 10, 900);
    if (!inner.empty()) t.Host("python_function", inner, begin + 400, 300);
    if (raw) t.Launch(2 * s + 1, begin + 500, 5, "cuLaunchKernel");
    if (raw) t.Kernel("triton_poi_fused_0", 2 * s + 1, begin + 507, 20);
    t.Launch(2 * s + 2, begin + 940, 5, "cuLaunchKernel");
    t.Kernel("triton_poi_fused_1", 2 * s + 2, begin + 947, 40);
  }
  auto trace = LoadBytes("t.json", t.Text(test::kH100), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  REQUIRE(context.Get<StepDatabase>().device_steps.size() == 4);
  const StepClassTimes& times = context.Get<StepDatabase>().device_steps[2].class_times;
  return static_cast<int>(At(times, StepTimeClass::kCompile) / kPsPerUs);
}

bool Says(const Verdict& verdict, const char* part) {
  return verdict.InWords().text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("An annotation around what the program launches is no cause, whatever its name") {
  struct Row {
    const char* name;
    const char* loss;  // where it is the cause
  };
  for (const Row& row : {Row{"Compile", "compile"}, Row{"autotune", "compile"},
                         Row{"preprocess", "input"}, Row{"barrier", "sync"}, Row{"gc", "host"}}) {
    CAPTURE(row.name);
    const bool garbage = row.name == std::string("gc");
    for (const Around around : {Around::kProgram, Around::kStep}) {
      const Verdict verdict = VerdictOf(row.name, around);
      CAPTURE(verdict.InWords().text);
      CHECK(verdict.id() == "host");
      CHECK_FALSE(Says(verdict, "garbage"));
      CHECK_FALSE(Says(verdict, "barrier"));
    }
    const Verdict cause = VerdictOf(row.name, Around::kNothing);
    CAPTURE(cause.InWords().text);
    bool found = false;
    for (const Loss& loss : cause.losses) {
      if (IdOf(loss.part) != std::string_view(row.loss)) continue;
      found = true;
      CHECK(loss.percent > 25);
      CHECK((loss.CausesText().find("garbage collection") != std::string::npos) == garbage);
    }
    CHECK(found);
  }
}

TEST_CASE("A checkpoint may be gathered by kernels; the annotation around whole steps saves none") {
  CHECK(Says(VerdictOf("save_checkpoint", Around::kStep), "checkpoint saving"));
  CHECK_FALSE(Says(VerdictOf("save_checkpoint", Around::kProgram), "checkpoint"));
}

TEST_CASE("Functions of a compiler's folder around launches of kernels run compiled code") {
  for (const char* name :
       {"torch/_inductor/utils.py(2417): run", "torch/_inductor/codecache.py(1100): __call__",
        "torch/_inductor/compile_fx.py(1200): run", "torch/_inductor/some_new_file.py(3): call",
        "triton/compiler/compiler.py(380): _init_handles"}) {
    CAPTURE(name);
    CHECK(CompileUs(name, true) == 0);
  }
  for (const char* name : {"torch/_inductor/compile_fx.py(700): compile_fx_inner",
                           "torch/_inductor/some_new_file.py(3): call",
                           "triton/compiler/compiler.py(380): _init_handles"}) {
    CAPTURE(name);
    CHECK(CompileUs(name, false) > 850);
  }
}

TEST_CASE("What tunes kernels launches them, and so does what compiles by its aid") {
  const char* outer = "torch/_inductor/compile_fx.py(700): compile_fx_inner";
  const char* tuner = "torch/_inductor/runtime/benchmarking.py(80): benchmark_gpu";
  CHECK(CompileUs(tuner, true) > 850);
  CHECK(CompileUs(outer, true, tuner) > 850);
  CHECK(CompileUs(outer, true, "torch/nn/modules/module.py(9): forward") == 0);
  // XLA tunes inside its own function, which is known by its name.
  CHECK(CompileUs("$compiler.py:341 backend_compile_and_load", true) > 850);
}

TEST_CASE("JAX's annotation around marked steps is no compilation") {
  for (const bool around : {true, false}) {
    test::XSpaceBuilder b;
    auto& kernels = b.Plane("/device:GPU:0").Line(14, "Stream #14");
    auto& host = b.Plane("/host:CPU").Line(1, "python");
    if (around) host.Event("autotune", 0, 40'000 * kPsPerUs);
    for (int64_t s = 0; s < 4; ++s) {
      const int64_t t = (100 + s * 5'000) * kPsPerUs;
      const auto id = static_cast<uint64_t>(s + 1);
      host.Event("train", t, 4'900 * kPsPerUs).Stat("_r", int64_t{1}).Stat("step_num", s);
      if (!around) host.Event("autotune", t + 10 * kPsPerUs, 3'900 * kPsPerUs);
      host.Event("cuLaunchKernel", t + 4'000 * kPsPerUs, 10 * kPsPerUs).Stat("correlation_id", id);
      kernels.Event("kernel", t + 4'012 * kPsPerUs, 800 * kPsPerUs).Stat("correlation_id", id);
    }
    auto trace = LoadBytes("h.xplane.pb", b.Bytes(), {});
    REQUIRE(trace.ok());
    AnalysisContext context(*trace, Definitions::kStepscope);
    CHECK(test::JudgedAlone(**trace, context.Get<StepDatabase>()).id() ==
          (around ? "host" : "compile"));
  }
}

}  // namespace stepscope
