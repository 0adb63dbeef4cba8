#include "model/analysis/memory/memory_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "model/analysis/definitions.h"
#include "model/analysis/grouping/grouping.h"
#include "model/analysis/intervals/event_order.h"
#include "model/analysis/naming/device_type.h"
#include "model/analysis/steps/scope.h"
#include "model/base/task.h"
#include "model/capabilities.h"
#include "model/lookup.h"
#include "model/sparse_column.h"

namespace stepscope {
namespace {

constexpr size_t At(IntStat s) { return static_cast<size_t>(s); }

// The events of an allocator, with the values that depend on their order in the file.
struct Events {
  MemorySnapshots snapshots;
  int64_t most_lifetime = 0;  // largest peak_bytes_in_use seen
  uint64_t last_order = 0;    // place of the last event in the file
  int64_t last_lifetime = 0;  // peak_bytes_in_use of that event

  void Add(const MemorySnapshot& s, uint64_t order, int64_t lifetime) {
    snapshots.push_back(s);
    most_lifetime = std::max(most_lifetime, lifetime);
    if (order >= last_order) last_order = order, last_lifetime = lifetime;
  }
  void Merge(Events&& o) {
    most_lifetime = std::max(most_lifetime, o.most_lifetime);
    if (o.last_order >= last_order) last_order = o.last_order, last_lifetime = o.last_lifetime;
    if (snapshots.empty()) {
      snapshots = std::move(o.snapshots);
    } else {
      snapshots.insert(snapshots.end(), o.snapshots.begin(), o.snapshots.end());
    }
  }
};

// The allocator of an event.
struct AllocatorKey {
  HostId host;
  std::string id;
  bool operator<(const AllocatorKey& o) const {
    return std::tie(host, id) < std::tie(o.host, o.id);
  }
};

using EventsByAllocator = std::map<AllocatorKey, Events>;

enum class Activity : uint8_t { kNone, kAllocation, kDeallocation, kKineto };

// The kind of event that each metadata stands for.
std::vector<Activity> Activities(const Trace& trace) {
  std::vector<Activity> activities;
  activities.reserve(trace.names().metas.size());
  for (const EventMeta& meta : trace.names().metas) {
    const std::string_view name = trace.names().strings.View(meta.name);
    Activity a = Activity::kNone;
    if (name == "MemoryAllocation") a = Activity::kAllocation;
    if (name == "MemoryDeallocation") a = Activity::kDeallocation;
    if (name == "[memory]" && meta.category == EventCategory::kMemoryEvent) a = Activity::kKineto;
    activities.push_back(a);
  }
  return activities;
}

// Reads the memory events of one track.
class Collector {
 public:
  Collector(const Trace& trace, const StatTable& stats, const Grouping& grouping,
            const std::vector<Activity>& activities, const XprofDefinitions& xprof)
      : trace_(trace),
        stats_(stats),
        grouping_(grouping),
        activities_(activities),
        without_line_start_(xprof.memory_times_without_line_start) {}

  EventsByAllocator Collect(const Track& track, const Plane& plane) {
    for (const Lane& lane : trace_.set.LanesOf(track)) {
      for (uint32_t meta : lane.meta) expected_ += activities_[meta] != Activity::kNone;
    }
    if (expected_ == 0) return {};
    for (const auto& column : stats_.ints) ints_.emplace_back(column);
    for (const auto& column : stats_.texts) texts_.emplace_back(column);
    for (const Lane& lane : trace_.set.LanesOf(track)) {
      for (auto& c : ints_) c.Seek(lane.first_row);
      for (auto& c : texts_) c.Seek(lane.first_row);
      for (uint32_t i = 0; i < lane.size(); ++i) {
        const Activity activity = activities_[lane.meta[i]];
        if (activity != Activity::kNone) Event(lane, i, activity, track, plane);
      }
    }
    return std::move(allocators_);
  }

 private:
  int64_t Int(IntStat s, uint32_t row, int64_t missing = 0) {
    return ints_[At(s)].Get(row, missing);
  }

