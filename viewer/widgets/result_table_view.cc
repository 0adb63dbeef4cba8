#include "viewer/widgets/result_table_view.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/analysis/tables/json_stream.h"
#include "model/base/digits.h"
#include "model/base/number_hash.h"
#include "model/base/statistics.h"
#include "viewer/core/look/name_cache.h"
#include "viewer/core/search/search.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

constexpr size_t kNone = static_cast<size_t>(-1);

uint64_t ColumnsKey(const ResultTable& table, const TableOptions& options) {
  constexpr unsigned char kEnd = 0xff;
  Fnv fnv;
  const auto add = [&](std::string_view id) {
    fnv.Add(id);
    fnv.Add(kEnd);
  };
  for (const ColumnDesc& c : table.columns) add(c.id);
  for (const char* id : options.hidden_columns) add(id);
  return fnv.value();
}

bool Contains(std::span<const char* const> list, std::string_view id) {
  return std::any_of(list.begin(), list.end(), [&](const char* s) { return id == s; });
}

// Shares get a bar; running sums and occupancy are percentages of something else.
bool IsShare(const ColumnDesc& column) {
  return DimensionOf(column.unit) == Dimension::kPercent && column.type == ValueType::kReal &&
         !ContainsLower(column.id, "cumulative") && !ContainsLower(column.id, "occupancy") &&
         !ContainsLower(column.id, "fragmentation");
}

// The value that a column's unit is chosen for: one gibibyte among many mebibytes must not make
// them all 0.001. Never so little that the largest becomes unreadably long: sizes have 1,024 of one
// unit in the next, and a column of milliseconds that has ten or more of them keeps its unit.
double TypicalOf(const ResultTable& table, size_t column, double max_abs) {
  const Dimension dimension = DimensionOf(table.columns[column].unit);
  if (dimension != Dimension::kBytes && dimension != Dimension::kTime) return max_abs;
  std::vector<double> values;
  for (size_t row = 0; row < table.size(); ++row) {
    const double v = std::fabs(NumberOf(table.At(row, column)));
    if (std::isfinite(v) && v > 0) values.push_back(v);
  }
  if (values.empty()) return max_abs;
  const bool keeps_ms = table.columns[column].unit == Unit::kMs && max_abs >= 10;
  const double least = max_abs / (dimension == Dimension::kTime ? 100 : 1000);
  return std::max({Median(std::move(values)), least, keeps_ms ? 1.0 : 0.0});
}

// Asks for a file and writes the text there.
void ExportAs(const PanelContext& context, std::string name, std::string contents) {
  context.commands.Push("file.export", {.text = std::move(name), .contents = std::move(contents)});
}

double MaxAbs(const ResultTable& table, size_t column) {
  double most = 0;
  for (size_t row = 0; row < table.size(); ++row) {
    const double v = std::fabs(NumberOf(table.At(row, column)));
    if (std::isfinite(v)) most = std::max(most, v);
  }
  return most;
}

// Columns whose numbers are read against each other have one unit, and this word in common:
// "a_time", "b_time" and "delta_time" of a comparison, times with and without the events inside.
// Empty for any other column.
std::string_view UnitFamily(std::string_view id) {
  for (const std::string_view side : {"a_", "b_", "delta_"}) {
    if (id.starts_with(side)) return id.substr(side.size());
  }
  for (const std::string_view sum : {"self", "total"}) {
    if (id == sum || (id.starts_with(sum) && id[sum.size()] == '_')) return "sum";
  }
  return {};
}

}  // namespace

NumberFormat ColumnFormat(const ResultTable& table, size_t column) {
  const ColumnDesc& desc = table.columns[column];
  const std::string_view family = UnitFamily(desc.id);
  double most = MaxAbs(table, column), typical = TypicalOf(table, column, most);
  for (size_t c = 0; c < table.columns.size() && !family.empty(); ++c) {
    const ColumnDesc& other = table.columns[c];
    if (UnitFamily(other.id) != family || other.unit != desc.unit) continue;
    typical = std::max(typical, TypicalOf(table, c, MaxAbs(table, c)));
    most = std::max(most, MaxAbs(table, c));
  }
  NumberFormat format = FormatFor(desc.unit, desc.type, typical);
  // Six digits before the point are too many to read: the next unit has fewer, to the thousandth.
  constexpr double kLong = 1e5;
  constexpr int kThousandths = 3;
  if (DimensionOf(desc.unit) == Dimension::kTime && most * format.scale >= kLong) {
    format = FormatFor(desc.unit, desc.type, most);
    format.decimals = kThousandths;
  }
  return format;
}

