// Tests of the timeline's right-click menu: on an event, on a plane's heading and on a track.
#include <imgui_internal.h>

#include "tests/ui/ui_app.h"
#include "viewer/core/commands/command.h"
#include "viewer/core/state/track_rules.h"
#include "viewer/core/state/view_state.h"
#include "viewer/shell/shell.h"

namespace stepscope::ui {
namespace {

const ImGuiWindow* Timeline() { return ImGui::FindWindowByName(kTimelineWindow); }

// Right-clicks down the window until a menu with the item opens.
bool OpenMenuWith(ImGuiTestContext* ctx, float x_share, const char* item) {
  const ImRect area = Timeline()->InnerRect;
  const float x = area.Min.x + area.GetWidth() * x_share;
  const int bottom = static_cast<int>(area.Max.y) - 4;
  for (int y = static_cast<int>(area.Min.y) + 100; y < bottom; y += 7) {
    ctx->MouseMoveToPos({x, static_cast<float>(y)});
    ctx->MouseClick(ImGuiMouseButton_Right);
    ctx->Yield(2);
    if (ImGui::GetCurrentContext()->OpenPopupStack.empty()) continue;
    if (ctx->ItemExists(item)) return true;
    ctx->PopupCloseAll();
  }
  return false;
}

// Selects an event and zooms so that it fills the middle of the view, where the clicks go.
void ShowSomeEvent(UiApp& app, ImGuiTestContext* ctx) {
  app.viewer->SelectByName({});
  app.WaitIdle(ctx);
  app.Push(ctx, "view.zoom_selection", {});
}

void EventMenu(UiApp& app, ImGuiTestContext* ctx) {
  ShowSomeEvent(app, ctx);
  const ViewState& view = app.viewer->view();
  const char* copy = "//$FOCUSED/Copy name";
  IM_CHECK(OpenMenuWith(ctx, 0.6f, copy));
  const std::string name = app.NameOf(view.selected);
  IM_CHECK(!name.empty());
  ctx->ItemClick(copy);
  app.WaitIdle(ctx);
  IM_CHECK_STR_EQ(app.services.clipboard.c_str(), name.c_str());

  IM_CHECK(OpenMenuWith(ctx, 0.6f, copy));
  ctx->ItemClick("//$FOCUSED/Copy all details");
  app.WaitIdle(ctx);
  IM_CHECK(app.services.clipboard.find("Duration") != std::string::npos);

  IM_CHECK(OpenMenuWith(ctx, 0.6f, copy));
  ctx->ItemClick("//$FOCUSED/Show all of this name on this track");
  app.WaitIdle(ctx);
  IM_CHECK(!view.shown.empty());
  for (const EventRef& event : view.shown.events())
    IM_CHECK_STR_EQ(app.NameOf(event).c_str(), app.NameOf(view.shown.events().front()).c_str());
  app.Push(ctx, "select.clear", {});
  IM_CHECK(view.shown.empty());

  ShowSomeEvent(app, ctx);
  IM_CHECK(OpenMenuWith(ctx, 0.6f, copy));
  ctx->ItemClick("//$FOCUSED/Measure selection");
  app.WaitIdle(ctx);
  IM_CHECK(!view.measured.empty());

  IM_CHECK(OpenMenuWith(ctx, 0.6f, copy));
  const std::string filtered = app.NameOf(view.selected);
  ctx->ItemClick("//$FOCUSED/Filter timeline to this name");
  app.WaitIdle(ctx);
  app.Push(ctx, "select.event", {});
  app.Push(ctx, "search.next", {});
  IM_CHECK_STR_EQ(app.NameOf(view.selected).c_str(), filtered.c_str());
  app.Push(ctx, "search.set", {});
}

void HeadingMenu(UiApp& app, ImGuiTestContext* ctx) {
  const char* fold = "//$FOCUSED/Fold or unfold";
  const auto folded = [&] { return app.viewer->view().profiles.front().collapsed.size(); };
  app.Push(ctx, "view.expand_all", {});
  IM_CHECK_EQ(folded(), 0u);
  IM_CHECK(OpenMenuWith(ctx, 0.03f, fold));
  ctx->ItemClick(fold);
  app.WaitIdle(ctx);
  IM_CHECK_EQ(folded(), 1u);
  IM_CHECK(OpenMenuWith(ctx, 0.03f, fold));
  ctx->ItemClick("//$FOCUSED/Unfold all");
  app.WaitIdle(ctx);
  IM_CHECK_EQ(folded(), 0u);
}

const TrackRules& RulesOf(const UiApp& app) { return app.viewer->settings().tracks; }

// Opens the menu of a plane or track whose name is at the left, and in it the menu of an item.
bool OpenSubmenu(ImGuiTestContext* ctx, const char* item) {
  const std::string path = std::string("//$FOCUSED/") + item;
  if (!OpenMenuWith(ctx, 0.03f, path.c_str())) return false;
  ctx->ItemClick(path.c_str());
  ctx->Yield(3);
  return true;
}

// Clicks an item of the menu that was opened last.
void ClickInSubmenu(ImGuiTestContext* ctx, const char* item) {
  ImGuiWindow* menu = ImGui::GetCurrentContext()->OpenPopupStack.back().Window;
  IM_CHECK(menu != nullptr);
  ctx->SetRef(menu);
  ctx->ItemClick(item);
}

// Each item of a track's menu does what it says, and one step back takes it back.
void TrackMenu(UiApp& app, ImGuiTestContext* ctx) {
  const TrackRules before = RulesOf(app);
  const auto back = [&] {
    app.Push(ctx, "view.back", {});
    IM_CHECK(RulesOf(app) == before);
  };
  app.Push(ctx, "view.expand_all", {});
  IM_CHECK(OpenSubmenu(ctx, "Rename"));
  ctx->KeyCharsReplaceEnter("main one");
  app.WaitIdle(ctx);
  IM_CHECK_EQ(RulesOf(app).names.size(), 1u);
  IM_CHECK_STR_EQ(RulesOf(app).names.begin()->second.c_str(), "main one");
  back();

  IM_CHECK(OpenSubmenu(ctx, "Colour"));
  ClickInSubmenu(ctx, "$$3/     Colour 3");
  app.WaitIdle(ctx);
  IM_CHECK_EQ(RulesOf(app).colors.size(), 1u);
  IM_CHECK_EQ(RulesOf(app).colors.begin()->second, 3u);
  back();

  IM_CHECK(OpenSubmenu(ctx, "Height"));
  ClickInSubmenu(ctx, "At most 2 rows");
  app.WaitIdle(ctx);
  IM_CHECK_EQ(RulesOf(app).rows.size(), 1u);
  back();

  for (const char* item : {"Pin to the top", "Move to the top of its group", "Hide"}) {
    const std::string path = std::string("//$FOCUSED/") + item;
    IM_CHECK(OpenMenuWith(ctx, 0.03f, path.c_str()));
    ctx->ItemClick(path.c_str());
    app.WaitIdle(ctx);
    IM_CHECK(RulesOf(app) != before);
    back();
  }

  IM_CHECK(OpenMenuWith(ctx, 0.03f, "//$FOCUSED/Select all events on it"));
  ctx->ItemClick("//$FOCUSED/Select all events on it");
  app.WaitIdle(ctx);
  IM_CHECK(!app.viewer->view().shown.empty());
  app.Push(ctx, "select.clear", {});

  IM_CHECK(OpenMenuWith(ctx, 0.03f, "//$FOCUSED/Only this"));
  ctx->ItemClick("//$FOCUSED/Only this");
  app.WaitIdle(ctx);
  IM_CHECK(!app.viewer->view().profiles.front().only.empty());
  app.Push(ctx, "view.back", {});
  IM_CHECK(app.viewer->view().profiles.front().only.empty());
}

}  // namespace

void AddTimelineTests(UiApp* app) {
  app->Add("event_menu", EventMenu);
  app->Add("heading_menu", HeadingMenu);
  app->Add("track_menu", TrackMenu);
}

}  // namespace stepscope::ui
