// FileEvents::Append: the events of a later file of the same process, behind those of this one.
#include <algorithm>

#include "loaders/chrome_json/file_events.h"

namespace stepscope::chrome {
namespace {

uint64_t OffsetAt(const RawEvents& events, size_t i) {
  return events.wide_ref.empty() ? events.ref_base + events.ref[i] : events.wide_ref[i];
}

void AppendRaw(const RawEvents& from, const FileEvents::Behind& behind, RawEvents* to) {
  for (size_t i = 0; i < from.start.size(); ++i)
    to->AddWide(SaturatingAdd(from.start[i], behind.shift), from.dur[i], from.meta[i],
                OffsetAt(from, i) + behind.offset);
}

void AppendPart(const PartEvents& from, const FileEvents::Behind& behind, PartEvents* to) {
  AppendRaw(from.slices, behind, &to->slices);
  AppendRaw(from.instants, behind, &to->instants);
}

void AppendSamples(const CounterSeries& from, Ps shift, CounterSeries* to) {
  for (const Ps time : from.time) to->time.push_back(SaturatingAdd(time, shift));
  to->value.insert(to->value.end(), from.value.begin(), from.value.end());
}

void AppendInfo(const ThreadInfo& from, ThreadInfo* to) {
  if (to->name.value == 0) to->name = from.name;
  if (!to->has_sort_index && from.has_sort_index)
    to->has_sort_index = true, to->sort_index = from.sort_index;
}

void AppendInfo(const ProcessInfo& from, ProcessInfo* to) {
  if (to->name.value == 0) to->name = from.name;
  if (to->labels.value == 0) to->labels = from.labels;
  if (!to->has_sort_index && from.has_sort_index)
    to->has_sort_index = true, to->sort_index = from.sort_index;
}

}  // namespace

uint32_t FileEvents::ThreadOf(uint32_t pid, uint32_t tid) {
  uint32_t index;
  if (threads_.Insert(pid, tid, &index)) {
    threads.emplace_back();
    threads.back().pid = pid;
    threads.back().tid = tid;
  }
  return index;
}

void FileEvents::Append(FileEvents* later, const Behind& behind) {
  const auto own_id = [&](uint32_t id) { return Id(later->IdText(id)); };
  std::vector<uint32_t> thread_of;                              // by thread of `later`
  std::vector<std::array<uint32_t, naming::kParts>> slices_of;  // slices that were there before
  for (ThreadEvents& from : later->threads) {
    thread_of.push_back(ThreadOf(own_id(from.pid), own_id(from.tid)));
    ThreadEvents& to = threads[thread_of.back()];
    AppendInfo(from.info, &to.info);
    to.host = to.host || from.host;
    to.only_python = to.only_python && from.only_python;
    std::array<uint32_t, naming::kParts>& before = slices_of.emplace_back();
    for (size_t p = 0; p < naming::kParts; ++p) {
      if (to.parts[p] != nullptr)
        before[p] = static_cast<uint32_t>(to.parts[p]->slices.start.size());
      if (from.parts[p] == nullptr) continue;
      AppendPart(*from.parts[p], behind, &to.Of(static_cast<naming::Part>(p)));
      from.parts[p].reset();
    }
  }
  for (FlowPoint point : later->flows) {
    if (point.slice != kNoIndex)
      point.slice += slices_of[point.thread][static_cast<size_t>(point.part)];
    point.ts = SaturatingAdd(point.ts, behind.shift);
    point.offset += behind.offset;
    point.thread = thread_of[point.thread];
    flows.push_back(point);
  }
  AppendAsync(later, behind);
  AppendCounters(*later, behind.shift);
  for (uint32_t pid = 0; pid < later->processes.size(); ++pid) {
    const uint32_t own = own_id(pid);
    if (own >= processes.size()) processes.resize(size_t{own} + 1);
    AppendInfo(later->processes[pid], &processes[own]);
  }
  for (const auto& [begin, end] : later->ends)
    ends.emplace_back(begin + behind.offset, end + behind.offset);
  event_count += later->event_count;
  if (later->has_span) {
    const TimeRange moved{SaturatingAdd(later->span.begin, behind.shift),
                          SaturatingAdd(later->span.end, behind.shift)};
    span.begin = has_span ? std::min(span.begin, moved.begin) : moved.begin;
    span.end = has_span ? std::max(span.end, moved.end) : moved.end;
    has_span = true;
  }
}

void FileEvents::AppendAsync(FileEvents* later, const Behind& behind) {
  for (AsyncTrack& from : later->async_tracks) {
    const uint32_t pid = Id(later->IdText(from.pid));
    auto to = std::find_if(async_tracks.begin(), async_tracks.end(), [&](const AsyncTrack& t) {
      return t.pid == pid && t.cat == from.cat && t.number == from.number;
    });
    if (to == async_tracks.end()) {
      async_tracks.push_back({pid, from.cat, from.number, {}});
      to = async_tracks.end() - 1;
    }
    AppendPart(from.events, behind, &to->events);
  }
}

void FileEvents::AppendCounters(const FileEvents& later, Ps shift) {
  for (const Counter& from : later.counters) {
    const uint32_t pid = Id(later.IdText(from.pid));
    uint32_t number;
    if (counter_index_.Insert(pid, from.name.value, &number)) {
      counters.emplace_back();
      counters.back().pid = pid;
      counters.back().name = from.name;
    }
    for (const CounterSeries& series : from.series)
      AppendSamples(series, shift, SeriesOf(number, series.name));
  }
  for (const auto& [key, from] : later.memory) {
    const uint32_t pid = Id(later.IdText(std::get<2>(key)));
    Counter& to = memory[{std::get<0>(key), std::get<1>(key), pid}];
    to.pid = pid;
    for (const CounterSeries& series : from.series) {
      auto same = std::find_if(to.series.begin(), to.series.end(),
                               [&](const CounterSeries& s) { return s.name == series.name; });
      if (same == to.series.end()) {
        to.series.emplace_back();
        same = to.series.end() - 1;
        same->name = series.name;
      }
      AppendSamples(series, shift, &*same);
    }
  }
}

}  // namespace stepscope::chrome
