#include "viewer/core/profiles/step_markers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

#include "model/analysis/intervals/step_number.h"

namespace stepscope {
namespace {

bool IsTrue(const ResultTable& table, size_t row, int column) {
  if (column < 0) return false;
  const bool* value = std::get_if<bool>(&table.rows[row][static_cast<size_t>(column)]);
  return value != nullptr && *value;
}

// The time in a cell that holds ms; 0 where it holds no length of time.
Ps TimeIn(const ResultTable& table, size_t row, int column) {
  if (column < 0) return 0;
  const double* ms = std::get_if<double>(&table.rows[row][static_cast<size_t>(column)]);
  const double ps = ms != nullptr ? *ms * static_cast<double>(kPsPerMs) : 0;
  return ps > 0 && ps < static_cast<double>(kMaxPs) ? static_cast<Ps>(std::llround(ps)) : 0;
}

}  // namespace

std::vector<StepMarker> StepMarkers(const ResultTable& table) {
  std::vector<StepMarker> steps;
  const int label = table.Column("stepnum"), host = table.Column("host");
  const int partial = table.Column("partial"), warmup = table.Column("warmup");
  const int time = table.Column("stepTimeMs");
  if (label < 0) return steps;
  for (size_t r = 0; r < table.rows.size() && r < table.links.size(); ++r) {
    const auto cell = [&](size_t row, int column) -> const Value& {
      return table.rows[row][static_cast<size_t>(column)];
    };
    if (host >= 0 && cell(r, host) != cell(0, host)) continue;
    const bool counts = !IsTrue(table, r, partial) && !IsTrue(table, r, warmup);
    steps.push_back(
        {RawValue(cell(r, label)), table.links[r].range, 0, counts, TimeIn(table, r, time)});
  }
  std::stable_sort(steps.begin(), steps.end(), [](const StepMarker& a, const StepMarker& b) {
    return a.range.begin < b.range.begin;
  });
  NumberByLabel(std::span<StepMarker>(steps));
  return steps;
}

std::optional<StepInterval> ParseStepText(std::string_view text) {
  int64_t only = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, only);
  if (read.ec == std::errc() && read.ptr == end) return StepInterval{only, only};
  return ParseSteps(text);
}

}  // namespace stepscope
