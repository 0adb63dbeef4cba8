// Shell: everything in the window that is neither the timeline nor a panel: menu bar, status bar,
// welcome page, overlays, palette, help, settings page, docking layout. Free functions that read
// and push commands; what little they keep between frames is in the structs here, owned by the
// Viewer.
#pragma once

#include <string>
#include <vector>

#include "viewer/core/context.h"
#include "viewer/core/panel.h"
#include "viewer/shell/key_editor.h"
#include "viewer/widgets/draw.h"
#include "viewer/widgets/input_text.h"

namespace stepscope {

struct ShellInput {
  const PanelContext& panel;
  const WindowState& windows;
  const Search& search;
  const ViewerContext& context;  // for CommandDesc::enabled
  const TimelineFeedback& timeline;
  TimeRange displayed;  // range on the screen
};

struct MenuBarState {
  TextBox search;
  int open_next = -1;  // menu that an arrow key went to
};
void DrawMenuBar(const ShellInput& input, MenuBarState* state);
void DrawStatusBar(const ShellInput& input);
void DrawWelcome(const ShellInput& input);
void DrawLoading(const ShellInput& input);  // after 150 ms
void DrawError(const ShellInput& input);

struct PaletteState {
  TextBox box;
  int selected = 0;
  bool was_open = false;
};
void DrawPalette(const ShellInput& input, PaletteState* state);
void DrawHelp(const ShellInput& input, KeyEditor* keys);
void DrawSettings(const ShellInput& input);

// What the palette can do: run a command, show a panel, go to a setting.
struct PaletteEntry {
  const char* title;
  const char* group;  // the command's menu, "Panel", "Setting"
  const char* what;
  const char* keys;
  const char* command;  // that does it, with `text`
  const char* text;
  int score = 0;
};
// The entries that match, best first; of an empty query all.
std::vector<PaletteEntry> FindEntries(std::string_view query, const ViewerContext& context);
// How well `text` matches the query's letters in order; 0: not at all. Used by the palette.
int FuzzyScore(std::string_view query, std::string_view text);

// The dock space between menu and status bar. Builds the default layout when there is none, when
// the stored one is of another version, or on request. Returns its id.
inline constexpr int kLayoutVersion = 1;
struct WorkspaceState {
  int frames = 0;                    // drawn so far; no more than counts
  float width = 0, height = 0;       // that the layout is for
  int frames_since_built = 1 << 20;  // of the default layout
  bool built = false;
  std::string front;  // panel that lies in front after Reset layout
};
unsigned DrawDockSpace(const ShellInput& input, bool reset, bool hidden, WorkspaceState* state);
// Moves panels that float back onto the screen, where a kept layout or a smaller window left them
// outside.
void KeepPanelsOnScreen();
// For the window begun next: no background where the dock space's is the same.
void ClearBackgroundIfDocked(const char* window_name);

// "#id" suffixes keep window identities when titles change.
std::string PanelWindowName(const PanelDesc& panel);
std::string PanelWindowName(const PanelDesc& panel, const Run& pinned);
inline constexpr const char kTimelineWindow[] = "Timeline###timeline";

}  // namespace stepscope
