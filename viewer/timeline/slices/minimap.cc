#include "viewer/timeline/slices/minimap.h"

#include <algorithm>
#include <cmath>

#include "model/first_view.h"

namespace stepscope {

TimeRange Minimap::Whole(const Trace& trace) {
  const TimeRange dense = DenseView(trace);
  return dense.empty() ? trace.span : dense;
}

void Minimap::Update(const Profile& profile, uint64_t generation, uint32_t width, uint32_t height,
                     const Theme& theme) {
  const bool same = trace_ == profile.trace.get() && generation == generation_ && width == width_ &&
                    height == height_ && theme.kind == theme_;
  changed_ = !same;
  if (same) return;
  trace_ = profile.trace.get();
  generation_ = generation;
  width_ = width;
  height_ = height;
  theme_ = theme.kind;
  span_ = Whole(*profile.trace);
  const TimeAxis axis(span_, width);
  const auto& planes = profile.trace->planes;
  const bool devices =
      std::any_of(planes.begin(), planes.end(), [](const Plane& p) { return IsDevice(p.kind); });
  std::vector<float> sum;
  std::vector<Bin> scratch;
  size_t used = 0;
  for (uint32_t p = 0; p < planes.size(); ++p) {
    if (devices && !IsDevice(planes[p].kind)) continue;
    const PlaneActivity activity = PlaneActivityInView(profile, PlaneId(p), axis, width, &scratch);
    if (activity.share.empty()) continue;
    sum.resize(activity.share.size(), 0);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += activity.share[i];
    ++used;
  }
  texels_.assign(width, texel::kEmpty);
  const Rgba color = theme[devices ? Kind::kDeviceCompute : Kind::kHostCompute];
  for (uint32_t x = 0; x < width && used > 0; ++x) {
    const float share = sum[size_t{x} * sum.size() / width] / static_cast<float>(used);
    texels_[x] = texel::Make(color, 0) | (static_cast<uint32_t>(std::lround(share * 255.0f)) << 24);
  }
  lines_.resize(height);
  for (uint32_t y = 0; y < height; ++y) {
    lines_[y] = {0, static_cast<uint16_t>(y), static_cast<uint16_t>(height), TexelLine::kArea};
  }
}

void Minimap::Draw(TexelSink& sink, ImDrawList* list, float x, float y, Rgba background) const {
  sink.Draw({.slot = 1,
             .x = x,
             .y = y,
             .width = width_,
             .rows = 1,
             .texels = texels_,
             .lines = lines_,
             .dirty_end = changed_ ? 1u : 0u,
             .background = background},
            list);
}

}  // namespace stepscope
