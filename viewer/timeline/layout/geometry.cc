#include "viewer/timeline/layout/geometry.h"

#include <algorithm>
#include <cmath>

namespace stepscope {

float PlaceAround(float middle, float size, float from, float to) {
  return std::clamp(middle - size / 2, from, std::max(from, to - size));
}

float TimelineGeometry::Px(float at_scale_1) const { return std::floor(at_scale_1 * unit + 0.5f); }

Box TimelineGeometry::StepRow(int row) const {
  const float height = std::floor((strip.h - Px(2)) / static_cast<float>(step_rows));
  return {strip.x, strip.y + Px(2) + height * static_cast<float>(row), strip.w, height};
}

TimelineGeometry TimelineGeometry::Make(const Box& area, float unit, float label_width,
                                        const TopParts& parts) {
  constexpr float kTitle = 24, kMinimap = 46, kMinimapMargin = 7, kRuler = 22, kStepRow = 20,
                  kStripEdge = 2, kRight = 12;
  constexpr float kLeastLabel = 80;
  TimelineGeometry g;
  g.unit = unit;
  const float x = std::floor(area.x), y = std::floor(area.y);
  const float w = std::floor(area.w), h = std::floor(area.h);
  const float label =
      std::clamp(std::floor(label_width), g.Px(kLeastLabel), std::max(g.Px(kLeastLabel), w / 2));
  g.all = {x, y, w, h};
  const float left = x + label, width = std::max(0.0f, w - label - g.Px(kRight));
  g.title = {x, y, w, parts.title ? g.Px(kTitle) : 0};
  g.minimap = {left, g.title.bottom(), width, parts.minimap ? g.Px(kMinimap) : 0};
  if (parts.minimap)
    g.minimap_bar = {left, g.minimap.y + g.Px(kMinimapMargin), width,
                     std::max(1.0f, g.minimap.h - g.Px(2 * kMinimapMargin))};
  g.ruler = {left, g.minimap.bottom(), width, g.Px(kRuler)};
  g.step_rows = parts.step_rows;
  g.strip = {left, g.ruler.bottom(), width,
             g.Px(kStripEdge) + g.Px(kStepRow) * static_cast<float>(parts.step_rows)};
  const float top = g.strip.bottom() + 1;
  g.labels = {x, top, label, std::max(0.0f, y + h - top)};
  g.rows = {left, top, width, g.labels.h};
  g.scrollbar = {left + width, top, g.Px(kRight), g.labels.h};
  return g;
}

void RangeAnimation::SetTarget(TimeRange target) {
  if (target == target_) return;
  from_ = shown_;
  target_ = target;
  t_ = 0;
}

bool RangeAnimation::Advance(double dt, double duration) {
  if (t_ >= 1) return false;
  t_ = duration <= 0 ? 1 : t_ + dt / duration;
  if (t_ >= 1 || from_.empty()) {
    Jump(target_);
    return false;
  }
  const double rest = 1 - t_;
  shown_ = Between(1 - rest * rest * rest);  // ease out: quick answer, soft landing
  return true;
}

TimeRange RangeAnimation::Between(double t) const {
  const double length0 = static_cast<double>(from_.length());
  const double length1 = static_cast<double>(target_.length());
  const double shift = static_cast<double>(SaturatingSub(target_.begin, from_.begin));
  double length = length0 + (length1 - length0) * t;
  double offset = shift * t;
  const double ratio = length1 / length0;
  if (ratio < 0.5 || ratio > 2) {
    // The point that has the same place in both ranges stays there.
    const double fixed = shift * length0 / (length0 - length1);
    length = length0 * std::pow(ratio, t);
    offset = fixed - fixed * length / length0;
  }
  const Ps begin =
      SaturatingAdd(from_.begin, static_cast<Ps>(std::llround(std::clamp(offset, -9e18, 9e18))));
  return {
      begin,
      SaturatingAdd(begin, std::max<Ps>(1, static_cast<Ps>(std::llround(std::min(length, 9e18)))))};
}

}  // namespace stepscope
