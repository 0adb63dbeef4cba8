// Ranks: which host or rank of a job is late, by how much, and why.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/table_pages.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/heat_map.h"
#include "viewer/widgets/number_text.h"

namespace stepscope {
namespace {

class RanksPanel final : public AnalysisPanel {
 public:
  RanksPanel() : AnalysisPanel("ranks", "Matching collectives between ranks") {}
  void DrawResult(const PanelContext& context, const AnalysisResult& result, uint64_t key) override;

 private:
  void MakeMap(const ResultTable& ranks, const ResultTable& steps);
  void DrawMap(const PanelContext& context, const ResultTable& steps);
  static void DrawLayouts(const PanelContext& context);

  TablePages pages_;
  uint64_t map_key_ = 0;
  HeatMapData map_;
  std::vector<int> rows_;  // by cell of the map: row of the table of steps, or -1
};

double NumberOrNan(const ResultTable& table, size_t row, const char* column) {
  const int c = table.Column(column);
  return c < 0 ? std::numeric_limits<double>::quiet_NaN()
               : NumberOf(table.rows[row][static_cast<size_t>(c)]);
}

int64_t WholeAt(const ResultTable& table, size_t row, const char* column) {
  const double number = NumberOrNan(table, row, column);
  return std::isnan(number) ? -1 : static_cast<int64_t>(number);
}

// The rows of the table of ranks, the one that the others wait for most often first.
std::vector<size_t> ByLateness(const ResultTable& ranks) {
  std::vector<size_t> order(ranks.rows.size());
  for (size_t r = 0; r < order.size(); ++r) order[r] = r;
  const auto late = [&](size_t r) {
    const double percent = NumberOrNan(ranks, r, "late_percent");
    return std::isnan(percent) ? -1.0 : percent;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return late(a) > late(b); });
  return order;
}

std::string LateText(double us) {
  return WithoutZeros(FormatDuration(static_cast<Ps>(us * static_cast<double>(kPsPerUs)), 3));
}

// Selects a collective of the rank in the step, which brings its row into sight, and shows the
// step.
void GoToRankStep(const PanelContext& context, const RowLink& link) {
  if (!link.rows.empty()) {
    context.commands.Push("select.reveal",
                          {.event = {context.profile->id, link.set, link.rows.front()}});
  }
  const Ps margin = std::max<Ps>(1, link.range.length() / 20);
  context.commands.Push("view.set_range", {.range = {SaturatingSub(link.range.begin, margin),
                                                     SaturatingAdd(link.range.end, margin)},
                                           .profile = context.profile->id});
}

void RanksPanel::MakeMap(const ResultTable& ranks, const ResultTable& steps) {
  map_ = {};
  std::map<int64_t, size_t> row_of, column_of;
  for (const size_t r : ByLateness(ranks)) {
    const int64_t rank = WholeAt(ranks, r, "rank");
    row_of[rank] = map_.rows.size();
    map_.rows.push_back("Rank " + std::to_string(rank));
  }
  std::set<int64_t> numbers;
  for (size_t i = 0; i < steps.rows.size(); ++i) numbers.insert(WholeAt(steps, i, "step"));
  for (const int64_t number : numbers) {
    column_of[number] = map_.columns.size();
    map_.columns.push_back(std::to_string(number));
  }
  map_.values.assign(map_.rows.size() * map_.columns.size(),
                     std::numeric_limits<double>::quiet_NaN());
  rows_.assign(map_.values.size(), -1);
  for (size_t i = 0; i < steps.rows.size(); ++i) {
    const auto row = row_of.find(WholeAt(steps, i, "rank"));
    if (row == row_of.end()) continue;
    const size_t cell = row->second * map_.columns.size() + column_of[WholeAt(steps, i, "step")];
    map_.values[cell] = NumberOrNan(steps, i, "late_us");
    rows_[cell] = static_cast<int>(i);
    if (map_.values[cell] > map_.most) map_.most = map_.values[cell];
  }
  map_.unit_text = map_.most > 0 ? LateText(map_.most) + " late" : "no rank is late in any step";
}

void RanksPanel::DrawMap(const PanelContext& context, const ResultTable& steps) {
  const FaceScope small(context, Face::kUi);
  const float most = std::max(BaseEm() * 6, ImGui::GetContentRegionAvail().y * 0.4f);
  HeatMapAnswer answer;
  if (ImGui::BeginChild("##map", {0, HeatMapHeight(map_, most)}))
    answer = DrawHeatMap(context, map_, "step");
  ImGui::EndChild();
  if (!answer.hovered) return;
  const size_t cell = answer.cell.row * map_.columns.size() + answer.cell.column;
  const std::string title =
      map_.rows[answer.cell.row] + ", step " + map_.columns[answer.cell.column];
  if (rows_[cell] < 0) {
    WrappedTooltip(title + ": not recorded");
    return;
  }
  const auto row = static_cast<size_t>(rows_[cell]);
  const double late = map_.values[cell];
  WrappedTooltip(fmt::format("{}: {}\nStep time {:.3f} ms, busy {:.3f} ms\nClick goes there", title,
                             std::isnan(late) ? "no collective that others take part in"
                             : late > 0       ? "late by " + LateText(late)
                                              : "not late",
                             NumberOrNan(steps, row, "step_ms"),
                             NumberOrNan(steps, row, "busy_ms")));
  if (answer.clicked) GoToRankStep(context, steps.links[row]);
}

// At the right end of the line that the titles of the tables begin.
void RanksPanel::DrawLayouts(const PanelContext& context) {
  constexpr std::pair<RankLayout, const char*> kLayouts[] = {
      {RankLayout::kRows, "view.ranks_in_rows"}, {RankLayout::kLane, "view.ranks_in_lane"}};
  const bool known = context.profile->ranks != nullptr && !context.profile->ranks->empty();
  if (!known || context.state == nullptr) return;
  const FaceScope small(context, Face::kUi);
  std::array<std::string, 2> texts;
  float width = BaseEm() * 1.2f;
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto& [layout, command] = kLayouts[i];
    const bool on = context.state->ranks == layout;
    texts[i] = on ? "Ranks with their hosts" : FindCommand(command)->title;
    width += TextWidth(texts[i].c_str()) + BaseEm();
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  if (room < width + BaseEm() * 24) return;
  ImGui::SetCursorScreenPos({at.x + room - width, at.y + ImGui::GetStyle().FramePadding.y});
  for (size_t i = 0; i < texts.size(); ++i) {
    const char* command = kLayouts[i].second;
    if (LinkText(context, command, texts[i].c_str()))
      context.commands.Push(command, {.profile = context.profile->id});
    ImGui::SetItemTooltip("%s", FindCommand(command)->what);
    ImGui::SameLine(0, BaseEm() * 1.2f);
  }
  ImGui::SetCursorScreenPos(at);
}

void RanksPanel::DrawResult(const PanelContext& context, const AnalysisResult& result,
                            uint64_t key) {
  if (!result.findings.empty()) DrawHeadline(context, result.findings.front());
  {
    const FaceScope small(context, Face::kUi);
    for (const Property& property : result.properties) {
      if (std::holds_alternative<std::monostate>(property.value)) continue;
      TextIn(context, Role::kText2, property.label);
      if (!property.how.empty()) ImGui::SetItemTooltip("%s", property.how.c_str());
      ImGui::SameLine(0, BaseEm() * 0.4f);
      TextIn(context, Role::kText, FormatValue(property.value, property.unit));
      ImGui::SameLine(0, BaseEm() * 1.6f);
    }
    ImGui::NewLine();
  }
  ImGui::Spacing();
  const ResultTable *ranks = result.Table("ranks"), *steps = result.Table("rank_steps");
  if (ranks != nullptr && steps != nullptr && !steps->rows.empty()) {
    if (map_key_ != key) MakeMap(*ranks, *steps);
    map_key_ = key;
    DrawMap(context, *steps);
    DrawLayouts(context);
  }
  std::vector<TablePages::Page> pages;
  for (const ResultTable& table : result.tables) {
    TablePages::Page page{&table, key};
    page.options.total_row = false;
    if (table.id == "ranks") page.sort = "late_percent";
    pages.push_back(page);
  }
  pages_.Draw(context, pages, "No collectives were recorded that ranks have in common.");
}

}  // namespace

std::unique_ptr<Panel> MakeRanksPanel() { return std::make_unique<RanksPanel>(); }

}  // namespace stepscope
