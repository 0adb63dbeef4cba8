// Steps of TPUs and what their cores wait for (docs/rules.md#tpu), on profiles built for it.
#include "model/analysis/steps/builders/tpu_steps.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "model/analysis/tpu/core.h"
#include "tests/support/loaded.h"
#include "tests/support/tpu_profile.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

constexpr int64_t kMillisecond = kPsPerMs;

std::shared_ptr<const Trace> LoadTpu(const std::string& bytes) {
  return test::Loaded("h.xplane.pb", bytes);
}

// Two cores, `steps` steps of 9 ms: 1 ms infeed, a loop of 4 ms around a fusion of 2 ms, an
// all-reduce of 1 ms (2 ms on the second core).
std::shared_ptr<const Trace> MakeMarked(int64_t steps) {
  test::XSpaceBuilder b;
  b.Hostname("h");
  for (int64_t c = 0; c < 2; ++c) {
    auto& core = b.Plane("/device:TPU:" + std::to_string(c)).Id(c);
    const auto op = [&](const char* name, int64_t symbol, const char* category) {
      core.EventMetadata(name)
          .Stat("program_id", int64_t{7})
          .Stat("symbol_id", symbol)
          .Stat("hlo_category", category);
    };
    op("%infeed", 1, "infeed");
    op("%while", 2, "while");
    op("%fusion", 3, "convolution fusion");
    op("%all-reduce", 4, "all-reduce");
    auto& markers = core.Line(1, "Steps");
    auto& ops = core.Line(3, "XLA Ops");
    for (int64_t k = 0; k < steps; ++k) {
      const int64_t t = k * 10 * kMillisecond;
      markers.Event(std::to_string(k), t, 9 * kMillisecond);
      ops.Event("%infeed", t, kMillisecond);
      ops.Event("%while", t + kMillisecond, 4 * kMillisecond);
      ops.Event("%fusion", t + 2 * kMillisecond, 2 * kMillisecond);
      ops.Event("%all-reduce", t + 5 * kMillisecond, (1 + c) * kMillisecond);
    }
  }
  return LoadTpu(b.Bytes());
}

double Ms(double ps) { return ps / static_cast<double>(kMillisecond); }

double MsOf(const Step& step, StepTimeClass c) {
  return Ms(step.class_times[static_cast<size_t>(c)]);
}

}  // namespace

TEST_CASE("Steps of a Steps line: ops count for what they do, the mean over cores") {
  for (Definitions definitions : {Definitions::kXprof, Definitions::kStepscope}) {
    AnalysisContext context(MakeMarked(7), definitions);
    const StepDatabase& db = context.Get<StepDatabase>();
    CHECK(db.kind == DeviceKind::kTpu);
    REQUIRE(db.steps.size() == 7);  // no step of a TPU is left out
    const StepBreakdown& t = db.steps[2].times;
    CHECK(db.steps[2].label == "2");
    CHECK(Ms(t.total) == 9);
    CHECK(Ms(t.input) == 1);
    CHECK(Ms(t.compute) == 4);
    CHECK(Ms(t.collectives) == 1.5);
    CHECK(Ms(t.other) == doctest::Approx(2.5));
    CHECK_FALSE(db.steps[2].inferred);
  }
  AnalysisContext own(MakeMarked(7), Definitions::kStepscope);
  REQUIRE(own.Get<StepDatabase>().device_steps.size() == 14);
  CHECK(Ms(own.Get<StepDatabase>().device_steps[5].times.collectives) == 2);
}

