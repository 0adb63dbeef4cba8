// Shared by StatSources that read arguments again from the file: the way from a row of the trace
// to its event in the file and back, and columns that are filled in any order. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "model/base/status.h"
#include "model/stats.h"
#include "model/trace.h"

namespace stepscope {

// Where an event lies: the number of its file (Track::source), and a reference into it that only
// its loader understands.
struct SourceRef {
  uint32_t source = 0;
  uint64_t ref = 0;  // ~0: the file has no such event
};
// Nothing where the trace has no such row. O(log lanes).
std::optional<SourceRef> RefOfRow(const Trace& trace, EventRow row);

// Calls fn(ref, row) for the events of one file, by lane. O(events of the trace).
template <typename Fn>
void ForRefs(const Trace& trace, uint32_t source, Fn fn) {
  for (const Lane& lane : trace.set.lanes) {
    if (trace.set.tracks[lane.track.value].source != source) continue;
    for (uint32_t i = 0; i < lane.size(); ++i) fn(lane.SourceOffset(i), lane.first_row + i);
  }
}

// Typed values of rows, by IntStat, in any order.
using RowValues =
    std::array<std::vector<std::pair<uint32_t, int64_t>>, static_cast<size_t>(IntStat::kCount)>;

// A table of these columns. Where a row has two values, the smaller one counts: it is rare that an
// event has two names for one stat. Uses all cores; kCancelled when stopped. O(values log values),
// or O(rows) where many rows have a value.
Result<std::shared_ptr<const StatTable>> TableOf(RowValues values, uint32_t rows,
                                                 const std::stop_token& stop);

// One numbering of the columns of a StatTable, for code that treats them alike: ints, then texts,
// then reals.
inline constexpr size_t kIntStats = static_cast<size_t>(IntStat::kCount);
inline constexpr size_t kTextStats = static_cast<size_t>(StringStat::kCount);
inline constexpr size_t kRealStats = static_cast<size_t>(RealStat::kCount);
inline constexpr uint32_t kStatColumns = kIntStats + kTextStats + kRealStats;

// Calls fn(column...) with the column of each table that has this number.
template <typename Fn, typename... Tables>
void VisitColumn(size_t number, Fn fn, Tables&... tables) {
  if (number < kIntStats) {
    fn(tables.ints[number]...);
  } else if (number < kIntStats + kTextStats) {
    fn(tables.texts[number - kIntStats]...);
  } else {
    fn(tables.reals[number - kIntStats - kTextStats]...);
  }
}

}  // namespace stepscope
