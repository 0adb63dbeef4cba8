#include "model/base/color.h"

#include <algorithm>
#include <cmath>

namespace stepscope {
namespace {

float ToLinear(float c) {
  return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f);
}

float FromLinear(float c) {
  c = std::clamp(c, 0.0f, 1.0f);
  return c <= 0.0031308f ? 12.92f * c : 1.055f * std::pow(c, 1.0f / 2.4f) - 0.055f;
}

uint32_t Channel(Rgba c, int shift) { return (c >> shift) & 255u; }

uint32_t ToByte(float linear) {
  return static_cast<uint32_t>(std::lround(FromLinear(linear) * 255.0f));
}

}  // namespace

Rgba Oklch(float lightness, float chroma, float hue_radians) {
  const float a = chroma * std::cos(hue_radians);
  const float b = chroma * std::sin(hue_radians);
  float l = lightness + 0.3963377774f * a + 0.2158037573f * b;
  float m = lightness - 0.1055613458f * a - 0.0638541728f * b;
  float s = lightness - 0.0894841775f * a - 1.2914855480f * b;
  l = l * l * l;
  m = m * m * m;
  s = s * s * s;
  const uint32_t red = ToByte(4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s);
  const uint32_t green = ToByte(-1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s);
  const uint32_t blue = ToByte(-0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s);
  return red | (green << 8) | (blue << 16) | 0xff000000u;
}

Rgba Mix(Rgba a, Rgba b, float t) {
  Rgba out = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    const float x = static_cast<float>(Channel(a, shift));
    const float y = static_cast<float>(Channel(b, shift));
    out |= static_cast<uint32_t>(std::lround(x + (y - x) * t)) << shift;
  }
  return out;
}

float Luminance(Rgba c) {
  return 0.2126f * ToLinear(static_cast<float>(Channel(c, 0)) / 255.0f) +
         0.7152f * ToLinear(static_cast<float>(Channel(c, 8)) / 255.0f) +
         0.0722f * ToLinear(static_cast<float>(Channel(c, 16)) / 255.0f);
}

float Contrast(Rgba a, Rgba b) {
  const float x = Luminance(a);
  const float y = Luminance(b);
  return (std::max(x, y) + 0.05f) / (std::min(x, y) + 0.05f);
}

uint32_t NameHash(std::string_view name) {
  uint32_t h = 2166136261u;
  for (char c : name) {
    if (c >= '0' && c <= '9') continue;
    h = (h ^ static_cast<uint8_t>(c)) * 16777619u;
  }
  h ^= h >> 15;
  h *= 0x2c1b3c6du;
  h ^= h >> 12;
  return h;
}

}  // namespace stepscope
