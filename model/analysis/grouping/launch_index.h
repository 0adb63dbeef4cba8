// LaunchIndex: which call of a host queued the device work with a correlation id. It serves
// EventForest and is thrown away after it. Immutable once built; any thread may ask it. It takes 4
// bytes an id where ids are dense, and 24 bytes a call elsewhere.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/analysis/intervals/event_order.h"
#include "model/analysis/naming/op_name.h"
#include "model/event_rows.h"
#include "model/sparse_column.h"
#include "model/trace.h"

namespace stepscope {

// CallFacts tell calls from other events. They borrow everything.
struct CallFacts {
  const TrackSet& set;
  const SparseColumn<int64_t>& ids;      // correlation ids
  std::span<const HostEventType> types;  // by MetaId
  std::span<const uint32_t> position;    // by row, in EventOrder
};

class LaunchIndex {
 public:
  static constexpr uint32_t kNone = 0xffffffffu;

  LaunchIndex() = default;  // knows no call
  // `tracks`: those of a host that have calls, in the host's order. Where several calls have one
  // id, the last one counts: the one on the last track, and there the one with the last position.
  // Parallel over tracks; O(calls), and O(n log n) where ids are not dense.
  LaunchIndex(const CallFacts& facts, std::span<const uint32_t> tracks);
  // The row of the call, or kNone.
  uint32_t Find(int64_t id) const;

 private:
  // A call, and which of two calls with one id counts: the one with the greater place.
  struct Call {
    int64_t id = 0;
    uint64_t place = 0;  // the track's number among `tracks`, then the position
    uint32_t row = 0;
  };
  void FillTable(const CallFacts& facts, std::span<const uint32_t> tracks);
  void FillList(const CallFacts& facts, std::span<const uint32_t> tracks);

  std::vector<Call> calls_;  // by id and place
  RowsById table_;           // empty: calls_ has all
};

}  // namespace stepscope
