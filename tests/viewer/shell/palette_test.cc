// The palette: what it finds, and that it leaves panels where they are.
#include <doctest/doctest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <string>

#include "tests/viewer/drawn_text.h"
#include "tests/viewer/viewer_fixture.h"
#include "viewer/core/state/settings.h"
#include "viewer/shell/shell.h"

namespace stepscope {
namespace {

using test::TrainingTrace;
using test::ViewerFixture;

const ImGuiWindow* PanelWindow(const char* id) {
  return ImGui::FindWindowByName(PanelWindowName(*FindPanel(id)).c_str());
}

// Types into the palette and takes the first entry.
void RunEntry(ViewerFixture& f, const std::string& text) {
  f.Type(">");
  f.Frame(3);
  f.Type(text);
  f.Key(ImGuiKey_Enter);
  f.Frame(3);
}

TEST_CASE("palette: letters in order match, word starts and runs rank higher") {
  CHECK(FuzzyScore("zs", "Zoom to selection") > 0);
  CHECK(FuzzyScore("xq", "Zoom to selection") == 0);
  CHECK(FuzzyScore("zoom", "Zoom in") > FuzzyScore("zoom", "Fuzzy other loom"));
  CHECK(FuzzyScore("", "anything") > 0);
}

TEST_CASE("palette: no tooltip of the timeline lies over it") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  const TexelFrame& canvas = f.canvas();
  for (float y = canvas.y; y < canvas.y + 300; y += 6) {
    f.MoveTo(canvas.x + 30, y);
    f.Frame(2);
    if (DrawnText().Has(", from ")) break;  // an event is under the mouse
  }
  REQUIRE(DrawnText().Has(", from "));
  f.Push("app.palette");
  f.Frame(3);
  CHECK_FALSE(DrawnText().Has(", from "));
}

TEST_CASE("keys and commands: a word finds commands, and keys of none are as easy to hit") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Push("app.help");
  f.Frame(4);
  REQUIRE(DrawnText().Has("Open file"));
  const ImVec2 box = DrawnText().At("Find a command or a key").middle();
  f.Click(box.x, box.y);
  f.Type("dark light");
  f.Frame(3);
  const DrawnText found;
  CHECK_FALSE(found.Has("Open file"));
  const TextPiece& row = found.At("Dark or light");
  const float keys = row.min.x + ImGui::GetFontSize() * 16;
  f.Click(keys + 100, row.middle().y);  // far from the dash that stands for no keys
  CHECK(DrawnText().Has("Press keys"));
}

TEST_CASE("keys and commands: what is typed finds at once, and Escape closes") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Push("app.help");
  f.Frame(4);
  f.Type("dark light");
  f.Frame(3);
  CHECK_FALSE(DrawnText().Has("Open file"));
  CHECK(DrawnText().Has("Dark or light"));
  CHECK_FALSE(DrawnText().Has("Panels"));  // a heading without rows is left out
  f.Key(ImGuiKey_Escape);
  f.Frame(2);
  CHECK_FALSE(DrawnText().Has("Dark or light"));
}

TEST_CASE("palette: every panel and every setting is found by its name") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  RunEntry(f, "kernel");
  CHECK(bool{PanelWindow("kernel_stats")->DockTabIsVisible});
  for (const PanelDesc& panel : Panels()) {
    RunEntry(f, panel.title);
    CAPTURE(panel.id);
    CHECK(bool{PanelWindow(panel.id)->DockTabIsVisible});
  }
  RunEntry(f, "row height");
  const ImGuiWindow* settings = ImGui::FindWindowByName("Settings###settings");
  REQUIRE(settings != nullptr);
  CHECK(bool{settings->Active});
  RunEntry(f, "animation time");  // while the page is open
  CHECK(bool{settings->Active});
  f.Key(ImGuiKey_Escape);
  CHECK_FALSE(bool{settings->Active});
}

TEST_CASE("palette: the first command keeps the panel that lies in front") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Frame(6);
  REQUIRE(bool{PanelWindow("overview")->DockTabIsVisible});
  RunEntry(f, "timing tool");
  CHECK(f.viewer->view().tool == Tool::kTiming);
  CHECK(bool{PanelWindow("overview")->DockTabIsVisible});
  f.viewer->ShowPanel("op_stats");
  f.Frame(4);
  RunEntry(f, "pan tool");
  CHECK(bool{PanelWindow("op_stats")->DockTabIsVisible});
}

TEST_CASE("Reset layout keeps the panel that lies in front") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Frame(6);
  f.viewer->ShowPanel("memory");
  f.Frame(4);
  f.Push("view.reset_layout");
  f.Frame(8);
  CHECK(bool{PanelWindow("memory")->DockTabIsVisible});
  CHECK_FALSE(bool{PanelWindow("overview")->DockTabIsVisible});
  RunEntry(f, "reset layout");
  f.Frame(8);
  CHECK(bool{PanelWindow("memory")->DockTabIsVisible});
}

}  // namespace
}  // namespace stepscope
