#include "viewer/timeline/slices/minimap.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/first_view.h"

namespace stepscope {
namespace {

void AddTo(const PlaneActivity& activity, std::span<std::vector<float>> sums) {
  const auto add = [](const std::vector<float>& from, const std::vector<float>* below,
                      std::vector<float>* to) {
    for (size_t i = 0; i < to->size(); ++i)
      (*to)[i] += from[i] - (below != nullptr ? (*below)[i] : 0.0f);
  };
  const StackedShares& parts = activity.parts;
  if (parts.parts.empty()) return add(activity.share, nullptr, &sums[0]);
  for (size_t p = 0; p < parts.parts.size(); ++p) {
    const auto part = static_cast<size_t>(parts.parts[p]);
    if (part < sums.size()) add(parts.sums[p], p > 0 ? &parts.sums[p - 1] : nullptr, &sums[part]);
  }
}

}  // namespace

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
  // An undivided activity is drawn as the first part.
  constexpr auto kParts = static_cast<size_t>(WorkPart::kCount);
  std::array<std::vector<float>, kParts> sums;
  std::vector<Bin> scratch;
  size_t used = 0;
  Kind alone = devices ? Kind::kDeviceCompute : Kind::kHostCompute;
  for (uint32_t p = 0; p < planes.size(); ++p) {
    if (devices && !IsDevice(planes[p].kind)) continue;
    const PlaneActivity activity = PlaneActivityInView(profile, PlaneId(p), axis, width, &scratch);
    if (activity.share.empty()) continue;
    for (std::vector<float>& sum : sums) sum.resize(activity.share.size(), 0);
    AddTo(activity, sums);
    if (!devices) alone = KindOf(activity);
    ++used;
  }
  stack_ = StackColors(theme);
  texels_.assign(width, texel::kEmpty);
  for (uint32_t x = 0; x < width && used > 0; ++x) {
    float share = 0;
    for (size_t part = 0; part < sums.size(); ++part) {
      share += sums[part][size_t{x} * sums[part].size() / width] / static_cast<float>(used);
      const auto top = static_cast<uint32_t>(std::lround(std::min(1.0f, share) * 255.0f));
      texels_[x] = devices ? texel::WithHeight(texels_[x], part, top)
                           : texel::Make(theme[alone], 0) | top << 24;
    }
  }
  lines_.resize(height);
  for (uint32_t y = 0; y < height; ++y) {
    lines_[y] = {0, static_cast<uint16_t>(y), static_cast<uint16_t>(height),
                 devices ? TexelLine::kStack : TexelLine::kArea};
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
             .background = background,
             .stack = stack_},
            list);
}

}  // namespace stepscope
