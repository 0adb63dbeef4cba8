#include "viewer/widgets/tree_table_view.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <queue>
#include <string>
#include <utility>

#include "viewer/core/state/view_state.h"
#include "viewer/widgets/result_table_view.h"
#include "viewer/widgets/row_events.h"
#include "viewer/widgets/table_filter.h"

namespace stepscope {

TreeRows::TreeRows(const ResultTable& table, int depth_column) {
  const auto count = static_cast<uint32_t>(table.size());
  parent_.assign(count, kNone);
  end_.assign(count, count);
  open_.assign(count, 0);
  std::vector<std::pair<double, uint32_t>> above;  // depth and row
  first_child_.assign(count + 2, 0);
  for (uint32_t row = 0; row < count; ++row) {
    const double depth = depth_column < 0 ? 0 : NumberAt(table, row, depth_column);
    for (; !above.empty() && above.back().first >= depth; above.pop_back())
      end_[above.back().second] = row;
    parent_[row] = above.empty() ? kNone : above.back().second;
    above.emplace_back(depth, row);
    ++first_child_[std::min(parent_[row], count) + 1];
  }
  for (uint32_t row = 0; row <= count; ++row) first_child_[row + 1] += first_child_[row];
  children_.resize(count);
  std::vector<uint32_t> next(first_child_);
  for (uint32_t row = 0; row < count; ++row) children_[next[std::min(parent_[row], count)]++] = row;
}

std::span<const uint32_t> TreeRows::Children(uint32_t row) const {
  return std::span(children_).subspan(first_child_[row], first_child_[row + 1] - first_child_[row]);
}

uint32_t TreeRows::depth(uint32_t row) const {
  uint32_t depth = 0;
  while ((row = parent_[row]) != kNone) ++depth;
  return depth;
}

void TreeRows::SetOpen(uint32_t row, bool open) {
  if (filtered_ || leaf(row)) return;
  open_[row] = open ? 1 : 0;
  changed_ = true;
}

void TreeRows::OpenParents(uint32_t row) {
  for (row = parent_[row]; row != kNone; row = parent_[row]) SetOpen(row, true);
}

void TreeRows::OpenLargest(const ResultTable& table, int column, size_t rows) {
  std::priority_queue<std::pair<double, uint32_t>> largest;
  size_t shown = 0;
  const auto add = [&](uint32_t row) {
    for (const uint32_t child : Children(row)) {
      ++shown;
      if (!leaf(child)) largest.emplace(NumberAt(table, child, std::max(column, 0)), ~child);
    }
  };
  add(static_cast<uint32_t>(size()));
  while (!largest.empty()) {
    const uint32_t row = ~largest.top().second;
    largest.pop();
    if (shown + Children(row).size() > rows) continue;
    SetOpen(row, true);
    add(row);
  }
}

void TreeRows::Filter(const std::function<bool(size_t row)>& matches) {
  filtered_ = static_cast<bool>(matches);
  changed_ = true;
  kept_.assign(filtered_ ? size() : 0, 0);
  for (uint32_t row = 0; row < kept_.size(); ++row) {
    const bool inside = parent_[row] != kNone && kept_[parent_[row]] == 2;
    if (inside || matches(row)) kept_[row] = 2;
  }
  for (auto row = static_cast<uint32_t>(kept_.size()); row-- > 0;) {
    if (kept_[row] != 0 && parent_[row] != kNone)
      kept_[parent_[row]] = std::max<uint8_t>(kept_[parent_[row]], 1);
  }
}

void TreeRows::Sort(const ResultTable& table, int column, bool descending) {
  changed_ = true;
  for (size_t row = 0; row + 1 < first_child_.size(); ++row) {
    const auto begin = children_.begin() + first_child_[row];
    const auto end = children_.begin() + first_child_[row + 1];
    std::sort(begin, end);
    if (column < 0) continue;
    const auto c = static_cast<size_t>(column);
    if (table.columns[c].type == ValueType::kString) {
      std::stable_sort(begin, end, [&](uint32_t a, uint32_t b) {
        const std::string_view x = table.ShownText(a, column), y = table.ShownText(b, column);
        return descending ? y < x : x < y;
      });
      continue;
    }
    std::stable_sort(begin, end, [&](uint32_t a, uint32_t b) {
      const double x = NumberAt(table, a, column), y = NumberAt(table, b, column);
      return descending ? y < x : x < y;
    });
  }
}

std::span<const uint32_t> TreeRows::Shown() {
  if (!std::exchange(changed_, false) || first_child_.empty()) return shown_;
  shown_.clear();
  std::vector<uint32_t> next;
  const auto push = [&](uint32_t row) {
    const auto children = Children(row);
    for (size_t i = children.size(); i-- > 0;) {
      if (!filtered_ || kept_[children[i]] != 0) next.push_back(children[i]);
    }
  };
  push(static_cast<uint32_t>(size()));
  while (!next.empty()) {
    const uint32_t row = next.back();
    next.pop_back();
    shown_.push_back(row);
    if (open(row)) push(row);
  }
  return shown_;
}

namespace {

constexpr size_t kRowsAtFirst = 24;

float RowHeight() {
  return std::floor(ImGui::GetTextLineHeight() + ImGui::GetStyle().CellPadding.y * 2 +
                    Em() * 0.25f);
}

float IndentOf(uint32_t depth) { return Em() * 1.15f * static_cast<float>(depth); }
// The shown leaf with the largest value of the column; -1: there is none.
int LargestLeaf(const ResultTable& table, TreeRows& tree, int column) {
  int largest = -1;
  double most = 0;
  for (const uint32_t row : tree.Shown()) {
    const double value = column < 0 ? 0 : NumberOf(table.At(row, static_cast<size_t>(column)));
    const bool linked = row < table.links.size() && !table.links[row].rows.empty();
    if (!tree.leaf(row) || !linked || !(value > most)) continue;
    largest = static_cast<int>(row);
    most = value;
  }
  return largest;
}

float ArrowWidth() { return Em() * 1.2f; }

}  // namespace

void TreeTableView::SetFilter(std::string_view text) {
  filter_[text.copy(filter_.data(), filter_.size() - 1)] = 0;
  filter_changed_ = true;
}

void TreeTableView::DrawToolbar(const PanelContext& context, const ResultTable& table) {
  const FaceScope small(context, Face::kUi);
  const float room = ImGui::GetContentRegionAvail().x;
  ImGui::SetNextItemWidth(std::clamp(room * 0.5f, Em() * 7, Em() * 18));
  if (ImGui::InputTextWithHint("##filter", "Filter: fusion  >100us", filter_.data(),
                               filter_.size()))
    filter_changed_ = true;
  if (filter_[0] != 0) {
    ImGui::SameLine(0, Em() * 0.3f);
    if (ImGui::Button(context.fonts.icons ? icon::kClose : "x")) SetFilter({});
  }
  ImGui::SameLine(0, Em() * 0.3f);
  if (ImGui::Button("Export"))
    context.commands.Push("file.export", {.text = table.id + ".csv", .contents = ToCsv(table)});
  ImGui::SetItemTooltip("All rows and columns, as `stepscope report --format csv` writes them");
}

void TreeTableView::Prepare(const ResultTable& table, uint64_t key,
                            const TreeTableOptions& options) {
  if (key == key_ && tree_.size() == table.size()) return;
  key_ = key;
  name_ = std::max(table.Column(options.name_column), 0);
  tree_ = TreeRows(table, table.Column(options.depth_column));
  tree_.OpenLargest(table, table.Column(options.size_column), kRowsAtFirst);
  sorted_ = -1;
  size_ = table.Column(options.size_column);
  current_ = LargestLeaf(table, tree_, size_);
  filter_changed_ = true;
  columns_.clear();
  for (const char* id : options.columns) {
    const int c = table.Column(id);
    if (c < 0) continue;
    const ColumnDesc& desc = table.columns[static_cast<size_t>(c)];
    Column column{.data = c, .format = ColumnFormat(table, static_cast<size_t>(c))};
    column.numeric = desc.type != ValueType::kString;
    column.bar = DimensionOf(desc.unit) == Dimension::kPercent;
    columns_.push_back(column);
  }
}

void TreeTableView::ApplyFilter(const ResultTable& table) {
  if (!filter_changed_) return;
  filter_changed_ = false;
  const TableFilter filter = TableFilter::Parse(filter_.data(), table);
  if (filter.empty()) {
    tree_.Filter({});
    if (current_ >= 0) tree_.OpenParents(static_cast<uint32_t>(current_));
  } else {
    tree_.Filter([&](size_t row) { return filter.Matches(table, row); });
  }
  const std::span<const uint32_t> shown = tree_.Shown();
  if (std::find(shown.begin(), shown.end(), static_cast<uint32_t>(current_)) == shown.end())
    current_ = LargestLeaf(table, tree_, size_);
  scroll_ = true;
}

void TreeTableView::TakeSort(const ResultTable& table) {
  ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
  if (specs == nullptr || !specs->SpecsDirty) return;
  specs->SpecsDirty = false;
  const bool any = specs->SpecsCount > 0;
  const int column = any ? static_cast<int>(specs->Specs[0].ColumnUserID) - 1 : -1;
  const bool descending = any && specs->Specs[0].SortDirection == ImGuiSortDirection_Descending;
  if (column == sorted_ && descending == descending_) return;
  sorted_ = column;
  descending_ = descending;
  tree_.Sort(table, column, descending);
}

CommandArgs TreeTableView::EventsOf(const PanelContext& context, const ResultTable& table,
                                    const TreeRows& tree, uint32_t row) {
  CommandArgs args;
  if (context.profile == nullptr) return args;
  args.profile = context.profile->id;
  for (uint32_t r = row; r < tree.end(row) && r < table.links.size(); ++r)
    AddEvents(context.profile->id, table.links[r], &args);
  return args;
}

void TreeTableView::Draw(const PanelContext& context, const ResultTable& table, uint64_t key,
                         const TreeTableOptions& options) {
  const FaceScope small(context, Face::kUi);
  Prepare(table, key, options);
  ApplyFilter(table);
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Resizable | ImGuiTableFlags_Hideable |
                                     ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate |
                                     ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_ScrollX |
                                     ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingFixedFit |
                                     ImGuiTableFlags_NoBordersInBody | ImGuiTableFlags_PadOuterX;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImGuiStyle& style = ImGui::GetStyle();
  const float bar = room.x > Em() * 70 ? 8 : 5;  // in em: without room there are numbers alone
  float numbers = style.ScrollbarSize;
  for (Column& column : columns_) {
    const ColumnDesc& desc = table.columns[static_cast<size_t>(column.data)];
    const float heading = TextWidth(desc.label) + TextWidth(column.format.header) + Em() * 1.6f;
    column.width = std::ceil(std::max(heading, Em() * (column.bar ? bar : 5.0f)));
    numbers += column.width + style.CellPadding.x * 2;
  }
  const float name = std::max(room.x - numbers, std::clamp(room.x * 0.4f, Em() * 14, Em() * 24));
  const ImVec2 size(0, std::max(room.y, RowHeight() * 4));
  if (!ImGui::BeginTable(options.id, static_cast<int>(columns_.size()) + 1, kFlags, size,
                         std::max(room.x - style.ScrollbarSize, name + numbers)))
    return;
  ImGui::TableSetupColumn(table.columns[static_cast<size_t>(name_)].label.c_str(),
                          ImGuiTableColumnFlags_WidthStretch | ImGuiTableColumnFlags_NoHide, 0,
                          static_cast<ImGuiID>(name_ + 1));
  for (const Column& column : columns_) {
    const ColumnDesc& desc = table.columns[static_cast<size_t>(column.data)];
    ImGui::TableSetupColumn(
        desc.label.c_str(),
        ImGuiTableColumnFlags_WidthFixed |
            (column.numeric ? static_cast<int>(ImGuiTableColumnFlags_PreferSortDescending) : 0),
        column.width, static_cast<ImGuiID>(column.data + 1));
  }
  ImGui::TableSetupScrollFreeze(1, 1);
  TakeSort(table);
  DrawHeadings(context, table);
  const float height = RowHeight();
  const std::span<const uint32_t> shown = tree_.Shown();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(shown.size()), height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const uint32_t row = shown[static_cast<size_t>(i)];
      ImGui::PushID(static_cast<int>(row));
      DrawRow(context, table, row, height);
      ImGui::PopID();
    }
  }
  HandleKeys(context, table, height);
  ImGui::EndTable();
}

