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
Status WritePng(const Image& image, const std::string& path);

}  // namespace stepscope
