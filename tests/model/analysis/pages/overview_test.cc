// The overview's verdict and environment (docs/rules.md#overview): each class on both sides of
// its threshold.
#include "model/analysis/analysis.h"

#include <doctest/doctest.h>

#include <map>

#include "loaders/loader.h"
#include "model/analysis/naming/device_type.h"
#include "tests/support/kineto_text.h"
#include "tests/support/table_cells.h"
#include "tests/support/table_rows.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

constexpr int64_t kMs = kPsPerMs;

struct Step10Ms {  // a step of 10 ms on one GPU; the rest is compute
  double input_ms = 0, late_ms = 0, collective_ms = 0;
};

AnalysisResult Overview(const Step10Ms& s, const char* kernel = "gemm_half") {
  test::XSpaceBuilder b;
  auto& stream = b.Plane("/device:GPU:0").Line(1, "Stream #1");
  auto& host = b.Plane("/host:CPU").Line(1, "python");
  const auto ps = [](double ms) { return static_cast<int64_t>(ms * static_cast<double>(kMs)); };
  for (int64_t k = 0; k < 3; ++k) {
    const int64_t t = k * 10 * kMs;
    const auto id = static_cast<uint64_t>(2 * k + 1);
    host.Event("train", t, 10 * kMs).Stat("_r", int64_t{1}).Stat("step_num", k);
    if (s.input_ms > 0) host.Event("IteratorGetNext:IteratorGetNext", t, ps(s.input_ms));
    host.Event("launch", t + ps(s.input_ms), 1).Stat("correlation_id", id);
    host.Event("launch", t + ps(s.input_ms) + 2, 1).Stat("correlation_id", id + 1);
    const int64_t begin = t + ps(s.input_ms + s.late_ms), end = t + 10 * kMs;
    stream.Event(kernel, begin, end - ps(s.collective_ms) - begin)
        .Stat("correlation_id", id)
        .Stat("kernel_details", "regs:1");
    if (s.collective_ms > 0) {
      stream.Event("ncclKernel_AllReduce", end - ps(s.collective_ms), ps(s.collective_ms))
          .Stat("correlation_id", id + 1);
    }
  }
  auto trace = LoadBytes("h.xplane.pb", b.Bytes(), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  return FindAnalysis("overview")->run(context, {});
}

std::string Text(const AnalysisResult& r, const char* id) {
  const Property* p = r.Find(id);
  REQUIRE(p);
  return RawValue(p->value);
}

std::string DeviceType(const char* vendor, int64_t major, int64_t minor, const char* name = "") {
  test::XSpaceBuilder b;
  b.Plane("/device:GPU:0")
      .Stat("device_vendor", vendor)
      .Stat("gpu_device_name", name)
      .Stat("compute_cap_major", major)
      .Stat("compute_cap_minor", minor)
      .Line(1, "Stream #1")
      .Event("k", 0, 1);
  auto trace = LoadBytes("h.xplane.pb", b.Bytes(), {});
  REQUIRE(trace.ok());
  return DeviceTypeOf(**trace);
}

}  // namespace

TEST_CASE("Input from 20 % on is the host's, from 5 % on both, below it the device's") {
  CHECK(Text(Overview({.input_ms = 2.0}), "bottleneck") == "host");
  CHECK(Text(Overview({.input_ms = 1.9}), "bottleneck") == "both");
  CHECK(Text(Overview({.input_ms = 0.5}), "bottleneck") == "both");
  CHECK(Text(Overview({.input_ms = 0.4}), "bottleneck") == "device");
  CHECK(Text(Overview({}), "bottleneck") == "device");
}

TEST_CASE("Unexplained time from 3 % on makes the bottleneck \"both\"; its grade says no less") {
  const AnalysisResult late = Overview({.late_ms = 0.4}), little = Overview({.late_ms = 0.2});
  CHECK(Text(late, "bottleneck") == "both");
  CHECK(Text(late, "all_other_bottleneck") == "moderate");
  CHECK(Text(little, "bottleneck") == "device");
  CHECK(Text(Overview({.input_ms = 3, .late_ms = 0.4}), "all_other_bottleneck") == "moderate");
}

TEST_CASE("Collectives: high from 15 %, moderate from 3 %, else no") {
  CHECK(Text(Overview({.collective_ms = 1.5}), "device_collectives_bottleneck") == "high");
  CHECK(Text(Overview({.collective_ms = 0.3}), "device_collectives_bottleneck") == "moderate");
  CHECK(Text(Overview({.collective_ms = 0.2}), "device_collectives_bottleneck") == "no");
}

TEST_CASE("Precision by the kernels' names") {
  CHECK(Text(Overview({}), "device_compute_16bit_percent") == "100");
  CHECK(Text(Overview({}, "sgemm"), "device_compute_16bit_percent") == "0");
  CHECK(Text(Overview({}, "sgemm"), "device_compute_32bit_percent") == "100");
}

