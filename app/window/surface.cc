#include "app/window/surface.h"

#include <dlfcn.h>
#include <epoxy/gl.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "app/system/paths.h"

namespace stepscope {

PacerWait FramePacer::Next(const PacerState& state) {
  state_ = state;
  timed_ = false;
  if (state.hidden) return {PacerWait::Kind::kForever, 0};
  if (frames_left_ > 0 || state.animating) return {PacerWait::Kind::kPoll, 0};
  progresses_ = progresses_ && state.jobs_running;
  const double progress = progresses_ ? kProgressInterval : kFirstProgress;
  const double interval = state.jobs_running ? progress : state.ends_in;
  if (std::isinf(interval)) return {PacerWait::Kind::kForever, 0};
  timed_ = true;
  return {PacerWait::Kind::kTimeout, std::max(0.0, std::min(interval, state.ends_in))};
}

bool FramePacer::ShouldDraw(bool input) {
  if (input) frames_left_ = kFramesAfterInput;
  progresses_ = !input && timed_ && state_.jobs_running;
  if (state_.hidden) return false;  // the frames are still owed when the window comes back
  if (frames_left_ > 0) {
    --frames_left_;
    return true;
  }
  return state_.animating || timed_;
}

namespace {

bool CanLoad(const char* library) {
  void* handle = ::dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  // The library stays open: it is about to be used, and GL drivers may crash when unloaded.
  return handle != nullptr;
}

}  // namespace

std::string MissingGlLibraries(bool egl) {
  if (egl && !CanLoad("libEGL.so.1")) {
    return "no display and no libEGL.so.1 to draw without one; install Mesa (Debian: apt install "
           "libegl1 libgl1-mesa-dri)";
  }
  if (!CanLoad("libOpenGL.so.0") && !CanLoad("libGL.so.1")) {
    return "no OpenGL library (libGL.so.1); install Mesa (Debian: apt install libgl1 "
           "libgl1-mesa-dri)";
  }
  return {};
}

}  // namespace stepscope

#define STBI_WRITE_NO_STDIO
#include <stb/stb_image_write.h>

namespace stepscope {

Image ReadPixels(int width, int height) {
  Image image{width, height, {}};
  const size_t stride = static_cast<size_t>(width) * 3;
  std::vector<uint8_t> bottom_up(stride * static_cast<size_t>(height));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, bottom_up.data());
  image.rgb.reserve(bottom_up.size());
  for (int y = height - 1; y >= 0; --y) {
    const auto row = bottom_up.begin() + static_cast<std::ptrdiff_t>(stride) * y;
    image.rgb.insert(image.rgb.end(), row, row + static_cast<std::ptrdiff_t>(stride));
  }
  return image;
}

Image Crop(const Image& image, int x, int y, int width, int height) {
  const int left = std::clamp(x, 0, image.width), right = std::clamp(x + width, left, image.width);
  const int top = std::clamp(y, 0, image.height);
  const int bottom = std::clamp(y + height, top, image.height);
  Image out{right - left, bottom - top, {}};
  for (int row = top; row < bottom; ++row) {
    const auto first = image.rgb.begin() + (std::ptrdiff_t{row} * image.width + left) * 3;
    out.rgb.insert(out.rgb.end(), first, first + std::ptrdiff_t{out.width} * 3);
  }
  return out;
}

std::string EncodePng(const Image& image) {
  std::string bytes;
  if (image.rgb.empty()) return bytes;
  const auto append = [](void* context, void* data, int size) {
    static_cast<std::string*>(context)->append(static_cast<const char*>(data),
                                               static_cast<size_t>(size));
  };
  const int written = stbi_write_png_to_func(append, &bytes, image.width, image.height, 3,
                                             image.rgb.data(), image.width * 3);
  if (written == 0) bytes.clear();
  return bytes;
}

Status WritePng(const Image& image, const std::string& path) {
  const std::string bytes = EncodePng(image);
  if (bytes.empty() || !WriteFileAtomically(path, bytes)) {
    return Status(ErrorCode::kIo, path + ": the picture cannot be written; choose another place");
  }
  return Status::Ok();
}

}  // namespace stepscope
