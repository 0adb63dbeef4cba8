// A picture that is read back from GL, and its PNG form. All functions but ReadPixels() may be
// called from any thread.
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

// Reads the current read buffer of the bound framebuffer. Thread of the GL context only.
Image ReadPixels(int width, int height);
// The part of a box that lies inside the image, in pixels from the left top; empty if there is
// none.
Image Crop(const Image& image, int x, int y, int width, int height);
// Returns the bytes of a PNG file, or an empty text if it cannot be made.
std::string EncodePng(const Image& image);
Status WritePng(const Image& image, const std::string& path);

}  // namespace stepscope
