// Tables about devices, on traces whose numbers follow from how they are made.
#include "tests/support/kineto_text.h"
#include "tests/support/table_cells.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using namespace test;

uint64_t LinkedEvents(const AnalysisResult& r, const char* table, size_t row) {
  const ResultTable& t = TableOf(r, table);
  REQUIRE(t.links.size() == t.size());
  CHECK(t.links[row].total == t.links[row].rows.size());
  return t.links[row].total;
}

}  // namespace

TEST_CASE("overlap: collective time is what computation hides and what it does not") {
  KinetoText t;
  t.On(0, 7).Kernel("gemm", 1, 0, 100).Kernel("gemm", 2, 90 + 20, 40);
  // Two collectives that overlap each other: [50, 130) and [120, 180).
  t.On(0, 20).Kernel("ncclDevKernel_AllReduce", 3, 50, 80);
  t.On(0, 21).Kernel("multimem_all_reduce_kernel", 4, 120, 60);
  // A copy computes nothing, so it hides nothing.
  t.On(0, 22).Device("gpu_memcpy", "Memcpy DtoD (Device -> Device)", 5, 150, 30);
  t.On(1, 7).Kernel("gemm", 6, 0, 10);  // no collective
  const AnalysisResult r = Analyse("t.json", t.Text(), "overview");
  REQUIRE(TableOf(r, "overlap").size() == 2);
  CHECK(Text(r, "overlap", 0, "device") == "GPU 0");
  CHECK(Int(r, "overlap", 0, "count") == 2);
  CHECK(Real(r, "overlap", 0, "collectiveMs") == doctest::Approx(0.130));
  CHECK(Real(r, "overlap", 0, "hiddenMs") == doctest::Approx(0.090));  // 50..100, 110..150
  CHECK(Real(r, "overlap", 0, "exposedMs") == doctest::Approx(0.040));
  CHECK(Real(r, "overlap", 0, "hiddenPercent") == doctest::Approx(100 * 90 / 130.0));
  CHECK(Real(r, "overlap", 0, "computeMs") == doctest::Approx(0.140));
  CHECK(LinkedEvents(r, "overlap", 0) == 2);
  CHECK(Real(r, "overlap", 1, "collectiveMs") == 0);
  CHECK(Unknown(r, "overlap", 1, "hiddenPercent"));
}

TEST_CASE("launch delay: from the end of the call, for graphs from its begin, at least 0") {
  KinetoText t;
  t.Launch(1, 0, 4).Kernel("a", 1, 10, 5);   // delay 6
  t.Launch(2, 5, 4).Kernel("b", 2, 20, 5);   // delay 11
  t.Launch(3, 30, 4).Kernel("c", 3, 32, 5);  // begins before the call returns: delay 0
  t.Launch(4, 40, 10, "cudaGraphLaunch");    // its first kernel: delay 3
  t.Kernel("g1", 4, 43, 5).Kernel("g2", 4, 60, 5);
  t.Kernel("unknown", 99, 80, 5);  // its launch is not recorded
  const AnalysisResult r = Analyse("t.json", t.Text(), "kernel_stats");
  REQUIRE(TableOf(r, "launch_delay").size() == 1);
  CHECK(Text(r, "launch_delay", 0, "stream") == "Stream #7");
  CHECK(Int(r, "launch_delay", 0, "launches") == 4);
  CHECK(Int(r, "launch_delay", 0, "graph_launches") == 1);
  CHECK(Real(r, "launch_delay", 0, "mean_us") == doctest::Approx(5));
  CHECK(Real(r, "launch_delay", 0, "median_us") == doctest::Approx(4.5));
  CHECK(Real(r, "launch_delay", 0, "p95_us") == doctest::Approx(11));
  CHECK(Real(r, "launch_delay", 0, "max_us") == doctest::Approx(11));
  // Launches wait in 0..10, 5..20, 30..32 and 40..43, within 0 to 43.
  CHECK(Int(r, "launch_delay", 0, "queue_max") == 2);
  CHECK(Real(r, "launch_delay", 0, "queue_mean") == doctest::Approx(30 / 43.0));
  CHECK(LinkedEvents(r, "launch_delay", 0) == 4);
}

