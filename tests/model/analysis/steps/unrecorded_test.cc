// Recordings that lack a part of the devices' work.
#include "model/analysis/steps/unrecorded.h"

#include <doctest/doctest.h>

#include "tests/support/kineto_text.h"
#include "tests/support/table_cells.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

struct StepShape {
  double length = 1000, busy = 900;  // us
  int kernels = 30;
};

// Adds a step at `at` us, whose kernels follow each other from its begin; 0 kernels: none.
void AddStep(test::KinetoText* t, int number, double at, StepShape shape) {
  t->Host("user_annotation", "ProfilerStep#" + std::to_string(number), at, shape.length - 1);
  for (int k = 0; k < shape.kernels; ++k) {
    const int id = 100 * number + k + 1;
    const double begin = at + 3 + shape.busy / shape.kernels * k;
    t->Launch(id, at + k, 0.5).Kernel("gemm", id, begin, shape.busy / shape.kernels);
  }
}

AnalysisResult Overview(const test::KinetoText& t) {
  return test::Analyse("t.json", t.Text(test::kH100), "overview");
}

void CheckBegin(const AnalysisResult& page, const std::string& begin) {
  CHECK(page.findings.front().text.substr(0, begin.size()) == begin);
}

AnalysisResult OverviewWithout(int first, int last) {
  test::KinetoText t;
  for (int s = 0; s < 10; ++s) {
    StepShape shape;
    if (s >= first && s <= last) shape.kernels = 0;
    AddStep(&t, s, 1000.0 * s, shape);
  }
  return Overview(t);
}

TEST_CASE("Steps without an event of a device are named, and no other step is longer for them") {
  const AnalysisResult page = OverviewWithout(5, 8);
  CHECK(test::PropertyText(page, "verdict") == "too_little");
  CheckBegin(page,
             "Recorded in part: steps 5 to 8 have no event of a device. The rest is "
             "device-bound: the GPU computes 93 %");
  CHECK(test::PropertyText(page, "step_count") == "6");
  CHECK(test::PropertyReal(page, "steptime_ms_maximum") < 1.01);
}

TEST_CASE("A last step without events may have been cut") {
  CHECK(test::PropertyText(OverviewWithout(9, 9), "verdict") == "device");
  CHECK(test::PropertyText(OverviewWithout(8, 9), "verdict") == "too_little");
  CHECK(test::PropertyText(OverviewWithout(10, 10), "verdict") == "device");
}

TEST_CASE("Marks of other names may lack events") {
  test::KinetoText t;
  for (int s = 0; s < 8; ++s) {
    AddStep(&t, s, 2000.0 * s, {});
    t.Host("user_annotation", "Evaluate#" + std::to_string(s), 2000.0 * s + 1000, 500);
  }
  CHECK(test::PropertyText(Overview(t), "verdict") != "too_little");
}

AnalysisResult OverviewOf(StepShape shape) {
  test::KinetoText t;
  for (int s = 0; s < 6; ++s) AddStep(&t, s, shape.length * s, shape);
  return Overview(t);
}