float ResultTableView::RowHeight() {
  return std::floor(ImGui::GetTextLineHeight() + ImGui::GetStyle().CellPadding.y * 2 +
                    Em() * 0.25f);
}

float ResultTableView::HeightOf(const PanelContext& context, size_t rows) {
  const FaceScope small(context, Face::kUi);
  return RowHeight() * static_cast<float>(rows + 1) + ImGui::GetStyle().ScrollbarSize + 2;
}

void ResultTableView::SetFilter(std::string_view text) {
  filter_text_[text.copy(filter_text_.data(), filter_text_.size() - 1)] = 0;
  dirty_ = true;
}

void ResultTableView::SetFilter(const char* id, std::string_view text) {
  const std::string column(id), whole = column + "=\"" + std::string(text) + "\"";
  const bool fits = whole.size() < filter_text_.size();
  SetFilter(fits ? whole : column + ":\"" + std::string(text));
}

void ResultTableView::SetSort(std::vector<SortKey> keys) {
  sort_ = std::move(keys);
  dirty_ = true;
}

void ResultTableView::Select(const ResultTable& table, int row) {
  selected_.assign(table.size(), 0);
  current_ = anchor_ = -1;
  if (row < 0 || static_cast<size_t>(row) >= table.size()) return;
  selected_[static_cast<size_t>(row)] = 1;
  current_ = anchor_ = row;
  scroll_to_current_ = true;
}

size_t ResultTableView::PositionOf(int row) const {
  if (row < 0) return kNone;
  const auto it = std::find(order_.begin(), order_.end(), static_cast<uint32_t>(row));
  return it == order_.end() ? kNone : static_cast<size_t>(it - order_.begin());
}

std::vector<uint32_t> ResultTableView::SelectedRows() const {
  std::vector<uint32_t> rows;
  for (uint32_t r : order_) {
    if (r < selected_.size() && selected_[r] != 0) rows.push_back(r);
  }
  return rows;
}

void ResultTableView::PrepareColumns(const ResultTable& table, const TableOptions& options) {
  std::vector<int> sequence;
  for (const char* id : options.first_columns) {
    if (const int c = table.Column(id); c >= 0) sequence.push_back(c);
  }
  for (int c = 0; c < static_cast<int>(table.columns.size()); ++c) {
    if (std::find(sequence.begin(), sequence.end(), c) == sequence.end()) sequence.push_back(c);
  }
  columns_.clear();
  for (int c : sequence) {
    const ColumnDesc& desc = table.columns[static_cast<size_t>(c)];
    columns_.push_back({.data = c,
                        .numeric = desc.type == ValueType::kInt || desc.type == ValueType::kReal,
                        .bar = IsShare(desc),
                        .additive = IsAdditive(desc),
                        .name = desc.id == options.name_column,
                        .hidden = Contains(options.hidden_columns, desc.id)});
  }
}

// Finds the largest values and longest texts, which determine formats and widths. O(cells), once
// per change of data.
void ResultTableView::Prepare(const ResultTable& table, uint64_t key, const TableOptions& options) {
  const uint64_t columns_key = ColumnsKey(table, options);
  if (key == key_ && columns_key == columns_key_ && selected_.size() == table.size()) return;
  if (columns_key != columns_key_ || columns_.empty()) {
    PrepareColumns(table, options);
    sort_.clear();
  }
  key_ = key;
  columns_key_ = columns_key;
  for (Column& column : columns_) {
    const auto c = static_cast<size_t>(column.data);
    column.max_abs = column.numeric ? MaxAbs(table, c) : 0;
    column.widest_row = -1;
    size_t longest = 0;
    for (size_t r = 0; r < table.size() && !column.numeric; ++r) {
      const std::string_view text = table.ShownText(r, column.data);
      if (text.size() <= longest) continue;
      longest = text.size();
      column.widest_row = static_cast<int>(r);
    }
    column.format = ColumnFormat(table, c);
  }
  selected_.assign(table.size(), 0);
  ShortenNames(table, options);
  current_ = anchor_ = menu_column_ = -1;
  menu_job_.Stop();
  filter_asked_ = false;
  measured_at_ = 0;
  dirty_ = true;
}

