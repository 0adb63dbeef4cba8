// Computes without GL what shaders/timeline_*.frag draw for a texel.
#pragma once

#include <array>

#include "viewer/core/look/texel_sink.h"

namespace stepscope::test {

using Color = std::array<float, 4>;  // opacity 0: nothing is drawn

inline constexpr Rgba kGround = 0xff202020u;
inline constexpr std::array<Rgba, texel::kStackCurves> kStackColors = {0xff0000ffu, 0xff00ff00u,
                                                                       0xffff0000u};

inline Color ColorOf(Rgba color, float opacity) {
  const auto channel = [color](int shift) {
    return static_cast<float>(color >> shift & 255u) / 255.0f;
  };
  return {channel(0), channel(8), channel(16), opacity};
}

// Returns the colour that the shaders draw for a texel at a line, counted from the row's top.
inline Color Shaded(TexelLine::Kind kind, uint32_t t, uint32_t line, uint16_t height, float dim) {
  const auto lines = static_cast<float>(height);
  const float from_bottom = lines - static_cast<float>(line);
  const auto top_of = [&](uint32_t h) { return static_cast<float>((h * height + 254) / 255); };
  if (kind == TexelLine::kSlices) {
    const uint32_t bits = texel::Alpha(t);
    const Color color = ColorOf(t, 0), ground = ColorOf(kGround, 0);
    const float mix = (bits & texel::kDim) != 0 ? dim : 0;
    Color out{};
    for (size_t i = 0; i < 3; ++i) out[i] = color[i] * (1 - mix) + ground[i] * mix;
    if ((bits & texel::kEdge) == 0) out[3] = static_cast<float>(bits & texel::kOpaque) / 63.0f;
    return out;
  }
  if (kind == TexelLine::kArea) {
    const float top = top_of(texel::Alpha(t));
    return ColorOf(t, from_bottom > top ? 0.0f : from_bottom == top ? 0.9f : 0.3f);
  }
  const float r = top_of(texel::HeightIn(t, 0)), g = top_of(texel::HeightIn(t, 1)),
              b = top_of(texel::HeightIn(t, 2));
  const Rgba color = kStackColors[static_cast<size_t>(from_bottom <= r   ? 0
                                                      : from_bottom <= g ? 1
                                                                         : 2)];
  return ColorOf(color, from_bottom > b ? 0.0f : from_bottom == b ? 0.9f : 0.55f);
}

}  // namespace stepscope::test