TEST_CASE("A share of nothing is unknown, and 0 for XProf") {
  test::XSpaceBuilder b;
  b.Plane("/device:GPU:0").Line(14, "Stream #14").Event("MemcpyHToD", 0, 10 * kPsPerMs);
  auto trace = LoadBytes("h.xplane.pb", b.Bytes(), {});
  REQUIRE(trace.ok());
  for (const Definitions definitions : {Definitions::kStepscope, Definitions::kXprof}) {
    AnalysisContext context(*trace, definitions);
    const AnalysisResult r = FindAnalysis("overview")->run(context, {});
    const Value unknown = definitions == Definitions::kXprof ? Value(0.0) : Value();
    for (const char* id :
         {"device_compute_16bit_percent", "device_compute_32bit_percent", "host_tf_op_percent",
          "host_op_time_eager_percent", "device_op_time_eager_percent"}) {
      CAPTURE(id);
      REQUIRE(r.Find(id) != nullptr);
      CHECK(r.Find(id)->value == unknown);
    }
  }
}

TEST_CASE("Without steps the verdict is unknown and says what to do") {
  test::XSpaceBuilder b;
  b.Plane("/host:CPU").Line(1, "t").Event("x", 0, 10);
  auto trace = LoadBytes("h.xplane.pb", b.Bytes(), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const AnalysisResult r = FindAnalysis("overview")->run(context, {});
  CHECK(Text(r, "bottleneck") == "unknown");
  CHECK(Text(r, "steps_how").starts_with("Nothing marks steps"));
  REQUIRE_FALSE(r.findings.empty());
  CHECK_FALSE(r.findings[0].next_step.empty());
}

TEST_CASE("A single step has no standard deviation") {
  test::KinetoText t;
  t.Host("user_annotation", "ProfilerStep#1", 0, 900);
  t.Host("cpu_op", "aten::mm", 2, 10).Launch(1, 4, 3);
  t.Kernel("gemm", 1, 10, 450);
  const AnalysisResult ours = test::Analyse("t.json", t.Text(test::kH100), "overview");
  CHECK(test::PropertyText(ours, "step_count") == "1");
  CHECK(std::holds_alternative<std::monostate>(ours.Find("steptime_ms_standard_deviation")->value));
  const AnalysisResult xprof =
      test::Analyse("t.json", t.Text(test::kH100), "overview", Definitions::kXprof);
  CHECK(xprof.Find("steptime_ms_standard_deviation")->value == Value(0.0));
}

TEST_CASE("Without steps step times are unknown, and no advice is given") {
  test::KinetoText t;
  t.Kernel("sgemm", 1, 0, 10);
  const AnalysisResult ours = test::Analyse("t.json", t.Text(test::kH100), "overview");
  for (const char* id : {"step_ms_median", "steptime_ms_average", "steptime_ms_standard_deviation",
                         "steptime_ms_minimum", "steptime_ms_maximum"}) {
    CAPTURE(id);
    REQUIRE(ours.Find(id) != nullptr);
    CHECK(std::holds_alternative<std::monostate>(ours.Find(id)->value));
  }
  CHECK(ours.Find("steptime_ms_average")->label == "Mean step time");
  CHECK(test::PropertyText(ours, "verdict") == "too_little");
  CHECK(ours.findings.size() == 1);
  const AnalysisResult xprof =
      test::Analyse("t.json", t.Text(test::kH100), "overview", Definitions::kXprof);
  CHECK(xprof.Find("steptime_ms_average")->label == "Step time");
  CHECK(xprof.Find("steptime_ms_average")->value == Value(0.0));
}

TEST_CASE("Devices of PyTorch: name, memory and multiprocessors from deviceProperties") {
  test::KinetoText t;
  t.Kernel("k", 1, 0, 10);
  const AnalysisResult r = test::Analyse("t.json", t.Text(test::kH100), "overview");
  CHECK(Text(r, "device_type") == "NVIDIA H100 80GB HBM3");
  const ResultTable* environment = r.Table("environment");
  REQUIRE(environment != nullptr);
  std::map<std::string, std::string> facts;
  for (const auto& row : test::RowsOf(*environment)) facts[RawValue(row[0])] = RawValue(row[1]);
  CHECK(facts["Device"] == "NVIDIA H100 80GB HBM3");
  CHECK(facts["Device memory"] == FormatValue(Value(int64_t{85018279936}), Unit::kBytes));
  CHECK(facts["Multiprocessors"] == "132");
  const AnalysisResult bare = test::Analyse("t.json", t.Text(), "overview");
  CHECK(Text(bare, "device_type") == "GPU");
}

TEST_CASE("What devices are called") {
  CHECK(DeviceType("Nvidia", 7, 0) == "Nvidia GPU (Volta)");
  CHECK(DeviceType("Nvidia", 7, 5) == "Nvidia GPU (Turing)");
  CHECK(DeviceType("Nvidia", 8, 9) == "Nvidia GPU (Ada Lovelace)");
  CHECK(DeviceType("Nvidia", 9, 0) == "Nvidia GPU (Hopper)");
  CHECK(DeviceType("Nvidia", 4, 0) == "Nvidia GPU");
  CHECK(DeviceType("AMD", 9, 4) == "AMD GPU - gfx942");
  CHECK(DeviceType("AMD", 9, 4, "gfx90a") == "AMD GPU - gfx90a");
  CHECK(DeviceType("AMD", 9, 4, "gfx9") == "AMD GPU - gfx942");
  CHECK(DeviceType("Other", 1, 0) == "GPU");
}

}  // namespace stepscope
