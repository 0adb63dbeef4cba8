// The panels of XLA's programs on one profile: what they say, and that each op leads to its events
// and to the other panels.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/support/hlo_trace.h"
#include "tests/viewer/drawn_text.h"
#include "tests/viewer/open_trace.h"
#include "viewer/panels/hlo_pages.h"

namespace stepscope {
namespace {

class HloFixture : public PanelFixture {
 public:
  explicit HloFixture(const char* id, ImVec2 size = ImVec2(1280, 800))
      : PanelFixture(size), panel(FindPanel(id)->create()) {
    OpenTrace(*this, test::HloTrace());
  }
  // Asks for a page, as a command does.
  DrawnText Show(const std::string& page) {
    view.panel = page;
    ++view.panel_asked;
    return DrawCalm(*this, *panel);
  }
  DrawnText Draw() { return DrawCalm(*this, *panel); }
  DrawnText ClickOn(std::string_view text) {
    const ImVec2 at = Draw().At(text).middle();
    Click(at.x, at.y, [&](const PanelContext& c) { panel->Draw(c); });
    return Draw();
  }
  // The text of the last command of that id; empty: there was none.
  std::string Pushed(std::string_view id) {
    std::string text;
    for (const Command& command : TakeCommands())
      if (command.id == id) text = command.args.text.empty() ? "(no text)" : command.args.text;
    return text;
  }

