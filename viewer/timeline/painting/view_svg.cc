#include "viewer/timeline/painting/view_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "model/analysis/naming/short_label.h"
#include "model/base/svg_writer.h"
#include "viewer/widgets/draw.h"

namespace stepscope {
namespace {

// SvgPen: a pen whose shapes become the elements of a vector picture. UI thread only: it measures
// texts with the window's fonts.
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

// "fill=\"#4c9aff\"", with the opacity if the colour is not opaque.
std::string Paint(const char* what, Rgba color) {
  std::string text = fmt::format("{}=\"{}\"", what, SvgColor(color));
  if (const uint32_t alpha = color >> 24; alpha < 255)
    text += fmt::format(" {}-opacity=\"{:.2f}\"", what, alpha / 255.0);
  return text;
}

std::string Stroke(Rgba color, float thickness) {
  return Paint("stroke", color) + fmt::format(" stroke-width=\"{:.1f}\" fill=\"none\"", thickness);
}

void SvgPen::Fill(ImVec2 min, ImVec2 max, Rgba color, float rounding,
                  std::string_view title) const {
  if (max.x <= min.x || max.y <= min.y) return;
  std::string more;
  if (color >> 24 < 255) more = fmt::format("fill-opacity=\"{:.2f}\"", (color >> 24) / 255.0);
  if (rounding > 0) more += fmt::format("{}rx=\"{:.0f}\"", more.empty() ? "" : " ", rounding);
  out_.Rect({min.x, min.y, max.x - min.x, max.y - min.y}, SvgColor(color), more, title);
}

void SvgPen::Frame(float x, float y, float w, float h, Rgba color, float rounding,
                   float thickness) const {
  const float inset = thickness / 2;  // Dear ImGui draws within the box
  std::string more = Paint("stroke", color) + fmt::format(" stroke-width=\"{:.1f}\"", thickness);
  if (rounding > 0) more += fmt::format(" rx=\"{:.0f}\"", rounding);
  out_.Rect({x + inset, y + inset, std::max(0.0f, w - thickness), std::max(0.0f, h - thickness)},
            "none", more);
}

void SvgPen::Triangle(ImVec2 a, ImVec2 b, ImVec2 c, Rgba color) const {
  Path(fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}Z", a.x, a.y, b.x, b.y, c.x, c.y),
       color);
}

void SvgPen::Line(ImVec2 a, ImVec2 b, Rgba color, float thickness) const {
  out_.Line(a.x, a.y, b.x, b.y, Stroke(color, thickness));
}

void SvgPen::Curve(ImVec2 a, ImVec2 c, ImVec2 d, ImVec2 b, Rgba color, float thickness) const {
  out_.Raw(fmt::format("<path d=\"M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\" {}/>",
                       a.x, a.y, c.x, c.y, d.x, d.y, b.x, b.y, Stroke(color, thickness)));
}

void SvgPen::Disc(ImVec2 middle, float radius, Rgba color) const {
  out_.Raw(fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" {}/>", middle.x, middle.y,
                       radius, Paint("fill", color)));
}

void SvgPen::Circle(ImVec2 middle, float radius, Rgba color, float thickness) const {
  out_.Raw(fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" {}/>", middle.x, middle.y,
                       radius, Stroke(color, thickness)));
}

void SvgPen::Path(std::string_view data, Rgba color) const {
  out_.Raw(fmt::format("<path d=\"{}\" {}/>", data, Paint("fill", color)));
}

// The id of a definition, which is written when it is first used.
std::string SvgPen::Reference(const std::string& key, std::string_view definition) const {
  const auto [found, is_new] = defined_.try_emplace(key);
  if (is_new) {
    found->second = fmt::format("{}d{}", id_, defined_.size());
    out_.Raw(fmt::format(fmt::runtime(definition), found->second));
  }
  return found->second;
}

void SvgPen::Hatch(texel::Pattern pattern, ImVec2 min, ImVec2 max, Rgba color) const {
  constexpr std::array kPaths = {"", "M0 7L7 0", "M0 0L7 7", "M0 7L7 0M0 0L7 7"};
  if (pattern == texel::Pattern::kPlain) return;
  const char* path = kPaths[static_cast<size_t>(pattern)];
  const std::string id =
      Reference(path, fmt::format("<pattern id=\"{{}}\" width=\"7\" height=\"7\" "
                                  "patternUnits=\"userSpaceOnUse\"><path d=\"{}\" stroke=\"{}\" "
                                  "stroke-opacity=\"0.5\" stroke-width=\"1.5\"/></pattern>",
                                  path, SvgColor(color)));
  out_.Rect({min.x, min.y, max.x - min.x, max.y - min.y}, "url(#" + id + ")",
            "pointer-events=\"none\"");
}

