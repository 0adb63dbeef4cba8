// HeadlessSurface: an OpenGL 3.3 core context without any display (EGL surfaceless of Mesa, else an
// EGL device) and a framebuffer in memory. UI thread only.
#pragma once

#include <chrono>
#include <memory>

#include "app/surface.h"
#include "app/waker.h"
#include "model/base/status.h"

namespace stepscope {

class HeadlessSurface : public Surface {
 public:
  // kUnsupported, saying what is missing, when GL cannot be had.
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
  bool TakeInput() override { return waker_.Take(); }

  // Seconds that each frame is said to take; 0 uses the clock. Fixed for pictures and replays.
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
  unsigned framebuffer_ = 0, colour_ = 0;
  float frame_seconds_ = 0;
  std::chrono::steady_clock::time_point last_frame_ = std::chrono::steady_clock::now();
};

}  // namespace stepscope
