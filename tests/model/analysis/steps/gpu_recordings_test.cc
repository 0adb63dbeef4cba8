// Recordings of programs on an H100 (tests/tools/record_gpu_samples.py) beside what the programs
// measured of themselves while they were recorded.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>

#include "loaders/loader.h"
#include "model/analysis/memory/memory_profile.h"
#include "model/analysis/steps/losses.h"
#include "model/analysis/steps/steps.h"
#include "model/analysis/steps/verdict.h"
#include "model/analysis/tables/in_unit.h"
#include "model/analysis/torch/torch_ops.h"
#include "model/analysis/xla/hlo_ops.h"
#include "model/jobs/job.h"
#include "tests/support/judged.h"
#include "tests/support/source_paths.h"
#include "tests/support/table_cells.h"

namespace stepscope {
namespace {

constexpr size_t kSteps = 5;
using Times = std::array<double, kSteps>;

std::shared_ptr<const Trace> GpuRecording(const char* file) {
  Progress progress;
  auto trace = LoadPath(test::SourcePath("tests/data/") + file, {}, {}, progress, nullptr);
  REQUIRE(trace.ok());
  return *trace;
}

double SumOf(const Times& times) { return std::accumulate(times.begin(), times.end(), 0.0); }

}  // namespace

TEST_CASE("torch_gpu: steps, input wait, memory and operations are what PyTorch measured") {
  // torch.cuda.Event at the ends of the steps, and the time in next(loader).
  constexpr Times kStepMs = {21.35625648498535, 21.122112274169922, 19.789695739746094,
                             21.12588882446289, 19.497343063354492};
  constexpr Times kWaitMs = {13.102914, 12.838201, 12.797217, 12.754751, 12.775803};
  const auto trace = GpuRecording("torch_gpu.pt.trace.json.zst");
  AnalysisContext context(trace, Definitions::kStepscope);
  const StepDatabase& db = context.Get<StepDatabase>();
  REQUIRE(db.device_steps.size() == kSteps);
  for (size_t s = 0; s < kSteps; ++s) {
    CAPTURE(s);
    const DeviceStep& step = db.device_steps[s];
    CHECK(db.steps[s].counts());
    // A step ends with its last kernel; the program's event comes when Python is done with it.
    CHECK(std::abs(InMs(step.span.length()) - kStepMs[s]) < 0.2);
    // The device is idle but for the last microseconds of the step before.
    CHECK(std::abs(InMs(step.input_wait) - kWaitMs[s]) < 0.03);
  }
  CHECK(test::JudgedAlone(*trace, db).id() == "input");

  const AnalysisResult memory = FindAnalysis("memory")->run(context, {});
  CHECK(test::Text(memory, "summary", 1, "memory_id") == "GPU 0");
  // torch.cuda.max_memory_allocated
  CHECK(test::Int(memory, "summary", 1, "peak_bytes_in_use") == 118'799'872);

  double flops = 0, us = 0;  // of torch.profiler's key_averages
  for (const TorchOp& op : TorchOps::Compute(context, {}).ops) {
    if (op.operation != "aten::mm" && op.operation != "aten::addmm") continue;
    flops += op.flops;
    us += static_cast<double>(op.time) / kPsPerUs;
  }
  CHECK(flops == doctest::Approx(28'091'351'040).epsilon(1e-9));
  CHECK(us == doctest::Approx(726.576 + 1091.755).epsilon(1e-6));
}

TEST_CASE("jax_gpu: steps and input wait are what the program measured, and fetches block") {
  constexpr Times kStepMs = {15.37433, 15.225162, 14.039594, 13.771869, 13.882378};
  constexpr Times kWaitMs = {12.128012, 12.129876, 12.115993, 12.120754, 12.124884};
  const auto trace = GpuRecording("jax_gpu.xplane.pb.zst");
  AnalysisContext context(trace, Definitions::kStepscope);
  const StepDatabase& db = context.Get<StepDatabase>();
  REQUIRE(db.device_steps.size() == kSteps);
  Times steps{};
  for (size_t s = 0; s < kSteps; ++s) {
    CAPTURE(s);
    const DeviceStep& step = db.device_steps[s];
    steps[s] = InMs(step.span.length());
    // The program's clock counts the calls around the sleep too.
    CHECK(std::abs(InMs(step.input_wait) - kWaitMs[s]) < 0.05);
    // The loss is copied by a thread of the runtime, in the step that asks for it.
    CHECK(step.d2h > 0);
    // A step ends with that copy, the program's clock when the host has woken up: a millisecond
    // later in one of these steps, which the next step has too much.
    CHECK(std::abs(steps[s] - kStepMs[s]) < 1);
  }
  CHECK(SumOf(steps) == doctest::Approx(SumOf(kStepMs)).epsilon(0.003));
  const Verdict verdict = test::JudgedAlone(*trace, db);
  CHECK(verdict.id() == "input");
  const auto sync = std::find_if(verdict.losses.begin(), verdict.losses.end(),
                                 [](const Loss& loss) { return loss.part == StepPart::kSync; });
  REQUIRE(sync != verdict.losses.end());
  CHECK(sync->CausesText().starts_with("np.asarray(jax.Array) in __float__ (array.py:"));
}

TEST_CASE("jax_gpu: kernels of a command buffer are known as the products that the step needs") {
  const auto trace = GpuRecording("jax_gpu.xplane.pb.zst");
  AnalysisContext context(trace, Definitions::kStepscope);
  const auto ops = context.Get<HloOpTable>(AnalysisParams());
  double flops = 0, named = 0, all = 0;
  for (const HloOp& op : ops->ops) {
    all += static_cast<double>(op.time);
    if (op.category != "unknown") named += static_cast<double>(op.time);
    if (op.name.starts_with("gemm_fusion")) flops += op.flops;
  }
  CHECK(named > 0.99 * all);
  // Forward, and backward for input and weight: 512 tokens by the weights of two layers and of the
  // head, and two products of attention in two layers. XLA's own analysis of the whole step, with
  // what is no product, is 5,897,472,000. The fusions hold a few additions too.
  constexpr double kWeights = 2 * (256 * 768 + 256 * 256 + 2 * 256 * 1024) + 256 * 1000;
  constexpr double kAttention = 2 * 2 * (2.0 * 8 * 4 * 64 * 64 * 64);
  CHECK(flops / kSteps == doctest::Approx(3 * (2 * 512 * kWeights + kAttention)).epsilon(0.005));
}

}  // namespace stepscope