TEST_CASE("launch delay: a graph's first kernel counts, also if it is in a lane of its own") {
  KinetoText t;
  t.Launch(1, 0, 2).Kernel("long", 1, 10, 30);
  // The first kernel begins while the other one runs, so that the second one is read before it.
  t.Launch(2, 4, 2, "cudaGraphLaunch").Kernel("g1", 2, 12, 5).Kernel("g2", 2, 50, 5);
  const AnalysisResult r = Analyse("t.json", t.Text(), "kernel_stats");
  REQUIRE(TableOf(r, "launch_delay").size() == 1);
  CHECK(Int(r, "launch_delay", 0, "launches") == 2);
  CHECK(Real(r, "launch_delay", 0, "max_us") == doctest::Approx(8));
}

TEST_CASE("launch delay: streams of each device are rows of their own") {
  KinetoText t;
  t.Launch(1, 0, 2).Launch(2, 3, 2).Launch(3, 6, 2);
  t.On(0, 7).Kernel("a", 1, 4, 5).On(0, 8).Kernel("b", 2, 8, 5).On(1, 7).Kernel("c", 3, 12, 5);
  const AnalysisResult r = Analyse("t.json", t.Text(), "kernel_stats");
  REQUIRE(TableOf(r, "launch_delay").size() == 3);
  CHECK(Real(r, "launch_delay", 0, "max_us") == doctest::Approx(2));
  CHECK(Real(r, "launch_delay", 1, "max_us") == doctest::Approx(3));
  CHECK(Text(r, "launch_delay", 2, "device") == "GPU 1");
  CHECK(Real(r, "launch_delay", 2, "max_us") == doctest::Approx(4));
}

TEST_CASE("copies: by direction and kind of host memory, with bytes and bandwidth") {
  KinetoText t;
  t.Device("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 1, 0, 10, "\"bytes\":100000")
      .Device("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 2, 20, 30, "\"bytes\":300000")
      .Device("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 3, 60, 10, "\"bytes\":5000")
      .Device("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", 4, 80, 4)  // size not recorded
      .Device("gpu_memset", "Memset (Device)", 5, 90, 4, "\"bytes\":77")   // a fill is no copy
      .Kernel("k", 6, 100, 4);
  const AnalysisResult r = Analyse("t.json", t.Text(), "kernel_stats");
  REQUIRE(TableOf(r, "copies").size() == 3);
  CHECK(Text(r, "copies", 0, "memory") == "pageable");
  CHECK(Text(r, "copies", 1, "direction") == "Host to device");
  CHECK(Text(r, "copies", 1, "memory") == "pinned");
  CHECK(Int(r, "copies", 1, "count") == 2);
  CHECK(Int(r, "copies", 1, "bytes") == 400000);
  CHECK(Real(r, "copies", 1, "timeMs") == doctest::Approx(0.040));
  CHECK(Real(r, "copies", 1, "gbPerS") == doctest::Approx(10));
  CHECK(LinkedEvents(r, "copies", 1) == 2);
  CHECK(Text(r, "copies", 2, "direction") == "Device to host");
  CHECK(Unknown(r, "copies", 2, "bytes"));
  CHECK(Unknown(r, "copies", 2, "gbPerS"));
}

TEST_CASE("copies: an XSpace's are told apart by memcpy_details") {
  XSpaceBuilder b;
  b.Plane("/device:GPU:0")
      .Line(1, "Stream #1(MemcpyH2D)")
      .Event("MemcpyH2D", 0, 2'000'000)
      .Stat("correlation_id", uint64_t{1})
      .Stat("memcpy_details", "kind_src:pinned kind_dst:device size:4000 dest:0 async:1");
  const AnalysisResult r = Analyse("t.xplane.pb", b.Bytes(), "kernel_stats");
  REQUIRE(TableOf(r, "copies").size() == 1);
  CHECK(Text(r, "copies", 0, "memory") == "pinned");
  CHECK(Int(r, "copies", 0, "bytes") == 4000);
  CHECK(Real(r, "copies", 0, "gbPerS") == doctest::Approx(2));
}

