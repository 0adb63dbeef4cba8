// Gui: Dear ImGui, the GL renderer, the viewer and the frame loop on one surface. The loop exists
// only here; the window, screenshots, replay and bench all run it. UI thread only.
#pragma once

#include <memory>
#include <string>

#include "app/frame_pacer.h"
#include "app/image.h"
#include "app/session.h"
#include "app/settings_store.h"
#include "app/surface.h"
#include "model/base/latest_job.h"
#include "viewer/viewer.h"

struct ImGuiContext;

namespace stepscope {

class WatchedSink;

struct GuiConfig {
  bool animate = true;
  std::string settings_text;
  std::string layout;  // imgui.ini text; empty: the default workspace
};

class Gui {
 public:
  // The surface's GL context is current. `store` is where settings and layout go when they change.
  Gui(Surface& surface, Session& session, const SettingsStore& store, GuiConfig config);
  ~Gui();

  // One turn of the loop: sleep as long as nothing changes, then draw if there is a reason to.
  // Returns whether a frame was drawn. Sleeps no longer than `max_seconds`, if that is positive.
  bool Step(double max_seconds = 0);
  // Draws now. With `picture`, what was drawn is read back.
  void DrawFrame(Image* picture = nullptr);
  // Draws until loads, derived tracks, analyses and animations are done and the layout has settled.
  // kLimit if that takes longer than `seconds`.
  Status DrawUntilIdle(double seconds);

  Viewer& viewer() { return *viewer_; }
  bool busy();  // something still runs or moves
  // Memory is about to be given back: some seconds after the last job, without a frame.
  bool tidying() const { return tidy_.busy(); }
  // The last frame showed a timeline: the run was there and its window had found its place.
  bool drew_timeline() const { return drew_timeline_; }
  // Writes settings and layout if they changed; the loop does so now and then, and at the end.
  void Persist();

 private:
  void SavePictures();
  // Some time after the last job: gives memory back that only jobs needed.
  void Tidy(bool at_rest);

  Surface& surface_;
  Session& session_;
  const SettingsStore& store_;
  ImGuiContext* context_ = nullptr;
  std::unique_ptr<WatchedSink> sink_;
  std::unique_ptr<Viewer> viewer_;
  FramePacer pacer_;
  float content_scale_ = 1;
  bool drew_timeline_ = false;
  std::string saved_settings_;
  bool worked_ = false;  // since memory was given back
  JobThreads tidying_;
  LatestJob<bool> tidy_;
};

}  // namespace stepscope
