#include "app/window/window.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <epoxy/gl.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "app/window/surface.h"

namespace stepscope {
namespace {

// The shortest time of a frame where the swap does not wait for the display (no vsync, remote X).
constexpr double kMinFrameSeconds = 0.004;

Window* Self(GLFWwindow* window) { return static_cast<Window*>(glfwGetWindowUserPointer(window)); }

std::string GlfwError() {
  const char* text = nullptr;
  glfwGetError(&text);
  return text ? text : "unknown error";
}

// Draws the icon, bars of a timeline on a rounded square, so that no file is needed. RGBA, rows
// top to bottom.
std::vector<uint8_t> DrawIcon(int side) {
  struct Bar {
    double left, right, top, bottom;
    std::array<uint8_t, 3> color;
  };
  constexpr std::array<Bar, 4> kBars{{{0.16, 0.84, 0.18, 0.36, {0x5b, 0x8f, 0xf9}},
                                      {0.16, 0.52, 0.41, 0.59, {0x61, 0xd9, 0xc3}},
                                      {0.57, 0.84, 0.41, 0.59, {0xf6, 0xbd, 0x16}},
                                      {0.30, 0.68, 0.64, 0.82, {0x9b, 0x7b, 0xea}}}};
  std::vector<uint8_t> pixels;
  const double radius = 0.18;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const double u = (x + 0.5) / side, v = (y + 0.5) / side;
      const double dx = std::max({radius - u, u - (1 - radius), 0.0});
      const double dy = std::max({radius - v, v - (1 - radius), 0.0});
      const double edge = (radius - std::hypot(dx, dy)) * side + 0.5;
      std::array<uint8_t, 3> color{0x1d, 0x20, 0x26};
      for (const Bar& b : kBars) {
        if (u >= b.left && u < b.right && v >= b.top && v < b.bottom) color = b.color;
      }
      pixels.insert(pixels.end(), color.begin(), color.end());
      pixels.push_back(static_cast<uint8_t>(std::clamp(edge, 0.0, 1.0) * 255));
    }
  }
  return pixels;
}

// Limits the size to the free area of the first monitor: without a window manager a user cannot
// reach what lies outside.
WindowPlacement FitToMonitor(WindowPlacement placement) {
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  int x = 0, y = 0, width = 0, height = 0;
  if (monitor != nullptr) glfwGetMonitorWorkarea(monitor, &x, &y, &width, &height);
  if (width <= 0 || height <= 0) return placement;
  placement.width = std::min(placement.width, width);
  placement.height = std::min(placement.height, height);
  return placement;
}

}  // namespace

Result<std::unique_ptr<Window>> Window::Create(const WindowPlacement& placement, Waker& waker) {
  if (const std::string missing = MissingGlLibraries(false); !missing.empty()) {
    return Status(ErrorCode::kUnsupported, missing);
  }
  std::unique_ptr<Window> window(new Window(waker));
  if (Status status = window->Open(placement); !status.ok()) return status;
  return window;
}

Status Window::Open(const WindowPlacement& placement) {
#ifdef GLFW_PLATFORM  // GLFW 3.4, which knows Wayland; without this the library of Wayland
                      // complains
  if (std::getenv("WAYLAND_DISPLAY") == nullptr) glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
#endif
  if (!glfwInit()) {
    return Status(ErrorCode::kUnsupported,
                  "no window can be opened (" + GlfwError() +
                      "); set DISPLAY, or use `stepscope screenshot` or `report`, which need none");
  }
  initialised_ = true;
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_DEPTH_BITS, 0);  // nothing is tested for depth
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_FALSE);
  glfwWindowHint(GLFW_MAXIMIZED, placement.maximized ? GLFW_TRUE : GLFW_FALSE);
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);  // until it has its place and its icon
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "stepscope");
#ifdef GLFW_WAYLAND_APP_ID
  glfwWindowHintString(GLFW_WAYLAND_APP_ID, "io.github.stepscope.Stepscope");
