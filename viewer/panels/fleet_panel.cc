// Fleet: a map of hundreds of ranks and their steps, and what slows them down. A click opens the
// rank's own profile at the step.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/analysis/fleet/fleet.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/table_pages.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/heat_map.h"
#include "viewer/widgets/number_text.h"

namespace stepscope {
namespace {

// What the map shows: a column of the table of steps.
struct FleetMetric {
  const char* label;
  const char* column;
  double us;  // of one unit of the column
};
constexpr FleetMetric kFleetMetrics[] = {
    {"Lateness", "late_us", 1}, {"Step time", "step_ms", 1000}, {"Busy", "busy_ms", 1000}};

// What the rows of the map are ordered by: a column of the table of ranks.
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
  HeatMapData map_;
  std::vector<int64_t> numbers_, steps_;  // by row and by column of the map
};

double NumberIn(const ResultTable& table, size_t row, int column) {
  return column < 0 ? std::numeric_limits<double>::quiet_NaN()
                    : NumberOf(table.rows[row][static_cast<size_t>(column)]);
}

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

std::string TimeText(double us) {
  return WithoutZeros(FormatDuration(static_cast<Ps>(us * static_cast<double>(kPsPerUs)), 3));
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
  map_ = {};
  numbers_.clear();
  steps_.clear();
  std::map<int64_t, size_t> row_of, column_of;
  const int rank_column = ranks.Column("rank"), of_rank = steps.Column("rank");
  for (const size_t r : RowsBy(ranks, kFleetOrders[order_])) {
    const auto number = static_cast<int64_t>(NumberIn(ranks, r, rank_column));
    row_of[number] = numbers_.size();
    numbers_.push_back(number);
    map_.rows.push_back("Rank " + std::to_string(number));
  }
  const int step_column = steps.Column("step");
  for (size_t i = 0; i < steps.rows.size(); ++i)
    column_of[static_cast<int64_t>(NumberIn(steps, i, step_column))] = 0;
  for (auto& [step, column] : column_of) {
    column = steps_.size();
    steps_.push_back(step);
    map_.columns.push_back(std::to_string(step));
  }
  map_.values.assign(numbers_.size() * steps_.size(), std::numeric_limits<double>::quiet_NaN());
  const int value = steps.Column(kFleetMetrics[metric_].column);
  for (size_t i = 0; i < steps.rows.size(); ++i) {
    const auto row = row_of.find(static_cast<int64_t>(NumberIn(steps, i, of_rank)));
    if (row == row_of.end()) continue;
    const size_t column = column_of[static_cast<int64_t>(NumberIn(steps, i, step_column))];
    const double us = NumberIn(steps, i, value) * kFleetMetrics[metric_].us;
    map_.values[row->second * steps_.size() + column] = us;
    if (us > map_.most) map_.most = us;
  }
  map_.unit_text = map_.most > 0 ? TimeText(map_.most) : "no rank is late";
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
  const float most = std::max(BaseEm() * 8, ImGui::GetContentRegionAvail().y * 0.55f);
  HeatMapAnswer answer;
  if (ImGui::BeginChild("##map", {0, HeatMapHeight(map_, most)}))
    answer = DrawHeatMap(context, map_, "step");
  ImGui::EndChild();
  if (!answer.hovered) return;
  const double us = map_.at(answer.cell.row, answer.cell.column);
  WrappedTooltip(fmt::format("{}, step {}: {}\nClick opens the rank's profile there",
                             map_.rows[answer.cell.row], map_.columns[answer.cell.column],
                             std::isnan(us) ? "not recorded" : TimeText(us)));
  if (answer.clicked) OpenRankStep(context, numbers_[answer.cell.row], steps_[answer.cell.column]);
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
