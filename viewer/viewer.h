// Viewer: everything inside the window, drawn with Dear ImGui into the current context. It knows
// no GLFW and opens no profile; of the file system it reads only lists of names, for the file
// dialog, and fonts. The app gives it a SessionView for each frame and serves it through
// AppServices (viewer/core/profiles/session_view.h). One per window, on the UI thread only. Start
// reading in viewer/core/panel.h; shell, timeline and panels draw, viewer/core/commands changes
// what they show.
#pragma once

#include <memory>
#include <string>

#include "viewer/core/profiles/session_view.h"
#include "viewer/core/state/settings.h"

namespace stepscope {

class CommandQueue;
class TexelSink;  // viewer/core/look/texel_sink.h: draws rows of texels
struct ViewState;

struct ViewerConfig {
  bool animate = true;  // false: zoom snaps (headless, tests)
  float content_scale = 1.0f;
  Settings settings = {};
};

class Viewer {
 public:
  // Sets up fonts and style. `services` and `sink` must outlive it. `sink` draws the timeline's
  // texels; null: rectangles of ImDrawList do.
  Viewer(AppServices& services, TexelSink* sink, ViewerConfig config);
  ~Viewer();

  void SetContentScale(float scale);  // when the window moved to another monitor
  // Draws all windows, then applies the commands of this frame. Call it between ImGui::NewFrame()
  // and ImGui::Render().
  void Frame(const SessionView& session);
  // What the window waits for before it rests, for example a job; empty: it rests.
  std::string BusyWith() const;
  // The next frame will differ from the last one without any input: a zoom glides, layout settles.
  bool moving() const;
  // moving(), or a job runs whose end requests a frame.
  bool animating() const;
  bool searching() const;  // hits of the newest query are not found yet
  // Whether the strip of the last frame waited for the first sentence about the profile.
  bool waits_for_verdict() const;
  // Whether the map of a fleet was in the timeline's place in the last frame.
  bool shows_fleet() const;
  bool stopping() const;  // jobs that were told to stop have not ended
  // Seconds until something on the screen ends by itself; infinity if nothing does.
  double EndsIn() const;

  CommandQueue& commands();  // the app's replay and headless modes push here
  Settings& settings();      // the app saves them when they change
  const ViewState& view() const;
  // Call it after a frame was rendered. True: *out is the next part of it to save as a PNG.
  bool TakePicture(PictureRequest* out);
  // The timeline of the last frame as SVG; empty if it drew none.
  std::string TimelineSvg() const;
  void Note(std::string text);           // shows it in the status bar for a few seconds
  std::string DefaultLayoutIni() const;  // imgui.ini text of the default workspace
  // `screenshot` and `bench` call these two, which push commands.
  bool ShowPanel(const std::string& panel_id);  // false: there is no such panel
  bool SelectByName(const std::string& name);   // first event whose name contains it

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stepscope