  // The events of the event's allocator, which nearly all events name.
  Events& EventsOf(uint32_t row, Activity activity, HostId host) {
    const StringId name =
        texts_[static_cast<size_t>(StringStat::kAllocatorName)].Get(row, StringId());
    if (!name.valid()) return allocators_[{host, AllocatorId(row, activity)}];
    if (name != last_name_) {
      last_name_ = name;
      last_ = &EventsOf(name, host);
    }
    return *last_;
  }

  Events& EventsOf(StringId name, HostId host) {
    Events*& known = by_name_[name.value];
    if (known) return *known;
    known = &allocators_[{host, std::string(stats_.strings->View(name))}];
    // A thread mostly has events of one allocator; reserved pages that are not touched take no
    // memory.
    if (allocators_.size() == 1) known->snapshots.reserve(expected_);
    return *known;
  }

  std::string AllocatorId(uint32_t row, Activity activity) {
    const StringId device = texts_[static_cast<size_t>(StringStat::kDevice)].Get(row, StringId());
    if (device.valid()) return std::string(stats_.strings->View(device));
    int64_t ordinal = Int(IntStat::kDeviceOrdinal, row, -1);
    if (ordinal < 0) ordinal = Int(IntStat::kIndexOnHost, row, Int(IntStat::kDeviceId, row, -1));
    if (activity == Activity::kKineto)
      return ordinal < 0 ? "CPU" : fmt::format("device {}", ordinal);
    return ordinal < 0 ? std::string() : fmt::format("{}", ordinal);
  }

  void Event(const Lane& lane, uint32_t i, Activity activity, const stepscope::Track& track,
             const Plane& plane) {
    const uint32_t row = lane.first_row + i;
    MemorySnapshot s;
    s.row = row;
    s.time = without_line_start_ ? SaturatingSub(lane.start[i], track.line_start) : lane.start[i];
    s.stack = Int(IntStat::kBytesReserved, row);
    s.heap = Int(IntStat::kBytesAllocated, row);
    s.free = Int(IntStat::kBytesAvailable, row);
    s.address = Int(IntStat::kAddress, row);
    const int64_t bytes = Int(IntStat::kAllocationBytes, row, Int(IntStat::kBytes, row));
    s.bytes = bytes < 0 ? -bytes : bytes;  // PyTorch's bytes are negative for a deallocation
    s.op = texts_[static_cast<size_t>(StringStat::kTfOp)].Get(row, StringId(0)).value;
    s.allocation = activity == Activity::kAllocation;
    if (activity == Activity::kKineto) {  // the caching allocator reserves from the device and
                                          // allocates from that
      s.allocation = bytes > 0;
      s.op = EnclosingOp(trace_, row).value;
      s.op_in_trace = true;
      s.free = std::max<int64_t>(0, s.stack - s.heap);
      s.stack = 0;
    }
    if (const EventGroup* group = grouping_.GroupOf(EventRow(row)))
      s.step = static_cast<int32_t>(group->id);
    EventsOf(row, activity, plane.host)
        .Add(s, lane.SourceOffset(i), Int(IntStat::kPeakBytesInUse, row));
  }