void TreeTableView::DrawHeadings(const PanelContext& context, const ResultTable& table) {
  ImGuiTable* state = ImGui::GetCurrentContext()->CurrentTable;
  const float pad = ImGui::GetStyle().CellPadding.x, arrow = Em() * 1.1f;
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers, RowHeight());
  for (int i = 0; i <= static_cast<int>(columns_.size()); ++i) {
    if (!ImGui::TableSetColumnIndex(i)) continue;
    const Column* column = i == 0 ? nullptr : &columns_[static_cast<size_t>(i - 1)];
    const ColumnDesc& desc =
        table.columns[static_cast<size_t>(column == nullptr ? name_ : column->data)];
    ImGui::PushID(i);
    ImGui::TableHeader("##heading");
    if (!desc.how.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_DelayShort))
      ImGui::SetTooltip("%s\n%s", desc.label.c_str(), desc.how.c_str());
    ImGui::PopID();
    const ImRect cell = ImGui::TableGetCellBgRect(state, i);
    const float y = std::floor((cell.Min.y + cell.Max.y - ImGui::GetTextLineHeight()) * 0.5f);
    const bool sorted = (ImGui::TableGetColumnFlags(i) & ImGuiTableColumnFlags_IsSorted) != 0;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const char* unit = column == nullptr ? "" : column->format.header;
    if (desc.label == unit) unit = "";
    float right = cell.Max.x - pad - (sorted ? arrow : 0);
    if (column != nullptr && column->numeric) {
      DrawRight(list, right, y, context.theme[Role::kText3], unit);
      if (unit[0] != 0) right -= TextWidth(unit) + Em() * 0.35f;
      DrawRight(list, right, y, context.theme[Role::kText2], desc.label);
    } else {
      DrawCut(list, ImVec2(cell.Min.x + pad, y), right, context.theme[Role::kText2], desc.label);
    }
  }
}

