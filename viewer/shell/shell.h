// Shell: everything in the window that is neither the timeline nor a panel: menu bar, status bar,
// welcome page, overlays, palette, help, settings page, docking layout. Free functions that read
// ShellInput and push commands. The structs here hold what they keep between frames; the Viewer
// owns them. UI thread only.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/color.h"
#include "viewer/core/commands/context.h"
#include "viewer/core/look/theme.h"
#include "viewer/core/panel.h"
#include "viewer/shell/keyboard.h"
#include "viewer/widgets/draw.h"
#include "viewer/widgets/input_text.h"

namespace stepscope {

// A Unix time by the local clock, as strftime writes it: LocalTime(s, "%Y-%m-%d"). Empty if it is
// no time. Pure.
inline std::string LocalTime(int64_t unix_s, const char* format) {
  const auto seconds = static_cast<std::time_t>(unix_s);
  std::tm local{};
  std::array<char, 32> text{};
  if (localtime_r(&seconds, &local) == nullptr) return {};
  return {text.data(), std::strftime(text.data(), text.size(), format, &local)};
}

struct ShellInput {
  const PanelContext& panel;
  const WindowState& windows;
  const Search& search;
  const ViewerContext& context;  // for CommandDesc::enabled
  const TimelineFeedback& timeline;
  TimeRange displayed;    // the range on the screen
  std::string_view note;  // for the status bar; may be empty
};

struct MenuBarState {
  TextBox search;
  int open_next = -1;  // the menu that an arrow key went to; -1: none
  bool open = false;   // one of its menus is
  // In the next frame the keyboard opens the first menu, or closes the open one.
  bool toggle = false;
};
void DrawMenuBar(const ShellInput& input, MenuBarState* state);
void DrawStatusBar(const ShellInput& input);
void DrawWelcome(const ShellInput& input);
void DrawLoading(const ShellInput& input);  // for loads longer than 150 ms
void DrawError(const ShellInput& input);

struct PaletteState {
  TextBox box;
  int selected = 0;
  bool opening = false;  // it opens in the next frame
  void Open(const std::string& typed);
};
void DrawPalette(const ShellInput& input, PaletteState* state);
void DrawHelp(const ShellInput& input, KeyEditor* keys);
void DrawSettings(const ShellInput& input);

// An entry of the palette: a command, a panel to show or a setting to go to.
struct PaletteEntry {
  const char* title;
  const char* group;  // the command's menu, "Panel", "Setting"
  const char* what;
  const char* keys;
  CommandId command;  // does it, with `text`
  const char* text;
  int score = 0;
};
// The entries that match, best first; all entries for an empty query.
std::vector<PaletteEntry> FindEntries(std::string_view query, const ViewerContext& context);
// How well `text` matches the query's letters in order; 0: not at all. Used by the palette.
int FuzzyScore(std::string_view query, std::string_view text);

// Makes the dock space between menu and status bar and returns its id. Builds the default layout on
// request, or where no layout of this version is stored. While `fit` counts down, panels get the
// height that the timeline does not need, unless the user moved the splitter.
inline constexpr int kLayoutVersion = 1;
inline constexpr int kFramesToFit = 4;  // rows, derived tracks and the split have then settled
struct WorkspaceState {
  int frames = 0;                    // frames drawn so far
  float width = 0, height = 0;       // the size that the layout is for
  int frames_since_built = 1 << 20;  // frames since the default layout
  bool built = false;
  std::string front;  // the panel in front after Reset layout
  int fit = 0;        // frames in which the split follows the height of the timeline's content
  bool reset = false, switch_tall = false;  // requests, done in the next frame
};
unsigned DrawDockSpace(const ShellInput& input, bool hidden, WorkspaceState* state);
// Moves floating panels back onto the screen if a kept layout or a smaller window
// left them outside.
void KeepPanelsOnScreen();
// Leaves out the background of the window begun next where the dock space has the same one.
void ClearBackgroundIfDocked(const char* window_name);

// The name that ImGui knows a panel's window by. Its "###id" keeps the window when
// the title changes.
std::string PanelWindowName(const PanelDesc& panel);
std::string PanelWindowName(const PanelDesc& panel, const Profile& pinned);
inline constexpr const char kTimelineWindow[] = "Timeline###timeline";

// Asks what to do with profiles that are opened together, or beside one that is open: draws a modal
// window with the answers while the session has a question. Arrow keys and Tab choose, Enter takes
// the choice, a letter takes its answer at once, Escape opens nothing. Pushes "file.answer".
void DrawOpenQuestion(const ShellInput& input);

// Small windows above all others, and dialogs that the rest of the window waits for. Between
// ImGui::NewFrame() and Render() only.
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