// In larger tables each row gets its short name when it is drawn.
void ResultTableView::ShortenNames(const ResultTable& table, const TableOptions& options) {
  constexpr size_t kMostDistinct = 10'000;
  short_names_.assign(options.shorten_names ? table.size() : 0, {});
  if (short_names_.empty() || short_names_.size() > kMostDistinct) return;
  const int name = table.Column(options.name_column);
  std::vector<std::string_view> names;
  for (size_t r = 0; r < table.size(); ++r) {
    names.push_back(table.ShownText(r, name));
  }
  short_names_ = DistinctNames(names);
  const auto longest = std::max_element(
      short_names_.begin(), short_names_.end(),
      [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
  for (Column& column : columns_) {
    if (column.name && longest != short_names_.end())
      column.widest_row = static_cast<int>(longest - short_names_.begin());
  }
}

void ResultTableView::Rebuild(const ResultTable& table) {
  if (!dirty_) return;
  dirty_ = false;
  ++rebuilds_;
  filter_ = TableFilter::Parse(filter_text_.data(), table, sort_.empty() ? -1 : sort_[0].column);
  order_ = MakeOrder(table, filter_, sort_);
  for (Column& column : columns_) {
    column.total = column.additive ? SumOf(table, static_cast<size_t>(column.data), order_) : 0;
  }
  // Filtered rows are deselected, because commands act on visible rows only.
  std::vector<uint8_t> kept(selected_.size(), 0);
  for (uint32_t r : order_) kept[r] = selected_[r];
  selected_.swap(kept);
  if (current_ >= 0 && PositionOf(current_) == kNone) current_ = anchor_ = -1;
  scroll_to_current_ = current_ >= 0;
}

void ResultTableView::TakeSort(const ResultTable& table) {
  ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
  if (specs == nullptr || !specs->SpecsDirty) return;
  specs->SpecsDirty = false;
  std::vector<SortKey> keys;
  for (int i = 0; i < specs->SpecsCount; ++i) {
    const auto id = static_cast<int>(specs->Specs[i].ColumnUserID) - 1;
    if (id >= 0 && static_cast<size_t>(id) < table.columns.size()) {
      keys.push_back({id, specs->Specs[i].SortDirection == ImGuiSortDirection_Descending});
    }
  }
  if (keys == sort_ || (keys.empty() && specs->SpecsCount == 0 && rebuilds_ == 0)) return;
  sort_ = std::move(keys);
  dirty_ = true;
}

void ResultTableView::Draw(const PanelContext& context, const ResultTable& table, uint64_t key,
                           const TableOptions& options) {
  other_profile_ = options.other_profile;
  other_links_ = options.other_links;
  link_profiles_ = options.link_profiles;
  ImGui::PushID(options.id);
  const FaceScope small(context, Face::kUi);
  Prepare(table, key, options);
  MeasureColumns(context, table, options);
  if (options.toolbar) DrawToolbar(context, table, options);
  Rebuild(table);
  DrawTable(context, table, options);
  ImGui::PopID();
}

void ResultTableView::DrawToolbar(const PanelContext& context, const ResultTable& table,
                                  const TableOptions& options) {
  const float width = std::clamp(ImGui::GetContentRegionAvail().x * 0.35f, Em() * 9, Em() * 20);
  ImGui::SetNextItemWidth(width);
  if (ImGui::InputTextWithHint("##filter", "Filter: MatMul  >100us  op:Conv", filter_text_.data(),
                               filter_text_.size())) {
    dirty_ = true;
    Rebuild(table);
  }
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_DelayShort) && !ImGui::IsItemActive()) {
    ImGui::SetTooltip("%s", filter_.empty()
                                ? "text   col:text   =whole   col=whole   col>5   >100us   -not   "
                                  "\"two words\"\nAll terms must hold."
                                : filter_.explanation().c_str());
  }
  const bool icons = context.fonts.icons;
  if (filter_text_[0] != 0) {
    ImGui::SameLine(0, Em() * 0.3f);
    if (ImGui::Button(icons ? icon::kClose : "x")) SetFilter({});
  }
  ImGui::SameLine(0, Em() * 0.6f);
  ImGui::AlignTextToFramePadding();
  const bool all = order_.size() == table.size();
  const std::string part = all ? std::string() : GroupDigits(order_.size()) + " of ";
  TextIn(context, Role::kText2, part + options.Counted(table.size()));
  ImGui::SameLine(0, Em() * 0.6f);
  if (ImGui::Button("Columns")) open_columns_ = true;
  ImGui::SameLine(0, Em() * 0.3f);
  if (ImGui::Button("Export")) ImGui::OpenPopup("export");
  if (ImGui::BeginPopup("export")) {
    if (ImGui::MenuItem("CSV of what is shown\u2026")) Export(context, table, false);
    if (ImGui::MenuItem("JSON of what is shown\u2026")) Export(context, table, true);
    ImGui::Separator();
    if (ImGui::MenuItem("CSV of the whole table\u2026")) ExportWhole(context, table);
    ImGui::SetItemTooltip("All rows and columns, as `stepscope report --format csv` writes them");
    ImGui::EndPopup();
  }
}

