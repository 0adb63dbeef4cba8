// What screenshot, replay and bench share: a window's contents on an off-screen or real surface,
// with settings from defaults and nothing kept.
#pragma once

#include <memory>
#include <string>

#include "app/gui.h"
#include "app/headless.h"
#include "app/options.h"
#include "app/session.h"
#include "app/waker.h"
#include "app/window.h"

namespace stepscope {

// Declared in the order of construction: the session starts to load before there is any GL.
class Stage {
 public:
  Stage();
  ~Stage();
  // Begins to load the paths of the command line.
  void Open(const Options& options);
  // Makes the surface and the window's contents. kUsage for a theme that does not exist.
  Status Show(const Options& options, bool real_window);

  Session& session() { return session_; }
  Gui& gui() { return *gui_; }
  Surface& surface() { return *surface_; }
  // Fixed time per frame: pictures and replays do not depend on how fast this machine is.
  void UseFixedTime();
  // The load's error, if it failed.
  Status load_status() const { return session_.load_status(); }

 private:
  Waker waker_;
  SettingsStore store_;
  Session session_;
  std::unique_ptr<Surface> surface_;
  HeadlessSurface* headless_ = nullptr;  // surface_, if it is one
  std::unique_ptr<Gui> gui_;
};

// Draws a frame and writes it: of a path that ends with .svg the timeline as vectors, else all of
// the window as PNG.
Status SaveFrame(Stage& stage, const std::string& path);

inline constexpr double kIdleLimitSeconds = 600;

}  // namespace stepscope