#endif
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "stepscope");
  windowed_ = FitToMonitor(placement);
  window_ = glfwCreateWindow(windowed_.width, windowed_.height, "Stepscope", nullptr, nullptr);
  if (!window_) {
    return Status(ErrorCode::kUnsupported,
                  "no OpenGL 3.3 window (" + GlfwError() +
                      "); install a GL driver (Debian: apt install libgl1-mesa-dri)");
  }
  if (placement.x >= 0 && placement.y >= 0 && !placement.maximized) {
    glfwSetWindowPos(window_, placement.x, placement.y);
  }
  glfwWindowHint(GLFW_MAXIMIZED, GLFW_FALSE);  // hints hold for windows of panels too
  SetIcon(window_);
  glfwMakeContextCurrent(window_);
  glfwSwapInterval(1);
  InstallCallbacks();
  glfwShowWindow(window_);
  waker_.SetPost([] { glfwPostEmptyEvent(); });
  return Status::Ok();
}

Window::~Window() {
  waker_.SetPost({});
  if (window_) glfwDestroyWindow(window_);
  if (initialised_) glfwTerminate();
}

void Window::SetIcon(GLFWwindow* window) {
  std::array<std::vector<uint8_t>, 3> pixels{DrawIcon(16), DrawIcon(48), DrawIcon(128)};
  const std::array<GLFWimage, 3> images{
      {{16, 16, pixels[0].data()}, {48, 48, pixels[1].data()}, {128, 128, pixels[2].data()}}};
  glfwSetWindowIcon(window, static_cast<int>(images.size()), images.data());
}

// Dear ImGui's own callbacks are put on top of these in Attach() and call them.
void Window::InstallCallbacks() {
  glfwSetWindowUserPointer(window_, this);
  glfwSetKeyCallback(window_, [](GLFWwindow* w, int, int, int, int) { Self(w)->input_ = true; });
  glfwSetCharCallback(window_, [](GLFWwindow* w, unsigned) { Self(w)->input_ = true; });
  glfwSetCursorPosCallback(window_, [](GLFWwindow* w, double, double) { Self(w)->input_ = true; });
  glfwSetCursorEnterCallback(window_, [](GLFWwindow* w, int) { Self(w)->input_ = true; });
  glfwSetMouseButtonCallback(window_, [](GLFWwindow* w, int, int, int) { Self(w)->input_ = true; });
  glfwSetScrollCallback(window_, [](GLFWwindow* w, double, double) { Self(w)->input_ = true; });
  glfwSetWindowFocusCallback(window_, [](GLFWwindow* w, int) { Self(w)->input_ = true; });
  glfwSetWindowRefreshCallback(window_, [](GLFWwindow* w) { Self(w)->input_ = true; });
  glfwSetWindowIconifyCallback(window_, [](GLFWwindow* w, int) { Self(w)->input_ = true; });
  glfwSetWindowCloseCallback(window_, [](GLFWwindow* w) { Self(w)->input_ = true; });
  glfwSetFramebufferSizeCallback(window_, [](GLFWwindow* w, int, int) { Self(w)->input_ = true; });
  glfwSetWindowContentScaleCallback(window_,
                                    [](GLFWwindow* w, float, float) { Self(w)->input_ = true; });
  glfwSetDropCallback(window_, &Window::Dropped);
}

void Window::Attach() { ImGui_ImplGlfw_InitForOpenGL(window_, true); }

void Window::Detach() { ImGui_ImplGlfw_Shutdown(); }

void Window::BeginFrame() {
  ImGui_ImplGlfw_NewFrame();
  // After a long sleep nothing should jump.
  ImGuiIO& io = ImGui::GetIO();
  io.DeltaTime = std::clamp(io.DeltaTime, 1e-4f, 0.1f);
}

void Window::EndFrame() {
  DrawOtherWindows();
  glfwSwapBuffers(window_);  // the only swap that waits for the display
  LimitFrameRate();
}

// Opens, moves, draws and closes the windows of floating panels.
void Window::DrawOtherWindows() {
  ImGui::UpdatePlatformWindows();
  const ImVector<ImGuiViewport*>& all = ImGui::GetPlatformIO().Viewports;
  if (all.Size < 2) return;
  for (int i = 1; i < all.Size; ++i) {
    if (auto* other = static_cast<GLFWwindow*>(all[i]->PlatformHandle)) Adopt(other);
  }
  ImGui::RenderPlatformWindowsDefault();
  glfwMakeContextCurrent(window_);
}

// Gives a panel's window what the backend leaves out.
void Window::Adopt(GLFWwindow* other) {
  if (glfwGetWindowUserPointer(other) == this) return;
  glfwSetWindowUserPointer(other, this);
  SetIcon(other);
  glfwSetWindowRefreshCallback(other, [](GLFWwindow* w) { Self(w)->input_ = true; });
  glfwSetDropCallback(other, &Window::Dropped);
}

