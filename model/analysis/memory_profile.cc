// Reading memory events into snapshots, and what was live at one of them.
#include "model/analysis/memory_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "model/analysis/device_type.h"
#include "model/analysis/event_order.h"
#include "model/analysis/grouping.h"
#include "model/analysis/quirks.h"
#include "model/analysis/scope.h"
#include "model/base/task.h"
#include "model/capabilities.h"
#include "model/lookup.h"
#include "model/sparse_column.h"

namespace stepscope {
namespace {

constexpr size_t At(IntStat s) { return static_cast<size_t>(s); }

// The events of an allocator, and what of them depends on their order in the file.
struct Events {
  std::vector<MemorySnapshot> snapshots;
  int64_t most_lifetime = 0;  // largest peak_bytes_in_use seen
  uint64_t last_order = 0;    // place in the file of the last event,
  int64_t last_lifetime = 0;  // and its peak_bytes_in_use

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

// Which allocator an event belongs to.
struct AllocatorKey {
  HostId host;
  std::string id;
  bool operator<(const AllocatorKey& o) const {
    return std::tie(host, id) < std::tie(o.host, o.id);
  }
};

using EventsByAllocator = std::map<AllocatorKey, Events>;

enum class Activity : uint8_t { kNone, kAllocation, kDeallocation, kKineto };

// What each metadata means, looked at once.
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

// PyTorch's allocations do not name their op: the innermost that encloses them, save those that do
// nothing but allocate for the op that called them. 0 if none does.
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

// Reads the memory events of one track.
class Collector {
 public:
  Collector(const Trace& trace, const StatTable& stats, const Grouping& grouping,
            const std::vector<Activity>& activities, const Quirks& quirks)
      : trace_(trace),
        stats_(stats),
        grouping_(grouping),
        activities_(activities),
        without_line_start_(quirks.memory_times_without_line_start) {}

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