TEST_CASE("annotations: the innermost around the launch; steps are one") {
  KinetoText t;
  for (int step = 0; step < 2; ++step) {
    const double at = 100 * step;
    const int id = 10 * step;
    t.Host("user_annotation", "ProfilerStep#" + std::to_string(step), at, 90);
    t.Launch(id + 1, at + 1, 2).Kernel("a", id + 1, at + 5, 2);
    t.Host("user_annotation", "forward", at + 10, 30);
    t.Launch(id + 2, at + 11, 2).Kernel("b", id + 2, at + 15, 3);
    t.Host("user_annotation", "attention", at + 20, 10);
    t.Launch(id + 3, at + 21, 2).Kernel("c", id + 3, at + 25, 10);
  }
  t.Launch(90, 300, 2).Kernel("d", 90, 310, 1);
  const AnalysisResult r = Analyse("t.json", t.Text(), "kernel_stats");
  REQUIRE(TableOf(r, "by_annotation").size() == 4);
  const auto row = [&](size_t i, const char* name, int64_t count, double us) {
    CHECK(Text(r, "by_annotation", i, "name") == name);
    CHECK(Int(r, "by_annotation", i, "count") == count);
    CHECK(Real(r, "by_annotation", i, "timeMs") == doctest::Approx(us / 1000));
    CHECK(LinkedEvents(r, "by_annotation", i) == static_cast<uint64_t>(count));
  };
  row(0, "attention", 2, 20);
  row(1, "forward", 2, 6);
  row(2, "ProfilerStep", 2, 4);
  row(3, "(no annotation)", 1, 1);
  CHECK(Real(r, "by_annotation", 0, "share") == doctest::Approx(20 / 31.0));
}

TEST_CASE("devices: busy time, occupancy without the zeros, blocks for each multiprocessor") {
  KinetoText t;
  t.Launch(1, 0, 1).Launch(2, 2, 1).Launch(3, 4, 1, "cudaGraphLaunch");
  t.Kernel("a", 1, 10, 10, R"("grid":[66,1,1],"est. achieved occupancy %":50)")
      .Kernel("b", 2, 30, 30, R"("grid":[132,4,1],"est. achieved occupancy %":0)")
      .Kernel("c", 3, 70, 10, R"("grid":[33,1,1],"est. achieved occupancy %":100)")
      .Kernel("d", 3, 100, 10, R"("grid":[33,1,1],"est. achieved occupancy %":100)");
  const AnalysisResult r = Analyse("t.json", t.Text(kH100), "kernel_stats");
  REQUIRE(TableOf(r, "devices").size() == 1);
  CHECK(Text(r, "devices", 0, "name") == "NVIDIA H100 80GB HBM3");
  CHECK(Real(r, "devices", 0, "busy_percent") == doctest::Approx(60));
  CHECK(Real(r, "devices", 0, "spanMs") == doctest::Approx(0.1));
  CHECK(Real(r, "devices", 0, "occupancy_pct") == doctest::Approx((50 * 10 + 100 * 20) / 30.0));
  CHECK(Real(r, "devices", 0, "sm_efficiency_percent") ==
        doctest::Approx((50 * 10 + 100 * 30 + 25 * 20) / 60.0));
  CHECK(Int(r, "devices", 0, "kernels") == 4);
  CHECK(Int(r, "devices", 0, "graph_kernels") == 2);
  CHECK(Int(r, "devices", 0, "graph_launches") == 1);
  CHECK(LinkedEvents(r, "devices", 0) == 4);
}

