// Small windows above all others, and dialogs that the rest of the window waits for. Between
// ImGui::NewFrame() and Render() only.
#pragma once

#include <imgui.h>

#include <algorithm>

#include "model/base/color.h"
#include "viewer/core/look/theme.h"
#include "viewer/widgets/draw.h"

namespace stepscope {

inline constexpr ImGuiWindowFlags kRaisedFlags =
    ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
    ImGuiWindowFlags_NoDocking;

// The width that is given at scale 1, or less in a narrow main window.
inline float RaisedWidth(float at_scale_1) {
  return std::min(ImGui::GetMainViewport()->WorkSize.x * 0.9f, ScaledSize(at_scale_1));
}
// Places the next window in the middle, below the menu bar.
inline void PlaceBelowMenu(float at_scale_1) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos({viewport->WorkPos.x + viewport->WorkSize.x / 2,
                           viewport->WorkPos.y + ScaledSize(at_scale_1)},
                          ImGuiCond_Always, {0.5f, 0});
}

// The look of a small window: a raised background, a border, round corners. It holds for the
// windows of its scope.
class RaisedStyle {
 public:
  explicit RaisedStyle(const Theme& theme) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, ScaledSize(6));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, theme[Role::kRaised]);
    // A button's usual background is the window's here.
    ImGui::PushStyleColor(ImGuiCol_Button, Mix(theme[Role::kRaised], theme[Role::kText], 0.1f));
  }
  ~RaisedStyle() {
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar(2);
  }
  RaisedStyle(const RaisedStyle&) = delete;
  RaisedStyle& operator=(const RaisedStyle&) = delete;
};

// A small window that is as high as its contents. The caller places it; `border` is the colour of
// its border. The window ends with the scope:
//   if (const RaisedWindow window(theme, "##error", 560, Role::kBad); window) Draw();
class RaisedWindow {
 public:
  RaisedWindow(const Theme& theme, const char* name, float width_at_scale_1, Role border,
               ImGuiWindowFlags flags = 0)
      : style_(theme) {
    ImGui::SetNextWindowSize({RaisedWidth(width_at_scale_1), 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ScaledSize(20), ScaledSize(16)});
    ImGui::PushStyleColor(ImGuiCol_Border, theme[border]);
    open_ = ImGui::Begin(name, nullptr, kRaisedFlags | ImGuiWindowFlags_AlwaysAutoResize | flags);
  }
  ~RaisedWindow() {
    ImGui::End();
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
  }
  RaisedWindow(const RaisedWindow&) = delete;
  RaisedWindow& operator=(const RaisedWindow&) = delete;
  explicit operator bool() const { return open_; }

 private:
  const RaisedStyle style_;
  bool open_ = false;
};

// The look of a dialog that the rest of the window waits for: the panels' background, on which
// controls stand out, and a border, because the dimmed panels behind it are hardly darker. It holds
// for BeginPopupModal() in its scope.
class DialogStyle {
 public:
  explicit DialogStyle(const Theme& theme) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, ScaledSize(6));
    ImGui::PushStyleColor(ImGuiCol_PopupBg, theme[Role::kPanel]);
    ImGui::PushStyleColor(ImGuiCol_Border, Mix(theme[Role::kLine], theme[Role::kText], 0.2f));
  }
  ~DialogStyle() {
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar(2);
  }
  DialogStyle(const DialogStyle&) = delete;
  DialogStyle& operator=(const DialogStyle&) = delete;
};

// Begins a dialog in the middle of the window that is as high as its contents. True: the caller
// ends it with ImGui::EndPopup().
inline bool BeginDialog(const Theme& theme, const char* name, ImGuiWindowFlags flags = 0) {
  const DialogStyle style(theme);
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetWorkCenter(), ImGuiCond_Always,
                          {0.5f, 0.5f});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ScaledSize(20), ScaledSize(16)});
  const bool shown = ImGui::BeginPopupModal(
      name, nullptr,
      ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoTitleBar |
          ImGuiWindowFlags_AlwaysAutoResize | flags);
  ImGui::PopStyleVar();
  return shown;
}

}  // namespace stepscope
