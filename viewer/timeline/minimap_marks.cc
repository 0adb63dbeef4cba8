#include "viewer/timeline/minimap_marks.h"

#include <algorithm>
#include <span>

#include "viewer/core/time_axis.h"

namespace stepscope {
namespace {

// Marks where events begin, going from one column that has no mark to the next.
void MarkLane(const Lane& lane, std::span<const uint32_t> rows, const TimeAxis& axis,
              std::vector<uint8_t>* columns) {
  const auto at = [&](uint32_t row) { return axis.X(lane.start[row - lane.first_row]); };
  const auto width = static_cast<double>(columns->size());
  auto row = rows.begin();
  for (size_t x = 0; x < columns->size(); ++x) {
    if ((*columns)[x] != 0) continue;
    row = std::partition_point(row, rows.end(),
                               [&](uint32_t r) { return at(r) < static_cast<double>(x); });
    if (row == rows.end() || at(*row) >= width) return;
    x = static_cast<size_t>(at(*row));
    (*columns)[x] = 1;
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
    if (part.run != run.id || part.set >= run.sets()) continue;
    ForLanesWith(run.Set(part.set), *part.rows,
                 [&](const Lane& lane, std::span<const uint32_t> rows) {
                   MarkLane(lane, rows, axis, &columns_);
                 });
  }
}

}  // namespace stepscope
