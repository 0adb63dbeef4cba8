#include "loaders/perfetto/clocks.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace stepscope::perfetto {
namespace {

struct Reading {
  uint32_t id = 0;
  int64_t time = 0, unit_ns = 1;
  bool incremental = false;
};

Reading ReadClock(const proto::Field& message) {
  Reading reading;
  int64_t unit_ns = 0;
  ReadFields(message, proto::Number(1, &reading.id), proto::Number(2, &reading.time),
             proto::Number(3, &reading.incremental), proto::Number(4, &unit_ns));
  if (unit_ns > 0) reading.unit_ns = unit_ns;
  reading.time = SaturatingMul(reading.time, reading.unit_ns);
  return reading;
}

}  // namespace

// Clocks from 64 to 127 belong to their sequence.
uint64_t Clocks::KeyOf(uint32_t sequence, uint32_t clock) {
  const bool own = clock >= 64 && clock < 128;
  return (own ? uint64_t{sequence} << 32 : uint64_t{0}) | clock;
}

void Clocks::AddSnapshot(uint32_t sequence, const proto::Field& snapshot) {
  std::vector<Reading> readings;
  uint32_t trace_clock = 0;
  const auto add = [&readings](const proto::Field& f) { readings.push_back(ReadClock(f)); };
  ReadFields(snapshot, proto::Message(1, add), proto::Number(2, &trace_clock));
  if (trace_clock != 0) trace_clock_ = trace_clock;
  // The trace's clock at this moment: as the snapshot says, or computed from a clock known already.
  std::optional<int64_t> now;
  for (const Reading& r : readings) {
    if (r.id == trace_clock_) now = r.time;
  }
  for (size_t i = 0; i < readings.size() && !now; ++i) {
    const auto known = clocks_.find(KeyOf(sequence, readings[i].id));
    if (known != clocks_.end() && !known->second.distances.empty())
      now = SaturatingAdd(readings[i].time, known->second.distances.back().second);
  }
  if (!now) return;
  for (const Reading& r : readings) {
    Clock& clock = clocks_[KeyOf(sequence, r.id)];
    clock.unit_ns = r.unit_ns;
    clock.incremental = r.incremental;
    clock.last = r.time;
    const int64_t distance = SaturatingSub(*now, r.time);
    if (clock.distances.empty() || r.time > clock.distances.back().first)
      clock.distances.emplace_back(r.time, distance);
    if (r.id == kRealtime && unix_ns_ == 0) unix_ns_ = SaturatingSub(r.time, *now);
  }
}

Clocks::Clock* Clocks::Find(uint32_t sequence, uint32_t clock) {
  const auto it = clocks_.find(KeyOf(sequence, clock));
  return it == clocks_.end() || it->second.distances.empty() ? nullptr : &it->second;
}

// Before the first snapshot, the first one holds.
int64_t Clocks::DistanceAt(const Clock& clock, int64_t at) {
  const auto& distances = clock.distances;
  const auto after = std::partition_point(distances.begin(), distances.end(),
                                          [&](const auto& d) { return d.first <= at; });
  return after == distances.begin() ? after->second : std::prev(after)->second;
}

}  // namespace stepscope::perfetto
