// Which panel comes to the front by itself, and the edges of panels that float.
#include <doctest/doctest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <string>

#include "tests/viewer/viewer_fixture.h"
#include "viewer/shell/shell.h"

namespace stepscope {
namespace {

using test::TrainingTrace;
using test::ViewerFixture;

ImGuiWindow* WindowOf(const char* id) {
  return ImGui::FindWindowByName(PanelWindowName(*FindPanel(id)).c_str());
}
bool InFront(const char* id) { return bool{WindowOf(id)->DockTabIsVisible}; }
std::string FocusedWindow() {
  const ImGuiWindow* window = ImGui::GetCurrentContext()->NavWindow;
  return window != nullptr ? window->RootWindow->Name : "";
}
EventRef Event(uint32_t row) { return {ProfileId(0), 0, EventRow(row)}; }

TEST_CASE("panels: Selection comes forward for a box and a search, Details for one event") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  f.Push("select.events", {.events = {Event(0), Event(1)}});
  f.Frame(3);
  CHECK(InFront("selection"));
  f.Push("select.event", {.event = Event(2)});
  f.Frame(3);
  CHECK(InFront("details"));
  const std::string keyboard = FocusedWindow();
  f.Push("search.set", {.text = "sgemm"});
  f.Frame(3);
  CHECK(InFront("selection"));
  CHECK(FocusedWindow() == keyboard);  // typing goes on where it was
  // A panel that the user chose stays.
  f.Push("panel.show", {.text = "markers"});
  f.Frame(3);
  f.Push("select.event", {.event = Event(3)});
  f.Frame(3);
  CHECK(InFront("markers"));
}

TEST_CASE("panels: a floating panel has an edge, a docked one has none") {
  ViewerFixture f;
  f.Open(TrainingTrace());
  CHECK(WindowOf("details")->WindowBorderSize == 0);
  ImGui::DockContextQueueUndockWindow(ImGui::GetCurrentContext(), WindowOf("details"));
  f.Frame(4);
  REQUIRE(WindowOf("details")->DockNode == nullptr);
  CHECK(WindowOf("details")->WindowBorderSize == 1);
}

}  // namespace
}  // namespace stepscope
