#include "viewer/widgets/heat_map.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

constexpr int kScaleSteps = 24;

// From nearly the background to the colour of a warning. A value of 0 is told from one not known.
Rgba ColorOf(const Theme& theme, double value, double most) {
  if (std::isnan(value)) return theme[Role::kPanel];
  const double share = most > 0 ? std::clamp(value / most, 0.0, 1.0) : 0;
  const Rgba none = theme[Role::kRaised];
  if (share <= 0) return none;
  return Mix(Mix(none, theme[Role::kWarning], 0.2f), theme[Role::kWarning],
             static_cast<float>(share));
}

struct Places {
  float left, top, width, row, label;
  float Row(size_t r) const { return top + std::floor(static_cast<float>(r) * row); }
  float Column(size_t c, size_t columns) const {
    return left + std::floor(width * static_cast<float>(c) / static_cast<float>(columns));
  }
};

float TitleHeight() { return std::floor(Em() * 1.6f); }

Places PlacesOf(const HeatMapData& data, ImVec2 corner, float width, float height) {
  float label = 0;
  for (const std::string& row : data.rows) label = std::max(label, TextWidth(row));
  label = std::floor(std::min(label, width * 0.25f) + Em() * 0.7f);
  const float rows = height - TitleHeight();
  return {corner.x + label, corner.y, std::max(1.0f, width - label),
          rows / static_cast<float>(data.rows.size()), label};
}

double Larger(double a, double b) { return std::isnan(a) || b > a ? b : a; }

// The end of the rows that share a line of pixels with row r.
size_t EndOfLine(const HeatMapData& data, const Places& at, size_t r) {
  const float top = at.Row(r);
  size_t end = r + 1;
  while (end < data.rows.size() && at.Row(end) < top + 1) ++end;
  return end;
}

// The largest values of the rows [r, end), by column.
void MergeRows(const HeatMapData& data, size_t r, size_t end, std::vector<double>* line) {
  const size_t columns = data.columns.size();
  const auto row = [&](size_t i) {
    return data.values.begin() + static_cast<std::ptrdiff_t>(i * columns);
  };
  line->assign(row(r), row(r + 1));
  for (++r; r < end; ++r) std::transform(line->begin(), line->end(), row(r), line->begin(), Larger);
}

void DrawCells(const PanelContext& context, const HeatMapData& data, const Places& at) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float gap_x = at.width / static_cast<float>(data.columns.size()) > 4 ? 1.0f : 0.0f;
  const float gap_y = at.row > 4 ? 1.0f : 0.0f;
  std::vector<double> line;
  for (size_t r = 0; r < data.rows.size();) {
    const float top = at.Row(r);
    const size_t end = EndOfLine(data, at, r);
    MergeRows(data, r, end, &line);
    r = end;
    const float bottom = at.Row(r) - gap_y;
    for (size_t c = 0; c < data.columns.size();) {
      const float x0 = at.Column(c, data.columns.size());
      double value = line[c];
      for (++c; c < data.columns.size() && at.Column(c, data.columns.size()) < x0 + 1; ++c)
        value = Larger(value, line[c]);
      const float x1 = std::max(x0 + 1, at.Column(c, data.columns.size()) - gap_x);
      list->AddRectFilled({x0, top}, {x1, std::max(top + 1, bottom)},
                          ColorOf(context.theme, value, data.most));
    }
  }
}

// Labels of rows, as many as do not touch each other.
void DrawLabels(const PanelContext& context, const HeatMapData& data, const Places& at) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float line = ImGui::GetTextLineHeight();
  const auto every = static_cast<size_t>(std::max(1.0f, std::ceil(line / at.row)));
  for (size_t r = 0; r < data.rows.size(); r += every) {
    const float y = std::floor(at.Row(r) + std::max(0.0f, (at.row - line) * 0.5f));
    DrawCut(list, {at.left - at.label, y}, at.left - Em() * 0.3f, context.theme[Role::kText2],
            data.rows[r]);
  }
}

// The first and the last column, what columns are, and the scale of colours.
void DrawTitle(const PanelContext& context, const HeatMapData& data, const Places& at,
               const char* column_title, float y) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Rgba ink = context.theme[Role::kText3];
  const std::string columns =
      data.columns.size() == 1
          ? std::string(column_title) + " " + data.columns[0]
          : std::string(column_title) + "s " + data.columns.front() + " to " + data.columns.back();
  list->AddText({at.left, y}, ink, columns.c_str());
  const float right = at.left + at.width, box = std::floor(Em() * 0.4f);
  DrawRight(list, right, y, ink, data.unit_text);
  float x = right - TextWidth(data.unit_text) - Em() * 0.4f - box * kScaleSteps;
  if (data.most <= 0 || x < at.left + TextWidth(columns) + Em() * 2) return;
  DrawRight(list, x - Em() * 0.4f, y, ink, "0");
  for (int i = 0; i < kScaleSteps; ++i, x += box) {
    const double share = static_cast<double>(i) / (kScaleSteps - 1);
    DrawBox(list, x, y + Em() * 0.15f, box, Em() * 0.75f, ColorOf(context.theme, share, 1));
  }
}

}  // namespace

float HeatMapHeight(const HeatMapData& data, float most) {
  const float wanted = static_cast<float>(data.rows.size()) * std::floor(Em() * 1.4f);
  return std::floor(std::min(wanted + TitleHeight(), most));
}

HeatMapAnswer DrawHeatMap(const PanelContext& context, const HeatMapData& data,
                          const char* column_title) {
  HeatMapAnswer answer;
  if (data.rows.empty() || data.columns.empty()) return answer;
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = HeatMapHeight(data, ImGui::GetContentRegionAvail().y);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const Places at = PlacesOf(data, corner, width, height);
  answer.clicked = ImGui::InvisibleButton("##heat", {width, height});
  answer.hovered = ImGui::IsItemHovered();
  DrawCells(context, data, at);
  DrawLabels(context, data, at);
  DrawTitle(context, data, at, column_title,
            corner.y + height - TitleHeight() + std::floor(Em() * 0.3f));
  const ImVec2 mouse = ImGui::GetMousePos();
  const float x = mouse.x - at.left, y = mouse.y - at.top;
  const bool inside = x >= 0 && x < at.width && y >= 0 && at.Row(data.rows.size()) > mouse.y;
  answer.hovered = answer.hovered && inside;
  answer.clicked = answer.clicked && inside;
  if (!inside) return answer;
  const auto index = [](float place, size_t n) {
    return std::min(n - 1, static_cast<size_t>(std::max(0.0f, place)));
  };
  answer.cell = {
      index(y / at.row, data.rows.size()),
      index(x / at.width * static_cast<float>(data.columns.size()), data.columns.size())};
  // Several rows may share the line of pixels: the one with the largest value counts.
  size_t first = answer.cell.row;
  while (first > 0 && at.Row(first - 1) > at.Row(answer.cell.row) - 1) --first;
  const size_t end = EndOfLine(data, at, first);
  for (size_t r = answer.cell.row = first; r < end; ++r) {
    const double best = data.at(answer.cell.row, answer.cell.column);
    if (Larger(best, data.at(r, answer.cell.column)) > best || std::isnan(best))
      answer.cell.row = r;
  }
  if (answer.hovered) {
    const size_t r = answer.cell.row, c = answer.cell.column;
    ImGui::GetWindowDrawList()->AddRect({at.Column(c, data.columns.size()), at.Row(r)},
                                        {at.Column(c + 1, data.columns.size()), at.Row(r + 1)},
                                        context.theme[Role::kText]);
  }
  return answer;
}

}  // namespace stepscope
