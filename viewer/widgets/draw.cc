#include "viewer/widgets/draw.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "model/analysis/naming/short_label.h"

namespace stepscope {

float ScaledSize(float at_scale_1) {
  const ImGuiStyle& style = ImGui::GetStyle();
  return std::floor(at_scale_1 * style.FontScaleMain * style.FontScaleDpi + 0.5f);
}

Pen MakePen(const Theme& theme, const Fonts& fonts) {
  const ImGuiStyle& style = ImGui::GetStyle();
  return {ImGui::GetWindowDrawList(), theme, fonts, style.FontScaleMain * style.FontScaleDpi};
}

float Pen::Px(float at_scale_1) const { return std::floor(at_scale_1 * unit + 0.5f); }

float Pen::Width(ImFont* font, float size, std::string_view text) const {
  return font->CalcTextSizeA(Px(size), FLT_MAX, 0, text.data(), text.data() + text.size()).x;
}

float Pen::Text(ImFont* font, float size, float x, float y, Rgba color,
                std::string_view text) const {
  Letters(font, Px(size), {std::floor(x), std::floor(y)}, color, text);
  return std::floor(x) + Width(font, size, text);
}

float Pen::TextRight(ImFont* font, float size, float right, float y, Rgba color,
                     std::string_view text) const {
  const float x = std::floor(right - Width(font, size, text));
  Text(font, size, x, y, color, text);
  return x;
}

bool Pen::TextFit(ImFont* font, float size, float x, float right, float y, Rgba color,
                  std::string_view text, bool* whole) const {
  const float space = right - x;
  if (whole != nullptr) *whole = true;
  if (space <= 0) return false;
  if (Width(font, size, text) <= space) {
    Text(font, size, x, y, color, text);
    return true;
  }
  if (whole != nullptr) *whole = false;
  const char* end = text.data();
  const float room = std::max(0.0f, space - Width(font, size, kEllipsis));
  font->CalcTextSizeA(Px(size), room, 0, text.data(), text.data() + text.size(), &end);
  const std::string_view cut = CutEnd(text, static_cast<size_t>(end - text.data()));
  if (cut.size() < 2) return false;
  Text(font, size, Text(font, size, x, y, color, cut), y, color, kEllipsis);
  return true;
}

void Pen::HLine(float x0, float x1, float y, Rgba color) const {
  Fill({x0, std::floor(y)}, {x1, std::floor(y) + 1}, color, 0, {});
}

void Pen::VLine(float x, float y0, float y1, Rgba color) const {
  Fill({std::floor(x), y0}, {std::floor(x) + 1, y1}, color, 0, {});
}

void Pen::Box(float x, float y, float w, float h, Rgba color, float rounding,
              std::string_view title) const {
  // Dear ImGui takes corners back that do not fit, but then still smooths the edges.
  const float fits = std::min(rounding, std::min(w, h) / 2 - 1);
  Fill({x, y}, {x + w, y + h}, color, fits < 0.5f ? 0 : rounding, title);
}

void Pen::Fill(ImVec2 min, ImVec2 max, Rgba color, float rounding, std::string_view) const {
  list->AddRectFilled(min, max, color, rounding);
}

void Pen::Frame(float x, float y, float w, float h, Rgba color, float rounding,
                float thickness) const {
  list->AddRect({x, y}, {x + w, y + h}, color, rounding, thickness);
}

void Pen::Triangle(ImVec2 a, ImVec2 b, ImVec2 c, Rgba color) const {
  list->AddTriangleFilled(a, b, c, color);
}

void Pen::Line(ImVec2 a, ImVec2 b, Rgba color, float thickness) const {
  list->AddLine(a, b, color, thickness);
}

void Pen::Curve(ImVec2 a, ImVec2 c, ImVec2 d, ImVec2 b, Rgba color, float thickness) const {
  list->AddBezierCubic(a, c, d, b, color, thickness);
}

void Pen::Disc(ImVec2 middle, float radius, Rgba color) const {
  list->AddCircleFilled(middle, radius, color);
}

void Pen::Circle(ImVec2 middle, float radius, Rgba color, float thickness) const {
  list->AddCircle(middle, radius, color, 0, thickness);
}

void Pen::Hatch(texel::Pattern pattern, ImVec2 min, ImVec2 max, Rgba color) const {
  DrawHatching(list, pattern, min, max, color);
}

void Pen::Letters(ImFont* font, float pixels, ImVec2 at, Rgba color, std::string_view text) const {
  list->AddText(font, pixels, at, color, text.data(), text.data() + text.size());
}

void Pen::PushClip(float x, float y, float right, float bottom) const {
  list->PushClipRect({x, y}, {right, bottom}, true);
}

void Pen::PopClip() const { list->PopClipRect(); }

bool IconButton(const char* id, const char* icon, const char* fallback, const char* tooltip,
                bool on, const Fonts& fonts, const Theme& theme, float size) {
  const Pen pen = MakePen(theme, fonts);
  const ImVec2 p = ImGui::GetCursorScreenPos();
  const bool pressed = ImGui::InvisibleButton(id, {size, size});
  const bool hovered = ImGui::IsItemHovered();
  if (on || hovered)
    pen.Box(p.x, p.y, size, size, on ? theme[Role::kAccentBg] : theme[Role::kHover], pen.Px(4));
  const char* text = fonts.icons ? icon : fallback;
  const float width = pen.Width(fonts.ui, TypeSize::kUi, text);
  const Rgba color = on ? theme[Role::kAccent] : hovered ? theme[Role::kText] : theme[Role::kText2];
  pen.Text(fonts.ui, TypeSize::kUi, p.x + (size - width) / 2,
           p.y + (size - pen.Px(TypeSize::kUi)) / 2, color, text);
  if (hovered && ImGui::BeginTooltip()) {
    ImGui::TextUnformatted(tooltip);
    ImGui::EndTooltip();
  }
  return pressed;
}

std::string_view MiddleCut(std::string_view text, float width, char* buffer, size_t size,
                           double head_share) {
  const auto measure = [](std::string_view t) {
    return ImGui::CalcTextSize(t.data(), t.data() + t.size()).x;
  };
  if (measure(text) <= width || text.size() + 4 > size) return text;
  size_t keep = text.size();
  while (keep > 8) {
    keep -= std::max<size_t>(1, keep / 16);
    auto head = static_cast<size_t>(static_cast<double>(keep) * head_share);
    size_t tail = text.size() - (keep - head);
    while (head > 0 && (static_cast<unsigned char>(text[head]) & 0xc0u) == 0x80u) --head;
    while (tail < text.size() && (static_cast<unsigned char>(text[tail]) & 0xc0u) == 0x80u) ++tail;
    std::memcpy(buffer, text.data(), head);
    std::string_view(kEllipsis).copy(buffer + head, 3);
    std::memcpy(buffer + head + 3, text.data() + tail, text.size() - tail);
    const std::string_view out(buffer, head + 3 + text.size() - tail);
    if (measure(out) <= width) return out;
  }
  return kEllipsis;
}

}  // namespace stepscope
