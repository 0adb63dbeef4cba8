#include "viewer/timeline/slices/minimap_marks.h"

#include <algorithm>
#include <span>

#include "viewer/core/look/time_axis.h"

namespace stepscope {
namespace {

// Marks the columns in which events begin. It searches once for each column that has no mark yet.
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

void MinimapMarks::Update(std::span<const MinimapPart> parts, const Highlight& highlight,
                          uint32_t width) {
  std::vector<std::pair<ProfileId, TimeRange>> shown;
  for (const MinimapPart& part : parts) shown.emplace_back(part.profile->id, part.span);
  const uint64_t version = highlight.version;
  if (shown == shown_ && version == version_ && columns_.size() == width) return;
  shown_ = std::move(shown);
  version_ = version;
  columns_.assign(width, 0);
  if (version == 0 || width == 0) return;
  for (const MinimapPart& part : parts) {
    const Profile& profile = *part.profile;
    const TimeAxis axis(part.span, width);
    for (const Highlight::Rows& rows : highlight.rows) {
      if (rows.profile != profile.id || rows.set >= profile.sets()) continue;
      ForLanesWith(profile.Set(rows.set), *rows.rows,
                   [&](const Lane& lane, std::span<const uint32_t> of_lane) {
                     MarkLane(lane, of_lane, axis, &columns_);
                   });
    }
  }
}

}  // namespace stepscope