TEST_CASE("Without a Steps line a step is a run of the program with most time; XProf has none") {
  for (const int64_t bend : {int64_t{0}, kMillisecond}) {
    test::TpuProfileOptions options;
    options.bend_ps = bend;
    const auto trace = LoadTpu(test::MakeTpuProfile(options));
    AnalysisContext context(trace, Definitions::kStepscope);
    const StepDatabase& db = context.Get<StepDatabase>();
    REQUIRE(db.steps.size() == 6);
    REQUIRE(db.device_steps.size() == 12);
    CHECK(db.inferred);
    CHECK(db.how.find("jit_f") != std::string::npos);
    for (size_t k = 0; k < 6; ++k) {
      const Step& step = db.steps[k];
      CAPTURE(k);
      // The first begins with its first op, the others where the one before ends.
      CHECK(Ms(step.times.total) == doctest::Approx(k == 0 ? 9 : 10));
      CHECK(MsOf(step, StepTimeClass::kHostToDevice) == doctest::Approx(5).epsilon(1e-6));
      CHECK(MsOf(step, StepTimeClass::kDeviceToHost) == doctest::Approx(2).epsilon(1e-6));
      CHECK(MsOf(step, StepTimeClass::kCompute) == doctest::Approx(2).epsilon(1e-5));
      CHECK(MsOf(step, StepTimeClass::kUnknown) == doctest::Approx(k == 0 ? 0 : 1).epsilon(1e-5));
      double sum = 0;
      for (const double time : step.class_times) sum += time;
      CHECK(sum == doctest::Approx(step.times.total).epsilon(1e-9));
      // The session's clock is 3 ms ahead; the first run begins at 10 ms on the core's.
      CHECK(Ms(static_cast<double>(step.span.end)) ==
            doctest::Approx(22 + 10 * static_cast<double>(k)).epsilon(1e-3));
    }
    AnalysisContext xprof(trace, Definitions::kXprof);
    CHECK(xprof.Get<StepDatabase>().steps.empty());
  }
}

TEST_CASE("Time before a collective in which a core waits for others is no idle time") {
  test::TpuProfileOptions options;
  options.runs = 1;  // jit_f takes 9 ms, jit_init is no step
  const auto trace = LoadTpu(test::MakeTpuProfile(options));
  AnalysisContext context(trace, Definitions::kStepscope);
  const std::vector<TpuCore> cores = CoresOf(*trace, context.stats(), HostId(0));
  REQUIRE(cores.size() == 2);
  REQUIRE(cores[0].ops.size() == 8);
  CHECK(cores[0].ops[0].name == "all-reduce");
  CHECK(cores[0].barrier[0] == kMillisecond);
  CHECK(cores[0].barrier[1] == 0);
}

TEST_CASE("A wait names its bytes, its rate behind the copy before it, and the op that reads it") {
  const auto trace = LoadTpu(test::MakeTpuProfile({}));
  AnalysisContext context(trace, Definitions::kStepscope);
  const std::vector<AsyncWait> waits =
      AsyncWaitsOf(*trace, context.stats(), context.Get<StepDatabase>());
  REQUIRE(waits.size() == 3);
  const double kMib8 = 8 * 1024 * 1024;
  CHECK(waits[0].name == "copy-done");
  CHECK(waits[0].needed_by == "fusion");
  CHECK(waits[0].count == 12);
  CHECK(waits[0].BytesPerSecond() == doctest::Approx(kMib8 / 4e-3));
  CHECK(waits[1].name == "copy-done.1");
  CHECK(waits[1].work == CoreWork::kCopyToHost);
  CHECK(waits[1].needed_by.empty());
  CHECK(waits[1].BytesPerSecond() == doctest::Approx(kMib8 / 3e-3));
  CHECK(waits[2].name == "copy-done.2");
  CHECK(waits[2].in_flight == 12 * (7 * kMillisecond - kPsPerNs));
  // It queued behind copy-done, whose copy ended at 4 ms.
  CHECK(waits[2].BytesPerSecond() == doctest::Approx(kMib8 / 3e-3));
  CHECK(TextOf(waits[0]) == "8 MiB from the host's memory at 1.95 GiB/s, which fusion needs");
}

TEST_CASE("The verdict of a program that waits for its copies") {
  const auto trace = LoadTpu(test::MakeTpuProfile({}));
  AnalysisContext context(trace, Definitions::kStepscope);
  const auto page = context.Get("overview");
  CHECK(page->Find("verdict")->value == Value(std::string("copies")));
  REQUIRE(page->findings.size() >= 1);
  CHECK(page->findings[0].text.starts_with(
      "Copy-bound: the TPUs wait 71 % of each step for copies that no op hides; 57 % of that in "
      "copy-done: 8 MiB from the host's memory at 1.95 GiB/s, which fusion needs"));
  REQUIRE(page->Table("async_waits"));
  CHECK(page->Table("async_waits")->size() == 3);
}

}  // namespace stepscope
