#include "app/window/image.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <cstddef>

#include "app/system/paths.h"

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
