// Colours as packed 32-bit values in Dear ImGui's order (0xAABBGGRR). Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope {

using Rgba = uint32_t;

constexpr Rgba FromRgb(uint32_t rrggbb, uint32_t alpha = 255) {
  return ((rrggbb >> 16) & 255u) | (rrggbb & 0xff00u) | ((rrggbb & 255u) << 16) | (alpha << 24);
}
constexpr Rgba WithAlpha(Rgba c, float alpha) {
  return (c & 0xffffffu) | (static_cast<uint32_t>(alpha * 255.99f) << 24);
}
// A colour of the OKLCH space (https://bottosson.github.io/posts/oklab/),
// opaque. What sRGB cannot show is clipped.
Rgba Oklch(float lightness, float chroma, float hue_radians);
Rgba Mix(Rgba a, Rgba b, float t);  // per channel, t in [0, 1]
float Luminance(Rgba c);            // relative luminance, WCAG 2
float Contrast(Rgba a, Rgba b);     // contrast ratio, WCAG 2: 1 to 21
// A hash of the name without its digits, the same in every process: it gives a name its hue.
uint32_t NameHash(std::string_view name);

}  // namespace stepscope
