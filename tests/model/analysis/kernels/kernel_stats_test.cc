// The rules of docs/rules.md#kernels, on XSpaces built here.
#include "model/analysis/kernels/kernel_stats.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "loaders/loader.h"
#include "model/analysis/ops/op_database.h"
#include "tests/support/kineto_text.h"
#include "tests/support/tpu_profile.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using test::Ref;

constexpr const char* kDetails =
    "regs:32 static_shared:10 dynamic_shared:20 grid:4,2,1 block:256,1,1 occ_pct:37.5";

struct Gpu {
  test::XSpaceBuilder space;
  test::LineBuilder* line;
  explicit Gpu(const char* vendor = "Nvidia") {
    auto& plane = space.Plane("/device:GPU:0").Stat("device_vendor", vendor);
    line = &plane.Line(1, "Stream #1(Kernel)");
  }
  test::EventBuilder& Kernel(const char* name, int64_t offset, int64_t dur,
                             const char* details = kDetails) {
    return line->Event(name, offset, dur)
        .Stat("correlation_id", static_cast<uint64_t>(offset))
        .Stat("kernel_details", Ref{details});
  }
  AnalysisResult Run(Definitions definitions) {
    auto trace = LoadBytes("t.xplane.pb", space.Bytes(), {});
    REQUIRE(trace.ok());
    AnalysisContext context(*trace, definitions);
    return FindAnalysis("kernel_stats")->run(context, {});
  }
};

Value CellOf(const AnalysisResult& r, size_t row, const char* column) {
  const ResultTable* t = r.Table("kernels");
  REQUIRE(t);
  REQUIRE(row < t->size());
  REQUIRE(t->Column(column) >= 0);
  return t->columns[static_cast<size_t>(t->Column(column))].values.Own(row);
}

}  // namespace

TEST_CASE("XProf floors each kernel to whole ns and divides integers; ours is exact") {
  Gpu gpu;
  gpu.Kernel("a", 0, 1999), gpu.Kernel("a", 1'000'000, 1500), gpu.Kernel("a", 2'000'000, 1000),
      gpu.Kernel("a", 3'000'000, 999);
  gpu.Kernel("a", 4'000'000, 0);  // without a duration it is in no row
  const AnalysisResult xprof = gpu.Run(Definitions::kXprof);
  CHECK(CellOf(xprof, 0, "occurrences") == Value(int64_t{4}));
  CHECK(CellOf(xprof, 0, "total_duration_us") == Value(0.003));
  CHECK(CellOf(xprof, 0, "avg_duration_us") == Value(0.0));
  CHECK(CellOf(xprof, 0, "min_duration_us") == Value(0.0));
  CHECK(CellOf(xprof, 0, "max_duration_us") == Value(0.001));
  const AnalysisResult ours = gpu.Run(Definitions::kStepscope);
  CHECK(std::get<double>(CellOf(ours, 0, "total_duration_us")) == doctest::Approx(0.005498));
  CHECK(std::get<double>(CellOf(ours, 0, "avg_duration_us")) == doctest::Approx(0.0013745));
}

TEST_CASE(
    "kernels that differ in occupancy are one: XProf shows the first, ours is the mean by time") {
  Gpu gpu;
  gpu.Kernel("b", 0, 1'000'000, "regs:1 occ_pct:10");
  gpu.Kernel("b", 2'000'000, 3'000'000, "regs:1 occ_pct:20");
  CHECK(gpu.Run(Definitions::kXprof).Table("kernels")->size() == 1);
  CHECK(CellOf(gpu.Run(Definitions::kXprof), 0, "occupancy_pct") == Value(10.0));
  CHECK(std::get<double>(CellOf(gpu.Run(Definitions::kStepscope), 0, "occupancy_pct")) ==
        doctest::Approx(17.5));
}

