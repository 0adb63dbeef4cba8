#include "viewer/core/step_markers.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace stepscope {
namespace {

// The number at the end of a label; false if there is none that fits.
bool NumberAtEnd(std::string_view label, int64_t* number) {
  const size_t last = label.find_last_not_of("0123456789");
  const std::string_view digits = label.substr(last == label.npos ? 0 : last + 1);
  const char* end = digits.data() + digits.size();
  return !digits.empty() && std::from_chars(digits.data(), end, *number).ec == std::errc();
}

// What people call them: the numbers of their labels where those rise, else their places.
void Number(std::vector<StepMarker>* steps) {
  int64_t before = -1;
  bool rise = true;
  for (StepMarker& step : *steps) {
    rise = rise && NumberAtEnd(step.label, &step.number) && step.number > before;
    before = step.number;
  }
  for (size_t i = 0; !rise && i < steps->size(); ++i) (*steps)[i].number = static_cast<int64_t>(i);
}

bool IsTrue(const ResultTable& table, size_t row, int column) {
  if (column < 0) return false;
  const bool* value = std::get_if<bool>(&table.rows[row][static_cast<size_t>(column)]);
  return value != nullptr && *value;
}

}  // namespace

std::vector<StepMarker> StepMarkers(const ResultTable& table) {
  std::vector<StepMarker> steps;
  const int label = table.Column("stepnum"), host = table.Column("host");
  const int partial = table.Column("partial"), warmup = table.Column("warmup");
  if (label < 0) return steps;
  for (size_t r = 0; r < table.rows.size() && r < table.links.size(); ++r) {
    const auto cell = [&](size_t row, int column) -> const Value& {
      return table.rows[row][static_cast<size_t>(column)];
    };
    if (host >= 0 && cell(r, host) != cell(0, host)) continue;
    const bool counts = !IsTrue(table, r, partial) && !IsTrue(table, r, warmup);
    steps.push_back({RawValue(cell(r, label)), table.links[r].range, 0, counts});
  }
  std::stable_sort(steps.begin(), steps.end(), [](const StepMarker& a, const StepMarker& b) {
    return a.range.begin < b.range.begin;
  });
  Number(&steps);
  return steps;
}

}  // namespace stepscope
