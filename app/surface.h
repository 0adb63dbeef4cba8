// Surface: where the window's contents appear: a real window (app/window.h) or memory
// (app/headless.h). The frame loop in app/gui.h is the same for both. UI thread only.
#pragma once

#include <string>

#include "app/frame_pacer.h"
#include "model/base/status.h"

namespace stepscope {

struct PixelSize {
  int width = 0, height = 0;
  bool operator==(const PixelSize&) const = default;
};

class Surface {
 public:
  virtual ~Surface() = default;

  // Ties input to the current Dear ImGui context, and lets go of it again.
  virtual void Attach() = 0;
  virtual void Detach() = 0;
  // Size, time and input into ImGui's IO. EndFrame shows what has been drawn.
  virtual void BeginFrame() = 0;
  virtual void EndFrame() = 0;
  // Makes the surface the target of GL drawing, at its size in pixels.
  virtual void BindTarget() = 0;
  virtual PixelSize size() const = 0;
  virtual float content_scale() const = 0;
  // kUsage for a size that cannot be drawn. A window system may take its time, or give another.
  virtual Status Resize(PixelSize size) = 0;

  // Sleeps as told and handles events.
  virtual void Wait(const PacerWait& wait) = 0;
  // Has anything happened since the last call that the picture should follow?
  virtual bool TakeInput() = 0;
  virtual bool closing() const { return false; }
  virtual bool hidden() const { return false; }
};

}  // namespace stepscope
