// SvgPen: a pen whose shapes become the elements of a vector picture. UI thread only: it measures
// texts with the window's fonts.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "model/base/svg_writer.h"
#include "viewer/widgets/draw.h"

namespace stepscope {

class SvgPen final : public Pen {
 public:
  // `id`: a prefix for the ids in the picture, for several pictures in one file. The fonts say how
  // wide texts are; they have no icons, which a reader of the file need not have.
  SvgPen(const Theme& theme, const Fonts& fonts, float unit, std::string_view id, SvgWriter* out)
      : Pen(nullptr, theme, fonts, unit), id_(id), out_(*out) {}

  void Fill(ImVec2 min, ImVec2 max, Rgba color, float rounding,
            std::string_view title) const override;
  void Frame(float x, float y, float w, float h, Rgba color, float rounding = 0,
             float thickness = 1) const override;
  void Triangle(ImVec2 a, ImVec2 b, ImVec2 c, Rgba color) const override;
  void Line(ImVec2 a, ImVec2 b, Rgba color, float thickness) const override;
  void Curve(ImVec2 a, ImVec2 c, ImVec2 d, ImVec2 b, Rgba color, float thickness) const override;
  void Disc(ImVec2 middle, float radius, Rgba color) const override;
  void Circle(ImVec2 middle, float radius, Rgba color, float thickness) const override;
  void Hatch(texel::Pattern pattern, ImVec2 min, ImVec2 max, Rgba color) const override;
  void Letters(ImFont* font, float pixels, ImVec2 at, Rgba color,
               std::string_view text) const override;
  void PushClip(float x, float y, float right, float bottom) const override;
  void PopClip() const override;
  // Writes an area below a curve, as the data of an SVG path.
  void Path(std::string_view data, Rgba color) const;

 private:
  std::string Reference(const std::string& key, std::string_view definition) const;

  std::string id_;
  SvgWriter& out_;
  // The ids of clipping boxes and patterns that were defined, by what they are.
  mutable std::map<std::string, std::string> defined_;
};

}  // namespace stepscope