void TreeTableView::DrawRow(const PanelContext& context, const ResultTable& table, uint32_t row,
                            float height) {
  ImGui::TableNextRow(ImGuiTableRowFlags_None, height);
  ImGui::TableSetColumnIndex(0);
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const float left = start.x + IndentOf(tree_.depth(row));
  constexpr ImGuiSelectableFlags kFlags =
      ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick;
  const bool chosen = current_ == static_cast<int>(row);
  const float inner = height - ImGui::GetStyle().CellPadding.y * 2;
  if (ImGui::Selectable("##row", chosen, kFlags, ImVec2(0, inner))) {
    const float x = ImGui::GetMousePos().x;
    const bool on_arrow = x >= left && x < left + ArrowWidth() && !tree_.leaf(row);
    const bool twice = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
    if (on_arrow || (twice && !tree_.leaf(row))) {
      tree_.SetOpen(row, !tree_.open(row));
    } else if (twice) {
      ShowEvents(context.commands, EventsOf(context, table, tree_, row));
    }
    if (!on_arrow) current_ = static_cast<int>(row);
  }
  if (ImGui::BeginPopupContextItem("##menu")) {
    current_ = static_cast<int>(row);
    if (ImGui::MenuItem("Show on the timeline", "Enter"))
      ShowEvents(context.commands, EventsOf(context, table, tree_, row));
    if (ImGui::MenuItem("Copy name"))
      context.commands.Push("copy.text", {.text = std::string(table.ShownText(row, name_))});
    ImGui::EndPopup();
  }
  DrawName(context, table, row, left);
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(i) + 1)) continue;
    DrawNumber(context, table, columns_[i], row);
  }
}

