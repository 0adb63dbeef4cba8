#include "viewer/panels/query/query_plot.h"

#include <imgui.h>
#include <implot.h>

#include <cmath>
#include <utility>
#include <variant>

#include "model/base/digits.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/result_table_view.h"

namespace stepscope {
namespace {

bool IsNumeric(const ColumnDesc& column) {
  return column.type == ValueType::kInt || column.type == ValueType::kReal;
}

double PointOf(const Cell& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nan("");
}

// The unit that the numbers of a column are shown in; that of the table is for machines.
NumberFormat FormatOf(const ResultTable& table, int column) {
  return column < 0 ? NumberFormat() : ColumnFormat(table, static_cast<size_t>(column));
}

std::string LabelOf(const ResultTable& table, int column) {
  if (column < 0) return "row";
  const std::string unit = FormatOf(table, column).header;
  return table.columns[static_cast<size_t>(column)].label + (unit.empty() ? "" : " (" + unit + ")");
}

}  // namespace

bool QueryPlot::Can(const ResultTable& table) {
  for (const ColumnDesc& column : table.columns) {
    if (IsNumeric(column)) return !table.empty();
  }
  return false;
}

void QueryPlot::Choose(const ResultTable& table, const char* id, int* column, bool rows) {
  ImGui::SetNextItemWidth(BaseEm() * 11);
  if (!ImGui::BeginCombo(id, LabelOf(table, *column).c_str())) return;
  for (int c = rows ? -1 : 0; c < static_cast<int>(table.columns.size()); ++c) {
    if (c >= 0 && !IsNumeric(table.columns[static_cast<size_t>(c)])) continue;
    ImGui::PushID(c);
    if (ImGui::Selectable(LabelOf(table, c).c_str(), c == *column)) *column = c, stale_ = true;
    ImGui::PopID();
  }
  ImGui::EndCombo();
}

void QueryPlot::MakePoints(const ResultTable& table) {
  xs_.clear();
  ys_.clear();
  left_out_ = 0;
  const double x_scale = FormatOf(table, x_).scale, y_scale = FormatOf(table, y_).scale;
  for (size_t r = 0; r < table.size(); ++r) {
    const double x =
        x_ < 0 ? static_cast<double>(r) : PointOf(table.At(r, static_cast<size_t>(x_)));
    const double y = PointOf(table.At(r, static_cast<size_t>(y_)));
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    if (xs_.size() == kMost) {
      left_out_ = table.size() - r;
      break;
    }
    xs_.push_back(x * x_scale);
    ys_.push_back(y * y_scale);
  }
  x_label_ = LabelOf(table, x_);
  y_label_ = LabelOf(table, y_);
  fit_ = true;
  stale_ = false;
}

void QueryPlot::Draw(const PanelContext& context, const ResultTable& table, uint64_t key) {
  if (key != key_) {
    key_ = key;
    x_ = y_ = -1;
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (IsNumeric(table.columns[c])) x_ = y_, y_ = static_cast<int>(c);
    }
    stale_ = true;
  }
  if (stale_) MakePoints(table);
  ImGui::AlignTextToFramePadding();
  TextIn(context, Role::kText2, "Show");
  ImGui::SameLine();
  Choose(table, "##y", &y_, false);
  ImGui::SameLine();
  TextIn(context, Role::kText2, "over");
  ImGui::SameLine();
  Choose(table, "##x", &x_, true);
  ImGui::SameLine();
  ImGui::Checkbox("Lines", &lines_);
  if (left_out_ > 0) {
    ImGui::SameLine();
    TextIn(context, Role::kText3, "the first " + GroupDigits(kMost) + " rows");
  }
  constexpr ImPlotFlags kFlags = ImPlotFlags_NoLegend | ImPlotFlags_NoMenus | ImPlotFlags_NoTitle;
  if (!ImPlot::BeginPlot("##plot", ImVec2(-1, -1), kFlags)) return;
  ImPlot::SetupAxes(LabelOf(table, x_).c_str(), LabelOf(table, y_).c_str(), ImPlotAxisFlags_AutoFit,
                    ImPlotAxisFlags_AutoFit);
  const int count = static_cast<int>(xs_.size());
  const ImVec4 color = ImGui::ColorConvertU32ToFloat4(context.theme[Role::kAccent]);
  ImPlotSpec look;
  look.LineColor = look.MarkerFillColor = look.MarkerLineColor = color;
  look.Marker = ImPlotMarker_Circle;
  look.MarkerSize = 2;
  if (lines_)
    ImPlot::PlotLine("points", xs_.data(), ys_.data(), count, look);
  else
    ImPlot::PlotScatter("points", xs_.data(), ys_.data(), count, look);
  ImPlot::EndPlot();
}

}  // namespace stepscope
