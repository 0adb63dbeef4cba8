// Grouping and steps (docs/rules.md#grouping, #steps), on XSpaces built here.
#include "model/analysis/steps/steps.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "loaders/loader.h"
#include "tests/support/growth.h"
#include "tests/support/loaded.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using test::Ref;
using test::XSpaceBuilder;
constexpr int64_t kMs = kPsPerMs;

std::shared_ptr<const Trace> Load(const XSpaceBuilder& space) {
  return test::Loaded("h.xplane.pb", space.Bytes());
}

// The nth event of that name, by start.
EventRow Find(const Trace& trace, std::string_view name, size_t nth = 0) {
  std::vector<std::pair<Ps, uint32_t>> found;
  for (uint32_t row = 0; row < trace.set.rows; ++row) {
    if (trace.set.Name(EventRow(row)) == name)
      found.push_back({trace.set.Start(EventRow(row)), row});
  }
  std::sort(found.begin(), found.end());
  return nth < found.size() ? EventRow(found[nth].second) : EventRow();
}

std::string GroupName(AnalysisContext& context, std::string_view name, size_t nth = 0) {
  EventRow row = Find(context.trace(), name, nth);
  REQUIRE(row.valid());
  const EventGroup* group = context.Get<Grouping>().GroupOf(row);
  return group ? group->name : "-";
}

// `steps` steps of 10 ms: 3 ms of waiting for input, a launch, a copy of 1 ms and a kernel of 4 ms.
XSpaceBuilder GpuSteps(int64_t steps) {
  XSpaceBuilder b;
  auto& gpu = b.Plane("/device:GPU:0").Stat("device_vendor", "Nvidia");
  auto& kernels = gpu.Line(14, "Stream #14(Compute)");
  auto& copies = gpu.Line(15, "Stream #15(MemcpyH2D)");
  auto& host = b.Plane("/host:CPU").Line(1, "python");
  for (int64_t s = 0; s < steps; ++s) {
    const int64_t t = s * 10 * kMs;
    const auto id = static_cast<uint64_t>(2 * s + 1);
    host.Event("train", t, 9 * kMs).Stat("_r", int64_t{1}).Stat("step_num", s);
    host.Event("IteratorGetNext:IteratorGetNext", t, 3 * kMs);
    host.Event("cuMemcpy", t + 3 * kMs, kMs / 2).Stat("correlation_id", id);
    host.Event("cuLaunchKernel", t + 4 * kMs, kMs / 2).Stat("correlation_id", id + 1);
    copies.Event("MemcpyH2D", t + 4 * kMs, kMs).Stat("correlation_id", id);
    kernels.Event("kernel", t + 5 * kMs, 4 * kMs)
        .Stat("correlation_id", id + 1)
        .Stat("kernel_details", Ref{"regs:1"});
  }
  return b;
}

// Steps of ten kernels, each with its own launch; only the order of the kernels tells the steps.
XSpaceBuilder UnmarkedSteps(int64_t steps) {
  XSpaceBuilder b;
  auto& gpu = b.Plane("/device:GPU:0").Stat("device_vendor", "Nvidia");
  auto& kernels = gpu.Line(14, "Stream #14(Compute)");
  auto& host = b.Plane("/host:CPU").Line(1, "python");
  for (int64_t i = 0; i < 10 * steps; ++i) {
    const auto id = static_cast<uint64_t>(i + 1);
    host.Event("cuLaunchKernel", i * kMs, kMs / 4).Stat("correlation_id", id);
    kernels.Event("kernel_" + std::to_string(i % 10), i * kMs + kMs / 2, kMs / 4)
        .Stat("correlation_id", id)
        .Stat("kernel_details", Ref{"regs:1"});
  }
  return b;
}

}  // namespace

