// The part of ResultTableView that draws rows: cells, totals and the row menu; and that gives
// columns their widths.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "model/analysis/naming/short_label.h"
#include "model/base/digits.h"
#include "viewer/widgets/draw.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/result_table_view.h"

namespace stepscope {
namespace {

constexpr std::string_view kDash = "\u2013";

// The rectangle that a cell may draw in.
struct CellBox {
  float left, right, y;
};

CellBox CurrentCell() {
  const ImVec2 p = ImGui::GetCursorScreenPos();
  return {p.x, p.x + ImGui::GetContentRegionAvail().x, p.y};
}

void DrawBool(const PanelContext& context, bool value) {
  const CellBox cell = CurrentCell();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float mark = Em() * 0.62f;
  const Rgba dim = context.theme[Role::kText3];
  if (value) {
    ImGui::RenderCheckMark(list, ImVec2(cell.left, cell.y + Em() * 0.2f),
                           context.theme[Role::kGood], mark);
  } else {
    list->AddText(ImVec2(cell.left + mark * 0.2f, cell.y), dim, kDash.data(),
                  kDash.data() + kDash.size());
  }
  DrawCut(list, ImVec2(cell.left + Em() * 1.1f, cell.y), cell.right,
          value ? context.theme[Role::kText] : dim, value ? "yes" : "no");
}

// The value as a fraction of 100 for percentages, else of the column's largest value.
void DrawShareBar(const PanelContext& context, double value, double whole, Rgba fill,
                  float number_width) {
  const CellBox cell = CurrentCell();
  const float width = cell.right - cell.left - number_width - Em() * 0.6f;
  if (width < Em()) return;
  const float height = std::floor(Em() * 0.5f);
  const float y = cell.y + std::floor((ImGui::GetTextLineHeight() - height) * 0.5f);
  const double share = whole > 0 && std::isfinite(value) ? std::clamp(value / whole, 0.0, 1.0) : 0;
  ImDrawList* list = ImGui::GetWindowDrawList();
  DrawBox(list, cell.left, y, width, height, context.theme[Role::kHover], 2);
  if (share > 0)
    DrawBox(list, cell.left, y, std::max(2.0f, width * static_cast<float>(share)), height, fill, 2);
}

}  // namespace

std::string_view ResultTableView::ShortName(std::string_view text, uint32_t row) {
  if (row >= short_names_.size()) return text;
  std::string& name = short_names_[row];
  if (name.empty()) {
    name = MakeShortForms(text).middle;
    if (name.empty()) name = text;
  }
  return name;
}

void ResultTableView::DrawName(const PanelContext& context, const NameText& name,
                               const TableOptions& options, const Column& column, uint32_t row) {
  const std::string_view text = name.shown;
  const CellBox cell = CurrentCell();
  ImDrawList* list = ImGui::GetWindowDrawList();
  float left = cell.left;
  if (column.name) {
    const float chip = std::floor(Em() * 0.7f);
    const float y = cell.y + std::floor((ImGui::GetTextLineHeight() - chip) * 0.5f);
    DrawBox(list, left, y, chip, chip,
            options.color ? options.color(std::string(text)) : context.theme.NameColor(text), 2);
    left += chip + Em() * 0.6f;
  }
  const std::string_view shown = column.name && options.shorten_names ? ShortName(text, row) : text;
  if (shown.empty() && column.name) {
    DrawCut(list, ImVec2(left, cell.y), cell.right, context.theme[Role::kText3], "(no name)");
    return;
  }
  Role role = Role::kText;
  for (const ColoredWord& word : options.words) role = text == word.word ? word.role : role;
  // The end of a path matters more than its beginning: "gradient_tape/.../MatMul". Other names are
  // known by their beginning, and by their end where beginnings are alike.
  std::array<char, 512> buffer{};
  const double head = shown.find('/') != std::string::npos ? 1.0 / 3 : 2.0 / 3;
  const std::string_view text_here =
      column.name ? MiddleCut(shown, cell.right - left, buffer.data(), buffer.size(), head) : shown;
  const bool cut_here =
      DrawCut(list, ImVec2(left, cell.y), cell.right, context.theme[role], text_here);
  const bool cut = cut_here || text_here.data() != shown.data();
  const ImRect area(cell.left, cell.y, cell.right, cell.y + ImGui::GetTextLineHeight());
  const bool whole = !cut && shown == name.raw;
  if (!whole && ImGui::IsWindowHovered() && area.Contains(ImGui::GetMousePos()) &&
      list->_CmdHeader.ClipRect.w > area.Min.y && ImGui::BeginTooltip()) {
    ImGui::PushTextWrapPos(Em() * 50);
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
    if (name.raw != text)
      ImGui::TextUnformatted(name.raw.data(), name.raw.data() + name.raw.size());
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
  }
}

void ResultTableView::DrawCell(const PanelContext& context, const ResultTable& table,
                               const TableOptions& options, const Column& column, uint32_t row) {
  const auto c = static_cast<size_t>(column.data);
  const Cell value = table.At(row, c);
  if (column.numeric) {
    const FaceScope mono(context, Face::kMono);
    std::array<char, 64> buffer{};
    const std::string_view text = WriteNumber(NumberOf(value), column.format, buffer);
    if (column.bar && bars_ && std::isfinite(NumberOf(value))) {
      const std::string_view label =
          table.ShownText(row, std::max(table.Column(options.name_column), 0));
      const Rgba fill =
          label.data() != nullptr ? context.theme.NameColor(label) : context.theme[Role::kAccent];
      const double whole = table.columns[c].unit == Unit::kPercent ? 100 : column.max_abs;
      DrawShareBar(context, NumberOf(value), whole, fill, Em() * 4);
    }
    const CellBox cell = CurrentCell();
    const bool dim = column.bar || (!column.additive && !column.format.header[0]);
    DrawRight(ImGui::GetWindowDrawList(), cell.right, cell.y,
              context.theme[dim ? Role::kText2 : Role::kText], text);
    return;
  }
  if (const auto* b = std::get_if<bool>(&value)) {
    DrawBool(context, *b);
  } else if (const auto* s = std::get_if<std::string_view>(&value)) {
    DrawName(context, {*s, table.ShownText(row, column.data)}, options, column, row);
  }
}

void ResultTableView::DrawRow(const PanelContext& context, const ResultTable& table,
                              const TableOptions& options, uint32_t position, float height) {
  const uint32_t row = order_[position];
  ImGui::TableNextRow(ImGuiTableRowFlags_None, height);
  bool has_selectable = false;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
    if (!has_selectable) {
      has_selectable = true;
      const ImVec2 start = ImGui::GetCursorPos();
      constexpr ImGuiSelectableFlags kFlags = ImGuiSelectableFlags_SpanAllColumns |
                                              ImGuiSelectableFlags_AllowOverlap |
                                              ImGuiSelectableFlags_AllowDoubleClick;
      const float inner = height - ImGui::GetStyle().CellPadding.y * 2;
      const bool chosen = row < selected_.size() && selected_[row] != 0;
      if (ImGui::Selectable("##row", chosen, kFlags, ImVec2(0, inner))) {
        HandleClick(position);
        if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) ShowOnTimeline(context, table);
      }
      if (ImGui::IsItemClicked(ImGuiMouseButton_Right)) {
        if (!chosen) HandleClick(position);
        const int hovered = ImGui::TableGetHoveredColumn();
        const bool valid = hovered >= 0 && static_cast<size_t>(hovered) < columns_.size();
        menu_column_ = valid ? columns_[static_cast<size_t>(hovered)].data : -1;
        current_ = static_cast<int>(row);
      }
      ImGui::SetCursorPos(start);
    }
    DrawCell(context, table, options, columns_[i], row);
  }
}

