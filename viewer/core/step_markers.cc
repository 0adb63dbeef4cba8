#include "viewer/core/step_markers.h"

#include <algorithm>
#include <array>

namespace stepscope {
namespace {

constexpr std::array<std::string_view, 7> kPrefixes = {
    "train", "test", "step", "Step", "eval", "TraceContext", "ProfilerStep#"};

bool IsHost(const Trace& trace, const Track& track) {
  if (!track.plane.valid() || track.plane.value >= trace.planes.size()) return false;
  const PlaneKind kind = trace.planes[track.plane.value].kind;
  return kind == PlaneKind::kHostThreads || kind == PlaneKind::kOther ||
         kind == PlaneKind::kHostOther;
}

void AddLane(const NameTable& names, const Lane& lane, const std::vector<uint8_t>* wanted,
             std::vector<StepMarker>* out) {
  for (uint32_t i = 0; i < lane.size() && out->size() < kMaxSteps; ++i) {
    const uint32_t meta = lane.meta[i];
    if (wanted != nullptr && (meta >= wanted->size() || (*wanted)[meta] == 0)) continue;
    if (lane.dur[i] <= 0) continue;
    out->push_back({std::string(names.DisplayName(MetaId(meta))),
                    TimeRange{lane.start[i], lane.end(i)}, EventRow(lane.first_row + i)});
  }
}

// The Steps track of the first device that has one: all devices run the same steps.
std::vector<StepMarker> FromStepTracks(const TrackSet& set) {
  std::vector<StepMarker> out;
  for (const Track& track : set.tracks) {
    if (track.kind != TrackKind::kSteps || track.events == 0) continue;
    for (const Lane& lane : set.LanesOf(track)) {
      if (lane.kind == LaneKind::kNested && lane.depth == 0)
        AddLane(*set.names, lane, nullptr, &out);
    }
    if (!out.empty()) break;
  }
  return out;
}

std::vector<StepMarker> FromMetas(const Trace& trace, const std::vector<uint8_t>& wanted,
                                  bool host_only) {
  // One track's markers only, that with the most: nested or repeated ones would overlap on the
  // strip.
  std::vector<StepMarker> best;
  for (const Track& track : trace.set.tracks) {
    if (host_only && !IsHost(trace, track)) continue;
    std::vector<StepMarker> found;
    for (const Lane& lane : trace.set.LanesOf(track)) {
      if (lane.kind == LaneKind::kInstant || lane.depth > 3) continue;
      AddLane(trace.names(), lane, &wanted, &found);
    }
    if (found.size() > best.size()) best = std::move(found);
  }
  return best;
}

}  // namespace

bool LooksLikeStep(std::string_view name) {
  if (name.find('/') != std::string_view::npos || name.find("::") != std::string_view::npos)
    return false;
  for (std::string_view prefix : kPrefixes) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view rest = name.substr(prefix.size());
    // "train", "train 12", "train_step", "Step#4"; not "testing_util", "stepper" or "steps".
    if (rest.empty() || rest[0] == ' ' || rest[0] == '#' || prefix.back() == '#') return true;
    if (rest == "_step" || (rest[0] >= '0' && rest[0] <= '9')) return true;
  }
  return false;
}

std::vector<StepMarker> FindSteps(const Trace& trace,
                                  std::span<const std::shared_ptr<const TrackSet>> derived) {
  std::vector<StepMarker> steps = FromStepTracks(trace.set);
  for (const auto& set : derived) {
    if (steps.empty() && set) steps = FromStepTracks(*set);
  }
  const auto& metas = trace.names().metas;
  std::vector<uint8_t> wanted(metas.size(), 0);
  if (steps.empty()) {
    bool any = false;
    for (size_t i = 0; i < metas.size(); ++i) {
      wanted[i] = metas[i].category == EventCategory::kStep;
      any = any || wanted[i] != 0;
    }
    if (any) steps = FromMetas(trace, wanted, false);
  }
  if (steps.empty()) {
    bool any = false;
    for (size_t i = 0; i < metas.size(); ++i) {
      wanted[i] = LooksLikeStep(trace.names().DisplayName(MetaId(static_cast<uint32_t>(i))));
      any = any || wanted[i] != 0;
    }
    if (any) steps = FromMetas(trace, wanted, true);
  }
  std::sort(steps.begin(), steps.end(), [](const StepMarker& a, const StepMarker& b) {
    return a.range.begin != b.range.begin ? a.range.begin < b.range.begin
                                          : a.range.end > b.range.end;
  });
  // Of markers that overlap (a nested "step" inside "train"), the outer one stays.
  std::vector<StepMarker> out;
  for (StepMarker& step : steps) {
    if (!out.empty() && step.range.begin < out.back().range.end) continue;
    out.push_back(std::move(step));
  }
  return out;
}

void NameSteps(const ResultTable& table, std::vector<StepMarker>* steps) {
  const int column = table.Column("stepnum");
  if (column < 0) return;
  std::vector<StepMarker> rows;
  for (size_t r = 0; r < table.rows.size() && r < table.links.size() && r < kMaxSteps; ++r) {
    if (table.links[r].range.empty()) continue;
    rows.push_back(
        {RawValue(table.rows[r][static_cast<size_t>(column)]), table.links[r].range, EventRow()});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const StepMarker& a, const StepMarker& b) {
    return a.range.begin < b.range.begin;
  });
  if (steps->empty()) {
    for (StepMarker& row : rows) {  // hosts run the same steps side by side
      if (steps->empty() || row.range.begin >= steps->back().range.end)
        steps->push_back(std::move(row));
    }
    return;
  }
  for (StepMarker& step : *steps) {
    if (!step.label.empty() && step.label.back() >= '0' && step.label.back() <= '9') continue;
    const Ps middle = step.range.begin + step.range.length() / 2;
    const auto after =
        std::partition_point(rows.begin(), rows.end(),
                             [middle](const StepMarker& row) { return row.range.begin <= middle; });
    if (after != rows.begin() && std::prev(after)->range.Contains(middle))
      step.label = std::prev(after)->label;
  }
}

}  // namespace stepscope
