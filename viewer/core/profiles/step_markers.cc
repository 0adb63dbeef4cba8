#include "viewer/core/profiles/step_markers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "model/analysis/intervals/step_number.h"

namespace stepscope {
namespace {

struct StepRow : StepMarker {
  std::vector<TimeRange> devices;  // the step on each device, where that is known
};

bool BeginsEarlier(const StepMarker& a, const StepMarker& b) {
  return a.range.begin < b.range.begin;
}

std::vector<StepRow> StepRows(const StepDatabase& db) {
  std::vector<StepRow> steps;
  size_t d = 0;
  for (size_t s = 0; s < db.steps.size(); ++s) {
    const Step& step = db.steps[s];
    std::vector<TimeRange> devices;
    for (; d < db.device_steps.size() && db.device_steps[d].step == s; ++d)
      devices.push_back(db.device_steps[d].span);
    if (step.host != db.steps.front().host) continue;
    const double time = step.times.total;
    const bool known = time > 0 && time < static_cast<double>(kMaxPs);
    steps.push_back(
        {{step.label, step.span, 0, step.counts(), known ? static_cast<Ps>(std::llround(time)) : 0},
         std::move(devices)});
  }
  std::stable_sort(steps.begin(), steps.end(), BeginsEarlier);
  NumberByLabel(std::span<StepRow>(steps));
  return steps;
}

// Appends the markers of a step: one, or one for each group of devices that the time between them
// keeps apart.
void AppendMarkers(StepRow step, std::vector<StepMarker>* markers) {
  std::sort(step.devices.begin(), step.devices.end(),
            [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
  const size_t before = markers->size();
  Ps sum = 0, count = 0;
  for (const TimeRange& device : step.devices) {
    const bool apart =
        markers->size() == before || device.begin - markers->back().range.end >= step.length();
    if (apart) {
      markers->push_back({step.label, device, step.number, step.counts, 0});
      sum = count = 0;
    }
    StepMarker& marker = markers->back();
    marker.range.end = std::max(marker.range.end, device.end);
    marker.time = (sum += device.length()) / ++count;
  }
  if (markers->size() > before + 1) return;
  markers->resize(before);
  markers->push_back(std::move(step));
}

}  // namespace

std::vector<StepMarker> StepMarkers(const StepDatabase& db) {
  std::vector<StepRow> rows = StepRows(db);
  std::vector<StepMarker> markers;
  markers.reserve(rows.size());
  for (StepRow& row : rows) AppendMarkers(std::move(row), &markers);
  std::stable_sort(markers.begin(), markers.end(), BeginsEarlier);
  return markers;
}

TimeRange BarOf(std::span<const StepMarker> steps, size_t i) {
  TimeRange bar = steps[i].range;
  if (i + 1 < steps.size()) bar.end = std::min(bar.end, steps[i + 1].range.begin);
  return bar;
}

size_t FirstBarAt(std::span<const StepMarker> steps, Ps t) {
  const auto first = std::partition_point(steps.begin(), steps.end(), [&](const StepMarker& s) {
    return BarOf(steps, static_cast<size_t>(&s - steps.data())).end < t;
  });
  return static_cast<size_t>(first - steps.begin());
}

std::optional<StepInterval> ParseStepText(std::string_view text) {
  int64_t only = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, only);
  if (read.ec == std::errc() && read.ptr == end) return StepInterval{only, only};
  return ParseSteps(text);
}

}  // namespace stepscope
