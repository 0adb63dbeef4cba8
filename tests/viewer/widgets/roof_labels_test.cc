#include "viewer/widgets/roofline_chart.h"

#include <doctest/doctest.h>

#include <cmath>

namespace stepscope {
namespace {

constexpr float kEm = 13, kWidth = 900;

// Lines of a plot with both axes logarithmic: x from 0.01 to 10,000, y from 1 to 1,000,000.
struct Plot {
  float height;
  ImVec2 At(double x, double y) const {
    return {static_cast<float>((std::log10(x) + 2) / 6) * kWidth,
            height - static_cast<float>(std::log10(y) / 6) * height};
  }
  RoofLine Level(double gflops, float name) const {
    const ImVec2 from = At(1, gflops);
    return {from, {kWidth, from.y}, {name, kEm}};
  }
  RoofLine Rising(double gb_per_s, float name) const {
    return {At(0.01, 0.01 * gb_per_s), At(1e5 / gb_per_s, 1e5), {name, kEm}};
  }
  std::vector<RoofLine> Lines() const {
    return {Level(989e2, 120), Level(495e2, 130), Level(67e2, 90),
            Level(60e2, 100),  Rising(3e3, 150),  Rising(2e4, 140)};
  }
};

void CheckLabels(const Plot& plot, const std::vector<RoofLine>& lines) {
  const ImVec2 max(kWidth, plot.height);
  const std::vector<RoofLabel> labels = PlaceRoofLabels(lines, {0, 0}, max, kEm);
  REQUIRE(labels.size() == lines.size());
  for (size_t i = 0; i < labels.size(); ++i) {
    if (!labels[i].shown) continue;
    const ImVec2 a = labels[i].at, b(a.x + lines[i].name.x, a.y + lines[i].name.y);
    CHECK((a.x >= 0 && a.y >= 0 && b.x <= max.x && b.y <= max.y));
    for (size_t k = 0; k < i; ++k) {
      if (!labels[k].shown) continue;
      const ImVec2 c = labels[k].at, d(c.x + lines[k].name.x, c.y + lines[k].name.y);
      CHECK_FALSE((a.x < d.x && c.x < b.x && a.y < d.y && c.y < b.y));
    }
  }
}

}  // namespace

TEST_CASE("Names of limits never cover each other, and stay inside the plot") {
  for (float height = 10; height < 900; height += 7) {
    CAPTURE(height);
    const Plot plot{height};
    CheckLabels(plot, plot.Lines());
  }
}

TEST_CASE("A name leaves points free where there is room elsewhere on its line") {
  const Plot plot{400};
  const std::vector<RoofLine> lines = {plot.Rising(3e3, 150)};
  const ImVec2 max(kWidth, plot.height);
  const ImVec2 usual = PlaceRoofLabels(lines, {0, 0}, max, kEm)[0].at;
  const std::vector<RoofPoint> points = {{{usual.x + 70, usual.y + 6}, 12}};
  const RoofLabel moved = PlaceRoofLabels(lines, {0, 0}, max, kEm, points)[0];
  REQUIRE(moved.shown);
  const bool free = moved.at.x > points[0].at.x + 12 || moved.at.x + 150 < points[0].at.x - 12 ||
                    moved.at.y > points[0].at.y + 12 || moved.at.y + kEm < points[0].at.y - 12;
  CHECK(free);
  const std::vector<RoofPoint> everywhere = {{{kWidth / 2, 200}, 1000}};
  CHECK(PlaceRoofLabels(lines, {0, 0}, max, kEm, everywhere)[0].at.x == usual.x);
}

TEST_CASE("In a plot of usual height all names are shown, each at its line") {
  for (const float height : {90.0f, 150.0f, 400.0f}) {
    CAPTURE(height);
    const Plot plot{height};
    const std::vector<RoofLine> lines = plot.Lines();
    const auto labels = PlaceRoofLabels(lines, {0, 0}, {kWidth, height}, kEm);
    for (size_t i = 0; i < labels.size(); ++i) {
      CAPTURE(i);
      CHECK(labels[i].shown);
      if (lines[i].from.y == lines[i].to.y)
        CHECK(std::abs(labels[i].at.y - lines[i].from.y) < 2 * kEm);
    }
  }
}

TEST_CASE("A name that is wider than the plot is left out") {
  const Plot plot{300};
  const std::vector<RoofLine> lines = {plot.Level(1000, 2 * kWidth)};
  CHECK_FALSE(PlaceRoofLabels(lines, {0, 0}, {kWidth, 300}, kEm)[0].shown);
  CHECK(PlaceRoofLabels({}, {0, 0}, {0, 0}, 0).empty());
}

}  // namespace stepscope
