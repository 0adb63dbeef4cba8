#include "viewer/widgets/roof_labels.h"

#include <algorithm>

namespace stepscope {
namespace {

struct Box {
  float left, top, right, bottom;
};

bool Meet(const Box& a, const Box& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

// Lines never fall towards the right, so inside the box's width one is highest at its right end.
bool Meet(const Box& box, const RoofLine& line) {
  const float width = line.to.x - line.from.x;
  const float left = std::max(box.left, line.from.x), right = std::min(box.right, line.to.x);
  if (width <= 0 || left > right) return false;
  const auto height = [&](float x) {
    return line.from.y + (line.to.y - line.from.y) * (x - line.from.x) / width;
  };
  return height(right) < box.bottom && height(left) > box.top;
}

class Placer {
 public:
  Placer(std::span<const RoofLine> lines, ImVec2 min, ImVec2 max, float em,
         std::span<const RoofPoint> points)
      : lines_(lines), points_(points), min_(min), max_(max), em_(em) {}

  // At the right end above the line, else below it, else further to the left.
  RoofLabel Level(const RoofLine& line) {
    const float above = line.from.y - line.name.y - em_ * 0.1f, below = line.from.y + em_ * 0.2f;
    const float right = std::min(line.to.x, max_.x) - em_ * 0.5f - line.name.x;
    float x = right;
    while (x >= std::max(line.from.x, min_.x)) {
      if (const RoofLabel label = Try({x, above}, line.name); label.shown) return label;
      if (const RoofLabel label = Try({x, below}, line.name); label.shown) return label;
      x -= em_;
    }
    return {};
  }

  // Below the line or above it, from its middle outwards. On a point only where nothing else is
  // left, and across another line only then.
  RoofLabel Rising(const RoofLine& line) {
    for (const int allowed : {0, 1, 2}) {
      for (const float along : {0.55f, 0.45f, 0.65f, 0.35f, 0.75f, 0.25f, 0.85f, 0.15f, 0.05f}) {
        const ImVec2 p(line.from.x + (line.to.x - line.from.x) * along,
                       line.from.y + (line.to.y - line.from.y) * along);
        const ImVec2 below(p.x + em_, p.y + em_ * 0.2f);
        const ImVec2 above(p.x - em_ * 0.6f - line.name.x, p.y - em_ * 0.2f - line.name.y);
        for (const ImVec2 at : {below, above}) {
          if (allowed < 2 && CrossesLine(at, line.name)) continue;
          if (allowed < 1 && CoversPoint(at, line.name)) continue;
          if (const RoofLabel label = Try(at, line.name); label.shown) return label;
        }
      }
    }
    return {};
  }

 private:
  bool CoversPoint(ImVec2 at, ImVec2 size) const {
    return std::any_of(points_.begin(), points_.end(), [&](const RoofPoint& point) {
      return Meet(Box{at.x, at.y, at.x + size.x, at.y + size.y},
                  Box{point.at.x - point.radius, point.at.y - point.radius,
                      point.at.x + point.radius, point.at.y + point.radius});
    });
  }

  bool CrossesLine(ImVec2 at, ImVec2 size) const {
    const Box box{at.x, at.y, at.x + size.x, at.y + size.y};
    return std::any_of(lines_.begin(), lines_.end(),
                       [&](const RoofLine& line) { return Meet(box, line); });
  }

  RoofLabel Try(ImVec2 at, ImVec2 size) {
    const Box box{at.x, at.y, at.x + size.x, at.y + size.y};
    if (box.left < min_.x || box.top < min_.y || box.right > max_.x || box.bottom > max_.y)
      return {};
    if (std::any_of(taken_.begin(), taken_.end(), [&](const Box& b) { return Meet(b, box); }))
      return {};
    const float air = em_ * 0.6f;  // between two names of one line
    taken_.push_back({box.left - air, box.top, box.right + air, box.bottom});
    return {at, true};
  }

  const std::span<const RoofLine> lines_;
  const std::span<const RoofPoint> points_;
  const ImVec2 min_, max_;
  const float em_;
  std::vector<Box> taken_;
};

}  // namespace

std::vector<RoofLabel> PlaceRoofLabels(std::span<const RoofLine> lines, ImVec2 plot_min,
                                       ImVec2 plot_max, float em,
                                       std::span<const RoofPoint> points) {
  std::vector<RoofLabel> labels(lines.size());
  Placer placer(lines, plot_min, plot_max, std::max(em, 1.0f), points);
  std::vector<size_t> rising;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].from.y == lines[i].to.y)
      labels[i] = placer.Level(lines[i]);
    else
      rising.push_back(i);
  }
  // The shortest line has the fewest places for its name.
  std::stable_sort(rising.begin(), rising.end(), [&](size_t a, size_t b) {
    return lines[a].to.x - lines[a].from.x < lines[b].to.x - lines[b].from.x;
  });
  for (const size_t i : rising) labels[i] = placer.Rising(lines[i]);
  return labels;
}

}  // namespace stepscope
