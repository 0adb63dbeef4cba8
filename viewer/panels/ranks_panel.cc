// Ranks: which host or rank of a job is late, by how much, and why.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "model/analysis/ranks/ranks.h"
#include "model/analysis/tables/in_unit.h"
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
  void MakeMap(const Ranks& ranks);
  void DrawMap(const PanelContext& context, const Ranks& ranks);
  static void DrawLayouts(const PanelContext& context);

  TablePages pages_;
  uint64_t map_key_ = 0;
  RankStepMap map_;
};

// The numbers of the ranks, the one that the others wait for most often first.
std::vector<int64_t> ByLateness(const Ranks& ranks) {
  std::vector<std::pair<double, int64_t>> order;
  for (const RankRow& rank : ranks.ranks)
    order.emplace_back(rank.late_percent.value_or(-1), rank.number);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<int64_t> numbers;
  numbers.reserve(order.size());
  for (const auto& [late, number] : order) numbers.push_back(number);
  return numbers;
}

// Selects a collective of the rank in the step, which brings its row into sight, and shows the
// step.
void GoToRankStep(const PanelContext& context, const EventRows& rows, TimeRange span) {
  if (!rows.empty())
    context.commands.Push("select.reveal", {.event = {context.profile->id, 0, rows.front()}});
  const Ps margin = std::max<Ps>(1, span.length() / 20);
  context.commands.Push("view.set_range", {.range = {SaturatingSub(span.begin, margin),
                                                     SaturatingAdd(span.end, margin)},
                                           .profile = context.profile->id});
}

void RanksPanel::MakeMap(const Ranks& ranks) {
  const std::vector<LateStep>& rows = ranks.late_steps.rows;
  map_ = MakeRankStepMap(ByLateness(ranks), rows.size(), [&](size_t i) -> RankStepValue {
    const LateStep& s = rows[i];
    return {ranks.ranks[s.rank].number, ranks.steps[s.rank][s.step].number,
            s.late ? InUs(*s.late) : std::numeric_limits<double>::quiet_NaN()};
  });
  HeatMapData& map = map_.map;
  map.unit_text = map.most > 0 ? UsText(map.most) + " late" : "no rank is late in any step";
}

void RanksPanel::DrawMap(const PanelContext& context, const Ranks& ranks) {
  const FaceScope small(context, Face::kUi);
  const HeatMapAnswer answer = DrawRankStepMap(context, map_, BaseEm() * 6, 0.4f);
  if (!answer.hovered) return;
  const HeatCell& cell = answer.cell;
  const std::string title = map_.map.rows[cell.row] + ", step " + map_.map.columns[cell.column];
  if (map_.IndexAt(cell) < 0) {
    WrappedTooltip(title + ": not recorded");
    return;
  }
  const auto index = static_cast<size_t>(map_.IndexAt(cell));
  const LateStep& late = ranks.late_steps.rows[index];
  const RankStep& step = ranks.steps[late.rank][late.step];
  WrappedTooltip(fmt::format("{}: {}\nStep time {:.3f} ms, busy {:.3f} ms\nClick goes there", title,
                             !late.late       ? "no collective that others take part in"
                             : *late.late > 0 ? "late by " + UsText(InUs(*late.late))
                                              : "not late",
                             InMs(step.total), InMs(step.busy)));
  if (answer.clicked && !ranks.late_steps.events.empty())
    GoToRankStep(context, ranks.late_steps.events[index], step.span);
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
  for (const Finding& finding : result.findings) DrawHeadline(context, finding);
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
  const Ranks* ranks = result.As<Ranks>();
  if (ranks != nullptr && !ranks->late_steps.rows.empty()) {
    if (map_key_ != key) MakeMap(*ranks);
    map_key_ = key;
    DrawMap(context, *ranks);
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