void TreeTableView::DrawName(const PanelContext& context, const ResultTable& table, uint32_t row,
                             float left) const {
  const ImRect cell = ImGui::TableGetCellBgRect(ImGui::GetCurrentContext()->CurrentTable, 0);
  const float right = cell.Max.x - ImGui::GetStyle().CellPadding.x;
  const float y = std::floor((cell.Min.y + cell.Max.y - ImGui::GetTextLineHeight()) * 0.5f);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const std::string_view name = table.ShownText(row, name_);
  if (!tree_.leaf(row)) {
    ImGui::RenderArrow(list, ImVec2(left, y + Em() * 0.12f), context.theme[Role::kText2],
                       tree_.open(row) ? ImGuiDir_Down : ImGuiDir_Right, 0.75f);
  }
  float x = left + ArrowWidth();
  if (tree_.leaf(row)) {
    const float chip = std::floor(Em() * 0.7f);
    DrawBox(list, left + Em() * 0.15f, y + std::floor((ImGui::GetTextLineHeight() - chip) * 0.5f),
            chip, chip, context.theme.NameColor(name), 2);
  }
  const bool cut = DrawCut(list, ImVec2(std::floor(x), y), right, context.theme[Role::kText],
                           name.empty() ? std::string_view("(no name)") : name);
  const ImRect text(x, cell.Min.y, right, cell.Max.y);
  if (cut && ImGui::IsWindowHovered() && text.Contains(ImGui::GetMousePos())) WrappedTooltip(name);
}

