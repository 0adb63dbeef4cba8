// Clocks of a Perfetto trace: snapshots say how far each clock is from the trace's clock, so that
// any time becomes nanoseconds of the trace's clock. Between two snapshots the earlier one holds.
// One thread.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "loaders/common/wire.h"
#include "model/time.h"

namespace stepscope::perfetto {

class Clocks {
 public:
  static constexpr uint32_t kRealtime = 1, kBoottime = 6;

  // Reads a ClockSnapshot message of this sequence.
  void AddSnapshot(uint32_t sequence, const proto::Field& snapshot);
  struct Clock {
    // From a time of the clock on: what is added to get the trace's clock. Ascending, nanoseconds.
    std::vector<std::pair<int64_t, int64_t>> distances;
    int64_t unit_ns = 1;
    int64_t last = 0;
    bool incremental = false;
  };
  // The clock, whose address stays; null where no snapshot has it.
  Clock* Find(uint32_t sequence, uint32_t clock);
  // A time of the clock in nanoseconds of the trace's clock. A clock that counts from the packet
  // before is advanced.
  static int64_t Resolve(Clock* clock, uint64_t timestamp) {
    int64_t at = SaturatingMul(static_cast<int64_t>(timestamp), clock->unit_ns);
    if (clock->incremental) at = clock->last = SaturatingAdd(clock->last, at);
    const auto& [since, distance] = clock->distances.back();
    return SaturatingAdd(at, since <= at ? distance : DistanceAt(*clock, at));
  }
  uint32_t trace_clock() const { return trace_clock_; }
  // Unix time of the trace clock's 0; 0 if unknown.
  int64_t unix_ns() const { return unix_ns_; }

 private:
  static int64_t DistanceAt(const Clock& clock, int64_t at);
  static uint64_t KeyOf(uint32_t sequence, uint32_t clock);

  uint32_t trace_clock_ = kBoottime;
  int64_t unix_ns_ = 0;
  std::unordered_map<uint64_t, Clock> clocks_;
};

}  // namespace stepscope::perfetto
