// The flame graph: which frame fills the width, and which frames a text finds.
#include "viewer/widgets/flame_graph.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "model/query/merge_stacks.h"
#include "tests/viewer/drawn_text.h"
#include "tests/viewer/open_trace.h"
#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

// main [0, 100) calls load [0, 30) and compute [30, 90), which calls kernel [30, 50).
struct FlameFixture : PanelFixture {
  FlameFixture() {
    test::TraceMaker maker;
    const PlaneId plane = maker.Plane("Host threads", PlaneKind::kHostThreads);
    maker.Track(plane, "python3", TrackKind::kThread,
                {{"main", 0, 100 * kPsPerUs},
                 {"load", 0, 30 * kPsPerUs},
                 {"compute", 30 * kPsPerUs, 60 * kPsPerUs},
                 {"kernel", 30 * kPsPerUs, 20 * kPsPerUs}});
    OpenTrace(*this, maker.Finish());
    tree = BuildCallTree({profile.trace.get(), nullptr, nullptr});
  }
  void Draw(const PanelContext& context) {
    const uint32_t frame = flame.Draw(context, *profile.trace, tree, 1);
    if (frame != FlameGraph::kNone) clicked = frame;
  }
  DrawnText Drawn() {
    return DrawCalm(*this, [this](const PanelContext& context) { Draw(context); });
  }
  void ClickOn(const char* text) {
    const ImVec2 at = Drawn().At(text).middle();
    Click(at.x, at.y, [this](const PanelContext& context) { Draw(context); });
  }
  std::string NameOfClicked() const {
    return std::string(NameOf(tree.frames[clicked], profile.trace->names()));
  }
  CallTree tree;
  FlameGraph flame;
  uint32_t clicked = FlameGraph::kNone;
};

TEST_CASE_FIXTURE(FlameFixture, "flame graph: callers above callees, the longest first") {
  const DrawnText text = Drawn();
  CAPTURE(text.All());
  CHECK(text.Has("All: 100 µs"));
  CHECK(text.At("main").min.y < text.At("compute").min.y);
  CHECK(std::abs(text.At("compute").min.y - text.At("load").min.y) < 3);
  CHECK(text.At("compute").min.x < text.At("load").min.x);
  CHECK(text.At("kernel").min.y > text.At("compute").min.y);
}

TEST_CASE_FIXTURE(FlameFixture,
                  "flame graph: a click names the frame, and its tooltip its shares") {
  ClickOn("compute");
  CHECK(NameOfClicked() == "compute");
  CHECK(flame.root() == 0);
  const DrawnText text = Drawn();
  CAPTURE(text.All());
  CHECK(text.RightOf("Total") == "60 µs | 60.0 %");
  CHECK(text.RightOf("Self") == "40 µs | 40.0 %");
  CHECK(text.Has("1 selected"));
}

TEST_CASE_FIXTURE(FlameFixture,
                  "flame graph: a double click fills the width, and one above widens it") {
  ClickOn("compute");
  ClickOn("compute");
  CHECK(std::string(NameOf(tree.frames[flame.root()], profile.trace->names())) == "compute");
  const DrawnText text = Drawn();
  CAPTURE(text.All());
  CHECK_FALSE(text.Has("load"));  // it lies beside
  CHECK(text.Has("main"));
  ClickOn("Show all");
  CHECK(flame.root() == 0);
  CHECK(Drawn().Has("load"));
}

TEST_CASE_FIXTURE(FlameFixture, "flame graph: what is found counts its time once") {
  ClickOn("Find frames");
  for (const char c : std::string("kernel"))
    ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(c));
  const DrawnText text = Drawn();
  CAPTURE(text.All());
  CHECK(text.Has("20 µs, 20.0 % of the time"));
  for (int i = 0; i < 5; ++i) Key(ImGuiKey_Backspace, [this](const PanelContext& c) { Draw(c); });
  for (const char c : std::string("z")) ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(c));
  CHECK(Drawn().Has("No frame has this name"));
}

}  // namespace
}  // namespace stepscope
