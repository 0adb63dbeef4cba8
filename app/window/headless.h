// HeadlessSurface: an OpenGL 3.3 core context without a display (Mesa's surfaceless EGL platform,
// else an EGL device) and a framebuffer in memory. It owns both. UI thread only.
#pragma once

#include <chrono>
#include <memory>

#include "app/window/surface.h"
#include "model/base/status.h"

namespace stepscope {

class HeadlessSurface : public Surface {
 public:
  // kUnsupported, with what is missing, where there is no usable GL; kUsage for a size that GL
  // cannot draw. `waker` must outlive the surface.
  static Result<std::unique_ptr<HeadlessSurface>> Create(PixelSize size, float scale, Waker& waker);
  ~HeadlessSurface() override;

  void Attach() override {}
  void Detach() override {}
  void BeginFrame() override;
  void EndFrame() override;
  void BindTarget() override;
  PixelSize size() const override { return size_; }
  float content_scale() const override { return scale_; }
  Status Resize(PixelSize size) override;
  void Wait(const PacerWait& wait) override;
  bool TakeInput() override { return waker_.TakeWake(); }

  // Sets the seconds that each frame seems to take, so that pictures and replays do not depend on
  // the clock; 0 uses the clock.
  void set_frame_seconds(float seconds) { frame_seconds_ = seconds; }

 private:
  HeadlessSurface(PixelSize size, float scale, Waker& waker)
      : size_(size), scale_(scale), waker_(waker) {}
  Status CreateContext();
  Status CreateTarget();
  void DropTarget();

  PixelSize size_;
  float scale_;
  Waker& waker_;
  void* display_ = nullptr;
  void* context_ = nullptr;
  unsigned framebuffer_ = 0, color_texture_ = 0;
  float frame_seconds_ = 0;
  std::chrono::steady_clock::time_point last_frame_ = std::chrono::steady_clock::now();
};

}  // namespace stepscope
