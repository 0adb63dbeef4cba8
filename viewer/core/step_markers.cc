#include "viewer/core/step_markers.h"

#include <algorithm>

namespace stepscope {

std::vector<StepMarker> StepMarkers(const ResultTable& table) {
  std::vector<StepMarker> steps;
  const int label = table.Column("stepnum"), host = table.Column("host");
  if (label < 0) return steps;
  for (size_t r = 0; r < table.rows.size() && r < table.links.size(); ++r) {
    const auto cell = [&](size_t row, int column) -> const Value& {
      return table.rows[row][static_cast<size_t>(column)];
    };
    if (host >= 0 && cell(r, host) != cell(0, host)) continue;
    steps.push_back({RawValue(cell(r, label)), table.links[r].range});
  }
  std::stable_sort(steps.begin(), steps.end(), [](const StepMarker& a, const StepMarker& b) {
    return a.range.begin < b.range.begin;
  });
  return steps;
}

}  // namespace stepscope