void ResultTableView::DrawTable(const PanelContext& context, const ResultTable& table,
                                const TableOptions& options) {
  if (columns_.empty()) return;  // Dear ImGui writes beyond a table without columns
  const ImVec2 avail = ImGui::GetContentRegionAvail();
  const float row_height = RowHeight();
  const bool totals = options.total_row && std::any_of(columns_.begin(), columns_.end(),
                                                       [](const Column& c) { return c.additive; });
  const float footer = totals ? row_height + 2 : 0;
  float height = (options.height > 0 ? options.height : avail.y) - footer;
  height = std::max(height, row_height * 4);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_Resizable | ImGuiTableFlags_Reorderable | ImGuiTableFlags_Hideable |
      ImGuiTableFlags_Sortable | ImGuiTableFlags_SortMulti | ImGuiTableFlags_SortTristate |
      ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY |
      ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoBordersInBody | ImGuiTableFlags_PadOuterX;
  // The id follows the columns: a table with others keeps its own widths and order.
  const std::string id = fmt::format("###t{:x}", columns_key_);
  const float inner = std::max(avail.x - Scrollbar(), min_width_);
  if (!ImGui::BeginTable(id.c_str(), static_cast<int>(columns_.size()), kFlags, ImVec2(0, height),
                         inner))
    return;
  rows_scroll_ = ImGui::GetCurrentContext()->CurrentTable->InnerWindow->ScrollbarY;
  for (const Column& column : columns_) {
    const ColumnDesc& desc = table.columns[static_cast<size_t>(column.data)];
    ImGuiTableColumnFlags flags =
        column.stretch ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed;
    if (column.hidden) flags |= ImGuiTableColumnFlags_DefaultHide;
    if (column.numeric) flags |= ImGuiTableColumnFlags_PreferSortDescending;
    ImGui::TableSetupColumn(desc.label.c_str(), flags,
                            column.width,  // of what stretches, the weight
                            static_cast<ImGuiID>(column.data + 1));
  }
  ImGui::TableSetupScrollFreeze(0, 1);
  SetFittedWidths();
  TakeSort(table);
  Rebuild(table);
  DrawHeader(context, table);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(order_.size()), row_height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      ImGui::PushID(static_cast<int>(order_[static_cast<size_t>(i)]));
      DrawRow(context, table, options, static_cast<uint32_t>(i), row_height);
      ImGui::PopID();
    }
  }
  HandleKeys(context, table, row_height);
  if (scroll_to_current_) KeepInSight(row_height, true);
  if (open_columns_) ImGui::TableOpenContextMenu(-1);
  open_columns_ = false;
  DrawRowMenu(context, table, options);
  ImGui::EndTable();
  if (totals) DrawTotals(context, table, options, origin.y + height);
}