TEST_CASE("Events join their root's group by nesting, launch and context; others do not") {
  XSpaceBuilder b;
  auto& kernels = b.Plane("/device:GPU:0").Line(14, "Stream #14");
  kernels.Event("kernel", 30, 5).Stat("correlation_id", uint64_t{7});
  auto& host = b.Plane("/host:CPU");
  host.Line(1, "python")
      .Event("train", 0, 100)
      .Stat("_r", int64_t{1})
      .Stat("step_num", int64_t{3})
      .Event("inside", 10, 10)
      .Stat("_pt", int64_t{2})
      .Stat("_p", uint64_t{5})
      .Event("outside", 200, 10);
  host.Line(2, "worker")
      .Event("consumer", 40, 20)
      .Stat("_ct", int64_t{2})
      .Stat("_c", uint64_t{5})
      .Event("launch", 45, 2)
      .Stat("correlation_id", uint64_t{7})
      .Event("stranger", 70, 5)
      .Stat("_ct", int64_t{3})
      .Stat("_c", uint64_t{5});
  AnalysisContext context(Load(b), Definitions::kStepscope);
  for (const char* name : {"train", "inside", "consumer", "launch", "kernel"}) {
    CAPTURE(name);
    CHECK(GroupName(context, name) == "train 3");
  }
  CHECK(GroupName(context, "outside") == "-");
  CHECK(GroupName(context, "stranger") == "-");
}

TEST_CASE(
    "A root below one of its level begins no group of its own, and loop markers forbid groups") {
  XSpaceBuilder b;
  b.Plane("/host:CPU")
      .Line(1, "python")
      .Event("train", 0, 100)
      .Stat("_r", int64_t{1})
      .Stat("step_num", int64_t{0})
      .Event("FunctionRun", 10, 20)
      .Stat("_r", int64_t{1})
      .Event("FunctionRun", 200, 20)
      .Stat("_r", int64_t{1});
  AnalysisContext nested(Load(b), Definitions::kXprof);
  CHECK(nested.Get<Grouping>().groups.size() == 2);
  CHECK(GroupName(nested, "FunctionRun", 0) == "train 0");
  CHECK(GroupName(nested, "FunctionRun", 1) ==
        "1");  // implicit roots are named by the group's number
  b.Plane("/host:CPU").Line(2, "loop").Event("ForOp", 0, 1);
  AnalysisContext loop(Load(b), Definitions::kXprof);
  CHECK(loop.Get<Grouping>().groups.empty());
}

TEST_CASE(
    "XProf leaves the host out of GPU steps and counts copies as compute; ours explains the idle "
    "time") {
  auto trace = Load(GpuSteps(3));
  AnalysisContext xprof(trace, Definitions::kXprof);
  REQUIRE(xprof.Get<StepDatabase>().steps.size() == 3);
  const StepBreakdown& x = xprof.Get<StepDatabase>().steps[1].times;
  CHECK(x.compute == 5.0 * kMs);
  CHECK(x.input == 0);
  CHECK(xprof.Get<StepDatabase>().steps[1].label == "1");

  AnalysisContext own(trace, Definitions::kStepscope);
  const StepDatabase& db = own.Get<StepDatabase>();
  REQUIRE(db.steps.size() == 3);
  REQUIRE(db.device_steps.size() == 3);
  CHECK(db.steps[1].label == "train 1");
  CHECK_FALSE(db.inferred);
  const DeviceStep& d = db.device_steps[1];
  CHECK(d.span == TimeRange{9 * kMs, 19 * kMs});  // from the end of the step before
  CHECK(d.input_wait == 3 * kMs);
  CHECK(d.h2d == kMs);
  CHECK(d.h2d_hidden == 0);
  CHECK(d.idle == 5 * kMs);
  CHECK(d.times.compute == 4.0 * kMs);
  CHECK(d.times.input == 4.0 * kMs);  // waiting and the copy
  CHECK(d.times.launch == 0);         // as the losses: an open cuMemcpy blocks, it launches nothing
  CHECK(d.times.other == 2.0 * kMs);
  const StepBreakdown& t = d.times;
  CHECK(t.compute + t.device_to_device + t.collectives + t.host_compute + t.launch + t.input +
            t.output + t.compile + t.other ==
        doctest::Approx(t.total));
}