  const Trace& trace_;
  const StatTable& stats_;
  const Grouping& grouping_;
  const std::vector<Activity>& activities_;
  const bool without_line_start_;
  std::vector<ColumnCursor<int64_t>> ints_;
  std::vector<ColumnCursor<StringId>> texts_;
  EventsByAllocator allocators_;
  std::unordered_map<uint32_t, Events*> by_name_;  // by StringId
  StringId last_name_;                             // the allocator of the event before, which
  Events* last_ = nullptr;                         // mostly is that of the next one
  size_t expected_ = 0;                            // memory events of the track
};

// Sets XProf's step ids: an event without a group belongs to the step after the last one that has
// a group.
void FillSteps(MemorySnapshots* snapshots) {
  int32_t last = -1;
  for (MemorySnapshot& s : *snapshots) {
    if (s.step < 0) {
      s.step = last + 1;
    } else {
      last = s.step;
    }
  }
}

// Sorts by time, ties by thread id, then as in the file; `as_in_file` leaves out the thread id,
// as XProf does. Events of one allocator mostly come from one thread and are in order.
void SortByTime(const Trace& trace, bool as_in_file, MemorySnapshots* snapshots) {
  RowReader reader(trace.set);
  const auto less = [&](const MemorySnapshot& a, const MemorySnapshot& b) {
    if (a.time != b.time) return a.time < b.time;
    const int64_t thread = as_in_file ? 0 : trace.set.tracks[reader.TrackOf(a.row)].id;
    const int64_t other = as_in_file ? 0 : trace.set.tracks[reader.TrackOf(b.row)].id;
    return thread != other ? thread < other : reader.Offset(a.row) < reader.Offset(b.row);
  };
  if (!std::is_sorted(snapshots->begin(), snapshots->end(), less))
    std::sort(snapshots->begin(), snapshots->end(), less);
}

// The index of the most in use; the earliest of equal ones, or the latest in the file.
size_t PeakOf(const Trace& trace, const AllocatorProfile& p, bool latest_in_file) {
  RowReader reader(trace.set);
  const auto better = [&](const MemorySnapshot& a, const MemorySnapshot& b) {
    if (a.in_use() != b.in_use()) return a.in_use() > b.in_use();
    return latest_in_file && reader.Offset(a.row) >= reader.Offset(b.row);
  };
  size_t peak = p.begin;
  for (size_t i = p.begin + 1; i < p.end; ++i) {
    if (better(p.snapshots[i], p.snapshots[peak])) peak = i;
  }
  return peak;
}

void ChoosePart(const TimeScope& scope, AllocatorProfile* p) {
  const auto before = [](const MemorySnapshot& s, Ps t) { return s.time < t; };
  const auto after = [](Ps t, const MemorySnapshot& s) { return t < s.time; };
  const auto all = p->snapshots.begin();
  const auto begin = std::lower_bound(all, p->snapshots.end(), scope.first, before);
  const auto end = std::upper_bound(begin, p->snapshots.end(), scope.last, after);
  p->begin = static_cast<size_t>(begin - all);
  p->end = static_cast<size_t>(end - all);
}

// The memory of the GPU that a PyTorch allocator is named after. The allocator and the recording
// may number devices differently, which does not matter if all GPUs of the host are alike. 0: not
// known.
int64_t MemoryOf(const Trace& trace, const AllocatorProfile& p) {
  int64_t any = 0;
  bool alike = p.id.starts_with("GPU ");
  for (const Plane& plane : trace.planes) {
    if (plane.kind != PlaneKind::kGpu || plane.host != p.host) continue;
    const int64_t bytes = DeviceFactsOf(plane).memory_bytes;
    if (plane.display_name == p.id && bytes > 0) return bytes;
    alike = alike && (any == 0 || any == bytes);
    any = bytes;
  }
  return alike ? any : 0;
}

AllocatorProfile Profile(const Trace& trace, const AllocatorKey& key, Events events,
                         const XprofDefinitions& xprof, const Scope& scope) {
  AllocatorProfile p;
  p.host = key.host;
  p.id = key.id;
  p.snapshots = std::move(events.snapshots);
  SortByTime(trace, xprof.latest_peak_in_file, &p.snapshots);
  ChoosePart(scope.OfHost(key.host), &p);
  if (p.begin == p.end) return p;
  p.peak = PeakOf(trace, p, xprof.latest_peak_in_file);
  const MemorySnapshot& peak = p.snapshots[p.peak];
  p.lifetime_peak = events.last_lifetime;
  if (!xprof.lifetime_peak_of_last_event) {
    p.lifetime_peak = events.most_lifetime;
    for (const MemorySnapshot& s : p.snapshots)
      p.lifetime_peak = std::max(p.lifetime_peak, s.in_use());
  }
  p.capacity = peak.in_use() + peak.free;
  if (CapabilitiesOf(trace).pytorch_events) {  // its reserved bytes are not the device's memory
    p.capacity = MemoryOf(trace, p);
    for (size_t i = p.begin; i < p.end; ++i) {
      const MemorySnapshot& s = p.snapshots[i];
      if (s.free > 0) p.reserved_peak = std::max(p.reserved_peak, s.heap + s.free);
    }
  }
  FillSteps(&p.snapshots);
  return p;
}

}  // namespace

StringId EnclosingOp(const Trace& trace, uint32_t row) {
  StringId innermost(0);
  for (EventRow at = Parent(trace.set, EventRow(row)); at.valid(); at = Parent(trace.set, at)) {
    const EventMeta& meta = trace.names().metas[trace.set.Meta(at).value];
    if (meta.category != EventCategory::kCpuOp) continue;
    const std::string_view name = trace.names().strings.View(meta.name);
    if (innermost.value == 0) innermost = meta.name;
    if (!name.starts_with("aten::empty") && !name.starts_with("aten::resize_")) return meta.name;
  }
  return innermost;
}

MemoryProfile ComputeMemory(AnalysisContext& context, const AnalysisParams& params,
                            std::stop_token stop) {
  const Trace& trace = context.trace();
  const StatTable& stats = context.stats(stop);
  const Grouping& grouping = context.grouping(stop);
  const Scope scope = ScopeOf(context, params, stop);
  const bool threads_only = CapabilitiesOf(trace).planes_tell_hosts;
  std::vector<std::pair<const Plane*, const Track*>> tracks;
  for (const Plane& plane : trace.planes) {
    if (plane.kind != PlaneKind::kHostThreads && threads_only) continue;
    if (!scope.HasHost(plane.host)) continue;
    for (TrackId id : plane.tracks) {
      const Track& track = trace.set.tracks[id.value];
      if (!track.derived_in_file) tracks.emplace_back(&plane, &track);
    }
  }
  const std::vector<Activity> activities = Activities(trace);
  std::vector<EventsByAllocator> found(tracks.size());
  ParallelFor(tracks.size(), [&](size_t t) {
    if (stop.stop_requested()) return;
    Collector collector(trace, stats, grouping, activities, context.xprof());
    found[t] = collector.Collect(*tracks[t].second, *tracks[t].first);
  });
  EventsByAllocator all;
  for (EventsByAllocator& of_track : found) {
    for (auto& [key, events] : of_track) all[key].Merge(std::move(events));
    of_track.clear();
  }
  std::vector<std::pair<AllocatorKey, Events>> sorted;
  for (auto& [key, events] : all) sorted.emplace_back(key, std::move(events));
  MemoryProfile profile;
  profile.allocators.resize(sorted.size());
  ParallelFor(sorted.size(), [&](size_t a) {
    profile.allocators[a] =
        Profile(trace, sorted[a].first, std::move(sorted[a].second), context.xprof(), scope);
  });
  std::erase_if(profile.allocators, [](const AllocatorProfile& a) { return a.begin == a.end; });
  return profile;
}

std::string_view OpOf(AnalysisContext& context, const MemorySnapshot& snapshot) {
  if (snapshot.op_in_trace) return context.trace().names().strings.View(StringId(snapshot.op));
  const StatTable& stats = context.stats();
  return stats.strings ? stats.strings->View(StringId(snapshot.op)) : std::string_view();
}

size_t SnapshotAt(const AllocatorProfile& allocator, Ps t) {
  const auto it = std::upper_bound(allocator.snapshots.begin(), allocator.snapshots.end(), t,
                                   [](Ps time, const MemorySnapshot& s) { return time < s.time; });
  return it == allocator.snapshots.begin()
             ? 0
             : static_cast<size_t>(it - allocator.snapshots.begin()) - 1;
}

std::vector<size_t> SampleSnapshots(const AllocatorProfile& allocator, size_t boxes) {
  const MemorySnapshots& s = allocator.snapshots;
  std::vector<size_t> sampled;
  const size_t n = allocator.end - allocator.begin;
  const size_t width = n <= boxes ? 1 : n / boxes;
  const size_t narrow =
      n <= boxes ? n : boxes * (width + 1) - n;  // boxes of `width`, then boxes one wider
  for (size_t begin = allocator.begin, box = 0; begin < allocator.end; ++box) {
    const size_t end = std::min(allocator.end, begin + width + (box >= narrow ? 1 : 0));
    size_t best = begin;
    for (size_t i = begin; i < end; ++i) best = s[i].in_use() > s[best].in_use() ? i : best;
    sampled.push_back(best);
    begin = end;
  }
  return sampled;
}

}  // namespace stepscope
