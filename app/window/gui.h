// Gui: Dear ImGui, the GL renderer, the viewer and the frame loop on one surface. A session's
// profiles go in, drawn frames come out. The loop exists only here: the window, screenshots,
// replay and bench all run it. UI thread only. Start reading at Step().
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "app/session/session.h"
#include "app/session/settings_store.h"
#include "app/window/agent_driver.h"
#include "app/window/surface.h"
#include "model/jobs/latest_job.h"
#include "viewer/core/state/settings.h"
#include "viewer/viewer.h"

struct ImGuiContext;

namespace stepscope {

class SolidFills;
class WatchedSink;

// How long commands without a user wait for loads and analyses.
inline constexpr double kIdleLimitSeconds = 600;

struct GuiConfig {
  bool animate = true;
  bool other_windows = false;  // floating panels may be windows of the system, as a setting says
  Settings settings = {};
  std::string layout = {};  // imgui.ini text; empty: the default workspace
};

class Gui {
 public:
  // The surface's GL context must be current. Changed settings and layout are written to `store`.
  // All three must outlive the Gui.
  Gui(Surface& surface, Session& session, const SettingsStore& store, GuiConfig config);
  ~Gui();

  // Runs the loop once: sleeps as long as nothing changes, then draws if there is a reason to.
  // Returns whether a frame was drawn. If `max_seconds` is positive, it sleeps no longer than
  // that.
  bool Step(double max_seconds = 0);
  // Runs the loop for that long. Returns how many frames were drawn.
  int StepFor(double seconds);
  // Draws now. If `picture` is not null, the frame is read back into it.
  void DrawFrame(Image* picture = nullptr);
  // Draws until loads, derived tracks, analyses and animations are done and the layout has
  // settled. kLimit, with what is still busy, if that takes longer than `seconds`.
  Status DrawUntilIdle(double seconds = kIdleLimitSeconds);

  Viewer& viewer() { return *viewer_; }
  bool busy();  // whether something still runs or moves
  // Whether memory is about to be given back, some seconds after the last frame.
  bool tidying() const { return worked_; }
  // Whether the last frame showed a timeline, or what takes its place: a profile was loaded and the
  // panel was laid out.
  bool drew_timeline() const { return drew_timeline_; }
  // Writes settings and layout if they changed. The loop calls it when nothing moves, the
  // destructor at the end.
  void Persist();

 private:
  void SavePictures();
  void CloseUnavailablePanels();
  // Gives back memory that only jobs and frames needed, some time after the last of them. Returns
  // the seconds until then; infinity: there is nothing to give back.
  double Tidy(bool at_rest);

  Surface& surface_;
  Session& session_;
  const SettingsStore& store_;
  ImGuiContext* context_ = nullptr;
  std::unique_ptr<WatchedSink> sink_;
  std::unique_ptr<SolidFills> solid_fills_;  // null: a graphics processor draws
  std::unique_ptr<Viewer> viewer_;
  FramePacer pacer_;
  float content_scale_ = 1;
  const bool other_windows_;
  bool light_desktop_ = false;
  bool drew_timeline_ = false;
  Settings saved_settings_;
  bool worked_ = false;  // jobs ran or frames were drawn since memory was last given back
  std::chrono::steady_clock::time_point rests_since_;
  JobQueue agent_jobs_;
  AgentDriver agents_;
};

}  // namespace stepscope
