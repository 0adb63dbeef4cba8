#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "tests/viewer/panel_fixture.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/look/theme.h"
#include "viewer/widgets/chart.h"
#include "viewer/widgets/draw.h"

namespace stepscope {
namespace {

TEST_CASE("a name's colour, unless an entry above has it") {
  const Theme theme = MakeTheme(ThemeKind::kDark);
  std::vector<ChartSeries> taken;
  const Rgba usual = FreshColor(theme, "relu", taken);
  CHECK(usual == theme.NameColor("relu"));
  taken.push_back({"other", usual, {}});
  CHECK(FreshColor(theme, "relu", taken) != usual);
}

// The vertices that bars of these heights take.
int VerticesOf(PanelFixture* f, const std::vector<double>& heights) {
  StepBars bars;
  bars.series.push_back({"compute", 0xff00ff00, heights});
  bars.labels.resize(heights.size(), "step");
  ChartState state;
  int vertices = 0;
  f->Frame([&](const PanelContext& c) {
    DrawStepBars(c, "bars", bars, 1, &state, {400, 100});
    vertices = ImGui::GetWindowDrawList()->VtxBuffer.Size;
  });
  return vertices;
}

TEST_CASE("neighbouring bars of one height are one box") {
  PanelFixture f;
  std::vector<double> equal(4'000, 9.0), two = equal, uneven = equal;
  std::fill(two.begin() + 2'000, two.end(), 5.0);
  for (size_t i = 0; i < uneven.size(); ++i) uneven[i] = i / 40 % 2 == 0 ? 5.0 : 9.0;
  const int one_box = VerticesOf(&f, equal);
  CHECK(VerticesOf(&f, two) - one_box == 4);  // a box has four
  CHECK(VerticesOf(&f, uneven) - one_box > 4 * 50);
}

TEST_CASE("a box too narrow for round corners has four of them") {
  PanelFixture f;
  int narrow = 0, wide = 0;
  f.Frame([&](const PanelContext& c) {
    const Pen pen = MakePen(c.theme, c.fonts);
    const int before = pen.list->VtxBuffer.Size;
    pen.Box(10, 10, 2, 12, 0xffffffff, 3);
    narrow = pen.list->VtxBuffer.Size - before;
    pen.Box(20, 10, 30, 12, 0xffffffff, 3);
    wide = pen.list->VtxBuffer.Size - before - narrow;
  });
  CHECK(narrow == 4);
  CHECK(wide > 8);
}

}  // namespace
}  // namespace stepscope