TEST_CASE("A device that hardly works in long steps is too little to judge") {
  const AnalysisResult page = OverviewOf({395'000, 45, 3});
  CHECK(test::PropertyText(page, "verdict") == "too_little");
  CheckBegin(page,
             "Too little was recorded to judge: the GPU has 3 events in a step "
             "of 395 ms and works 0.014 % of it");
  // No finding claims to save what nobody can judge.
  test::KinetoText t;
  for (int s = 0; s < 6; ++s) AddStep(&t, s, 395'000.0 * s, {395'000, 45, 3});
  const AnalysisResult found = test::Analyse("t.json", t.Text(test::kH100), "findings");
  CHECK(test::TableOf(found, "findings").empty());
  CHECK(test::PropertyText(OverviewOf({395'000, 900, 20}), "verdict") == "host");
  // Under 0.1 % of a step their number does not matter.
  CHECK(test::PropertyText(OverviewOf({395'000, 50, 25}), "verdict") == "too_little");
  CHECK(test::PropertyText(OverviewOf({395'000, 300, 90}), "verdict") == "too_little");
  CHECK(test::PropertyText(OverviewOf({395'000, 420, 25}), "verdict") == "host");
  CHECK(test::PropertyText(OverviewOf({395'000, 4'500, 3}), "verdict") == "host");
}

// A replay whose first kernel waits `queued` us behind work that was launched before.
AnalysisResult OverviewOfReplay(double queued) {
  test::KinetoText t;
  t.Host("user_annotation", "ProfilerStep#1", 0, 30'000);
  for (int k = 0; k < 30; ++k) {
    t.Launch(k + 1, 10 + 10 * k, 5);
    t.Kernel("gemm", k + 1, 20 + queued + 700.0 * k, 699);
  }
  return Overview(t);
}

TEST_CASE("Time before a first event that waited behind unrecorded work belongs to no step") {
  const AnalysisResult replay = OverviewOfReplay(7'800);
  CHECK(test::PropertyText(replay, "verdict") == "device");
  CHECK(test::PropertyReal(replay, "verdict_percent") > 99);
  CHECK(test::PropertyReal(replay, "step_ms_median") == doctest::Approx(21).epsilon(0.001));
  // One that waits a little longer than usual is the program's own.
  CHECK(test::PropertyReal(OverviewOfReplay(150), "step_ms_median") ==
        doctest::Approx(21.17).epsilon(0.001));
}

// Ten steps of 30 launches; in those from `first` to `last` only `kernels` have their work, and
// `captured`: while a graph is captured.
std::string LosingKernels(int first, int last, int kernels, bool captured = false) {
  test::KinetoText t;
  for (int s = 0; s < 10; ++s) {
    const double at = 1000.0 * s;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(s), at, 999);
    const bool loses = s >= first && s <= last;
    if (loses && captured) t.Host("cuda_runtime", "cudaStreamBeginCapture", at + 740, 1);
    for (int k = 0; k < 30; ++k) {
      const int id = 100 * s + k + 1;
      t.Launch(id, at + 2 + 29 * k, 0.5);
      if (!loses || k < kernels) t.Kernel("gemm", id, at + 3 + 31 * k, 31);
    }
    if (loses && captured) t.Host("cuda_runtime", "cudaStreamEndCapture", at + 900, 1);
  }
  return t.Text(test::kH100);
}

TEST_CASE("Steps whose launches have no kernels are said and not judged") {
  const AnalysisResult page = test::Analyse("t.json", LosingKernels(3, 5, 4), "overview");
  CHECK(test::PropertyText(page, "verdict") == "too_little");
  CheckBegin(page,
             "Recorded in part: steps 3 to 5 lack work: 78 of 90 launches have no kernel. The rest "
             "is device-bound: the GPU computes 9");
  CHECK(test::PropertyText(page, "steps_counted") == "7");
  // The step after them begins with its mark, not with the last kernel before.
  CHECK(test::PropertyReal(page, "steptime_ms_maximum") < 1.01);
  // Few are none, a last step may have been cut, and a capture starts nothing.
  const auto verdict = [](const std::string& text) {
    return test::PropertyText(test::Analyse("t.json", text, "overview"), "verdict");
  };
  CHECK(verdict(LosingKernels(3, 5, 28)) != "too_little");
  CHECK(verdict(LosingKernels(3, 5, 26)) == "too_little");
  CHECK(verdict(LosingKernels(9, 9, 4)) == "device");
  CHECK(verdict(LosingKernels(3, 3, 26, true)) != "too_little");
}

TEST_CASE("Where every step lost kernels, nothing is judged") {
  const AnalysisResult page = test::Analyse("t.json", LosingKernels(0, 9, 20), "overview");
  CHECK(test::PropertyText(page, "verdict") == "too_little");
  CheckBegin(page, "Too little was recorded to judge: 100 of 300 launches have no kernel.");
  const AnalysisResult found = test::Analyse("t.json", LosingKernels(0, 9, 20), "findings");
  CHECK(test::TableOf(found, "findings").empty());
}

// GPU 0 computes 90 % of each step; GPU 1 works `us` of each.
AnalysisResult OverviewBeside(double us) {
  test::KinetoText t;
  for (int s = 0; s < 8; ++s) {
    t.On(0, 7);
    AddStep(&t, s, 1000.0 * s, {});
    const int id = 10'000 + s;
    t.Launch(id, 1000.0 * s + 40, 0.5, "cudaMemsetAsync");
    t.On(1, 7).Device("gpu_memset", "Memset (Device)", id, 1000.0 * s + 42, us);
  }
  return Overview(t);
}

TEST_CASE("A GPU with a negligible share of the busiest one's work is left out, and said") {
  const AnalysisResult alone = OverviewBeside(1);
  CHECK(test::PropertyText(alone, "verdict") == "device");
  CheckBegin(alone, "Device-bound: GPU 0 computes 9");
  CHECK(alone.findings.front().text.find(
            ". GPU 1 does under 1 % of the work of the busiest one and is left out.") !=
        std::string::npos);
  const AnalysisResult both = OverviewBeside(10);
  CHECK(test::PropertyText(both, "verdict") != "device");
  CHECK(both.findings.front().text.find("left out") == std::string::npos);
}

AnalysisResult OverviewOfGpus(int gpus, int working) {
  test::XSpaceBuilder b;
  auto& host = b.Plane("/host:CPU").Line(1, "python");
  std::vector<test::LineBuilder*> streams;
  for (int g = 0; g < gpus; ++g) {
    auto& plane = b.Plane("/device:GPU:" + std::to_string(g));
    if (g < working) streams.push_back(&plane.Line(14, "Stream #14"));
  }
  for (int s = 0; s < 6; ++s) {
    const int64_t at = s * kPsPerMs;
    host.Event("train", at, kPsPerMs - kPsPerUs).Stat("_r", 1).Stat("step_num", s);
    for (int k = 0; k < 20; ++k) {
      for (int g = 0; g < working; ++g) {
        const auto id = static_cast<uint64_t>(1000 * s + 100 * g + k + 1);
        const int64_t t = at + k * 40 * kPsPerUs;
        host.Event("cuLaunchKernel", t, 2 * kPsPerUs).Stat("correlation_id", id);
        test::LineBuilder& stream = *streams[static_cast<size_t>(g)];
        stream.Event("gemm", t + 3 * kPsPerUs, 38 * kPsPerUs).Stat("correlation_id", id);
      }
    }
  }
  return test::Analyse("h.xplane.pb", b.Bytes(), "overview");
}

TEST_CASE("GPUs without an event beside a majority that works are named") {
  CheckBegin(OverviewOfGpus(8, 7), "Recorded in part: GPU 7 has no event. The rest is ");
  CHECK(test::PropertyText(OverviewOfGpus(8, 7), "verdict") == "too_little");
  CHECK(test::PropertyText(OverviewOfGpus(2, 2), "verdict") != "too_little");
}

TEST_CASE("A program that uses one of the GPUs that it sees was recorded whole") {
  for (const int seen : {2, 8}) {
    CAPTURE(seen);
    const AnalysisResult page = OverviewOfGpus(seen, 1);
    CHECK(test::PropertyText(page, "verdict") != "too_little");
    CHECK(page.findings.front().text.find("the GPU waits") != std::string::npos);
  }
}

}  // namespace
}  // namespace stepscope