void ResultTableView::DrawHeader(const PanelContext& context, const ResultTable& table) {
  ImGuiTable* state = ImGui::GetCurrentContext()->CurrentTable;
  const float arrow = Em() * 0.65f + ImGui::GetStyle().FramePadding.x;
  const float pad = ImGui::GetStyle().CellPadding.x;
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers, RowHeight());
  column_left_.assign(columns_.size(), 0);
  column_right_.assign(columns_.size(), 0);
  for (size_t i = 0; i < columns_.size(); ++i) {
    const auto index = static_cast<int>(i);
    const Column& column = columns_[i];
    const bool visible = ImGui::TableSetColumnIndex(index);
    const ImGuiTableColumn& layout = state->Columns[index];
    if (layout.IsEnabled) {
      column_left_[i] = layout.MinX;
      column_right_[i] = layout.MaxX;
    }
    if (!visible) continue;
    ImGui::PushID(index);
    ImGui::TableHeader("##header");
    const ColumnDesc& desc = table.columns[static_cast<size_t>(column.data)];
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_DelayShort)) {
      ImGui::SetTooltip(desc.how.empty() ? "%s%s%s" : "%s%s%s\n%s", desc.label.c_str(),
                        column.format.header[0] != 0 ? ", " : "", column.format.header,
                        desc.how.c_str());
    }
    ImGui::PopID();
    const ImRect cell = ImGui::TableGetCellBgRect(state, index);
    const bool sorted = (ImGui::TableGetColumnFlags(index) & ImGuiTableColumnFlags_IsSorted) != 0;
    const float right = cell.Max.x - pad - (sorted ? arrow : 0);
    const float y = std::floor((cell.Min.y + cell.Max.y - ImGui::GetTextLineHeight()) * 0.5f);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float unit =
        column.format.header[0] != 0 ? TextWidth(column.format.header) + Em() * 0.35f : 0;
    const float label = TextWidth(desc.label);
    const float left =
        column.numeric ? std::max(cell.Min.x + pad, right - label - unit) : cell.Min.x + pad;
    DrawCut(list, ImVec2(std::floor(left), y), right - unit, context.theme[Role::kText2],
            desc.label);
    if (unit > 0) DrawRight(list, right, y, context.theme[Role::kText3], column.format.header);
  }
  // Copies and exports have the columns as they stand here.
  std::vector<std::pair<int, int>> shown;  // place, column of the data
  for (size_t i = 0; i < columns_.size(); ++i) {
    const auto index = static_cast<int>(i);
    if ((ImGui::TableGetColumnFlags(index) & ImGuiTableColumnFlags_IsEnabled) == 0) continue;
    shown.emplace_back(state->Columns[index].DisplayOrder, columns_[i].data);
  }
  std::sort(shown.begin(), shown.end());
  shown_columns_.clear();
  for (const auto& [place, data] : shown) shown_columns_.push_back(data);
}

void ResultTableView::HandleClick(size_t position) {
  const ImGuiIO& io = ImGui::GetIO();
  const uint32_t row = order_[position];
  const size_t anchor = io.KeyShift ? PositionOf(anchor_) : kNone;
  if (!io.KeyCtrl) std::fill(selected_.begin(), selected_.end(), uint8_t{0});
  if (anchor != kNone) {
    for (size_t i = std::min(anchor, position); i <= std::max(anchor, position); ++i)
      selected_[order_[i]] = 1;
  } else {
    selected_[row] = io.KeyCtrl ? !selected_[row] : 1;
    anchor_ = static_cast<int>(row);
  }
  current_ = static_cast<int>(row);
}

void ResultTableView::KeepInSight(float row_height, bool centre) {
  scroll_to_current_ = false;
  const size_t position = PositionOf(current_);
  if (position == kNone) return;
  // The header row is frozen: it covers the first row_height pixels.
  const float top = static_cast<float>(position) * row_height;
  const float view = ImGui::GetWindowHeight() - row_height - ImGui::GetStyle().ScrollbarSize;
  const float scroll = ImGui::GetScrollY();
  if (top >= scroll && top + row_height <= scroll + view) return;
  const float target = centre ? top - view * 0.5f : top < scroll ? top : top + row_height - view;
  ImGui::SetScrollY(std::max(target, 0.0f));
}