// Whether the backend has got input, or a request of the system, for any window.
bool Window::OtherWindowsAsk() {
  const ImGuiContext* context = ImGui::GetCurrentContext();
  if (context == nullptr) return false;
  if (!context->InputEventsQueue.empty()) return true;
  const ImVector<ImGuiViewport*>& all = ImGui::GetPlatformIO().Viewports;
  return std::any_of(all.begin(), all.end(), [](const ImGuiViewport* viewport) {
    return viewport->PlatformRequestMove || viewport->PlatformRequestResize ||
           viewport->PlatformRequestClose;
  });
}

void Window::Dropped(GLFWwindow* window, int count, const char** paths) {
  Window* self = Self(window);
  self->input_ = true;
  if (self->on_drop_) self->on_drop_(std::vector<std::string>(paths, paths + count));
}

void Window::LimitFrameRate() {
  const double elapsed = glfwGetTime() - last_frame_s_;
  if (elapsed < kMinFrameSeconds) glfwWaitEventsTimeout(kMinFrameSeconds - elapsed);
  last_frame_s_ = glfwGetTime();
}

void Window::BindTarget() {
  const PixelSize pixels = size();
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glViewport(0, 0, pixels.width, pixels.height);
}

PixelSize Window::size() const {
  PixelSize pixels;
  glfwGetFramebufferSize(window_, &pixels.width, &pixels.height);
  return pixels;
}

float Window::content_scale() const {
  float x = 1, y = 1;
  glfwGetWindowContentScale(window_, &x, &y);
  return std::clamp(std::max(x, y), 0.5f, 4.0f);
}

// Window systems count in points, which may be several pixels.
Status Window::Resize(PixelSize size) {
  const PixelSize pixels = this->size();
  int width = 0, height = 0;
  glfwGetWindowSize(window_, &width, &height);
  if (pixels.width > 0 && pixels.height > 0)
    glfwSetWindowSize(window_, size.width * width / pixels.width,
                      size.height * height / pixels.height);
  return Status::Ok();
}

void Window::Wait(const PacerWait& wait) {
  switch (wait.kind) {
    case PacerWait::Kind::kPoll:
      glfwPollEvents();
      break;
    case PacerWait::Kind::kTimeout:
      glfwWaitEventsTimeout(wait.seconds);
      break;
    case PacerWait::Kind::kForever:
      glfwWaitEvents();
      break;
  }
}

bool Window::TakeInput() {
  const bool woken = waker_.TakeWake();
  return std::exchange(input_, false) || OtherWindowsAsk() || woken;
}

bool Window::closing() const { return glfwWindowShouldClose(window_) != 0; }

// A panel's window stays in sight while this one is iconified.
bool Window::hidden() const {
  if (glfwGetWindowAttrib(window_, GLFW_ICONIFIED) == 0) return false;
  return ImGui::GetCurrentContext() == nullptr || ImGui::GetPlatformIO().Viewports.Size < 2;
}

void Window::Close() {
  glfwSetWindowShouldClose(window_, GLFW_TRUE);
  input_ = true;
}

void Window::ToggleFullscreen() {
  if (glfwGetWindowMonitor(window_)) {
    glfwSetWindowMonitor(window_, nullptr, std::max(windowed_.x, 0), std::max(windowed_.y, 0),
                         windowed_.width, windowed_.height, GLFW_DONT_CARE);
    return;
  }
  windowed_ = placement();
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  const GLFWvidmode* mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
  if (!mode) return;
  glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
}

void Window::SetClipboard(const std::string& text) {
  glfwSetClipboardString(window_, text.c_str());
}

void Window::SetTitle(const std::string& title) {
  if (title == title_) return;
  title_ = title;
  glfwSetWindowTitle(window_, title.c_str());
}

WindowPlacement Window::placement() const {
  if (glfwGetWindowMonitor(window_)) return windowed_;
  WindowPlacement now = windowed_;
  now.maximized = glfwGetWindowAttrib(window_, GLFW_MAXIMIZED) != 0;
  if (now.maximized) return now;  // keeps the size to return to
  glfwGetWindowSize(window_, &now.width, &now.height);
  glfwGetWindowPos(window_, &now.x, &now.y);
  return now;
}

}  // namespace stepscope
