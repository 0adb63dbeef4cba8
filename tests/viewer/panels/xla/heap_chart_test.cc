#include "viewer/panels/xla/heap_chart.h"

#include <doctest/doctest.h>

#include "model/analysis/pages/hlo_memory.h"
#include "tests/support/hlo_trace.h"
#include "tests/viewer/drawn_text.h"

namespace stepscope {
namespace {

std::shared_ptr<const HloMemory> Memory() {
  AnalysisContext context(test::HloTrace(), Definitions::kStepscope);
  return context.Make<HloMemory>(AnalysisParams());
}

TEST_CASE("the heap's numbers are those of the analysis") {
  const HeapData data = MakeHeapData(*Memory());
  REQUIRE(data.size() == 5);
  CHECK(data.bytes == std::vector<double>{16384, 32768, 49152, 32768, 16384});
  CHECK(data.instructions[1] == "add.1");
  CHECK(data.indefinite == 16384);
  CHECK(data.peak == 49152);
  REQUIRE(data.boxes.size() == 3);  // an allocation, and two buffers
  CHECK(data.boxes[0].name.empty());
  CHECK(data.boxes_left_out == 0);
  CHECK(ToCsv(data).starts_with("position,instruction,bytes,unpadded\r\n0,dot.1,16384,"));
  CHECK(BoxesToCsv(data).find("dot.1,0,16384,0,") != std::string::npos);
  CHECK(MakeHeapData(HloMemory()).size() == 0);
}

TEST_CASE("a click on the heap tells its position, one on a box its buffer") {
  PanelFixture f;
  const HeapData data = MakeHeapData(*Memory());
  HeapChart chart;
  HeapChart::Clicked clicked;
  const auto draw = [&](const PanelContext& c) {
    const auto now = chart.Draw(c, data, 1, {}, ImVec2(1000, 400));
    if (now.position >= 0 || !now.buffer.empty()) clicked = now;
  };
  const DrawnText text = DrawCalm(f, draw);
  CHECK(text.Has("peak 48.00 KiB"));
  f.Click(500, 200, draw);
  CHECK(clicked.position == 2);
  CHECK(clicked.buffer.empty());
  chart.boxes = true;
  clicked = {};
  DrawCalm(f, draw);
  f.Click(300, 320, draw);
  CHECK(clicked.buffer == "dot.1");
}

}  // namespace
}  // namespace stepscope
