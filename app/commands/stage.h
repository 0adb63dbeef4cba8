// Stage draws the window on an off-screen or real surface, for screenshot, replay and bench. It has
// default settings and saves none. UI thread only.
#pragma once

#include <memory>
#include <string>

#include "app/command_line/command_line.h"
#include "app/session/session.h"
#include "app/window/gui.h"
#include "app/window/headless.h"
#include "app/window/surface.h"
#include "app/window/window.h"
#include "model/jobs/scheduler.h"

namespace stepscope {

// Call Open() before Show(), so that the profile loads while the GL context is made.
class Stage {
 public:
  Stage();
  ~Stage();
  // Begins to load the paths of the command line.
  void Open(const InputOptions& input);
  // Makes the surface and the window's contents. kUsage for a theme that does not exist.
  Status Show(const PictureOptions& options, bool real_window);

  Session& session() { return session_; }
  Gui& gui() { return *gui_; }
  Surface& surface() { return *surface_; }
  // Gives each frame a fixed time, so that pictures and replays do not depend on the machine's
  // speed. Does nothing on a real window.
  void UseFixedTime();
  // Skips the drawing of pixels, which takes most of the time on a machine without a GPU.
  void DrawNoPixels();
  // The error of the last load, or ok.
  Status load_status() const { return session_.load_status(); }

 private:
  Waker waker_;
  Scheduler scheduler_{WorkerCount(), [this] { waker_.Wake(); }};
  SettingsStore store_;
  Session session_;
  std::unique_ptr<Surface> surface_;
  HeadlessSurface* headless_ = nullptr;  // surface_, if it is off-screen
  std::unique_ptr<Gui> gui_;
};

// Whether SaveFrame() writes the timeline as vectors: the path ends with .svg.
bool WritesVectors(const std::string& path);
// Draws a frame and writes it: the timeline as vectors, which need no pixels, or the whole window
// as PNG. kUsage if the window shows no timeline, kIo if the file cannot be written.
Status SaveFrame(Stage& stage, const std::string& path);

// Prints an error of the stage and returns the exit status. A kUnsupported of the stage means that
// there is no usable OpenGL.
int FailStage(const Status& status);

}  // namespace stepscope
