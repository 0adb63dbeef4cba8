// Fleet: a map of hundreds of ranks and their steps, and what slows them down. A click opens the
// rank's own profile at the step.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "model/analysis/fleet/fleet.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/rank_step_map.h"
#include "viewer/panels/table_pages.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

// The map shows one of these: a column of the table of steps.
struct FleetMetric {
  const char* label;
  const char* column;
  double us;            // of one unit of the column
  const char* nothing;  // said where no value is above 0
};
constexpr FleetMetric kFleetMetrics[] = {{"Lateness", "late_us", 1, "no rank is late in any step"},
                                         {"Step time", "step_ms", 1000, "no step has a time"},
                                         {"Busy", "busy_ms", 1000, "no rank is busy in any step"}};

// One of these orders the rows of the map: a column of the table of ranks.
struct FleetOrder {
  const char* label;
  const char* column;
  bool largest_first;
};
constexpr FleetOrder kFleetOrders[] = {{"Latest first", "late_share_percent", true},
                                       {"Rank", "rank", false},
                                       {"TP", "tp", false},
                                       {"PP", "pp", false},
                                       {"DP", "dp", false},
                                       {"EP", "ep", false},
                                       {"Host", "host", false}};

class FleetPanel final : public AnalysisPanel {
 public:
  FleetPanel() : AnalysisPanel("fleet", "Putting ranks together") {}
  void DrawResult(const PanelContext& context, const AnalysisResult& result, uint64_t key) override;

 private:
  void DrawChoices(const PanelContext& context);
  void MakeMap(const ResultTable& ranks, const ResultTable& steps);
  void DrawMap(const PanelContext& context);

  TablePages pages_;
  size_t metric_ = 0, order_ = 0;
  uint64_t map_key_ = 0;
  std::pair<size_t, size_t> map_choice_;
  RankStepMap map_;
};

// The index on an axis in "dp 0, tp 1"; -1: none.
int64_t IndexOn(std::string_view coordinates, const std::string& axis) {
  for (size_t at = coordinates.find(axis + " "); at != coordinates.npos;
       at = coordinates.find(axis + " ", at + 1)) {
    if (at != 0 && coordinates[at - 1] != ' ') continue;
    int64_t index = 0;
    for (size_t i = at + axis.size() + 1; i < coordinates.size(); ++i) {
      if (coordinates[i] < '0' || coordinates[i] > '9' || index > 1'000'000) break;
      index = index * 10 + (coordinates[i] - '0');
    }
    return index;
  }
  return -1;
}

// The rows of the table of ranks in an order.
std::vector<size_t> RowsBy(const ResultTable& ranks, const FleetOrder& by) {
  std::vector<size_t> rows(ranks.rows.size());
  for (size_t r = 0; r < rows.size(); ++r) rows[r] = r;
  const int column = ranks.Column(by.column), coordinates = ranks.Column("coordinates");
  if (std::string_view(by.column) == "host") {
    std::stable_sort(rows.begin(), rows.end(), [&](size_t a, size_t b) {
      return ranks.ShownText(a, column) < ranks.ShownText(b, column);
    });
    return rows;
  }
  std::vector<double> keys(rows.size());
  for (size_t r = 0; r < rows.size(); ++r) {
    keys[r] = column >= 0
                  ? NumberIn(ranks, r, column)
                  : static_cast<double>(IndexOn(ranks.ShownText(r, coordinates), by.column));
    if (std::isnan(keys[r])) keys[r] = -1;
    if (by.largest_first) keys[r] = -keys[r];
  }
  std::stable_sort(rows.begin(), rows.end(), [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  return rows;
}

// Opens the profile of the rank, and shows its step there.
void OpenRankStep(const PanelContext& context, int64_t number, int64_t step) {
  const Fleet* fleet = FleetOf(*context.profile->trace);
  if (fleet == nullptr) return;
  const FleetRun& run = fleet->runs.front();
  for (size_t r = 0; r < run.facts.size(); ++r) {
    const RankFacts& facts = run.facts[r];
    if (facts.rank.number != number) continue;
    for (const RankStep& s : facts.steps) {
      if (s.number != step) continue;
      const Ps begin = SaturatingSub(s.span.begin, facts.moved);
      const Ps margin = std::max<Ps>(1, s.span.length() / 20);
      context.commands.Push("file.open_at",
                            {.text = fleet->files[run.files[r]].path,
                             .range = {SaturatingSub(begin, margin),
                                       SaturatingAdd(begin, s.span.length() + margin)}});
      return;
    }
  }
}

void FleetPanel::MakeMap(const ResultTable& ranks, const ResultTable& steps) {
  const int rank = ranks.Column("rank");
  std::vector<int64_t> numbers;
  for (const size_t r : RowsBy(ranks, kFleetOrders[order_]))
    numbers.push_back(WholeIn(ranks, r, rank));
  const FleetMetric& metric = kFleetMetrics[metric_];
  map_ = MakeRankStepMap(std::move(numbers), steps, metric.column, metric.us);
  map_.map.unit_text = map_.map.most > 0 ? UsText(map_.map.most) : metric.nothing;
}

void FleetPanel::DrawChoices(const PanelContext& context) {
  const FaceScope small(context, Face::kUi);
  const auto choose = [&](const char* id, const auto& all, size_t* chosen) {
    ImGui::SetNextItemWidth(BaseEm() * 9);
    if (!ImGui::BeginCombo(id, all[*chosen].label)) return;
    for (size_t i = 0; i < std::size(all); ++i) {
      if (ImGui::Selectable(all[i].label, i == *chosen)) *chosen = i;
    }
    ImGui::EndCombo();
  };
  choose("##metric", kFleetMetrics, &metric_);
  ImGui::SetItemTooltip("What the map shows");
  ImGui::SameLine();
  choose("##order", kFleetOrders, &order_);
  ImGui::SetItemTooltip("Order of the ranks");
}

void FleetPanel::DrawMap(const PanelContext& context) {
  const FaceScope small(context, Face::kUi);
  const HeatMapAnswer answer = DrawRankStepMap(context, map_, BaseEm() * 8, 0.55f);
  if (!answer.hovered) return;
  const auto [row, column] = answer.cell;
  const double us = map_.map.at(row, column);
  WrappedTooltip(fmt::format("{}, step {}: {}\nClick opens the rank's profile there",
                             map_.map.rows[row], map_.map.columns[column],
                             std::isnan(us) ? "not recorded" : UsText(us)));
  if (answer.clicked) OpenRankStep(context, map_.ranks[row], map_.steps[column]);
}

void FleetPanel::DrawResult(const PanelContext& context, const AnalysisResult& result,
                            uint64_t key) {
  DrawFindings(context, result.findings, "fleet");
  const ResultTable *ranks = result.Table("ranks"), *steps = result.Table("steps");
  if (ranks != nullptr && steps != nullptr && !steps->rows.empty()) {
    DrawChoices(context);
    if (map_key_ != key || map_choice_ != std::pair(metric_, order_)) MakeMap(*ranks, *steps);
    map_key_ = key;
    map_choice_ = {metric_, order_};
    DrawMap(context);
  }
  std::vector<TablePages::Page> pages;
  for (const ResultTable& table : result.tables) {
    TablePages::Page page{&table, key};
    page.options.total_row = false;
    if (table.id == "ranks") page.sort = "late_share_percent";
    pages.push_back(page);
  }
  pages_.Draw(context, pages, "No facts of ranks were found.");
}

}  // namespace

std::unique_ptr<Panel> MakeFleetPanel() { return std::make_unique<FleetPanel>(); }

}  // namespace stepscope
