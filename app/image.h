// A picture read back from GL, and its PNG form.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/status.h"

namespace stepscope {

struct Image {
  int width = 0, height = 0;
  std::vector<uint8_t> rgb;  // rows top to bottom, 3 bytes a pixel
};

// The current read buffer of the bound framebuffer.
Image ReadPixels(int width, int height);
// The part inside the image of a box; empty if there is none.
Image Crop(const Image& image, int x, int y, int width, int height);
// The bytes of a PNG file; empty if it cannot be made.
std::string EncodePng(const Image& image);
Status WritePng(const Image& image, const std::string& path);

}  // namespace stepscope
