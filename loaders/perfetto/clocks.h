// Clocks of a Perfetto trace: what the snapshots say of one clock becomes nanoseconds of the
// trace's clock. Times between two snapshots have the distance of the earlier one. One thread.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "loaders/xplane/wire.h"
#include "model/time.h"

namespace stepscope::perfetto {

class Clocks {
 public:
  static constexpr uint32_t kRealtime = 1, kBoottime = 6;

  // A ClockSnapshot of this sequence.
  void AddSnapshot(uint32_t sequence, const xplane::Field& snapshot);
  struct Clock {
    std::vector<std::pair<int64_t, int64_t>> distances;  // from this time on: to the trace's clock
    int64_t unit_ns = 1;
    int64_t last = 0;
    bool incremental = false;
  };
  // Null where no snapshot has that clock; else it stays where it is.
  Clock* Find(uint32_t sequence, uint32_t clock);
  // Nanoseconds of the trace's clock. A clock that counts from the packet before is advanced.
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
