#include "app/window/headless.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <imgui.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "app/window/surface.h"

namespace stepscope {
namespace {

Status NoGl(const std::string& what) {
  return Status(ErrorCode::kUnsupported,
                what +
                    "; OpenGL 3.3 is needed, in software too (Debian: apt install "
                    "libgl1-mesa-dri libegl1)");
}

bool Has(const char* extensions, const char* name) {
  return extensions && std::strstr(extensions, name) != nullptr;
}

// Opens Mesa's platform without a window system, else the first EGL device that initialises.
EGLDisplay OpenDisplay() {
  const char* client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  if (Has(client, "EGL_MESA_platform_surfaceless")) {
    EGLDisplay display =
        eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    if (display != EGL_NO_DISPLAY && eglInitialize(display, nullptr, nullptr)) return display;
  }
  if (Has(client, "EGL_EXT_platform_device") && Has(client, "EGL_EXT_device_enumeration")) {
    EGLDeviceEXT devices[16];
    EGLint count = 0;
    if (!eglQueryDevicesEXT(16, devices, &count)) return EGL_NO_DISPLAY;
    for (EGLint i = 0; i < count; ++i) {
      EGLDisplay display = eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[i], nullptr);
      if (display != EGL_NO_DISPLAY && eglInitialize(display, nullptr, nullptr)) return display;
    }
  }
  return EGL_NO_DISPLAY;
}

EGLContext OpenContext(EGLDisplay display) {
  if (!eglBindAPI(EGL_OPENGL_API)) return EGL_NO_CONTEXT;
  const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                           EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (!eglChooseConfig(display, wanted, &config, 1, &count) || count == 0) return EGL_NO_CONTEXT;
  const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION,
                            3,
                            EGL_CONTEXT_MINOR_VERSION,
                            3,
                            EGL_CONTEXT_OPENGL_PROFILE_MASK,
                            EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                            EGL_NONE};
  return eglCreateContext(display, config, EGL_NO_CONTEXT, version);
}

}  // namespace

Result<std::unique_ptr<HeadlessSurface>> HeadlessSurface::Create(PixelSize size, float scale,
                                                                 Waker& waker) {
  if (const std::string missing = MissingGlLibraries(true); !missing.empty()) {
    return Status(ErrorCode::kUnsupported, missing);
  }
  std::unique_ptr<HeadlessSurface> surface(new HeadlessSurface(size, scale, waker));
  if (Status status = surface->CreateContext(); !status.ok()) return status;
  if (Status status = surface->CreateTarget(); !status.ok()) return status;
  return surface;
}

Status HeadlessSurface::CreateContext() {
  display_ = OpenDisplay();
  if (display_ == EGL_NO_DISPLAY) {
    return NoGl("EGL has neither Mesa's surfaceless platform nor a usable device");
  }
  context_ = OpenContext(display_);
  if (context_ == EGL_NO_CONTEXT) return NoGl("EGL cannot make an OpenGL 3.3 core context");
  if (!eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_)) {
    return NoGl("EGL cannot use a context without a surface");
  }
  return Status::Ok();
}

Status HeadlessSurface::CreateTarget() {
  GLint limit = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &limit);
  if (size_.width > limit || size_.height > limit) {
    return Status(ErrorCode::kUsage,
                  "--size: this OpenGL draws at most " + std::to_string(limit) + " pixels a side");
  }
  glGenFramebuffers(1, &framebuffer_);
  // The order of channels is that of windows: Mesa's software renderer draws boxes faster then.
  glGenTextures(1, &color_texture_);
  glBindTexture(GL_TEXTURE_2D, color_texture_);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, size_.width, size_.height, 0, GL_BGRA, GL_UNSIGNED_BYTE,
               nullptr);
  glBindTexture(GL_TEXTURE_2D, 0);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color_texture_, 0);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    return NoGl("OpenGL refuses a framebuffer of this size");
  }
  return Status::Ok();
}

void HeadlessSurface::DropTarget() {
  if (framebuffer_) glDeleteFramebuffers(1, &framebuffer_);
  if (color_texture_) glDeleteTextures(1, &color_texture_);
  framebuffer_ = color_texture_ = 0;
}

Status HeadlessSurface::Resize(PixelSize size) {
  DropTarget();
  size_ = size;
  return CreateTarget();
}

HeadlessSurface::~HeadlessSurface() {
  DropTarget();
  if (context_) {
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display_, context_);
  }
  if (display_) eglTerminate(display_);
}

void HeadlessSurface::BeginFrame() {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = ImVec2(static_cast<float>(size_.width), static_cast<float>(size_.height));
  const auto now = std::chrono::steady_clock::now();
  const float elapsed = std::chrono::duration<float>(now - last_frame_).count();
  io.DeltaTime = frame_seconds_ > 0 ? frame_seconds_ : std::clamp(elapsed, 1e-4f, 0.1f);
  last_frame_ = now;
}

// No buffer swap waits for the drawing here, so the end of the frame does: frames are timed to
// it.
void HeadlessSurface::EndFrame() { glFinish(); }

void HeadlessSurface::BindTarget() {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
  glViewport(0, 0, size_.width, size_.height);
}

void HeadlessSurface::Wait(const PacerWait& wait) {
  switch (wait.kind) {
    case PacerWait::Kind::kPoll:
      break;
    case PacerWait::Kind::kTimeout:
      waker_.WaitFor(std::chrono::duration<double>(wait.seconds));
      break;
    case PacerWait::Kind::kForever:
      // No input can come. The wait is short so that callers can check the time limits of their
      // loops.
      waker_.WaitFor(std::chrono::duration<double>(0.25));
      break;
  }
}

}  // namespace stepscope