void TreeTableView::DrawNumber(const PanelContext& context, const ResultTable& table,
                               const Column& column, uint32_t row) {
  const ImVec2 p = ImGui::GetCursorScreenPos();
  const float right = p.x + ImGui::GetContentRegionAvail().x;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto c = static_cast<size_t>(column.data);
  if (!column.numeric) {
    DrawCut(list, p, right, context.theme[Role::kText2], table.ShownText(row, column.data));
    return;
  }
  const double value = NumberOf(table.At(row, c));
  const FaceScope mono(context, Face::kMono);
  std::array<char, 64> buffer{};
  const std::string_view text = WriteNumber(value, column.format, buffer);
  if (column.bar) {
    const float width = right - p.x - Em() * 4.4f, high = std::floor(Em() * 0.5f);
    const double share =
        std::isfinite(value) ? std::clamp(value * column.format.scale / 100, 0., 1.) : 0;
    const float y = p.y + std::floor((ImGui::GetTextLineHeight() - high) * 0.5f);
    if (width > Em()) {
      DrawBox(list, p.x, y, width, high, context.theme[Role::kHover], 2);
      if (share > 0)
        DrawBox(list, p.x, y, std::max(2.0f, width * static_cast<float>(share)), high,
                context.theme[Role::kAccent], 2);
    }
  }
  const bool nothing = value == 0;
  DrawRight(list, right, p.y, context.theme[nothing ? Role::kText3 : Role::kText],
            nothing ? std::string_view("\u2013") : text);
}

void TreeTableView::HandleKeys(const PanelContext& context, const ResultTable& table,
                               float height) {
  const std::span<const uint32_t> shown = tree_.Shown();
  const auto found = std::find(shown.begin(), shown.end(), static_cast<uint32_t>(current_));
  int at = found == shown.end() ? -1 : static_cast<int>(found - shown.begin());
  if (!shown.empty() && ImGui::IsWindowFocused() && !ImGui::GetIO().WantTextInput) {
    const ImGuiID owner = ImGui::GetCurrentWindow()->ID;
    for (const ImGuiKey key : {ImGuiKey_DownArrow, ImGuiKey_UpArrow, ImGuiKey_LeftArrow,
                               ImGuiKey_RightArrow, ImGuiKey_Enter})
      ImGui::SetKeyOwner(key, owner);
    const auto pressed = [&](ImGuiKey key) {
      return ImGui::GetIO().KeyMods == ImGuiMod_None &&
             ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, owner);
    };
    const auto row = at < 0 ? TreeRows::kNone : shown[static_cast<size_t>(at)];
    if (pressed(ImGuiKey_DownArrow)) ++at, scroll_ = true;
    if (pressed(ImGuiKey_UpArrow)) at = std::max(at - 1, 0), scroll_ = true;
    at = std::min(at, static_cast<int>(shown.size()) - 1);
    if (at >= 0) current_ = static_cast<int>(shown[static_cast<size_t>(at)]);
    if (row == TreeRows::kNone) return;
    if (pressed(ImGuiKey_RightArrow)) tree_.SetOpen(row, true);
    if (pressed(ImGuiKey_LeftArrow)) {
      if (tree_.open(row) && !tree_.leaf(row)) {
        tree_.SetOpen(row, false);
      } else if (tree_.parent(row) != TreeRows::kNone) {
        current_ = static_cast<int>(tree_.parent(row));
        scroll_ = true;
      }
    }
    if (pressed(ImGuiKey_Enter)) ShowEvents(context.commands, EventsOf(context, table, tree_, row));
  }
  if (!scroll_ || at < 0) return;
  scroll_ = false;
  const float top = static_cast<float>(at) * height, room = ImGui::GetWindowHeight() - height * 2;
  if (top < ImGui::GetScrollY()) ImGui::SetScrollY(top);
  if (top > ImGui::GetScrollY() + room) ImGui::SetScrollY(top - room);
}

}  // namespace stepscope