// A stream is read in parts of 65,536 events.
TEST_CASE("kernels of a long stream are summed in order, whatever the parts") {
  Gpu gpu;
  struct Sum {
    double occupancy_time = 0;
    int64_t time = 0, count = 0;
  };
  constexpr double kOccupancy[] = {33.3, 12.1, 87.7};
  const std::string details[] = {"regs:1 occ_pct:33.3", "regs:1 occ_pct:12.1",
                                 "regs:1 occ_pct:87.7"};
  Sum sums[3];
  const auto add = [&](size_t name, int64_t at, int64_t ps) {
    gpu.Kernel(std::string(1, static_cast<char>('a' + name)).c_str(), at, ps,
               details[name].c_str());
    sums[name].occupancy_time += kOccupancy[name] * static_cast<double>(ps);
    sums[name].time += ps, ++sums[name].count;
  };
  for (int64_t i = 0; i < 150'000; ++i)
    add(static_cast<size_t>(i % 7 % 3), 1'000'000 * i, 1000 + i * i % 977'777);
  const AnalysisResult r = gpu.Run(Definitions::kStepscope);
  const ResultTable& kernels = *r.Table("kernels");
  REQUIRE(kernels.size() == 3);
  for (size_t row = 0; row < 3; ++row) {
    const auto name =
        static_cast<size_t>(std::get<SharedText>(CellOf(r, row, "kernel_name")).view()[0] - 'a');
    const Sum& sum = sums[name];
    CHECK(CellOf(r, row, "occurrences") == Value(sum.count));
    CHECK(CellOf(r, row, "total_duration_us") == Value(static_cast<double>(sum.time) / 1e6));
    CHECK(CellOf(r, row, "occupancy_pct") ==
          Value(sum.occupancy_time / static_cast<double>(sum.time)));
    const EventRows& rows = kernels.links[row].rows;
    CHECK(static_cast<int64_t>(rows.size()) == sum.count);
    CHECK(std::is_sorted(rows.begin(), rows.end()));
  }
}

TEST_CASE("the occupancy of a kernel is the mean by time of the runs in which it is known") {
  test::KinetoText t;
  const auto kernel = [&t](int i, const char* occupancy, double us) {
    const std::string arg =
        occupancy[0] == 0 ? "" : "\"est. achieved occupancy %\":" + std::string(occupancy);
    t.Kernel("gemm", i, 100 * i, us, arg);
  };
  kernel(1, "", 7), kernel(2, "50", 10), kernel(3, "0", 20), kernel(4, "", 30), kernel(5, "25", 40);
  kernel(6, "0", 3);
  const auto trace = LoadBytes("t.json", t.Text(), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const AnalysisResult r = FindAnalysis("kernel_stats")->run(context, {});
  CHECK(CellOf(r, 0, "occurrences") == Value(int64_t{6}));
  CHECK(CellOf(r, 0, "occupancy_pct") == Value((50.0 * 10 + 25.0 * 40) / 50));
}

// The names of ops first come in different parts of a stream, and some kernels overlap.
TEST_CASE("kernels of a long stream have the ops that launched them, whatever the parts") {
  constexpr int kKernels = 70'000;  // a part has 65,536
  const auto op_of = [](int i) {
    return "aten::op" + std::to_string(i < 10 ? 0 : i > kKernels - 10 ? 2 : i % 2);
  };
  test::KinetoText t;
  std::map<std::string, int64_t> expected;
  for (int i = 0; i < kKernels; ++i) {
    t.Host("cpu_op", op_of(i), 10 * i, 5).Launch(i + 1, 10 * i + 1, 2);
    t.Kernel("k", i + 1, 10 * i + 4, 5);
    const bool twice = i % 1000 == 0;
    if (twice) t.Kernel("k", i + 1, 10 * i + 6, 5);
    expected[op_of(i)] += twice ? 2 : 1;
  }
  const auto trace = LoadBytes("t.json", t.Text(), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const AnalysisResult r = FindAnalysis("kernel_stats")->run(context, {});
  std::map<std::string, int64_t> counts;
  for (size_t row = 0; row < r.Table("kernels")->size(); ++row) {
    const auto op = std::get<SharedText>(CellOf(r, row, "op_name"));
    counts[std::string(op.view())] += std::get<int64_t>(CellOf(r, row, "occurrences"));
  }
  CHECK(counts == expected);
  const auto ops = context.Get<OpDatabase>(AnalysisParams());
  counts.clear();
  for (const OpRow& op : ops->hosts.front().device_side.ops) {
    counts[op.name] += static_cast<int64_t>(op.occurrences);
    CHECK(op.rows.size() == op.occurrences);
  }
  CHECK(counts == expected);
  AnalysisParams late;  // a part that begins within the second part of the lane
  late.range = {10 * 69'000 * kPsPerUs, 10 * 69'999 * kPsPerUs};
  int64_t in_range = 0;
  for (const OpRow& op : context.Get<OpDatabase>(late)->hosts.front().device_side.ops)
    in_range += static_cast<int64_t>(op.occurrences);
  CHECK(in_range == 1000);
}

TEST_CASE("what has no kernels says why: a TPU runs none") {
  const auto trace = LoadBytes("vm.xplane.pb", test::MakeTpuProfile({}), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  CHECK(FindAnalysis("kernel_stats")->run(context, {}).empty_reason.find("HLO ops") !=
        std::string::npos);
}

TEST_CASE("mangled kernel names are readable in the window; data and XProf's tables keep them") {
  Gpu gpu;
  gpu.Kernel("_Z6kernelIfLi4EEvPT_i", 0, 2'000'000);
  gpu.Kernel("gemm", 3'000'000, 1'000'000);
  const AnalysisResult ours = gpu.Run(Definitions::kStepscope);
  CHECK(CellOf(ours, 0, "kernel_name") == Value(std::string("_Z6kernelIfLi4EEvPT_i")));
  const ResultTable* kernels = ours.Table("kernels");
  CHECK(kernels->ShownText(0, kernels->Column("kernel_name")) == "kernel<float, 4>");
  CHECK(kernels->ShownText(1, kernels->Column("kernel_name")) == "gemm");
  CHECK(ToText(*kernels).find("kernel<float, 4>") != std::string::npos);
  const ResultTable* sums = ours.Table("by_kernel");
  CHECK(sums->ShownText(0, sums->Column("name")) == "kernel<float, 4>");
  CHECK(ToCsv(*sums).find("_Z6kernelIfLi4EEvPT_i") != std::string::npos);
  const AnalysisResult xprof = gpu.Run(Definitions::kXprof);
  CHECK(xprof.Table("kernels")->readable.empty());
  CHECK(ToText(*xprof.Table("kernels")).find("_Z6kernelIfLi4EEvPT_i") != std::string::npos);
}

TEST_CASE(
    "an event with kernel_details is a kernel; copies and events with empty details are not") {
  Gpu gpu;
  gpu.Kernel("c", 0, 1'000'000, "kernel without params");
  gpu.Kernel("d", 2'000'000, 1'000'000, "");
  gpu.line->Event("MemcpyD2D", 4'000'000, 1'000'000).Stat("memcpy_details", "x");
  const AnalysisResult r = gpu.Run(Definitions::kStepscope);
  REQUIRE(r.Table("kernels")->size() == 1);
  CHECK(CellOf(r, 0, "kernel_name") == Value(std::string("c")));
  CHECK(CellOf(r, 0, "block_dim") == Value(std::string("1,1,1")));
}

TEST_CASE("Tensor Core eligibility by op, equation and use") {
  Gpu gpu;
  gpu.Kernel("e", 0, 5'000'000).Stat("tf_op", "x/Einsum:Einsum").Stat("equation", "ab,bc->ac");
  gpu.Kernel("e2", 10'000'000, 4'000'000)
      .Stat("tf_op", "x/Einsum2:Einsum")
      .Stat("equation", "abc->ac");
  gpu.Kernel("volta_h884", 20'000'000, 3'000'000).Stat("tf_op", "foo:Bar");
  gpu.Kernel("volta_h884", 30'000'000, 2'000'000);
  const AnalysisResult r = gpu.Run(Definitions::kXprof);
  REQUIRE(r.Table("kernels")->size() == 4);
  CHECK(CellOf(r, 0, "is_op_tensor_core_eligible") == Value(true));
  CHECK(CellOf(r, 1, "is_op_tensor_core_eligible") == Value(false));
  CHECK(CellOf(r, 2, "is_op_tensor_core_eligible") == Value(true));
  CHECK(CellOf(r, 2, "op_name") == Value(std::string("foo")));
  CHECK(CellOf(r, 3, "is_op_tensor_core_eligible") == Value(false));
  CHECK(CellOf(r, 3, "is_kernel_using_tensor_core") == Value(true));
}

TEST_CASE("rows link to their events, and shares sum to one") {
  Gpu gpu;
  gpu.Kernel("a", 0, 3'000'000), gpu.Kernel("b", 5'000'000, 1'000'000),
      gpu.Kernel("a", 9'000'000, 2'000'000);
  const AnalysisResult r = gpu.Run(Definitions::kStepscope);
  const ResultTable& t = *r.Table("kernels");
  REQUIRE(t.links.size() == 2);
  CHECK(t.links[0].rows.size() == 2);
  CHECK(t.links[0].total == 2);
  CHECK(std::get<double>(CellOf(r, 0, "share")) + std::get<double>(CellOf(r, 1, "share")) ==
        doctest::Approx(1));
}

TEST_CASE("kernels by stream: each stream of each device is a row, and they sum to all kernels") {
  Gpu gpu;
  gpu.Kernel("a", 0, 3'000'000), gpu.Kernel("b", 5'000'000, 1'000'000);
  auto& other = gpu.space.Plane("/device:GPU:1").Id(1).Line(1, "Stream #1(Kernel)");
  other.Event("a", 0, 2'000'000).Stat("kernel_details", Ref{kDetails});
  const AnalysisResult r = gpu.Run(Definitions::kStepscope);
  const ResultTable* t = r.Table("by_stream");
  REQUIRE(t);
  REQUIRE(t->size() == 2);
  const auto name = static_cast<size_t>(t->Column("name"));
  const auto total = static_cast<size_t>(t->Column("total_duration_us"));
  CHECK(t->At(0, name) == Cell(std::string_view("GPU 0, Stream #1(Kernel)")));
  CHECK(t->At(0, total) == Cell(4.0));
  CHECK(t->At(1, name) == Cell(std::string_view("GPU 1, Stream #1(Kernel)")));
  CHECK(t->At(1, total) == Cell(2.0));
  CHECK(gpu.Run(Definitions::kXprof).Table("by_stream") == nullptr);
}

TEST_CASE("no GPU: the panel says what to record") {
  test::XSpaceBuilder b;
  b.Plane("/host:CPU").Line(1, "python").Event("x", 0, 10);
  auto trace = LoadBytes("t.xplane.pb", b.Bytes(), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const AnalysisResult r = FindAnalysis("kernel_stats")->run(context, {});
  CHECK(r.Table("kernels")->empty());
  CHECK_FALSE(r.empty_reason.empty());
}

TEST_CASE("Kernels that a trace.json rounds to 0 us count, and take no time") {
  test::KinetoText text;
  for (int k = 0; k < 6; ++k) {
    text.Launch(k + 1, k * 10, 2);
    text.On(0, 7).Kernel("tiny", k + 1, k * 10 + 3, k % 2);
  }
  auto trace = LoadBytes("t.json", text.Text(), {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const AnalysisResult result = FindAnalysis("kernel_stats")->run(context, {});
  CHECK(std::get<int64_t>(CellOf(result, 0, "occurrences")) == 6);
  CHECK(std::get<double>(CellOf(result, 0, "total_duration_us")) == 3);
  CHECK(std::get<double>(CellOf(result, 0, "min_duration_us")) == 0);
}

}  // namespace stepscope
