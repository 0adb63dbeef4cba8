// Surface: where frames appear and input comes from. It is a real window (app/window/window.h) or
// memory (app/window/headless.h); the frame loop in app/window/gui.h is the same for both. UI
// thread only. Start reading this folder at gui.h.
#pragma once

#include <string>

#include "app/window/frame_pacer.h"
#include "model/base/status.h"

namespace stepscope {

// Checks that the system's GL libraries can be loaded. It has to be called before libepoxy, which
// ends the program where they are missing.
// Returns one line that says which library is missing and which package has it, or an empty text.
// `egl` says whether EGL is needed too.
std::string MissingGlLibraries(bool egl);

struct PixelSize {
  int width = 0, height = 0;
  bool operator==(const PixelSize&) const = default;
};

class Surface {
 public:
  virtual ~Surface() = default;

  // Connects input to the current Dear ImGui context, and disconnects it again.
  virtual void Attach() = 0;
  virtual void Detach() = 0;
  // BeginFrame puts size, time and input into ImGui's IO. EndFrame shows what has been drawn.
  virtual void BeginFrame() = 0;
  virtual void EndFrame() = 0;
  // Whether panels may float as windows of the system beside this one. EndFrame then draws those of
  // the current Dear ImGui context too.
  virtual bool has_other_windows() const { return false; }
  // Makes the surface the target of GL drawing, at its size in pixels.
  virtual void BindTarget() = 0;
  virtual PixelSize size() const = 0;
  virtual float content_scale() const = 0;
  // kUsage for a size that cannot be drawn. A window system may change the size later, or to
  // another one.
  virtual Status Resize(PixelSize size) = 0;

  // Sleeps as told and handles events.
  virtual void Wait(const PacerWait& wait) = 0;
  // Whether anything has happened since the last call that calls for a new frame.
  virtual bool TakeInput() = 0;
  virtual bool closing() const { return false; }
  virtual bool hidden() const { return false; }
};

}  // namespace stepscope