  // The event's allocator. Nearly all events name it.
  Events& EventsOf(uint32_t row, Activity activity, HostId host) {
    const StringId name =
        texts_[static_cast<size_t>(StringStat::kAllocatorName)].Get(row, StringId());
    if (!name.valid()) return allocators_[{host, AllocatorId(row, activity)}];
    Events*& known = by_name_[name.value];
    if (known) return *known;
    known = &allocators_[{host, std::string(stats_.strings->View(name))}];
    // Mostly a thread's events are of one allocator; room that is not touched takes no memory.
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
    s.bytes = bytes < 0 ? -bytes : bytes;  // negative when PyTorch gives memory back
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
  size_t expected_ = 0;                            // memory events of the track
};

// XProf's step ids: an event without a group belongs to the step after the last that has one.
void FillSteps(std::vector<MemorySnapshot>* snapshots) {
  int32_t last = -1;
  for (MemorySnapshot& s : *snapshots) {
    if (s.step < 0) {
      s.step = last + 1;
    } else {
      last = s.step;
    }
  }
}

// By time. Ties as in the file, but by default the threads' order in it does not count, only that
// of their ids. Events of one allocator mostly come from one thread, in order.
void SortByTime(const Trace& trace, bool as_in_file, std::vector<MemorySnapshot>* snapshots) {
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

// Of equal maxima the earliest in time, or the latest in the file.
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

// Bytes of the GPU that an allocator of PyTorch is named after. Numbers of devices may differ
// between the allocator and the recording; where all GPUs of the host are alike it does not matter.
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
                         const Quirks& quirks, const Scope& scope) {
  AllocatorProfile p;
  p.host = key.host;
  p.id = key.id;
  p.snapshots = std::move(events.snapshots);
  SortByTime(trace, quirks.latest_peak_in_file, &p.snapshots);
  ChoosePart(scope.OfHost(key.host), &p);
  if (p.begin == p.end) return p;
  p.peak = PeakOf(trace, p, quirks.latest_peak_in_file);
  const MemorySnapshot& peak = p.snapshots[p.peak];
  p.lifetime_peak = events.last_lifetime;
  if (!quirks.lifetime_peak_of_last_event) {
    p.lifetime_peak = events.most_lifetime;
    for (const MemorySnapshot& s : p.snapshots)
      p.lifetime_peak = std::max(p.lifetime_peak, s.in_use());
  }
  p.capacity = peak.in_use() + peak.free;
  if (CapabilitiesOf(trace).pytorch_events) {  // what it reserved is not what there is
    p.capacity = MemoryOf(trace, p);
    for (size_t i = p.begin; i < p.end; ++i) {
      const MemorySnapshot& s = p.snapshots[i];
      if (s.free > 0) p.reserved_peak = std::max(p.reserved_peak, s.heap + s.free);
    }
  }
  FillSteps(&p.snapshots);
  return p;
}

// Text and sizes of an allocation event.
LiveAllocation DescribeAllocation(const Trace& trace, const StatTable& stats, uint32_t row) {
  const auto text = [&](StringStat s) {
    return std::string(
        stats.strings->View(stats.Text(s).Find(EventRow(row)).value_or(StringId(0))));
  };
  LiveAllocation a;
  a.op = text(StringStat::kTfOp);
  if (a.op.empty() && CapabilitiesOf(trace).event_categories)
    a.op = trace.names().strings.View(EnclosingOp(trace, row));
  a.region = text(StringStat::kRegionType);
  a.shape = text(StringStat::kTensorShape);
  const std::optional<int64_t> type = stats.Int(IntStat::kDataType).Find(EventRow(row));
  if (type) a.type = DataTypeName(*type);
  const int64_t bytes = stats.Int(IntStat::kBytes).Find(EventRow(row)).value_or(0);
  a.allocated = stats.Int(IntStat::kAllocationBytes).Find(EventRow(row)).value_or(bytes);
  a.requested = stats.Int(IntStat::kRequestedBytes).Find(EventRow(row)).value_or(a.allocated);
  a.rows = {EventRow(row)};
  return a;
}

void MergeEqual(std::vector<LiveAllocation>* live) {
  const auto key = [](const LiveAllocation& a) {
    return std::tuple(-a.allocated, -a.requested, std::string_view(a.op),
                      std::string_view(a.region), std::string_view(a.type),
                      std::string_view(a.shape));
  };
  std::stable_sort(live->begin(), live->end(),
                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
  size_t kept = 0;
  for (size_t i = 0; i < live->size(); ++i) {
    if (kept > 0 && key((*live)[kept - 1]) == key((*live)[i])) {
      LiveAllocation& first = (*live)[kept - 1];
      first.count += (*live)[i].count;
      first.rows.insert(first.rows.end(), (*live)[i].rows.begin(), (*live)[i].rows.end());
    } else {
      if (kept != i) (*live)[kept] = std::move((*live)[i]);
      ++kept;
    }
  }
  live->resize(kept);
}

}  // namespace

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
    Collector collector(trace, stats, grouping, activities, context.quirks());
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
        Profile(trace, sorted[a].first, std::move(sorted[a].second), context.quirks(), scope);
  });
  std::erase_if(profile.allocators, [](const AllocatorProfile& a) { return a.begin == a.end; });
  return profile;
}

std::string_view OpOf(AnalysisContext& context, const MemorySnapshot& snapshot) {
  if (snapshot.op_in_trace) return context.trace().names().strings.View(StringId(snapshot.op));
  const StatTable& stats = context.stats();
  return stats.strings ? stats.strings->View(StringId(snapshot.op)) : std::string_view();
}

std::vector<LiveAllocation> ActiveAt(AnalysisContext& context, const AllocatorProfile& allocator,
                                     size_t index, const std::stop_token& stop) {
  const StatTable& stats = context.stats(stop);
  const bool step_only = context.quirks().live_in_peak_step_only;
  const MemorySnapshot& at = allocator.snapshots[index];
  int32_t step = at.step;
  size_t end = index + 1;
  if (step_only) {  // the step of the last snapshot with as much in use; events at the same time
                    // count
    for (const MemorySnapshot& s : allocator.snapshots)
      step = s.in_use() == at.in_use() ? s.step : step;
    while (end < allocator.snapshots.size() && allocator.snapshots[end].time <= at.time) ++end;
  }
  std::unordered_map<int64_t, uint32_t> open;  // address -> allocation event
  int64_t unexplained = at.heap, unmatched = 0;
  for (size_t i = 0; i < end; ++i) {
    if (stop.stop_requested()) return {};
    const MemorySnapshot& s = allocator.snapshots[i];
    if (step_only && s.step != step) continue;
    if (s.allocation) {
      open[s.address] = s.row;
      unexplained -= s.bytes;
    } else {
      if (open.erase(s.address) == 0) unmatched += s.bytes;
      unexplained += s.bytes;
    }
  }
  std::vector<LiveAllocation> live;
  live.reserve(open.size() + 2);
  for (const auto& [address, row] : open) {
    if (stop.stop_requested()) return {};
    live.push_back(DescribeAllocation(context.trace(), stats, row));
  }
  if (step_only) {
    unexplained -= unmatched;
  } else {
    unexplained = at.heap;
    for (const LiveAllocation& a : live) unexplained -= a.allocated;
  }
  const char* label =
      step_only ? "unused preallocated device memory" : "allocated before the recording began";
  // XProf's words for what has no event; by default what is not known stays empty.
  const auto add = [&](const char* op, const char* region, int64_t bytes) {
    if (bytes <= 0) return;
    live.push_back({op,
                    step_only ? region : "",
                    step_only ? "INVALID" : "",
                    step_only ? "unknown" : "",
                    bytes,
                    bytes,
                    1,
                    {}});
  };
  add(label, "persist/dynamic", unexplained);
  add("stack", "stack", at.stack);
  MergeEqual(&live);
  if (!step_only) {
    std::stable_sort(live.begin(), live.end(),
                     [](const auto& a, const auto& b) { return a.total() > b.total(); });
  }
  return live;
}

size_t SnapshotAt(const AllocatorProfile& allocator, Ps t) {
  const auto it = std::upper_bound(allocator.snapshots.begin(), allocator.snapshots.end(), t,
                                   [](Ps time, const MemorySnapshot& s) { return time < s.time; });
  return it == allocator.snapshots.begin()
             ? 0
             : static_cast<size_t>(it - allocator.snapshots.begin()) - 1;
}

std::vector<size_t> SampleSnapshots(const AllocatorProfile& allocator, size_t boxes) {
  const std::vector<MemorySnapshot>& s = allocator.snapshots;
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

std::string DataTypeName(int64_t type) {
  static constexpr const char* kNames[] = {"INVALID",
                                           "float",
                                           "double",
                                           "int32",
                                           "uint8",
                                           "int16",
                                           "int8",
                                           "string",
                                           "complex64",
                                           "int64",
                                           "bool",
                                           "qint8",
                                           "quint8",
                                           "qint32",
                                           "bfloat16",
                                           "qint16",
                                           "quint16",
                                           "uint16",
                                           "complex128",
                                           "half",
                                           "resource",
                                           "variant",
                                           "uint32",
                                           "uint64",
                                           "float8_e5m2",
                                           "float8_e4m3fn",
                                           "float8_e4m3fnuz",
                                           "float8_e4m3b11fnuz",
                                           "float8_e5m2fnuz",
                                           "int4",
                                           "uint4",
                                           "int2",
                                           "uint2"};
  constexpr int64_t kRef = 100;  // DT_FLOAT_REF = DT_FLOAT + 100
  if (type >= 0 && type < static_cast<int64_t>(std::size(kNames))) return kNames[type];
  if (type > kRef && type - kRef < static_cast<int64_t>(std::size(kNames)))
    return std::string(kNames[type - kRef]) + "_ref";
  return fmt::format("type {}", type);
}

}  // namespace stepscope
