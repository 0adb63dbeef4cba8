// Window: a GLFW window with an OpenGL 3.3 core context as a Surface. It owns the window and GLFW
// itself, so there is one at a time. Panels that float may be windows of the system beside it: Dear
// ImGui's backend opens and closes them, and their contexts share textures and buffers with this
// one. UI thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/session/settings_store.h"
#include "app/window/surface.h"
#include "model/base/status.h"

struct GLFWwindow;

namespace stepscope {

class Window : public Surface {
 public:
  // kUnsupported, with what is missing, where there is no display or no GL. `waker` must outlive
  // the window.
  static Result<std::unique_ptr<Window>> Create(const WindowPlacement& placement, Waker& waker);
  ~Window() override;

  void Attach() override;
  void Detach() override;
  void BeginFrame() override;
  void EndFrame() override;
  bool has_other_windows() const override { return true; }
  void BindTarget() override;
  PixelSize size() const override;
  float content_scale() const override;
  Status Resize(PixelSize size) override;
  void Wait(const PacerWait& wait) override;
  bool TakeInput() override;
  bool closing() const override;
  bool hidden() const override;

  void Close();
  void ToggleFullscreen();
  void SetClipboard(const std::string& text);
  void SetTitle(const std::string& title);
  // `fn` gets the files and folders that are dropped on the window.
  void set_on_drop(std::function<void(const std::vector<std::string>&)> fn) {
    on_drop_ = std::move(fn);
  }
  WindowPlacement placement() const;  // to be restored next time

 private:
  explicit Window(Waker& waker) : waker_(waker) {}
  Status Open(const WindowPlacement& placement);
  void InstallCallbacks();
  static void SetIcon(GLFWwindow* window);
  void DrawOtherWindows();
  void Adopt(GLFWwindow* other);
  static bool OtherWindowsAsk();
  static void Dropped(GLFWwindow* window, int count, const char** paths);
  void LimitFrameRate();

  Waker& waker_;
  GLFWwindow* window_ = nullptr;
  bool initialised_ = false;
  bool input_ = true;
  double last_frame_s_ = 0;
  WindowPlacement windowed_;  // before fullscreen
  std::string title_;
  std::function<void(const std::vector<std::string>&)> on_drop_;
};

}  // namespace stepscope
