// Floating panels as windows of the system, in a real window. Skipped where there is no display.
#include <doctest/doctest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include "app/session/session.h"
#include "app/session/settings_store.h"
#include "app/window/gui.h"
#include "app/window/surface.h"
#include "app/window/window.h"
#include "tests/app/temp_dir.h"
#include "tests/support/source_paths.h"
#include "viewer/core/commands/command.h"
#include "viewer/core/state/panel_list.h"
#include "viewer/shell/shell.h"

namespace stepscope {
namespace {

constexpr ImVec2 kSize(500, 300);

struct Desk {
  explicit Desk(bool other_windows = true)
      : store(dir.path()), session(scheduler, store, {[this] { waker.Wake(); }, {}, {}, {}}) {
    Result<std::unique_ptr<Window>> opened = Window::Create({.width = 800, .height = 600}, waker);
    if (!opened.ok()) return;
    window = std::move(opened).value();
    session.Open({test::SourcePath("share/samples/sample")}, false);
    gui = std::make_unique<Gui>(*window, session, store,
                                GuiConfig{.animate = false, .other_windows = other_windows});
    REQUIRE(gui->DrawUntilIdle(60).ok());
  }
  static ImGuiWindow* Panel() {
    return ImGui::FindWindowByName(PanelWindowName(*FindPanel("overview")).c_str());
  }
  void Frames(int n = 6) {
    for (int i = 0; i < n; ++i) gui->DrawFrame();
  }
  // Lets the panel float at a place of the screen.
  void Float(ImVec2 at) {
    ImGui::DockContextQueueUndockWindow(ImGui::GetCurrentContext(), Panel());
    Frames(2);
    ImGui::SetWindowPos(Panel(), at);
    ImGui::SetWindowSize(Panel(), kSize);
    Frames();
  }
  static int Windows() { return ImGui::GetPlatformIO().Viewports.Size; }
  static ImRect Main() {
    const ImGuiViewport* main = ImGui::GetMainViewport();
    return {main->Pos, {main->Pos.x + main->Size.x, main->Pos.y + main->Size.y}};
  }
  TempDir dir;
  SettingsStore store;
  Waker waker;
  Scheduler scheduler{2, [this] { waker.Wake(); }};
  Session session;
  std::unique_ptr<Window> window;
  std::unique_ptr<Gui> gui;
};

bool Missing(const Desk& desk) {
  if (desk.window == nullptr) MESSAGE("SKIPPED: no window can be opened here");
  return desk.window == nullptr;
}

TEST_CASE("windows: a panel that leaves the window is one of the system, until it is closed") {
  Desk desk;
  if (Missing(desk)) return;
  CHECK(Desk::Windows() == 1);
  desk.Float({40, 320});
  REQUIRE(Desk::Windows() == 2);
  ImGuiViewport* own = ImGui::GetPlatformIO().Viewports[1];
  CHECK(own->PlatformHandle != nullptr);
  CHECK(own->Size.x == kSize.x);
  CHECK(own->DrawData->TotalVtxCount > 100);  // the panel is drawn there
  CHECK(desk.gui->drew_timeline());
  own->PlatformRequestClose = true;  // as the system does
  CHECK(desk.window->TakeInput());
  desk.Frames();
  CHECK(Desk::Windows() == 1);
  CHECK_FALSE(Desk::Panel()->Active);
  CHECK_FALSE(desk.window->closing());
}

TEST_CASE("windows: a panel on a monitor that is gone comes to one that is there") {
  Desk desk;
  if (Missing(desk)) return;
  desk.Float({50'000, 40'000});
  const ImVec2 at = Desk::Panel()->Pos;
  const ImGuiPlatformMonitor& monitor = ImGui::GetPlatformIO().Monitors[0];
  CHECK(at.x < monitor.MainPos.x + monitor.MainSize.x);
  CHECK(at.y < monitor.MainPos.y + monitor.MainSize.y);
}

TEST_CASE("windows: the setting keeps panels inside, and takes those outside back") {
  Desk desk;
  if (Missing(desk)) return;
  desk.Float({40, 320});
  REQUIRE(Desk::Windows() == 2);
  desk.gui->viewer().commands().PushSetting(&Settings::panel_windows, false);
  desk.Frames(8);
  CHECK(Desk::Windows() == 1);
  CHECK(Desk::Main().Contains(ImRect(Desk::Panel()->Pos, Desk::Panel()->Pos)));
}

TEST_CASE("windows: without leave of the program panels stay inside") {
  Desk desk(false);
  if (Missing(desk)) return;
  desk.Float({40, 320});
  CHECK(Desk::Windows() == 1);
  CHECK(Desk::Main().Contains(ImRect(Desk::Panel()->Pos, Desk::Panel()->Pos)));
}

}  // namespace
}  // namespace stepscope
