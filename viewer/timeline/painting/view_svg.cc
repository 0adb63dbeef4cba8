#include "viewer/timeline/painting/view_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/analysis/naming/short_label.h"
#include "model/base/svg_writer.h"
#include "viewer/core/profiles/step_markers.h"
#include "viewer/timeline/layout/layout.h"
#include "viewer/timeline/painting/ruler.h"

namespace stepscope {
namespace {

constexpr float kDim = 0.75f;  // how far dimmed slices fade, as on the screen
constexpr size_t kLongestTitle = 300;

class Painter {
 public:
  explicit Painter(const ViewSvgInput& in)
      : in_(in),
        model_(in.model),
        geo_(in.model.geometry()),
        layout_(in.model.layout()),
        plan_(in.model.plan()),
        theme_(in.names.theme()) {}

  std::string Draw();

 private:
  void Begin();
  void BeginClip(std::string_view id) {
    out_.Raw(fmt::format("<g clip-path=\"url(#{}{})\">", in_.id, id));
  }
  void DrawTitle();
  void DrawGrounds();
  void DrawGrid();
  void DrawRuler();
  void DrawSteps();
  void DrawStepsOf(uint32_t profile, const Box& box);
  void DrawMeasured();
  void DrawRows(size_t first, size_t last);
  void DrawSlices(size_t r);
  void DrawHatching(const PlanRow& row, uint32_t begin, uint32_t end, texel::Pattern pattern);
  void DrawArea(size_t r);
  void DrawCurve(size_t r, size_t curve);
  void DrawLabels(bool sticks);
  void DrawSticky();
  void DrawNames();
  void DrawName(size_t index, float y);
  void DrawFlows(const EventFlows& flows);
  void DrawPath();
  void DrawSelection();

  std::string NameOf(const LayoutItem& item) const;
  std::string TitleOf(const PlanRow& row, uint32_t event) const;
  // Writes a text in the UI's small size, cut to end at `right`.
  void Name(float x, float right, float y, std::string_view text, Role role, bool bold);
  void TextAt(float x, float y, std::string_view text, Role role, const char* more = "");
  std::string Fill(Role role) const { return SvgColor(theme_[role]); }
  std::string Stroke(Role role, float width) const {
    return fmt::format("stroke=\"{}\" stroke-width=\"{}\" fill=\"none\"", Fill(role), width);
  }
  float Px(float at_scale_1) const { return geo_.Px(at_scale_1); }

