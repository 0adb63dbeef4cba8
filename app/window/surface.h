// Surface: where frames appear and input comes from. It is a real window (app/window/window.h) or
// memory (app/window/headless.h); the frame loop in app/window/gui.h is the same for both. UI
// thread only. Start reading this folder at gui.h.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "model/base/status.h"

namespace stepscope {

// Waker: wakes the UI thread from its sleep. It exists before the window does, so that loading
// can start first. Any thread may call everything here.
class Waker {
 public:
  void Wake() {
    std::lock_guard lock(mutex_);
    pending_ = true;
    condition_.notify_all();
    if (post_) post_();
  }
  // Sets what Wake() calls too, which is how the window's event queue is woken; an empty function
  // removes it.
  void SetPost(std::function<void()> post) {
    std::lock_guard lock(mutex_);
    post_ = std::move(post);
    if (post_ && pending_) post_();
  }
  // Whether Wake() was called since the last call.
  bool TakeWake() {
    std::lock_guard lock(mutex_);
    return std::exchange(pending_, false);
  }
  // Sleeps until a wake-up or the end of the timeout. Surfaces without an event queue use it.
  void WaitFor(std::chrono::duration<double> timeout) {
    std::unique_lock lock(mutex_);
    condition_.wait_for(lock, timeout, [this] { return pending_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  std::function<void()> post_;
  bool pending_ = false;
};

// FramePacer: when to draw and how long to sleep. It is a state machine without a clock and
// without a window, so that tests can drive it. UI thread only.
//
// Loop: Wait wait = pacer.Next(state); sleep accordingly; if (pacer.ShouldDraw(woken)) draw.
struct PacerState {
  bool animating = false;     // something moves: draw every frame
  bool jobs_running = false;  // a load or analysis runs: show its progress now and then
  bool hidden = false;        // iconified: nothing to draw for
  // Seconds until something on the screen disappears by itself, such as a note.
  double ends_in = std::numeric_limits<double>::infinity();
};

struct PacerWait {
  enum class Kind { kPoll, kTimeout, kForever } kind = Kind::kPoll;
  double seconds = 0;  // with kTimeout
};

class FramePacer {
 public:
  // The layout of Dear ImGui settles a few frames after an input; with fewer frames menus stay
  // half drawn.
  static constexpr int kFramesAfterInput = 4;
  // Seconds until the first frame of progress and between further ones. Most jobs end before the
  // first one, and get the cores that drawing would take.
  static constexpr double kFirstProgress = 0.25, kProgressInterval = 0.1;

  // How to wait before the next frame.
  PacerWait Next(const PacerState& state);
  // Whether there is a reason to draw after the wait. `input` says that the user did something,
  // the window needs its contents, or a worker asked for a frame.
  bool ShouldDraw(bool input);

 private:
  int frames_left_ = kFramesAfterInput;  // the first frames of a new window
  PacerState state_;
  bool timed_ = false;       // the wait has a timeout, at which something is to be shown
  bool progresses_ = false;  // the last frame showed progress
};

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

// A picture that is read back from GL, and its PNG form. All functions but ReadPixels() may be
// called from any thread.
struct Image {
  int width = 0, height = 0;
  std::vector<uint8_t> rgb;  // rows top to bottom, 3 bytes a pixel
};

// Reads the current read buffer of the bound framebuffer. Thread of the GL context only.
Image ReadPixels(int width, int height);
// The part of a box that lies inside the image, in pixels from the left top; empty if there is
// none.
Image Crop(const Image& image, int x, int y, int width, int height);
// Returns the bytes of a PNG file, or an empty text if it cannot be made.
std::string EncodePng(const Image& image);
Status WritePng(const Image& image, const std::string& path);

}  // namespace stepscope