// The text is as wide as on the screen, whatever font the reader has.
void SvgPen::Letters(ImFont* font, float pixels, ImVec2 at, Rgba color,
                     std::string_view text) const {
  if (text.empty()) return;
  const char* end = text.data() + text.size();
  const float width = font->CalcTextSizeA(pixels, FLT_MAX, 0, text.data(), end).x;
  const bool mono = font == fonts.mono || font == fonts.mono_bold;
  const bool bold = font == fonts.bold || font == fonts.mono_bold;
  out_.Text(at.x, at.y + pixels * 0.81f, text,
            fmt::format("font-size=\"{:.0f}\" {}{}{} textLength=\"{:.1f}\" "
                        "lengthAdjust=\"spacingAndGlyphs\" pointer-events=\"none\"",
                        pixels, Paint("fill", color), bold ? " font-weight=\"bold\"" : "",
                        mono ? " font-family=\"monospace\"" : "", width));
}

void SvgPen::PushClip(float x, float y, float right, float bottom) const {
  const std::string box =
      fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>", x, y,
                  std::max(0.0f, right - x), std::max(0.0f, bottom - y));
  const std::string id = Reference(box, "<clipPath id=\"{}\">" + box + "</clipPath>");
  out_.Raw(fmt::format("<g clip-path=\"url(#{})\">", id));
}

void SvgPen::PopClip() const { out_.Raw("</g>\n"); }

constexpr float kDim = 0.75f;    // how far dimmed slices fade, as on the screen
constexpr uint32_t kNarrow = 3;  // columns; narrower slices are not hatched
constexpr size_t kLongestTitle = 300;

class SvgPainter final : public TimelinePainter {
 public:
  SvgPainter(const TimelineScene& scene, const TimelineModel& model, const SvgPen& pen)
      : TimelinePainter(scene, model, nullptr, pen), svg_(pen) {}

  void Draw() const {
    DrawRows();
    DrawTintLegend();
    DrawTitle();
    DrawRuler();
    DrawCorner(geo_.all.x);
    DrawSteps();
    DrawMarks();
  }

 private:
  void DrawSlices() const override;
  void DrawRow(size_t r) const;
  void DrawArea(size_t r) const;
  void DrawCurve(size_t r, size_t curve) const;
  std::string TitleOf(const PlanRow& row, uint32_t event) const;

  const SvgPen& svg_;
};

// Rows that scroll lie below those that stay at the top.
void SvgPainter::DrawSlices() const {
  const auto draw = [this](size_t first, size_t last) {
    for (size_t r = first; r < last; ++r)
      plan_.rows()[r].kind == TexelLine::kSlices ? DrawRow(r) : DrawArea(r);
  };
  const Box below = model_.rows_below_sticky();
  pen_.PushClip(below.x, below.y, below.right(), below.bottom());
  draw(0, plan_.scrolling_rows());
  pen_.PopClip();
  draw(plan_.scrolling_rows(), plan_.rows().size());
}

std::string SvgPainter::TitleOf(const PlanRow& row, uint32_t event) const {
  const LayoutItem& item = layout_.items()[row.item];
  const NameTable& names = *in_.profiles[item.profile].Set(item.set).names;
  const std::string_view name = names.DisplayName(MetaId(row.lane->meta[event]));
  return std::string(CutEnd(name, kLongestTitle)) + " \xC2\xB7 " +
         FormatDuration(row.lane->dur[event], 4);
}

// Neighbouring columns with equal texels become one rectangle. It ends where a slice that stands
// alone begins.
void SvgPainter::DrawRow(size_t r) const {
  const PlanRow& row = plan_.rows()[r];
  const auto texels = plan_.texels().subspan(r * plan_.width(), plan_.width());
  const auto alone = plan_.SlicesAlone(r);
  auto slice = alone.begin();
  for (uint32_t x = 0; x < texels.size();) {
    const uint32_t begin = x, texel = texels[x];
    while (slice != alone.end() && slice->px < begin) ++slice;
    const bool own = slice != alone.end() && slice->px == begin;
    const auto next = own ? slice + 1 : slice;
    const uint32_t stop = next != alone.end() ? next->px : plan_.width();
    for (++x; x < stop && texels[x] == texel;) ++x;
    const uint32_t alpha = texel::Alpha(texel), coverage = alpha & texel::kOpaque;
    if (coverage == 0 || (alpha & texel::kEdge) != 0) continue;
    Rgba color = (texel & 0xffffffu) | 0xff000000u;
    if ((alpha & texel::kDim) != 0) color = Mix(color, theme_[Role::kPanel], kDim);
    const float x0 = geo_.rows.x + static_cast<float>(begin), y0 = geo_.rows.y + row.y;
    const float x1 = geo_.rows.x + static_cast<float>(x), y1 = y0 + row.height - 1;
    pen_.Fill({x0, y0}, {x1, y1}, WithAlpha(color, static_cast<float>(coverage) / texel::kOpaque),
              0, own ? TitleOf(row, slice->event) : std::string());
    if (plan_.patterns() && x - begin >= kNarrow)
      pen_.Hatch(texel::PatternIn(texel), {x0, y0}, {x1, y1}, theme_[Role::kPanel]);
  }
}

