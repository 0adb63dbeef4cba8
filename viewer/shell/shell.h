// Shell: everything in the window that is neither the timeline nor a panel: menu bar, status bar,
// welcome page, overlays, palette, help, settings page, docking layout. Free functions that read
// ShellInput and push commands. The structs here hold what they keep between frames; the Viewer
// owns them. UI thread only.
#pragma once

#include <array>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/core/commands/context.h"
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

}  // namespace stepscope
