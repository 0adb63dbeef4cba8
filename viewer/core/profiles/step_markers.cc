#include "viewer/core/profiles/step_markers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "model/analysis/intervals/step_number.h"
#include "model/analysis/tables/cells.h"

namespace stepscope {
namespace {

// The time in a cell that holds ms; 0 where it holds no length of time.
Ps TimeIn(const ResultTable& table, size_t row, int column) {
  if (column < 0) return 0;
  const Cell cell = table.At(row, static_cast<size_t>(column));
  const double* ms = std::get_if<double>(&cell);
  const double ps = ms != nullptr ? *ms * static_cast<double>(kPsPerMs) : 0;
  return ps > 0 && ps < static_cast<double>(kMaxPs) ? static_cast<Ps>(std::llround(ps)) : 0;
}

struct StepRow : StepMarker {
  std::vector<TimeRange> devices;  // the step on each device, where that is known
};

// Reads the table "device_steps", which has the devices of each step one after another, in the
// order of the table "steps".
class DeviceStepReader {
 public:
  explicit DeviceStepReader(const ResultTable* table) : table_(table) {
    if (table == nullptr) return;
    label_ = table->Column("stepnum"), host_ = table->Column("host");
    device_ = table->Column("device");
  }
  // The ranges of the next step's devices. Steps may have equal labels: a device that comes again
  // is of the next one.
  std::vector<TimeRange> Next(const Cell& label, const std::optional<Cell>& host) {
    std::vector<TimeRange> ranges;
    if (table_ == nullptr || label_ < 0 || device_ < 0) return ranges;
    const size_t first = at_;
    for (; at_ < table_->size() && at_ < table_->links.size(); ++at_) {
      if (At(at_, label_) != label) break;
      if (host && host_ >= 0 && At(at_, host_) != *host) break;
      if (Has(first, At(at_, device_))) break;
      ranges.push_back(table_->links[at_].range);
    }
    return ranges;
  }

 private:
  Cell At(size_t row, int column) const { return table_->At(row, static_cast<size_t>(column)); }
  bool Has(size_t first, const Cell& device) const {
    for (size_t row = first; row < at_; ++row) {
      if (At(row, device_) == device) return true;
    }
    return false;
  }

  const ResultTable* table_;
  int label_ = -1, host_ = -1, device_ = -1;
  size_t at_ = 0;
};

bool BeginsEarlier(const StepMarker& a, const StepMarker& b) {
  return a.range.begin < b.range.begin;
}

std::vector<StepRow> StepRows(const ResultTable& table, const ResultTable* device_steps) {
  std::vector<StepRow> steps;
  const int label = table.Column("stepnum"), host = table.Column("host");
  const int partial = table.Column("partial"), warmup = table.Column("warmup");
  const int time = table.Column("stepTimeMs");
  if (label < 0) return steps;
  DeviceStepReader devices(device_steps);
  for (size_t r = 0; r < table.size() && r < table.links.size(); ++r) {
    const auto cell = [&](size_t row, int column) {
      return table.At(row, static_cast<size_t>(column));
    };
    std::vector<TimeRange> ranges =
        devices.Next(cell(r, label), host >= 0 ? std::optional(cell(r, host)) : std::nullopt);
    if (host >= 0 && cell(r, host) != cell(0, host)) continue;
    const bool counts = !TrueAt(table, r, partial) && !TrueAt(table, r, warmup);
    const TimeRange range = table.links[r].range;
    steps.push_back(
        {{RawValue(cell(r, label)), range, 0, counts, TimeIn(table, r, time)}, std::move(ranges)});
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

std::vector<StepMarker> StepMarkers(const ResultTable& steps, const ResultTable* device_steps) {
  std::vector<StepRow> rows = StepRows(steps, device_steps);
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