// Curves on each other are drawn from the lowest up, each above the one below it.
void SvgPainter::DrawArea(size_t r) const {
  const bool stack = plan_.rows()[r].kind == TexelLine::kStack;
  for (size_t curve = 0; curve < (stack ? texel::kStackCurves : 1); ++curve) DrawCurve(r, curve);
}

void SvgPainter::DrawCurve(size_t r, size_t curve) const {
  const PlanRow& row = plan_.rows()[r];
  const bool stack = row.kind == TexelLine::kStack;
  const uint32_t width = plan_.width();
  const auto texels = plan_.texels().subspan(r * width, width);
  const auto top_at = [&](uint32_t x) {
    return stack ? texel::HeightIn(texels[x], curve) : texel::Alpha(texels[x]);
  };
  const auto base = [&](uint32_t x) {
    return curve > 0 ? texel::HeightIn(texels[x], curve - 1) : 0u;
  };
  const auto y = [&](uint32_t height) {
    return static_cast<double>(geo_.rows.y + row.y + row.height) -
           static_cast<double>(row.height) * height / 255.0;
  };
  const double left = static_cast<double>(geo_.rows.x);
  for (uint32_t x = 0; x < width;) {
    const uint32_t begin = x;
    std::string path, back;
    for (; x < width && top_at(x) > base(x); ++x) {
      const uint32_t top = top_at(x), low = base(x);
      if (x == begin || top_at(x - 1) != top)
        path += fmt::format("H{:.0f}V{:.1f}", left + x, y(top));
      if (x > begin && base(x - 1) != low)
        back.insert(0, fmt::format("H{:.0f}V{:.1f}", left + x, y(base(x - 1))));
    }
    if (x == begin) {
      ++x;
      continue;
    }
    const Rgba color = stack ? StackColors(theme_)[curve] : texels[begin] & 0xffffffu;
    svg_.Path(fmt::format("M{:.0f} {:.1f}{}H{:.0f}V{:.1f}{}H{:.0f}Z", left + begin, y(base(begin)),
                          path, left + x, y(base(x - 1)), back, left + begin),
              WithAlpha(color, stack ? 0.55f : 0.35f));
  }
}

}  // namespace

float TopOfSvg(const TimelineGeometry& geometry) { return geometry.ruler.y - geometry.title.h; }

std::string ViewSvg(const ViewSvgInput& input) {
  const TimelineGeometry& geo = input.model.geometry();
  if (input.scene.profiles.empty() || !geo.drawable()) return {};
  // Everything is written in pixels of the screen. The picture begins below the minimap.
  const float top = TopOfSvg(geo), height = geo.all.bottom() - top;
  const std::string at =
      input.id.empty() ? "" : fmt::format(" x=\"{:.0f}\" y=\"{:.0f}\"", input.x, input.y);
  SvgWriter out;
  out.Raw(
      fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" "
                  "height=\"{1:.0f}\" viewBox=\"{2:.0f} {3:.0f} {0:.0f} {1:.0f}\"{4} "
                  "font-family=\"Roboto, 'Helvetica Neue', Arial, sans-serif\">\n",
                  geo.all.w, height, geo.all.x, top, at));
  Fonts fonts = input.scene.fonts;
  fonts.icons = false;  // a reader need not have the font
  const TimelineScene scene{
      input.scene.profiles,    input.scene.all_profiles, input.scene.view, input.scene.theme, fonts,
      input.scene.counterpart, input.scene.legend};
  const SvgPen pen(scene.theme, fonts, geo.unit, input.id, &out);
  pen.Box(geo.all.x, top, geo.all.w, height, scene.theme[Role::kPanel]);
  SvgPainter(scene, input.model, pen).Draw();
  out.Raw("</svg>\n");
  return out.text();
}

}  // namespace stepscope
