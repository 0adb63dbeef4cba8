// The part of ResultTableView that gives columns their widths.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/result_table_view.h"

namespace stepscope {
namespace {

constexpr float kRoomForBars = 36;  // em
constexpr float kLeastName = 10;    // em

}  // namespace

// The width that the scroll bar for rows takes, as the last frame drew it.
float ResultTableView::Scrollbar() const {
  return rows_scroll_ ? ImGui::GetStyle().ScrollbarSize : 0;
}

void ResultTableView::MeasureColumns(const PanelContext& context, const ResultTable& table,
                                     const TableOptions& options) {
  const float room = ImGui::GetContentRegionAvail().x - Scrollbar();
  if (measured_at_ == Em() && measured_width_ == room) return;
  measured_at_ = Em();
  measured_width_ = room;
  bars_ = room >= Em() * kRoomForBars;
  // Columns that can be resized have a line of one pixel between them.
  const float pad = ImGui::GetStyle().CellPadding.x * 2 + 1;
  min_width_ = 0;
  for (Column& column : columns_) {
    const ColumnDesc& desc = table.columns[static_cast<size_t>(column.data)];
    float header = TextWidth(desc.label) + Em() * 1.3f;  // room for the arrow
    if (column.format.header[0] != 0) header += TextWidth(column.format.header) + Em() * 0.35f;
    float cell = 0;
    if (column.numeric) {
      const FaceScope mono(context, Face::kMono);
      std::array<char, 64> buffer{};
      cell = TextWidth(WriteNumber(column.max_abs, column.format, buffer)) +
             (column.bar && bars_ ? Em() * 4.5f : 0);
    } else if (column.widest_row >= 0) {
      const auto row = static_cast<size_t>(column.widest_row);
      const std::string_view text = table.ShownText(row, column.data);
      const bool shortened = column.name && options.shorten_names;
      cell = TextWidth(shortened ? ShortName(text, static_cast<uint32_t>(row)) : text);
    } else if (desc.type == ValueType::kBool) {
      cell = Em() * 3;
    }
    column.stretch = column.name || cell > Em() * 16;
    if (column.stretch) {
      // A name needs some 20 letters to be told apart; more if there is room, even though other
      // columns are then reached by scrolling.
      const float named = std::clamp(room * 0.22f, Em() * 13, Em() * 26);
      const float least = column.name ? named : Em() * 8;
      column.width = std::max(header, std::min(cell + (column.name ? Em() * 1.4f : 0), least));
    } else {
      column.width = std::max(header, cell);
    }
    column.width = std::ceil(column.width);
    if (!column.hidden) min_width_ += column.width + pad;
  }
  FitName(room, pad);
}

// Where not all columns have room, the name gets what leaves the others whole: a column is in sight
// or behind the edge, but not cut by it. Without a name the first text is made wider for that.
void ResultTableView::FitName(float room, float pad) {
  fitted_ = false;
  const auto find = [&](auto is) {
    return std::find_if(columns_.begin(), columns_.end(),
                        [&](const Column& c) { return !c.hidden && is(c); });
  };
  auto name = find([](const Column& c) { return c.name; });
  const bool named = name != columns_.end();
  if (!named) name = find([](const Column& c) { return !c.numeric; });
  if (min_width_ <= room || name == columns_.end()) return;
  const float least = (named ? Em() * kLeastName : name->width) + pad;
  float others = 0;  // the columns that are in sight beside the name
  for (const Column& column : columns_) {
    if (column.hidden || &column == &*name) continue;
    if (others + column.width + pad + least > room) break;
    others += column.width + pad;
  }
  const float width = std::floor(std::max(least, room - others)) - pad;
  min_width_ += width - name->width;
  name->width = width;
  // Widths that the user has chosen stay while the room does.
  fitted_ = fitted_room_ != room || fitted_columns_ != columns_key_;
  fitted_room_ = room;
  fitted_columns_ = columns_key_;
}

// Dear ImGui keeps the widths of a table's first frame, in which the room may have been another.
void ResultTableView::SetFittedWidths() {
  if (!std::exchange(fitted_, false)) return;
  ImGuiTable* state = ImGui::GetCurrentContext()->CurrentTable;
  for (size_t i = 0; i < columns_.size(); ++i) {
    ImGuiTableColumn& column = state->Columns[static_cast<int>(i)];
    if (columns_[i].stretch) column.StretchWeight = columns_[i].width;
    if (!columns_[i].stretch) column.WidthRequest = columns_[i].width;
  }
}

}  // namespace stepscope