void ResultTableView::HandleKeys(const PanelContext& context, const ResultTable& table,
                                 float row_height) {
  if (order_.empty() || !ImGui::IsWindowFocused() || ImGui::GetIO().WantTextInput) return;
  // The table owns the key, so that the application's own key handling leaves it alone.
  for (ImGuiKey key : {ImGuiKey_DownArrow, ImGuiKey_UpArrow, ImGuiKey_PageDown, ImGuiKey_PageUp,
                       ImGuiKey_Home, ImGuiKey_End, ImGuiKey_Enter, ImGuiKey_C}) {
    ImGui::SetKeyOwner(key, ImGui::GetCurrentWindow()->ID);
  }
  const auto page = static_cast<int>(std::max(1.0f, ImGui::GetWindowHeight() / row_height - 2));
  const auto pressed = [](ImGuiKey key) {
    return ImGui::GetIO().KeyMods == ImGuiMod_None &&
           ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, ImGui::GetCurrentWindow()->ID);
  };
  const auto last = static_cast<int>(order_.size()) - 1;
  const size_t found = PositionOf(current_);
  const int at = found == kNone ? -1 : static_cast<int>(found);
  int to = at;
  if (pressed(ImGuiKey_DownArrow)) to = at + 1;
  if (pressed(ImGuiKey_UpArrow)) to = at < 0 ? 0 : at - 1;
  if (pressed(ImGuiKey_PageDown)) to = at + page;
  if (pressed(ImGuiKey_PageUp)) to = at - page;
  if (pressed(ImGuiKey_Home)) to = 0;
  if (pressed(ImGuiKey_End)) to = last;
  if (to != at) {
    Select(table, static_cast<int>(order_[static_cast<size_t>(std::clamp(to, 0, last))]));
    KeepInSight(row_height, false);
  }
  if (current_ < 0) return;
  if (pressed(ImGuiKey_Enter)) ShowOnTimeline(context, table);
  if (ImGui::GetIO().KeyMods == ImGuiMod_Ctrl &&
      ImGui::IsKeyPressed(ImGuiKey_C, ImGuiInputFlags_None, ImGui::GetCurrentWindow()->ID)) {
    context.services.SetClipboard(SelectedTsv(table));
  }
}

ProfileId ResultTableView::ProfileOfRow(const PanelContext& context, size_t row) const {
  const bool own = link_profiles_ != nullptr && row < link_profiles_->size();
  return own ? (*link_profiles_)[row] : context.profile->id;
}

CommandArgs ResultTableView::EventsOf(const PanelContext& context, const ResultTable& table) const {
  CommandArgs args;
  if (context.profile == nullptr) return args;
  args.profile = context.profile->id;
  for (uint32_t r : SelectedRows()) {
    if (r < table.links.size() && args.range.empty()) {
      args.range = table.links[r].range;
      args.profile = ProfileOfRow(context, r);
    }
    if (r < table.links.size()) AddEvents(ProfileOfRow(context, r), table.links[r], &args);
    if (other_links_ != nullptr && r < other_links_->size())
      AddEvents(other_profile_, (*other_links_)[r], &args);
  }
  return args;
}

void ResultTableView::ShowOnTimeline(const PanelContext& context, const ResultTable& table) const {
  ShowEvents(context.commands, EventsOf(context, table));
}

std::string ResultTableView::Csv(const ResultTable& table) const {
  return ToCsv(ShownPart(table, order_, shown_columns_));
}
std::string ResultTableView::Json(const ResultTable& table) const {
  return TableJson(ShownPart(table, order_, shown_columns_));
}
std::string ResultTableView::SelectedTsv(const ResultTable& table) const {
  return ToTsv(table, SelectedRows(), shown_columns_);
}

void ResultTableView::ExportWhole(const PanelContext& context, const ResultTable& table) {
  ExportAs(context, table.id + ".csv", ToCsv(table));
}

void ResultTableView::Export(const PanelContext& context, const ResultTable& table, bool json) {
  ExportAs(context, table.id + (json ? ".json" : ".csv"), json ? Json(table) : Csv(table));
}

}  // namespace stepscope