  const ViewSvgInput& in_;
  const TimelineModel& model_;
  const TimelineGeometry& geo_;
  const Layout& layout_;
  const DrawPlan& plan_;
  const Theme& theme_;
  SvgWriter out_;
};

// Everything is written in pixels of the screen. The picture begins below the minimap.
void Painter::Begin() {
  const float top = TopOfSvg(geo_), height = geo_.all.bottom() - top;
  const std::string at =
      in_.id.empty() ? "" : fmt::format(" x=\"{:.0f}\" y=\"{:.0f}\"", in_.x, in_.y);
  out_.Raw(
      fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
                  "viewBox=\"{2:.0f} {3:.0f} {0:.0f} {1:.0f}\"{4} "
                  "font-family=\"Roboto, 'Helvetica Neue', Arial, sans-serif\">\n",
                  geo_.all.w, height, geo_.all.x, top, at));
  const auto clip = [this](const char* id, const Box& box) {
    out_.Raw(fmt::format("<clipPath id=\"{}{}\">", in_.id, id));
    out_.Rect({box.x, box.y, box.w, std::max(0.0f, box.h)}, "#000");
    out_.Raw("</clipPath>");
  };
  const Box below = model_.rows_below_sticky();
  out_.Raw("<defs>");
  if (plan_.patterns()) {
    for (const auto& [id, path] : {std::pair("rising", "M0 7L7 0"),
                                   {"falling", "M0 0L7 7"},
                                   {"crossed", "M0 7L7 0M0 0L7 7"}}) {
      out_.Raw(
          fmt::format("<pattern id=\"{}{}\" width=\"7\" height=\"7\" "
                      "patternUnits=\"userSpaceOnUse\"><path d=\"{}\" stroke=\"{}\" "
                      "stroke-opacity=\"0.5\" stroke-width=\"1.5\"/></pattern>",
                      in_.id, id, path, Fill(Role::kPanel)));
    }
  }
  clip("rows", geo_.rows);
  clip("below", below);
  clip("names", {geo_.all.x, below.y, geo_.labels.w, below.h});
  clip("top-names", {geo_.all.x, geo_.rows.y, geo_.labels.w, below.y - geo_.rows.y});
  clip("top", {geo_.rows.x, geo_.rows.y, geo_.rows.w, below.y - geo_.rows.y});
  clip("axis", {geo_.ruler.x, geo_.ruler.y, geo_.ruler.w, geo_.rows.y - geo_.ruler.y});
  clip("all", {geo_.all.x, geo_.rows.y, geo_.all.w, geo_.rows.h});
  out_.Raw("</defs>\n");
  out_.Rect({geo_.all.x, top, geo_.all.w, height}, Fill(Role::kPanel));
}

void Painter::DrawTitle() {
  const float height = geo_.title.h, top = TopOfSvg(geo_);
  if (height <= 0) return;
  out_.Rect({geo_.all.x, top, geo_.all.w, height}, Fill(Role::kRaised));
  Name(geo_.all.x + Px(12), geo_.all.right() - Px(12), top + height - Px(8),
       in_.profiles[model_.active()].label, Role::kText, true);
}

void Painter::TextAt(float x, float y, std::string_view text, Role role, const char* more) {
  out_.Text(x, y, text, fmt::format("font-size=\"{}\" fill=\"{}\" {}", Px(12), Fill(role), more));
}

void Painter::Name(float x, float right, float y, std::string_view text, Role role, bool bold) {
  const float size = Px(TypeSize::kSmall), wide = bold ? 1.08f : 1.0f;
  const float scale = size * wide / (TypeSize::kSlice * geo_.unit);
  std::string shown(text);
  if (in_.names.Measure(text, 1e9f, nullptr) * scale > right - x) {
    size_t fit = 0;
    in_.names.Measure(text, std::max(0.0f, (right - x) / scale - Px(10)), &fit);
    shown = std::string(CutEnd(text, fit)) + "\xE2\x80\xA6";
  }
  out_.Text(x, y, shown,
            fmt::format("font-size=\"{}\" fill=\"{}\"{}", size, Fill(role),
                        bold ? " font-weight=\"bold\"" : ""));
}

void Painter::DrawGrounds() {
  const auto [first, last] =
      layout_.Visible(model_.scroll(), model_.scroll() + static_cast<double>(geo_.rows.h));
  BeginClip("all");
  for (size_t i = first; i < last; ++i) {
    const LayoutItem& item = layout_.items()[i];
    const float y = model_.YOf(item.y);
    if (IsHeading(item.kind)) {
      out_.Rect({geo_.all.x, y, geo_.all.w, item.height}, Fill(Role::kRaised));
    } else {
      out_.Rect({geo_.all.x, y - 2, geo_.all.w, 1}, Fill(Role::kGrid));
    }
  }
  out_.Raw("</g>\n");
}

void Painter::DrawGrid() {
  const TimeAxis& axis = model_.axis();
  const Ticks ticks = MakeTicks(axis, static_cast<double>(Px(110)));
  const std::string grid = Stroke(Role::kGrid, 1);
  for (Ps t = ticks.first; t < axis.view().end; t = SaturatingAdd(t, ticks.minor)) {
    const float x = std::floor(geo_.rows.x + axis.ClippedX(t)) + 0.5f;
    if ((t - ticks.base) % ticks.step == 0 && x >= geo_.rows.x)
      out_.Line(x, geo_.rows.y, x, geo_.rows.bottom(), grid);
  }
}

void Painter::DrawRuler() {
  const TimeAxis& axis = model_.axis();
  const Ticks ticks = MakeTicks(axis, static_cast<double>(Px(110)));
  const float base = geo_.ruler.bottom() - 1;
  BeginClip("axis");
  for (Ps t = ticks.first; t < axis.view().end; t = SaturatingAdd(t, ticks.minor)) {
    const float x = std::floor(geo_.ruler.x + axis.ClippedX(t)) + 0.5f;
    const bool major = (t - ticks.base) % ticks.step == 0;
    out_.Line(x, base - Px(major ? 8 : 4), x, base, Stroke(major ? Role::kText3 : Role::kLine, 1));
    if (!major) continue;
    TextAt(x + Px(5), geo_.ruler.y + Px(13), TickLabel(ticks, t), Role::kText3);
  }
  out_.Raw("</g>\n");
  TextAt(geo_.rows.x - Px(12), geo_.ruler.y + Px(15), CornerLabel(ticks, axis), Role::kText2,
         "text-anchor=\"end\"");
  out_.Line(geo_.ruler.x, base, geo_.ruler.right(), base, Stroke(Role::kLine, 1));
}

void Painter::DrawSteps() {
  BeginClip("axis");
  int row = 0;
  for (const uint32_t profile : model_.StepProfiles(in_.profiles, in_.view))
    DrawStepsOf(profile, geo_.StepRow(row++));
  out_.Raw("</g>\n");
  out_.Line(geo_.all.x, geo_.strip.bottom(), geo_.all.right(), geo_.strip.bottom(),
            Stroke(Role::kLine, 1));
}

void Painter::DrawStepsOf(uint32_t profile, const Box& box) {
  const TimeAxis& axis = model_.axis(profile);
  const float y = box.y + Px(1), height = box.h - Px(3);
  float drawn_to = geo_.strip.x - 1;
  const std::span<const StepMarker> steps = in_.profiles[profile].Steps();
  for (size_t i = FirstBarAt(steps, axis.view().begin); i < steps.size(); ++i) {
    const StepMarker& step = steps[i];
    const TimeRange bar = BarOf(steps, i);
    if (bar.begin >= axis.view().end) break;
    const float a = std::max(geo_.strip.x, std::floor(geo_.strip.x + axis.ClippedX(bar.begin)) + 1);
    const float b = std::floor(geo_.strip.x + axis.ClippedX(bar.end));
    if (b <= drawn_to) continue;  // thousands of steps in view: one box per pixel
    const std::string title = step.label + " \xC2\xB7 " + BarText(step, bar);
    out_.Rect({a, y, std::max(1.0f, b - a), height}, Fill(Role::kRaised), "rx=\"2\"", title);
    drawn_to = std::max(a + 1, b);
    if (in_.names.Measure(step.label, 1e9f, nullptr) < b - a - Px(14))
      TextAt(a + Px(8), y + Px(13), step.label, Role::kText2, "font-weight=\"bold\"");
  }
}

void Painter::DrawMeasured() {
  const TimeAxis& axis = model_.axis();
  const TimeRange measured = in_.view.MeasuredIn(in_.profiles[model_.active()].id);
  if (measured.empty()) return;
  const float a = geo_.rows.x + axis.ClippedX(measured.begin);
  const float b = geo_.rows.x + axis.ClippedX(measured.end);
  const float top = geo_.strip.y, height = geo_.rows.bottom() - top;
  BeginClip("rows");
  out_.Rect({a, top, std::max(1.0f, b - a), height}, Fill(Role::kAccent), "fill-opacity=\"0.1\"");
  for (const float x : {a, b}) out_.Line(x, top, x, top + height, Stroke(Role::kAccent, 1));
  out_.Raw("</g>");
  const std::string text = FormatDuration(measured.length(), 5);
  const float width = in_.names.Measure(text, 1e9f, nullptr) + Px(16), middle = (a + b) / 2;
  out_.Rect({middle - width / 2, geo_.ruler.y + Px(2), width, Px(17)}, Fill(Role::kPanel));
  TextAt(middle, geo_.ruler.y + Px(15), text, Role::kAccent,
         "text-anchor=\"middle\" font-weight=\"bold\"");
}

std::string Painter::TitleOf(const PlanRow& row, uint32_t event) const {
  const LayoutItem& item = layout_.items()[row.item];
  const NameTable& names = *in_.profiles[item.profile].Set(item.set).names;
  const std::string_view name = names.DisplayName(MetaId(row.lane->meta[event]));
  return std::string(CutEnd(name, kLongestTitle)) + " \xC2\xB7 " +
         FormatDuration(row.lane->dur[event], 4);
}

// Neighbouring columns with equal texels become one rectangle. It ends where a slice that stands
// alone begins.
void Painter::DrawSlices(size_t r) {
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
    std::string more;
    if (coverage < texel::kOpaque)
      more = fmt::format("fill-opacity=\"{:.2f}\"", static_cast<double>(coverage) / texel::kOpaque);
    out_.Rect({geo_.rows.x + static_cast<double>(begin), geo_.rows.y + row.y,
               static_cast<double>(x - begin), row.height - 1},
              SvgColor(color), more, own ? TitleOf(row, slice->event) : std::string());
    if (plan_.patterns()) DrawHatching(row, begin, x, texel::PatternIn(texel));
  }
}

