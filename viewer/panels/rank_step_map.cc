#include "viewer/panels/rank_step_map.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "model/time.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {

double NumberIn(const ResultTable& table, size_t row, int column) {
  return column < 0 ? std::numeric_limits<double>::quiet_NaN()
                    : NumberOf(table.At(row, static_cast<size_t>(column)));
}

int64_t WholeIn(const ResultTable& table, size_t row, int column) {
  const double number = NumberIn(table, row, column);
  return std::isnan(number) ? -1 : static_cast<int64_t>(number);
}

std::string UsText(double us) {
  return WithoutZeros(FormatDuration(static_cast<Ps>(us * static_cast<double>(kPsPerUs)), 3));
}

namespace {

// The different numbers of a column, ascending.
std::vector<int64_t> NumbersIn(const ResultTable& table, int column) {
  std::unordered_set<int64_t> found;
  for (size_t i = 0; i < table.size(); ++i) found.insert(WholeIn(table, i, column));
  std::vector<int64_t> numbers(found.begin(), found.end());
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace

RankStepMap MakeRankStepMap(std::vector<int64_t> ranks, const ResultTable& table,
                            const char* column, double us) {
  RankStepMap out;
  out.ranks = std::move(ranks);
  std::unordered_map<int64_t, size_t> row_of, column_of;
  for (const int64_t rank : out.ranks) {
    row_of[rank] = out.map.rows.size();
    out.map.rows.push_back("Rank " + std::to_string(rank));
  }
  const int rank = table.Column("rank"), step = table.Column("step");
  const int value = column == nullptr ? -1 : table.Column(column);
  out.steps = NumbersIn(table, step);
  for (const int64_t number : out.steps) {
    column_of[number] = out.map.columns.size();
    out.map.columns.push_back(std::to_string(number));
  }
  const size_t cells = out.ranks.size() * out.steps.size();
  out.map.values.assign(cells, std::numeric_limits<double>::quiet_NaN());
  out.rows.assign(cells, -1);
  for (size_t i = 0; i < table.size(); ++i) {
    const auto row = row_of.find(WholeIn(table, i, rank));
    if (row == row_of.end()) continue;
    const size_t cell = row->second * out.steps.size() + column_of[WholeIn(table, i, step)];
    out.map.values[cell] = NumberIn(table, i, value) * us;
    out.rows[cell] = static_cast<int>(i);
    if (out.map.values[cell] > out.map.most) out.map.most = out.map.values[cell];
  }
  return out;
}

HeatMapAnswer DrawRankStepMap(const PanelContext& context, const RankStepMap& map, float least,
                              float part) {
  const float most = std::max(least, ImGui::GetContentRegionAvail().y * part);
  HeatMapAnswer answer;
  if (ImGui::BeginChild("##map", {0, HeatMapHeight(map.map, most)}))
    answer = DrawHeatMap(context, map.map, "step");
  ImGui::EndChild();
  return answer;
}

}  // namespace stepscope