void ResultTableView::DrawTotals(const PanelContext& context, const ResultTable& table,
                                 const TableOptions& options, float y) {
  ImGui::SetCursorScreenPos(ImVec2(ImGui::GetCursorScreenPos().x, y));
  const ImVec2 p = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = RowHeight();
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(p, ImVec2(p.x + width, p.y + height), context.theme[Role::kRaised]);
  list->AddLine(p, ImVec2(p.x + width, p.y), context.theme[Role::kLine]);
  list->PushClipRect(p, ImVec2(p.x + width, p.y + height), true);
  const float pad = ImGui::GetStyle().CellPadding.x;
  const float text_y = p.y + std::floor((height - ImGui::GetTextLineHeight()) * 0.5f);
  float first_number = p.x + width;
  {
    const FaceScope mono(context, Face::kMonoBold);
    std::array<char, 64> buffer{};
    for (size_t i = 0; i < columns_.size(); ++i) {
      const Column& column = columns_[i];
      if (!column.additive || column_right_[i] <= column_left_[i]) continue;
      const std::string_view text = WriteNumber(column.total, column.format, buffer);
      const float right = column_right_[i] - pad;
      DrawRight(list, right, text_y, context.theme[Role::kText], text);
      first_number = std::min(first_number, right - TextWidth(text));
    }
  }
  std::string label = "Total";
  if (order_.size() < table.size()) label += " of " + options.Counted(order_.size());
  DrawCut(list, ImVec2(p.x + pad, text_y), first_number - Em() * 0.5f, context.theme[Role::kText2],
          label);
  list->PopClipRect();
  ImGui::Dummy(ImVec2(width, height));
}

std::string TableOptions::Counted(size_t n) const { return stepscope::Counted(n, noun); }

std::string_view ResultTableView::NameOf(const ResultTable& table, const TableOptions& options,
                                         size_t row) {
  if (row >= table.size()) return {};
  return TextAt(table, row, table.Column(options.name_column));
}

