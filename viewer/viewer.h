// Viewer: everything inside the window, drawn with Dear ImGui into the current context. Knows no
// GLFW and no files. One per window, used on the UI thread only. Frame() between ImGui::NewFrame()
// and ImGui::Render().
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "viewer/core/session_view.h"

namespace stepscope {

class CommandQueue;
class Settings;
class TexelSink;  // viewer/core/texel_sink.h: GL row texture, or a recording/ImDrawList
                  // fallback
struct ViewState;

struct ViewerConfig {
  bool animate = true;  // false: zoom snaps (headless, tests)
  float content_scale = 1.0f;
  std::string settings_text;  // contents of the settings file, or empty
};

class Viewer {
 public:
  // `sink` draws the timeline's texels; null: ImDrawList rectangles. Fonts and style are set up
  // here.
  Viewer(AppServices& services, TexelSink* sink, ViewerConfig config);
  ~Viewer();

  void SetContentScale(float scale);  // when the window moved to another monitor
  void Frame(
      const SessionView& session);  // draws all windows, then applies the commands of this frame
  // What keeps it from coming to rest, in words; empty: nothing.
  std::string BusyWith() const;
  // The next frame differs from the last one, whatever the user does: a zoom glides, layout
  // settles.
  bool moving() const;
  // The same, or a job runs whose end draws a frame.
  bool animating() const;
  bool searching() const;  // the newest hits are not there yet
  bool stopping() const;   // jobs that were told to stop still run
  // Seconds until something on the screen ends by itself; infinity if nothing does.
  double EndsIn() const;

  CommandQueue& commands();  // the app's replay and headless modes push here
  Settings& settings();
  const ViewState& view() const;
  std::string SettingsText() const;  // to save when it differs
  // After a frame was rendered: the next part of it to save as a PNG, and what became of it.
  bool TakePicture(PictureRequest* out);
  // The timeline as the last frame showed it, as SVG; empty where it did not show any.
  std::string TimelineSvg() const;
  void Note(std::string text);           // says it in the status bar for a few seconds
  std::string DefaultLayoutIni() const;  // imgui.ini text of the default workspace
  // For `screenshot` and `bench`: where the scripted view goes.
  bool ShowPanel(const std::string& panel_id);  // false: unknown id
  void SetVisibleRange(TimeRange range);
  void OpenView(const std::string& token);     // viewer/core/view_token.h
  bool SelectByName(const std::string& name);  // first event whose name contains it

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stepscope