// Every step asks what the host did meanwhile, which must not cost all of the host's time.
TEST_CASE("Dividing steps that are known by time alone takes time in proportion to their number") {
  const auto seconds = [](size_t n) {
    const auto trace = Load(UnmarkedSteps(static_cast<int64_t>(n)));
    return test::CpuSeconds([&] {
      AnalysisContext context(trace, Definitions::kStepscope);
      REQUIRE(context.Get<StepDatabase>().steps.size() == n);
      CHECK(context.Get<StepDatabase>().steps[1].inferred);
      // The launch of each kernel begins 0.5 ms before it, in a gap of 0.75 ms.
      CHECK(context.Get<StepDatabase>().device_steps[1].times.launch == 10 * 0.5 * kMs);
    });
  };
  CHECK(test::GrowthOfFour(1'000, seconds) < test::kNearlyLinear);
}

// Two runs of one program on hosts with different work: the steps of each host
// tell which of its steps are cut.
TEST_CASE("A step is cut if it lacks events that other steps of its host have") {
  const auto space = [](int kernels, bool cut) {
    XSpaceBuilder b;
    auto& gpu = b.Plane("/device:GPU:0").Stat("device_vendor", "Nvidia").Line(14, "Stream #14");
    auto& host = b.Plane("/host:CPU").Line(1, "python");
    for (int64_t s = 0; s < 4; ++s) {
      host.Event("train", s * 10 * kMs, 9 * kMs).Stat("_r", int64_t{1}).Stat("step_num", s);
      const int64_t each = 8 * kMs / kernels;
      for (int k = cut && s == 3 ? kernels / 2 + 1 : 0; k < kernels; ++k) {
        const auto id = static_cast<uint64_t>(100 * s + k + 1);
        host.Event("cuLaunchKernel", s * 10 * kMs + (k + 1) * kMs / 100, kMs / 100)
            .Stat("correlation_id", id);
        gpu.Event("kernel", s * 10 * kMs + kMs / 2 + k * each, each).Stat("correlation_id", id);
      }
    }
    return b;
  };
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("steps_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "a.xplane.pb", std::ios::binary) << space(4, false).Bytes();
  std::ofstream(folder / "b.xplane.pb", std::ios::binary) << space(40, true).Bytes();
  Progress progress;
  const auto trace = LoadPath(folder.string(), {}, {}, progress);
  std::filesystem::remove_all(folder);
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const std::vector<Step>& steps = context.Get<StepDatabase>().steps;
  REQUIRE(steps.size() == 8);
  for (size_t s = 0; s < 8; ++s) {
    CAPTURE(s);
    CHECK(steps[s].partial == (s == 7));
  }
}

TEST_CASE("XProf drops the first and last of more than five steps; ours keeps them") {
  for (int64_t n : {5, 6}) {
    auto trace = Load(GpuSteps(n));
    AnalysisContext xprof(trace, Definitions::kXprof), own(trace, Definitions::kStepscope);
    CHECK(xprof.Get<StepDatabase>().steps.size() == static_cast<size_t>(n > 5 ? n - 2 : n));
    CHECK(own.Get<StepDatabase>().steps.size() == static_cast<size_t>(n));
  }
}

TEST_CASE("A collective waits until its last participant starts") {
  XSpaceBuilder b;
  auto& host = b.Plane("/host:CPU").Line(1, "python");
  host.Event("train", 0, 100).Stat("_r", int64_t{1}).Stat("step_num", int64_t{0});
  for (uint64_t g = 0; g < 2; ++g) {
    host.Event("cuLaunchKernel", static_cast<int64_t>(5 + g), 1).Stat("correlation_id", g + 1);
    const int64_t begin = g ? 60 : 20;
    b.Plane("/device:GPU:" + std::to_string(g))
        .Id(static_cast<int64_t>(g))
        .Line(20, "Stream #20")
        .Event("ncclKernel_AllReduce", begin, 90 - begin)
        .Stat("correlation_id", g + 1);
  }
  AnalysisContext context(Load(b), Definitions::kStepscope);
  const StepDatabase& db = context.Get<StepDatabase>();
  REQUIRE(db.device_steps.size() == 2);
  CHECK(db.device_steps[0].collective_wait == 40);
  CHECK(db.device_steps[1].collective_wait == 0);
  CHECK(db.device_steps[0].times.collectives == 70);
}

}  // namespace stepscope