void Painter::DrawHatching(const PlanRow& row, uint32_t begin, uint32_t end,
                           texel::Pattern pattern) {
  constexpr uint32_t kNarrow = 3;
  constexpr std::array kNames = {"", "rising", "falling", "crossed"};
  if (pattern == texel::Pattern::kPlain || end - begin < kNarrow) return;
  out_.Rect({geo_.rows.x + static_cast<double>(begin), geo_.rows.y + row.y,
             static_cast<double>(end - begin), row.height - 1},
            fmt::format("url(#{}{})", in_.id, kNames[static_cast<size_t>(pattern)]),
            "pointer-events=\"none\"");
}

// Curves on each other are drawn from the lowest up, each above the one below it.
void Painter::DrawArea(size_t r) {
  const bool stack = plan_.rows()[r].kind == TexelLine::kStack;
  for (size_t curve = 0; curve < (stack ? texel::kStackCurves : 1); ++curve) DrawCurve(r, curve);
}

void Painter::DrawCurve(size_t r, size_t curve) {
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
    out_.Raw(fmt::format(
        "<path d=\"M{:.0f} {:.1f}{}H{:.0f}V{:.1f}{}Z\" fill=\"{}\" "
        "fill-opacity=\"{}\"/>",
        left + begin, y(base(begin)), path, left + x, y(base(x - 1)),
        back + fmt::format("H{:.0f}", left + begin), SvgColor(color), stack ? 0.55 : 0.35));
  }
}

