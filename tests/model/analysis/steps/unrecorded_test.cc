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
  CHECK(test::TableOf(found, "findings").rows.empty());
  CHECK(test::PropertyText(OverviewOf({395'000, 45, 20}), "verdict") == "host");
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

TEST_CASE("GPUs without an event beside others that work are named") {
  const AnalysisResult one = OverviewOfGpus(2, 1);
  CHECK(test::PropertyText(one, "verdict") == "too_little");
  CheckBegin(one, "Recorded in part: GPU 1 has no event. The rest is ");
  CheckBegin(OverviewOfGpus(8, 1), "Recorded in part: 7 of 8 GPUs have no event.");
  CHECK(test::PropertyText(OverviewOfGpus(2, 2), "verdict") != "too_little");
}

}  // namespace
}  // namespace stepscope
