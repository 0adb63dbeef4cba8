// Ranks: which host or rank of a job is late, by how much, and why.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/rank_step_map.h"
#include "viewer/panels/table_pages.h"
#include "viewer/widgets/draw_text.h"

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
  RankStepMap map_;
};

// The numbers of the ranks, the one that the others wait for most often first.
std::vector<int64_t> ByLateness(const ResultTable& ranks) {
  const int rank = ranks.Column("rank"), percent = ranks.Column("late_percent");
  std::vector<std::pair<double, int64_t>> order;
  for (size_t r = 0; r < ranks.size(); ++r) {
    const double late = NumberIn(ranks, r, percent);
    order.emplace_back(std::isnan(late) ? -1.0 : late, WholeIn(ranks, r, rank));
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<int64_t> numbers;
  numbers.reserve(order.size());
  for (const auto& [late, number] : order) numbers.push_back(number);
  return numbers;
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
  map_ = MakeRankStepMap(ByLateness(ranks), steps, "late_us", 1);
  HeatMapData& map = map_.map;
  map.unit_text = map.most > 0 ? UsText(map.most) + " late" : "no rank is late in any step";
}

void RanksPanel::DrawMap(const PanelContext& context, const ResultTable& steps) {
  const FaceScope small(context, Face::kUi);
  const HeatMapAnswer answer = DrawRankStepMap(context, map_, BaseEm() * 6, 0.4f);
  if (!answer.hovered) return;
  const HeatCell& cell = answer.cell;
  const std::string title = map_.map.rows[cell.row] + ", step " + map_.map.columns[cell.column];
  if (map_.RowAt(cell) < 0) {
    WrappedTooltip(title + ": not recorded");
    return;
  }
  const auto row = static_cast<size_t>(map_.RowAt(cell));
  const double late = map_.map.at(cell.row, cell.column);
  WrappedTooltip(fmt::format("{}: {}\nStep time {:.3f} ms, busy {:.3f} ms\nClick goes there", title,
                             std::isnan(late) ? "no collective that others take part in"
                             : late > 0       ? "late by " + UsText(late)
                                              : "not late",
                             NumberIn(steps, row, steps.Column("step_ms")),
                             NumberIn(steps, row, steps.Column("busy_ms"))));
  if (answer.clicked) GoToRankStep(context, steps.links[row]);
}

// At the right end of the line that the titles of the tables begin.
void RanksPanel::DrawLayouts(const PanelContext& context) {
  struct LayoutLink {
    RankLayout layout;
    CommandId command;
  };
  constexpr LayoutLink kLayouts[] = {{RankLayout::kRows, "view.ranks_in_rows"},
                                     {RankLayout::kLane, "view.ranks_in_lane"}};
  const bool known = context.profile->ranks != nullptr && !context.profile->ranks->empty();
  if (!known || context.state == nullptr) return;
  const FaceScope small(context, Face::kUi);
  std::array<std::string, 2> texts;
  float width = BaseEm() * 1.2f;
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto& [layout, command] = kLayouts[i];
    const bool on = context.state->ranks == layout;
    texts[i] = on ? "Ranks with their hosts" : DescOf(command).title;
    width += TextWidth(texts[i].c_str()) + BaseEm();
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  if (room < width + BaseEm() * 24) return;
  ImGui::SetCursorScreenPos({at.x + room - width, at.y + ImGui::GetStyle().FramePadding.y});
  for (size_t i = 0; i < texts.size(); ++i) {
    const CommandId command = kLayouts[i].command;
    if (LinkText(context, command.text(), texts[i].c_str()))
      context.commands.Push(command, {.profile = context.profile->id});
    ImGui::SetItemTooltip("%s", DescOf(command).what);
    // The next item of this line begins at its left, on a base line of its own.
    if (i + 1 < texts.size()) ImGui::SameLine(0, BaseEm() * 1.2f);
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
  if (ranks != nullptr && steps != nullptr && !steps->empty()) {
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