void Painter::DrawRows(size_t first, size_t last) {
  for (size_t r = first; r < last; ++r) {
    if (plan_.rows()[r].kind == TexelLine::kSlices) {
      DrawSlices(r);
    } else {
      DrawArea(r);
    }
    out_.Raw("\n");
  }
}

// Each label is as wide as on the screen, whatever font the reader has.
void Painter::DrawLabels(bool sticks) {
  const float size = TypeSize::kSlice * geo_.unit, row = layout_.sizes().row - 1;
  for (const PlanLabel& label : plan_.labels()) {
    if (label.sticks != sticks) continue;
    const std::string text = std::string(label.text) + (label.cut ? "\xE2\x80\xA6" : "");
    out_.Text(geo_.rows.x + label.x, geo_.rows.y + label.y + row / 2 + size * 0.36f, text,
              fmt::format("font-size=\"{:.1f}\" fill=\"{}\" textLength=\"{:.1f}\" "
                          "lengthAdjust=\"spacingAndGlyphs\" pointer-events=\"none\"",
                          size, SvgColor(label.color), label.width));
  }
  for (const PlanMark& mark : plan_.marks()) {
    if (mark.sticks != sticks) continue;
    const float x = geo_.rows.x + mark.x, y = geo_.rows.y + mark.y + row, r = Px(2.5f);
    out_.Raw(
        fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}Z\" fill=\"{}\" "
                    "stroke=\"{}\"/>",
                    x - r, y, x, y - r * 1.6f, x + r, y, Fill(Role::kText), Fill(Role::kPanel)));
  }
  out_.Raw("\n");
}

std::string Painter::NameOf(const LayoutItem& item) const {
  const Profile& profile = in_.profiles[item.profile];
  if (item.kind == LayoutItemKind::kProfileHeading) return profile.label;
  if (item.kind == LayoutItemKind::kHostHeading)
    return std::string(profile.trace->HostName(item.host));
  if (item.rank != nullptr && item.thin)
    return item.BeginsRank() ? RankText(*item.rank) : std::string();
  const TrackLabel label = LabelOf(profile, item);
  if (item.rank != nullptr) return RankText(*item.rank) + " \xC2\xB7 " + label.name;
  return label.tag.empty() ? label.name : label.name + " " + label.tag;
}

void Painter::DrawName(size_t index, float y) {
  const LayoutItem& item = layout_.items()[index];
  const bool heading = IsHeading(item.kind);
  const float inset = item.kind == LayoutItemKind::kProfileHeading ? 12
                      : item.kind == LayoutItemKind::kHostHeading  ? 22
                      : heading                                    ? 30
                                                                   : 46;
  float right = geo_.rows.x - Px(12);
  const float line = std::min(item.height, layout_.sizes().row);
  const float base = y + (heading ? item.height : line) / 2 + Px(4);
  if (const double busy = heading ? plan_.Utilisation(static_cast<uint32_t>(index)) : -1;
      busy >= 0) {
    TextAt(right, base, fmt::format("{:.1f} %", busy * 100), Role::kText, "text-anchor=\"end\"");
    right -= Px(56);
  }
  Name(geo_.all.x + Px(inset), right, base, NameOf(item),
       item.kind == LayoutItemKind::kProfileHeading ? Role::kAccent : Role::kText, heading);
}

