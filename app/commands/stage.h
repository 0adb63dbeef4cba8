// The window's contents on an off-screen or real surface, as screenshot, replay and bench draw
// them: with default settings, of which nothing is kept. UI thread only.
#pragma once

#include <memory>
#include <string>

#include "app/command_line/shared_options.h"
#include "app/session/session.h"
#include "app/window/gui.h"
#include "app/window/headless.h"
#include "app/window/waker.h"
#include "app/window/window.h"
#include "model/base/scheduler.h"

namespace stepscope {

// Open() begins to load before Show() makes a GL context, so that both run at a time.
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
  // Draws frames without their pixels, which take most of the time on a machine without a GPU.
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

// Whether SaveFrame writes the timeline as vectors: to a path that ends with .svg.
bool WritesVectors(const std::string& path);
// Draws a frame and writes it: the timeline as vectors, which need no pixels, or the whole window
// as PNG. kUsage where no timeline is in sight, kIo where the file cannot be written.
Status SaveFrame(Stage& stage, const std::string& path);

// Prints an error of the stage and returns the exit status: kUnsupported means here that there is
// no usable OpenGL.
int FailStage(const Status& status);

}  // namespace stepscope