void ResultTableView::FindMenuEvents(const PanelContext& context, const ResultTable& table,
                                     const TableOptions& options, size_t row) {
  menu_events_ = {};
  filter_asked_ = false;
  menu_job_.Stop();
  if (context.profile == nullptr) return;
  const Profile* of = FindProfile(context.profiles, ProfileOfRow(context, row));
  if (of == nullptr) return;
  std::string name(NameOf(table, options, row));
  menu_job_.Start(
      context.jobs,
      [profile = *of, link = row < table.links.size() ? table.links[row] : RowLink(),
       name = std::move(name)](Progress&) { return FindRowEvents(profile, link, name); });
}

void ResultTableView::FilterTimeline(const PanelContext& context, const ResultTable& table) const {
  CommandArgs search, note;
  if (menu_events_.query.empty()) {
    if (menu_events_.listed) {
      ShowOnTimeline(context, table);
    } else {  // the user chose it before the events were found
      note.text = "This row has no events on the timeline.";
      context.commands.Push("app.note", std::move(note));
    }
    return;
  }
  search.text = menu_events_.query;
  note.text = menu_events_.what;
  context.commands.Push("search.set", std::move(search));
  context.commands.Push("app.note", std::move(note));
}

// If the user clicks before the row's events are found, the filter is applied when they are.
void ResultTableView::TakeMenuEvents(const PanelContext& context, const ResultTable& table) {
  std::optional<RowEvents> found = menu_job_.Take();
  if (!found) return;
  menu_events_ = std::move(*found);
  if (filter_asked_) FilterTimeline(context, table);
  filter_asked_ = false;
}

void ResultTableView::DrawFilterItem(const PanelContext& context, const ResultTable& table) {
  const bool looking = menu_job_.active();
  const bool any = !menu_events_.query.empty() || menu_events_.listed;
  if (ImGui::MenuItem("Filter timeline to this", nullptr, false, any || looking)) {
    filter_asked_ = looking;
    if (!looking) FilterTimeline(context, table);
  }
  if (any) ImGui::SetItemTooltip("%s", menu_events_.what.c_str());
}

void ResultTableView::DrawRowMenu(const PanelContext& context, const ResultTable& table,
                                  const TableOptions& options) {
  // Opened by hand: every row shares one popup, so that the rows of the clipper need not stay
  // alive.
  const bool over_row = menu_column_ >= -1 && current_ >= 0 && ImGui::IsWindowHovered() &&
                        ImGui::TableGetHoveredRow() > 0 &&
                        ImGui::IsMouseReleased(ImGuiMouseButton_Right);
  if (over_row) {
    ImGui::OpenPopup("row menu");
    const auto row = static_cast<size_t>(current_);
    FindMenuEvents(context, table, options, row);
  }
  TakeMenuEvents(context, table);
  if (!ImGui::BeginPopup("row menu")) return;
  const int current = current_;
  if (current < 0 || static_cast<size_t>(current) >= table.size()) {
    ImGui::EndPopup();
    return;
  }
  const auto row = static_cast<size_t>(current);
  uint64_t events = 0;
  for (size_t r = 0; r < std::min(selected_.size(), table.links.size()); ++r) {
    if (selected_[r] != 0) events += table.links[r].total;
  }
  const std::string label = "Show on timeline (" + GroupDigits(events) + ")###show";
  const bool linked = events > 0 || (row < table.links.size() && !table.links[row].range.empty());
  if (ImGui::MenuItem(label.c_str(), "Enter", false, linked)) ShowOnTimeline(context, table);
  const bool steps = context.profile != nullptr && !context.profile->Steps().empty();
  if (ImGui::MenuItem("Share of each step", nullptr, false, events > 0 && steps)) {
    ShowOnTimeline(context, table);
    context.commands.Push("panel.show", {.text = "selection/step"});
  }
  ImGui::SetItemTooltip("Adds these events up by step: their time, and their share of its length");
  const std::string_view name = NameOf(table, options, row);
  DrawFilterItem(context, table);
  ImGui::Separator();
  if (ImGui::MenuItem("Copy name", nullptr, false, !name.empty()))
    context.services.SetClipboard(std::string(name));
  const bool has_cell =
      menu_column_ >= 0 && static_cast<size_t>(menu_column_) < table.columns.size();
  if (ImGui::MenuItem("Copy cell", nullptr, false, has_cell)) {
    context.services.SetClipboard(RawValue(table.At(row, static_cast<size_t>(menu_column_))));
  }
  if (ImGui::MenuItem("Copy rows", "Ctrl+C")) context.services.SetClipboard(SelectedTsv(table));
  ImGui::Separator();
  if (ImGui::MenuItem("Export CSV\u2026")) Export(context, table, false);
  if (ImGui::MenuItem("Export JSON\u2026")) Export(context, table, true);
  if (has_cell && !table.columns[static_cast<size_t>(menu_column_)].how.empty()) {
    ImGui::Separator();
    const ColumnDesc& column = table.columns[static_cast<size_t>(menu_column_)];
    TextIn(context, Role::kText2, column.label + ": " + column.how);
  }
  ImGui::EndPopup();
}

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
