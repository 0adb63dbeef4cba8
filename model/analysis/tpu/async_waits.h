// AsyncWaits: what the cores of TPUs wait for. An op such as copy-start begins asynchronous work,
// an op such as copy-done waits until it is there. Between the two other ops hide it
// (docs/rules.md#tpu). Times are ps by the core's own clock.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/analysis/naming/core_op.h"
#include "model/analysis/tables/in_unit.h"
#include "model/analysis/tables/result_table.h"
#include "model/analysis/tpu/core_events.h"

namespace stepscope {

// All waits of one op, on all cores.
struct AsyncWait {
  std::string name;       // of the op that waits: "copy-done.2"
  std::string needed_by;  // the first op behind it that reads the result; empty: none does
  CoreWork work = CoreWork::kCompute;
  double bytes = 0;  // of one; 0: not recorded
  uint64_t count = 0;
  Ps waited = 0;     // sum
  Ps in_flight = 0;  // sum, from the begin of the start to the end of the wait
  // How long the work took whose end the waits show: from its start, or from the end of the work of
  // its kind before it, which it queued behind.
  Ps on_link = 0;
  uint64_t links = 0;
  Ps longest = 0;
  EventRow row;  // the longest wait

  double BytesPerSecond() const;                                                // 0: unknown
  double wait_ms() const { return InMs(waited) / static_cast<double>(count); }  // mean
  double in_flight_ms() const { return InMs(in_flight) / static_cast<double>(count); }
};

// "5 GiB from the host's memory at 24.7 GiB/s, which fusion.2 needs".
std::string TextOf(const AsyncWait& wait);
// "host to device"; what the work is, for tables.
const char* LabelOf(CoreWork work);

// Adds up the waits of cores. One thread.
class AsyncWaits {
 public:
  AsyncWaits(const Trace& trace, const StatTable& stats) : trace_(trace), stats_(stats) {}

  // The ops of one core by begin; only those of [first, end) count, but the others are known.
  // O(ops log ops).
  void AddCore(std::span<const CoreOp> ops, std::span<const std::pair<size_t, size_t>> parts);
  // By falling time waited.
  std::vector<AsyncWait> Take();

 private:
  std::string NeededBy(std::span<const CoreOp> ops, size_t done) const;
  void Add(std::span<const CoreOp> ops, size_t done, CoreWork work, Ps started, Ps free);

  const Trace& trace_;
  const StatTable& stats_;
  std::map<std::pair<int64_t, std::string_view>, AsyncWait> waits_;
};

// Whether a wait is long enough to show when what it waits for ends.
inline constexpr Ps kShownWait = kPsPerUs;

// The table `async_waits` of the overview. `step_ps`: the time of the steps that the waits are of,
// on all cores. O(waits).
ResultTable AsyncWaitTable(std::span<const AsyncWait> waits, double step_ps);

}  // namespace stepscope
