#include "viewer/timeline/minimap_marks.h"

#include <algorithm>

#include "viewer/core/time_axis.h"

namespace stepscope {
namespace {

// Rows ascend through the lanes, so that one pass over both finds every begin.
void MarkRows(const TrackSet& set, const std::vector<uint32_t>& rows, const TimeAxis& axis,
              std::vector<uint8_t>* columns) {
  size_t lane = 0;
  for (const uint32_t row : rows) {
    while (lane < set.lanes.size() &&
           row >= set.lanes[lane].first_row + uint64_t{set.lanes[lane].size()})
      ++lane;
    if (lane == set.lanes.size()) return;
    if (row < set.lanes[lane].first_row) continue;
    const double x = axis.X(set.lanes[lane].start[row - set.lanes[lane].first_row]);
    if (x >= 0 && x < static_cast<double>(columns->size())) (*columns)[static_cast<size_t>(x)] = 1;
  }
}

}  // namespace

void MinimapMarks::Update(const Run& run, const Highlight& highlight, TimeRange span,
                          uint32_t width) {
  const uint64_t version = highlight.version;
  if (run.id == run_ && version == version_ && span == span_ && columns_.size() == width) return;
  run_ = run.id;
  version_ = version;
  span_ = span;
  columns_.assign(width, 0);
  if (version == 0 || width == 0) return;
  const TimeAxis axis(span, width);
  for (const Highlight::Rows& part : highlight.rows) {
    if (part.run == run.id && part.set < run.sets())
      MarkRows(run.Set(part.set), part.rows, axis, &columns_);
  }
}

}  // namespace stepscope