TEST_CASE("occupancy 0 is unknown in PyTorch traces; in an XSpace it is what the file says") {
  KinetoText t;
  t.Kernel("a", 1, 0, 10, R"("est. achieved occupancy %":0)").Kernel("b", 2, 20, 30);
  t.Kernel("c", 3, 60, 5, R"("est. achieved occupancy %":25)");
  const AnalysisResult torch = Analyse("t.json", t.Text(), "kernel_stats");
  CHECK(Text(torch, "kernels", 0, "kernel_name") == "b");
  CHECK(Unknown(torch, "kernels", 0, "occupancy_pct"));
  CHECK(Unknown(torch, "kernels", 1, "occupancy_pct"));
  CHECK(Real(torch, "kernels", 2, "occupancy_pct") == 25);
  CHECK(Unknown(torch, "devices", 0, "sm_efficiency_percent"));  // multiprocessors not recorded
  XSpaceBuilder b;
  b.Plane("/device:GPU:0")
      .Line(1, "Stream #1")
      .Event("k", 0, 10)
      .Stat("kernel_details", "regs:1 occ_pct:0");
  const AnalysisResult xspace = Analyse("t.xplane.pb", b.Bytes(), "kernel_stats");
  CHECK(Real(xspace, "kernels", 0, "occupancy_pct") == 0);
}

TEST_CASE("categories: kernels, and device ops") {
  KinetoText t;
  t.Host("cpu_op", "aten::mm", 0, 10).Launch(1, 2, 3).Kernel("nvjet_tst_128", 1, 20, 30);
  t.Host("cpu_op", "aten::sum", 12, 10).Launch(2, 14, 3).Kernel("mystery", 2, 60, 10);
  const AnalysisResult kernels = Analyse("t.json", t.Text(kH100), "kernel_stats");
  REQUIRE(TableOf(kernels, "by_category").size() == 2);
  CHECK(Text(kernels, "by_category", 0, "category") == "GEMM");
  CHECK(Real(kernels, "by_category", 0, "share") == doctest::Approx(0.75));
  CHECK(Real(kernels, "by_category", 0, "matrix_share") == 1);
  CHECK(Text(kernels, "by_category", 1, "category") == "Reduction");
  CHECK(LinkedEvents(kernels, "by_category", 0) == 1);
  const AnalysisResult ops = Analyse("t.json", t.Text(kH100), "op_stats");
  REQUIRE(TableOf(ops, "by_category").size() == 2);
  CHECK(Text(ops, "by_category", 0, "category") == "GEMM");
  CHECK(Real(ops, "by_category", 0, "timeMs") == doctest::Approx(0.030));
  CHECK(Text(ops, "by_category", 1, "category") == "Reduction");
  KinetoText named;  // the op's name says nothing, those of its kernels do
  named.Host("cpu_op", "my::layer", 0, 20)
      .Launch(1, 2, 3)
      .Kernel("elementwise_kernel<4>", 1, 20, 10)
      .Launch(2, 6, 3)
      .Kernel("nvjet_tst_128", 2, 40, 30);
  const AnalysisResult layer = Analyse("t.json", named.Text(kH100), "op_stats");
  REQUIRE(TableOf(layer, "by_category").size() == 1);
  CHECK(Text(layer, "by_category", 0, "category") == "GEMM");
}

TEST_CASE("XProf has none of these tables") {
  KinetoText t;
  t.Host("user_annotation", "x", 0, 10).Launch(1, 2, 3).Kernel("ncclKernel", 1, 20, 30);
  const auto none = [&](const char* analysis, std::initializer_list<const char*> tables) {
    const AnalysisResult r = Analyse("t.json", t.Text(), analysis, Definitions::kXprof);
    for (const char* table : tables) CHECK_MESSAGE(r.Table(table) == nullptr, table);
  };
  none("overview", {"overlap"});
  none("op_stats", {"by_category"});
  none("kernel_stats", {"by_category", "devices", "launch_delay", "copies", "by_annotation"});
}

}  // namespace stepscope
