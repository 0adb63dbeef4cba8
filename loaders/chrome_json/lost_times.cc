// FileEvents::DropLostTimes: a profiler that loses an event's time writes 0 for its begin and its
// length. Such an event would stretch the axis from 0 to the others, which is hours.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "loaders/chrome_json/file_events.h"

namespace stepscope::chrome {

namespace {

// Where the others begin earlier, time 0 may be the begin of the recording.
constexpr Ps kLeastDistance = 10 * kPsPerS;

// Calls fn(begin, end) for all events and samples but those without length at `zero`.
template <typename Fn>
void ForOthers(const FileEvents& events, Ps zero, Fn fn) {
  const auto point = [&](Ps at) {
    if (at != zero) fn(at, at);
  };
  for (const ThreadEvents& thread : events.threads) {
    for (const std::unique_ptr<PartEvents>& part : thread.parts) {
      if (part == nullptr) continue;
      const RawEvents& slices = part->slices;
      for (size_t i = 0; i < slices.start.size(); ++i) {
        if (slices.start[i] != zero || slices.dur[i] != 0)
          fn(slices.start[i], SaturatingAdd(slices.start[i], slices.dur[i]));
      }
      for (const Ps at : part->instants.start.span()) point(at);
    }
    for (const BeginOrEnd& mark : thread.nested.span()) point(mark.ts);
  }
  for (const AsyncEvent& event : events.async) point(event.ts);
  for (const Counter& counter : events.counters) {
    for (const CounterSeries& series : counter.series)
      for (const Ps at : series.time) point(at);
  }
}

template <typename T>
void KeepOnly(const std::vector<uint32_t>& kept, Column<T>* column) {
  if (column->size() < kept.size()) return;  // the column of references that is not in use
  for (size_t i = 0; i < kept.size(); ++i) (*column)[i] = (*column)[kept[i]];
  column->Resize(kept.size());
}

// Removes the events without length at `zero`. Returns the places of the others before.
std::vector<uint32_t> DropAt(Ps zero, RawEvents* events) {
  std::vector<uint32_t> kept;
  for (uint32_t i = 0; i < events->start.size(); ++i) {
    const Ps dur = i < events->dur.size() ? events->dur[i] : 0;
    if (events->start[i] != zero || dur != 0) kept.push_back(i);
  }
  if (kept.size() == events->start.size()) return kept;
  KeepOnly(kept, &events->start);
  KeepOnly(kept, &events->dur);
  KeepOnly(kept, &events->meta);
  KeepOnly(kept, &events->ref);
  KeepOnly(kept, &events->wide_ref);
  return kept;
}

// Removes the samples at `zero`. Returns how many there were.
size_t DropAt(Ps zero, CounterSeries* series) {
  size_t kept = 0;
  for (size_t i = 0; i < series->time.size(); ++i) {
    if (series->time[i] == zero) continue;
    series->time[kept] = series->time[i];
    series->value[kept++] = series->value[i];
  }
  const size_t dropped = series->time.size() - kept;
  series->time.resize(kept);
  series->value.resize(kept);
  return dropped;
}

// By thread and part, the places before of the slices that are kept.
using KeptSlices = std::map<std::pair<uint32_t, naming::Part>, std::vector<uint32_t>>;

// Flow points name slices by their places, which are others now.
void MovePoints(const KeptSlices& kept, std::vector<FlowPoint>* points) {
  for (FlowPoint& point : *points) {
    const auto part = kept.find({point.thread, point.part});
    if (point.slice == kNoIndex || part == kept.end()) continue;
    const auto& places = part->second;
    const auto at = std::lower_bound(places.begin(), places.end(), point.slice);
    const bool found = at != places.end() && *at == point.slice;
    point.slice = found ? static_cast<uint32_t>(at - places.begin()) : kNoIndex;
  }
}

// Whether all other events begin so late that `zero` is no time of the recording.
bool IsFarFromOthers(const FileEvents& events, Ps zero) {
  TimeRange others{kMaxPs, kMinPs};
  ForOthers(events, zero, [&](Ps begin, Ps end) {
    others.begin = std::min(others.begin, begin);
    others.end = std::max(others.end, end);
  });
  const Ps distance = SaturatingSub(others.begin, zero);
  return others.begin <= others.end && distance >= kLeastDistance && distance >= others.length();
}

}  // namespace

void FileEvents::DropLostTimes(Ps zero) {
  if (!IsFarFromOthers(*this, zero)) return;
  std::erase_if(flows, [&](const FlowPoint& point) { return point.ts == zero; });
  KeptSlices moved;
  uint64_t dropped = 0;
  for (uint32_t t = 0; t < threads.size(); ++t) {
    for (size_t p = 0; p < naming::kParts; ++p) {
      PartEvents* part = threads[t].parts[p].get();
      if (part == nullptr) continue;
      const size_t slices = part->slices.start.size(), instants = part->instants.start.size();
      std::vector<uint32_t> kept = DropAt(zero, &part->slices);
      dropped += slices - kept.size() + instants - DropAt(zero, &part->instants).size();
      if (kept.size() < slices) moved[{t, static_cast<naming::Part>(p)}] = std::move(kept);
    }
  }
  event_count -= dropped;
  for (Counter& counter : counters) {
    for (CounterSeries& series : counter.series) dropped += DropAt(zero, &series);
  }
  MovePoints(moved, &flows);
  lost_times += dropped;
}

}  // namespace stepscope::chrome