  std::unique_ptr<Panel> panel;
};

TEST_CASE("HLO ops: a page is a filter; the row that it leaves is chosen and leads on") {
  HloFixture f("hlo_stats");
  CHECK(f.Draw().Has("By category"));
  DrawnText text = f.Show(HloOpPage({7, "dot.1"}));
  CHECK(text.Has("1 of 2 ops"));
  CHECK(text.RightOf("Executions").starts_with("2"));
  CHECK(text.RightOf("Self time").find("40 \u00b5s") != std::string::npos);
  CHECK(text.Has("model.py:12"));
  f.ClickOn("Graph");
  CHECK(f.Pushed("panel.show") == "hlo_graph/7/dot.1");
  f.ClickOn("Text");
  CHECK(f.Pushed("panel.show") == "hlo_graph/text/7/dot.1");
  f.ClickOn("Memory");
  CHECK(f.Pushed("panel.show") == "hlo_memory/7//dot.1");
  f.ClickOn("model.py:12");
  CHECK(f.Pushed("panel.show") == "hlo_stats/source_info=\"model.py:12\"");
  f.ClickOn("Events");
  CHECK_FALSE(f.Pushed("select.show_events").empty());
  f.ClickOn("Slowest");
  CHECK_FALSE(f.Pushed("select.reveal").empty());
}

TEST_CASE("HLO ops: the same page again shows it again") {
  HloFixture f("hlo_stats");
  CHECK(f.Show("hlo_stats/hlo_op_name:dot").Has("1 of 2 ops"));
  CHECK(f.Show("hlo_stats/-dot -add").Has("0 of 2 ops"));
  CHECK(f.Show("hlo_stats/hlo_op_name:dot").Has("1 of 2 ops"));
}

TEST_CASE("HLO profile: trees by program, category and framework op, with and without idle time") {
  HloFixture f("hlo_profile");
  DrawnText text = f.Draw();
  CHECK(text.Has("jit_step(7)"));
  CHECK(text.Has("dot.1"));
  CHECK_FALSE(text.Has("IDLE"));
  CHECK(text.Has("Wasted"));  // the peaks of the device are known
  text = f.Show("hlo_profile/by_category");
  CHECK(text.Has("IDLE"));
  CHECK_FALSE(text.Has("jit_step(7)"));
  text = f.Show("hlo_profile/by_category_exclude_idle/add");
  CHECK(text.Find("add.1") != nullptr);
  CHECK(text.Find("dot.1") == nullptr);
  text = f.ClickOn("add.1");
  CHECK(text.RightOf("Executions").starts_with("2"));
  f.ClickOn("Op");
  CHECK(f.Pushed("panel.show") == HloOpPage({7, "add.1"}));
}

TEST_CASE("roofline: limits of the device, a row for each op; a filter is a page") {
  HloFixture f("roofline");
  DrawnText text = f.Draw();
  CHECK(text.Has("Limits"));
  CHECK(text.Has("10 TFLOP/s"));
  CHECK(text.Has("Main memory 931 GiB/s"));
  text = f.Show("roofline/dot.1");
  CHECK(text.Has("1 of "));
  CHECK(text.RightOf("Executions").starts_with("2"));
}

TEST_CASE("roofline: the user's own peaks are its limits, and a form states them") {
  HloFixture f("roofline");
  f.settings.peaks = "GPU: fp32=20 memory=500";
  DrawnText text = f.Draw();
  CHECK(text.Has("20 TFLOP/s"));
  CHECK(text.Has("Main memory 466 GiB/s"));
  text = f.ClickOn("Peaks\u2026");
  CHECK(text.Has("Peaks of the device"));
  CHECK(text.RightOf("FP32, TFLOP/s").starts_with("20"));
  f.ClickOn("Save");
  CHECK(f.Pushed("app.set") == "peaks=GPU: fp32=20 memory=500");
}

TEST_CASE("HLO memory: the peak, what is live there, and the buffers of an instruction") {
  HloFixture f("hlo_memory");
  DrawnText text = f.Draw();
  CHECK(text.Has("jit_step(7)"));
  CHECK(text.RightOf("Peak").starts_with("48.00 KiB"));
  CHECK(text.Has("3 buffers"));
  text = f.Show(HloMemoryPage({7, "add.1"}));
  CHECK(text.RightOf("Executions").starts_with("2"));  // its card
  f.ClickOn("Graph");
  CHECK(f.Pushed("panel.show") == "hlo_graph/7/add.1");
  text = f.Show(HloMemoryPage({7, "neg.1"}));
  CHECK(text.Has("neg.1 has no buffer"));
  text = f.Show("hlo_memory/8/0/add.1");
  CHECK(text.Has("no HLO program '8'"));
}

TEST_CASE("HLO graph: the neighbourhood of an instruction, and how it leads on") {
  HloFixture f("hlo_graph");
  DrawnText text = f.Draw();
  CHECK(text.Has("Operands (2)"));  // of dot.1, which took the most time
  text = f.Show(HloGraphPage({7, "dot.1"}));
  CHECK(text.Has("Operands (2)"));
  CHECK(text.Has("Users (1)"));
  CHECK(text.Has("add.1"));
  CHECK(text.RightOf("Executions").starts_with("2"));
  text = f.Show("hlo_graph/7/no.such");
  CHECK(text.Has("has no instruction 'no.such'"));
  text = f.Show("hlo_graph/8/x");
  CHECK(text.Has("no HLO program '8'"));
  text = f.Show("hlo_graph/jit_step/fusion.1");
  f.ClickOn("fused");  // the computation that it calls
  CHECK(f.Pushed("panel.show") == "hlo_graph/7/tanh.1");
  text = f.Show("hlo_graph/7/tanh.1");
  f.ClickOn("fused");  // the computation that it is in
  CHECK(f.Pushed("panel.show") == "hlo_graph/7/fusion.1");
}

TEST_CASE("HLO graph: the text has all lines, and finds them") {
  HloFixture f("hlo_graph");
  DrawnText text = f.Show(HloTextPage({7, "dot.1"}));
  CHECK(text.Has("16 lines"));
  CHECK(text.Has("ENTRY main {"));
  CHECK(text.Has("fused {"));
  CHECK(text.RightOf("Executions").starts_with("2"));
  f.ClickOn("Find in the text");
  ImGui::GetIO().AddInputCharactersUTF8("TANH");
  text = f.Draw();
  CHECK(text.Has("1 of 1 lines"));
}

TEST_CASE("the choice of a program ends with its profile") {
  for (const char* id : {"hlo_graph", "hlo_memory"}) {
    HloFixture f(id);
    CHECK(f.Show(std::string(id) + "/8/x").Has("no HLO program '8'"));
    Profile other = f.profile;
    other.id = ProfileId(9);
    OpenProfile(f, other);
    CHECK(f.Draw().Has("jit_step(7)"));
  }
}

TEST_CASE("an op that the program does not have, and a program that the file does not have") {
  PanelFixture f;
  OpenTrace(f, test::HloTrace());
  CHECK(HasHloProgram(f.profile, 7));
  CHECK_FALSE(HasHloProgram(f.profile, 8));
}

TEST_CASE("the panels of programs draw at every size, and are offered where there are programs") {
  for (const char* id : {"hlo_profile", "hlo_stats", "roofline", "hlo_memory", "hlo_graph"}) {
    CAPTURE(std::string(id));
    const bool has_rule = FindPanel(id)->offered != nullptr;
    REQUIRE(has_rule);
    for (const ImVec2 size : {ImVec2(384, 280), ImVec2(900, 300), ImVec2(2560, 1440)}) {
      HloFixture f(id, size);
      CHECK_FALSE(f.Draw().pieces().empty());
      CHECK(f.TakeCommands().empty());  // drawing alone changes nothing
      CHECK(FindPanel(id)->offered(f.profile));
    }
    const auto empty = std::make_shared<Trace>();
    Profile none;
    none.trace = empty;
    CHECK_FALSE(FindPanel(id)->offered(none));
  }
}

}  // namespace
}  // namespace stepscope
