#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "model/analysis/kernels/kernel_stats.h"
#include "model/analysis/tables/schema.h"
#include "tests/viewer/panel_fixture.h"
#include "viewer/core/panel.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/widgets/chart.h"

namespace stepscope {
namespace {

std::string NameOfKernel(size_t i) {
  return "void ns::kernel" + std::to_string(i) + "<float>(int)";
}

template <typename Row>
std::vector<Row> Kernels(size_t n) {
  std::vector<Row> rows(n);
  for (size_t i = 0; i < n; ++i) {
    rows[i].name = NameOfKernel(i);
    rows[i].total = static_cast<Ps>(n - i) * 10 * kPsPerUs;
  }
  return rows;
}

Ring RingOf(const PanelContext& context, size_t n) {
  const std::vector<KernelSum> kernels = Kernels<KernelSum>(n);
  std::vector<RingRow> rows;
  for (const KernelSum& kernel : kernels) rows.emplace_back(kernel.name, InUs(kernel.total));
  return MakeRing(context, "kernels", rows, 9);
}

ResultTable Table(const char* id, const char* name, size_t n) {
  const Schema<KernelSum> schema(id, id,
                                 {{name, "Kernel", Unit::kNone, &KernelSum::name},
                                  {"total_duration_us", "Total", Unit::kUs, &KernelSum::total}});
  return schema.Make(Kernels<KernelSum>(n));
}

TEST_CASE("ring: the largest rows, the rest as one slice, the whole kept") {
  PanelFixture f;
  const Ring ring = RingOf(f.Context(), 20);
  REQUIRE(ring.slices.size() == 10);
  CHECK(ring.total == doctest::Approx(2100));
  CHECK(ring.slices[0].row == 0);
  CHECK(ring.slices[9].row == -1);
  CHECK(ring.slices[9].label == "11 others");
  CHECK(ring.slices[9].value == doctest::Approx(660));
  CHECK(RingOf(f.Context(), 0).slices.empty());
}

TEST_CASE("histogram: every value is counted once; percentiles are values that occur") {
  std::vector<double> values;
  for (int i = 1; i <= 100; ++i) values.push_back(i);
  const Histogram h = MakeHistogram(values, 10);
  uint64_t sum = 0;
  for (uint32_t c : h.counts) sum += c;
  CHECK(sum == 100);
  CHECK(h.counts == std::vector<uint32_t>(10, 10));
  CHECK(h.p50 == 50);
  CHECK(h.p95 == 95);
  CHECK(h.max == 100);
  CHECK(MakeHistogram({5, 5, 5}, 4).counts[0] == 3);
  CHECK(MakeHistogram({}, 4).total == 0);
}

TEST_CASE("charts export what they show") {
  PanelFixture f;
  const Ring ring = RingOf(f.Context(), 3);
  CHECK(ToCsv(ring) ==
        "name,value\r\nvoid ns::kernel0<float>(int),30\r\nvoid ns::kernel1<float>(int),20\r\n"
        "void ns::kernel2<float>(int),10\r\n");
  const std::string svg = ToSvg(ring, 0xffffffff, 0xff000000);
  CHECK(svg.starts_with("<svg"));
  CHECK(svg.find("kernel0&lt;float&gt;") != std::string::npos);
  CHECK(svg.find("50.00 %") != std::string::npos);
}

TEST_CASE(
    "kernels: the mode buttons change the table; a slice selects its row; it draws at every size") {
  for (const ImVec2 size : {ImVec2(420, 260), ImVec2(1280, 300), ImVec2(2560, 1440)}) {
    PanelFixture f(size);
    AnalysisResult r;
    r.tables = {Table("kernels", "kernel_name", 5000), Table("by_kernel", "name", 50),
                Table("by_op", "name", 5)};
    KernelStats stats;
    stats.kernels = Kernels<KernelGroup>(5000);
    KernelPage page;
    page.stats = std::make_shared<KernelStats>(std::move(stats));
    page.by_kernel = Kernels<KernelSum>(50), page.by_op = Kernels<KernelSum>(5);
    r.SetSource(std::make_shared<const KernelPage>(std::move(page)));
    const auto panel = FindPanel("kernel_stats")->create();
    auto& kernels = static_cast<AnalysisPanel&>(*panel);
    int vertices = 0;
    for (int i = 0; i < 3; ++i)
      vertices = f.Frame([&](const PanelContext& c) { kernels.DrawResult(c, r, 1); });
    CHECK(vertices > 100);
    CHECK(vertices < 100000);
    const AnalysisResult none;
    f.Frame([&](const PanelContext& c) { kernels.DrawResult(c, none, 2); });
    CHECK(f.TakeCommands().empty());
  }
}

}  // namespace
}  // namespace stepscope
