// A program of JAX that fetches an array in each step: the host waits in numpy.asarray, and a
// thread of the runtime, which nothing ties to the step, starts the copy.
#include <doctest/doctest.h>

#include <memory>

#include "model/analysis/steps/steps.h"
#include "model/analysis/steps/verdict.h"
#include "tests/support/judged.h"
#include "tests/support/loaded.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

constexpr int64_t kFetchUs = kPsPerUs;

// Four steps of 1 ms: 100 us of kernel, a copy of 50 us at 135 us, and the host in numpy.asarray
// from 30 us to 980 us.
std::shared_ptr<const Trace> FetchingSteps() {
  test::XSpaceBuilder b;
  auto& gpu = b.Plane("/device:GPU:0");
  auto& kernels = gpu.Line(14, "Stream #14(Compute)");
  auto& copies = gpu.Line(16, "Stream #16(MemcpyD2H)");
  auto& cpu = b.Plane("/host:CPU");
  for (int64_t s = 0; s < 4; ++s) {
    const int64_t t = s * 1'000 * kFetchUs;
    const auto id = static_cast<uint64_t>(10 * s);
    auto& python = cpu.Line(1, "python3");
    python.Event("train", t, 990 * kFetchUs).Stat("_r", int64_t{1}).Stat("step_num", s);
    python.Event("PjitFunction(train_step)", t + 5 * kFetchUs, 20 * kFetchUs);
    python.Event("cuLaunchKernel", t + 10 * kFetchUs, 10 * kFetchUs).Stat("correlation_id", id + 1);
    python.Event("$train.py:30 log_weights", t + 28 * kFetchUs, 954 * kFetchUs);
    python.Event("$array.py:404 __array__", t + 29 * kFetchUs, 952 * kFetchUs);
    python.Event("$profiler.py:417 wrapper", t + 29 * kFetchUs, 952 * kFetchUs);
    python.Event("np.asarray(jax.Array)", t + 30 * kFetchUs, 950 * kFetchUs);
    python.Event("$array.py:629 _value", t + 31 * kFetchUs, 948 * kFetchUs);
    kernels.Event("fusion", t + 20 * kFetchUs, 100 * kFetchUs).Stat("correlation_id", id + 1);
    cpu.Line(2, "pjrt_async_work_runner/1")
        .Event("MemcpyD2H", t + 125 * kFetchUs, 12 * kFetchUs)
        .Stat("correlation_id", id + 2);
    copies.Event("MemcpyD2H", t + 135 * kFetchUs, 50 * kFetchUs)
        .Stat("correlation_id", id + 2)
        .Stat("memcpy_details", "kind_src:device kind_dst:pinned size:4096 dest:0 async:1");
  }
  return test::Loaded("h.xplane.pb", b.Bytes());
}

}  // namespace

TEST_CASE("A copy that an untied thread starts belongs to the step whose mark is open then") {
  const std::shared_ptr<const Trace> trace = FetchingSteps();
  AnalysisContext context(trace, Definitions::kStepscope);
  const StepDatabase& db = context.Get<StepDatabase>();
  REQUIRE(db.device_steps.size() == 4);
  for (size_t s = 1; s + 1 < 4; ++s) {
    CAPTURE(s);
    const DeviceStep& step = db.device_steps[s];
    CHECK_FALSE(db.steps[s].partial);
    // From the end of the copy before to the end of its own.
    CHECK(step.span.begin == (1'000 * static_cast<int64_t>(s) - 815) * kFetchUs);
    CHECK(step.span.end == (1'000 * static_cast<int64_t>(s) + 185) * kFetchUs);
  }
}

TEST_CASE("A host that fetches arrays of JAX blocks, and the advice is to fetch less") {
  const std::shared_ptr<const Trace> trace = FetchingSteps();
  AnalysisContext context(trace, Definitions::kStepscope);
  const Verdict verdict = test::JudgedAlone(*trace, context.Get<StepDatabase>());
  CHECK(verdict.id() == "sync");
  CHECK(verdict.InWords().text.find("of that in np.asarray(jax.Array)") != std::string::npos);
  CHECK(verdict.InWords().next_step.find("numpy.asarray") != std::string::npos);
}

}  // namespace stepscope
