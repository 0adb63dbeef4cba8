#include "loaders/common/row_values.h"

#include <algorithm>

#include "model/jobs/job.h"

namespace stepscope {
namespace {

void FillColumn(std::vector<std::pair<uint32_t, int64_t>> values, uint32_t rows,
                SparseColumn<int64_t>* column) {
  std::vector<uint32_t> at;
  std::vector<int64_t> numbers;
  const auto add = [&](uint32_t row, int64_t value) {
    at.push_back(row);
    numbers.push_back(value);
  };
  if (values.size() > rows / 8) {
    std::vector<int64_t> dense(rows);
    std::vector<bool> has(rows);
    for (const auto& [row, value] : values) {
      dense[row] = has[row] ? std::min(dense[row], value) : value;
      has[row] = true;
    }
    values = {};
    for (uint32_t row = 0; row < rows; ++row) {
      if (has[row]) add(row, dense[row]);
    }
  } else {
    std::sort(values.begin(), values.end());
    for (const auto& [row, value] : values) {
      if (at.empty() || at.back() != row) add(row, value);
    }
  }
  column->Append(at, numbers);
}

}  // namespace

std::optional<SourceRef> RefOfRow(const Trace& trace, EventRow row) {
  const LaneId id = trace.set.LaneOf(row);
  if (id.value >= trace.set.lanes.size()) return std::nullopt;
  const Lane& lane = trace.set.lanes[id.value];
  return SourceRef{trace.set.tracks[lane.track.value].source,
                   lane.SourceOffset(row.value - lane.first_row)};
}

Result<std::shared_ptr<const StatTable>> TableOf(RowValues values, uint32_t rows,
                                                 const std::stop_token& stop) {
  auto table = std::make_shared<StatTable>();
  ParallelFor(values.size(), [&](size_t s) {
    if (!values[s].empty() && !stop.stop_requested())
      FillColumn(std::move(values[s]), rows, &table->ints[s]);
  });
  if (stop.stop_requested()) return Status(ErrorCode::kCancelled, "cancelled");
  table->ShrinkToFit();
  return std::shared_ptr<const StatTable>(std::move(table));
}

}  // namespace stepscope