void Painter::DrawNames() {
  const float top = model_.rows_below_sticky().y;
  const double content_top = model_.scroll() + static_cast<double>(top - geo_.rows.y);
  const auto [first, last] =
      layout_.Visible(model_.scroll(), model_.scroll() + static_cast<double>(geo_.rows.h));
  BeginClip("names");
  for (size_t i = first; i < last; ++i) {
    const LayoutItem& item = layout_.items()[i];
    if (model_.Sticks(i)) continue;
    const double y = IsHeading(item.kind)
                         ? item.y
                         : TextTop(item, content_top, static_cast<double>(layout_.sizes().row));
    DrawName(i, model_.YOf(y));
  }
  out_.Raw("</g>\n");
  BeginClip("top-names");
  for (const StickyItem& sticky : model_.sticky()) DrawName(sticky.item, model_.YOf(sticky.y));
  out_.Raw("</g>\n");
  out_.Line(geo_.rows.x - 0.5, geo_.ruler.y, geo_.rows.x - 0.5, geo_.rows.bottom(),
            Stroke(Role::kLine, 1));
}

// Sticky items cover the rows that scroll.
void Painter::DrawSticky() {
  const float end = model_.rows_below_sticky().y;
  if (end <= geo_.rows.y) return;
  out_.Rect({geo_.all.x, geo_.rows.y, geo_.all.w, end - geo_.rows.y}, Fill(Role::kPanel));
  BeginClip("all");
  for (size_t k = model_.sticky().size(); k-- > 0;) {
    const StickyItem& sticky = model_.sticky()[k];
    const LayoutItem& item = layout_.items()[sticky.item];
    out_.Rect({geo_.all.x, model_.YOf(sticky.y), geo_.all.w, item.height},
              Fill(IsHeading(item.kind) ? Role::kRaised : Role::kPanel));
  }
  out_.Raw("</g>");
  BeginClip("top");
  DrawRows(plan_.scrolling_rows(), plan_.rows().size());
  DrawLabels(true);
  out_.Raw("</g>\n");
}

void Painter::DrawFlows(const EventFlows& flows) {
  for (const FlowLine& line : flows.lines()) {
    const bool up = line.to.y < line.from.y;
    const auto [ax, bx] = ArrowEnds(line, Px(6));
    const float ay = up ? line.from.y : line.from.bottom();
    const float by = up ? line.to.bottom() + 2 : line.to.y - 2;
    const float bend = std::clamp(std::abs(by - ay) * 0.5f, Px(20), Px(120)) * (up ? -1.0f : 1.0f);
    const Role role = line.kind == FlowKind::kLaunch ? Role::kText : Role::kAccent;
    const float head = Px(5) * (up ? 1.6f : -1.6f), half = Px(4);
    out_.Raw(
        fmt::format("<path d=\"M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\" {}/>", ax,
                    ay, ax, ay + bend, bx, by - bend, bx, by, Stroke(role, 1.6f)));
    out_.Raw(fmt::format("<path d=\"M{:.1f} {:.1f}l{:.1f} {:.1f}h{:.1f}Z\" fill=\"{}\"/>", bx, by,
                         half, head, -2 * half, Fill(role)));
  }
}

void Painter::DrawPath() {
  out_.Raw("<g class=\"critical-path\">");
  for (const PathLine& line : model_.path().lines())
    out_.Line(line.x0, line.y0, line.x1, line.y1, Stroke(Role::kWarning, 2));
  for (const PathBox& box : model_.path().boxes())
    out_.Rect({box.x, box.y, box.w, box.h}, "none",
              fmt::format("stroke=\"{}\" stroke-width=\"2\"", Fill(Role::kWarning)));
  out_.Raw("</g>");
}

void Painter::DrawSelection() {
  const std::optional<EventPlace> place = model_.Place(in_.profiles, in_.view.selected);
  if (!place) return;
  out_.Rect({place->x - 1, place->y - 1, place->w + 2, place->h + 2}, "none",
            fmt::format("stroke=\"{}\" stroke-width=\"2\"", Fill(Role::kText)));
}

std::string Painter::Draw() {
  Begin();
  DrawTitle();
  DrawGrounds();
  DrawGrid();
  BeginClip("below");
  DrawRows(0, plan_.scrolling_rows());
  DrawLabels(false);
  out_.Raw("</g>\n");
  DrawSticky();
  DrawNames();
  DrawRuler();
  DrawSteps();
  DrawMeasured();
  BeginClip("rows");
  if (!model_.path().boxes().empty()) DrawPath();
  DrawFlows(model_.flows());
  DrawSelection();
  out_.Raw("</g>\n</svg>\n");
  return out_.text();
}

}  // namespace

float TopOfSvg(const TimelineGeometry& geometry) { return geometry.ruler.y - geometry.title.h; }

std::string ViewSvg(const ViewSvgInput& input) {
  if (input.profiles.empty() || !input.model.geometry().drawable()) return {};
  return Painter(input).Draw();
}

}  // namespace stepscope
