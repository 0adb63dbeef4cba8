#include "viewer/panels/rank_step_map.h"

#include <imgui.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "model/time.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {

std::string UsText(double us) {
  return WithoutZeros(FormatDuration(static_cast<Ps>(us * static_cast<double>(kPsPerUs)), 3));
}

RankStepMap MakeRankStepMap(std::vector<int64_t> ranks, size_t count,
                            const std::function<RankStepValue(size_t)>& value_of) {
  RankStepMap out;
  out.ranks = std::move(ranks);
  std::unordered_map<int64_t, size_t> row_of, column_of;
  for (const int64_t rank : out.ranks) {
    row_of[rank] = out.map.rows.size();
    out.map.rows.push_back("Rank " + std::to_string(rank));
  }
  std::unordered_set<int64_t> steps;
  for (size_t i = 0; i < count; ++i) steps.insert(value_of(i).step);
  out.steps.assign(steps.begin(), steps.end());
  std::sort(out.steps.begin(), out.steps.end());
  for (const int64_t number : out.steps) {
    column_of[number] = out.map.columns.size();
    out.map.columns.push_back(std::to_string(number));
  }
  const size_t cells = out.ranks.size() * out.steps.size();
  out.map.values.assign(cells, std::numeric_limits<double>::quiet_NaN());
  out.indices.assign(cells, -1);
  for (size_t i = 0; i < count; ++i) {
    const RankStepValue value = value_of(i);
    const auto row = row_of.find(value.rank);
    if (row == row_of.end()) continue;
    const size_t cell = row->second * out.steps.size() + column_of[value.step];
    out.map.values[cell] = value.us;
    out.indices[cell] = static_cast<int>(i);
    if (value.us > out.map.most) out.map.most = value.us;
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
