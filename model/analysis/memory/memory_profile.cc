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
#include "model/capabilities.h"
#include "model/jobs/job.h"
#include "model/lookup.h"
#include "model/sparse_column.h"

namespace stepscope {
namespace {

// The events of an allocator, with the values that depend on their order in the file.
struct Events {
  MemorySnapshots snapshots;
  int64_t most_lifetime = 0;  // largest peak_bytes_in_use seen
  uint64_t last_order = 0;    // place of the last event in the file
  int64_t last_lifetime = 0;  // peak_bytes_in_use of that event

  // The new snapshot is filled in place: it is as large as a line of the cache.
  MemorySnapshot& Add(uint64_t order, int64_t lifetime) {
    most_lifetime = std::max(most_lifetime, lifetime);
    if (order >= last_order) last_order = order, last_lifetime = lifetime;
    return snapshots.emplace_back();
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

// The values of memory events, read for some rows at a time: one loop over a column is faster than
// asking it for each row.
class MemoryValues {
 public:
  static constexpr uint32_t kRows = 2048;  // so few that all values stay in the cache

  explicit MemoryValues(const StatTable& stats) : stats_(stats) {}
  void Read(uint32_t first, uint32_t end) {
    const auto read = [&](IntStat stat, int64_t missing, Window<int64_t>* to) {
      to->Clear(first, end, missing);
      to->Set(stats_.Int(stat));
    };
    const auto read_text = [&](StringStat stat, StringId missing, Window<StringId>* to) {
      to->Clear(first, end, missing);
      to->Set(stats_.Text(stat));
    };
    read(IntStat::kBytesReserved, 0, &reserved);
    read(IntStat::kBytesAllocated, 0, &allocated);
    read(IntStat::kAddress, 0, &address);
    read(IntStat::kPeakBytesInUse, 0, &peak);
    read(IntStat::kBytes, 0, &bytes);
    bytes.Set(stats_.Int(IntStat::kAllocationBytes));
    read(IntStat::kDeviceOrdinal, -1, &ordinal);
    read(IntStat::kDeviceId, -1, &device_id);
    device_id.Set(stats_.Int(IntStat::kIndexOnHost));
    read_text(StringStat::kTfOp, StringId(0), &op);
    read_text(StringStat::kAllocatorName, StringId(), &allocator);
    read_text(StringStat::kDevice, StringId(), &device);
  }

  template <typename T>
  class Window {
   public:
    void Clear(uint32_t first, uint32_t end, T missing) {
      first_ = first;
      values_.assign(end - first, missing);
    }
    void Set(const SparseColumn<T>& column) {  // values that the column lacks stay as they are
      column.ForRange(first_, first_ + static_cast<uint32_t>(values_.size()),
                      [this](uint32_t row, T value) { values_[row - first_] = value; });
    }
    T operator[](uint32_t row) const { return values_[row - first_]; }

   private:
    uint32_t first_ = 0;
    std::vector<T> values_;
  };
  Window<int64_t> reserved, allocated, address, peak, bytes, ordinal, device_id;
  Window<StringId> op, allocator, device;

 private:
  const StatTable& stats_;
};

// Reads the memory events of one track.
class Collector {
 public:
  Collector(const Trace& trace, const StatTable& stats, const Grouping& grouping,
            const std::vector<Activity>& activities, const XprofDefinitions& xprof)
      : trace_(trace),
        stats_(stats),
        grouping_(grouping),
        activities_(activities),
        without_line_start_(xprof.memory_times_without_line_start),
        values_(stats) {}

  EventsByAllocator Collect(const Track& track, const Plane& plane) {
    for (const Lane& lane : trace_.set.LanesOf(track)) expected_ += Count(lane, 0, lane.size());
    if (expected_ == 0) return {};
    for (const Lane& lane : trace_.set.LanesOf(track)) {
      for (uint32_t first = 0; first < lane.size(); first += MemoryValues::kRows)
        Read(lane, first, first + std::min(lane.size() - first, MemoryValues::kRows), track, plane);
    }
    return std::move(allocators_);
  }

 private:
  size_t Count(const Lane& lane, uint32_t first, uint32_t end) const {
    size_t count = 0;
    for (uint32_t i = first; i < end; ++i) count += activities_[lane.meta[i]] != Activity::kNone;
    return count;
  }

  void Read(const Lane& lane, uint32_t first, uint32_t end, const Track& track,
            const Plane& plane) {
    if (Count(lane, first, end) == 0) return;
    values_.Read(lane.first_row + first, lane.first_row + end);
    for (uint32_t i = first; i < end; ++i) {
      const Activity activity = activities_[lane.meta[i]];
      if (activity != Activity::kNone) Event(lane, i, activity, track, plane);
    }
  }

  // The events of the event's allocator, which nearly all events name.
  Events& EventsOf(uint32_t row, Activity activity, HostId host) {
    const StringId name = values_.allocator[row];
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

  std::string AllocatorId(uint32_t row, Activity activity) const {
    const StringId device = values_.device[row];
    if (device.valid()) return std::string(stats_.strings->View(device));
    int64_t ordinal = values_.ordinal[row];
    if (ordinal < 0) ordinal = values_.device_id[row];
    if (activity == Activity::kKineto)
      return ordinal < 0 ? "CPU" : fmt::format("device {}", ordinal);
    return ordinal < 0 ? std::string() : fmt::format("{}", ordinal);
  }

  void Event(const Lane& lane, uint32_t i, Activity activity, const stepscope::Track& track,
             const Plane& plane) {
    const uint32_t row = lane.first_row + i;
    MemorySnapshot& s =
        EventsOf(row, activity, plane.host).Add(lane.SourceOffset(i), values_.peak[row]);
    s.row = row;
    s.time = without_line_start_ ? SaturatingSub(lane.start[i], track.line_start) : lane.start[i];
    s.in_use = SaturatingAdd(values_.reserved[row], values_.allocated[row]);
    s.address = values_.address[row];
    const int64_t bytes = values_.bytes[row];
    s.bytes = bytes < 0 ? -bytes : bytes;  // PyTorch's bytes are negative for a deallocation
    s.op = values_.op[row].value;
    s.allocation = activity == Activity::kAllocation;
    if (activity == Activity::kKineto) {
      s.in_use = values_.allocated[row];  // the caching allocator allocates from what it reserved
      s.allocation = bytes > 0;
      s.op = EnclosingOp(trace_, row).value;
      s.op_in_trace = true;
    }
    if (const EventGroup* group = grouping_.GroupOf(EventRow(row)))
      s.step = static_cast<int32_t>(group->id);
  }

  const Trace& trace_;
  const StatTable& stats_;
  const Grouping& grouping_;
  const std::vector<Activity>& activities_;
  const bool without_line_start_;
  MemoryValues values_;
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
    if (a.in_use != b.in_use) return a.in_use > b.in_use;
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

// Old versions of PyTorch write the bytes of each event and no totals. The bytes in use are then
// the sum of the bytes, from the lowest sum on: what was allocated before the recording is not in
// it.
void SumWithoutTotals(AllocatorProfile* p) {
  const bool totals = std::any_of(p->snapshots.begin(), p->snapshots.end(),
                                  [](const MemorySnapshot& s) { return s.in_use != 0; });
  const bool bytes = std::any_of(p->snapshots.begin(), p->snapshots.end(),
                                 [](const MemorySnapshot& s) { return s.bytes != 0; });
  if (totals || !bytes) return;
  p->has_totals = false;
  int64_t sum = 0, least = 0;
  for (MemorySnapshot& s : p->snapshots) {
    sum = s.allocation ? SaturatingAdd(sum, s.bytes) : SaturatingSub(sum, s.bytes);
    s.in_use = sum;
    least = std::min(least, sum);
  }
  for (MemorySnapshot& s : p->snapshots) s.in_use = SaturatingSub(s.in_use, least);
}

AllocatorProfile Profile(const Trace& trace, const StatTable& stats, const AllocatorKey& key,
                         Events events, const XprofDefinitions& xprof, const Scope& scope) {
  AllocatorProfile p;
  p.host = key.host;
  p.id = key.id;
  p.snapshots = std::move(events.snapshots);
  SortByTime(trace, xprof.latest_peak_in_file, &p.snapshots);
  if (CapabilitiesOf(trace).pytorch_events) SumWithoutTotals(&p);
  ChoosePart(scope.OfHost(key.host), &p);
  if (p.begin == p.end) return p;
  p.peak = PeakOf(trace, p, xprof.latest_peak_in_file);
  const MemorySnapshot& peak = p.snapshots[p.peak];
  p.lifetime_peak = events.last_lifetime;
  if (!xprof.lifetime_peak_of_last_event) {
    p.lifetime_peak = events.most_lifetime;
    for (const MemorySnapshot& s : p.snapshots)
      p.lifetime_peak = std::max(p.lifetime_peak, s.in_use);
  }
  MemoryPartsReader parts(stats);
  p.capacity = SaturatingAdd(peak.in_use, parts.Of(peak).free);
  if (CapabilitiesOf(trace).pytorch_events) {  // its reserved bytes are not the device's memory
    p.capacity = MemoryOf(trace, p);
    for (size_t i = p.begin; i < p.end; ++i) {
      const MemoryParts s = parts.Of(p.snapshots[i]);
      if (s.free > 0) p.reserved_peak = std::max(p.reserved_peak, SaturatingAdd(s.heap, s.free));
    }
  }
  FillSteps(&p.snapshots);
  return p;
}

}  // namespace

MemoryPartsReader::MemoryPartsReader(const StatTable& stats)
    : reserved_(stats.Int(IntStat::kBytesReserved)),
      allocated_(stats.Int(IntStat::kBytesAllocated)),
      available_(stats.Int(IntStat::kBytesAvailable)) {}

MemoryParts MemoryPartsReader::Of(const MemorySnapshot& snapshot) {
  const uint32_t row = snapshot.row;
  if (row < last_) {
    for (ColumnCursor<int64_t>* column : {&reserved_, &allocated_, &available_}) column->Seek(row);
  }
  last_ = row;
  const int64_t reserved = reserved_.Get(row, 0), allocated = allocated_.Get(row, 0);
  // PyTorch's events have their op in the trace. Its allocator reserves from the device, and
  // allocates from what it reserved.
  if (snapshot.op_in_trace)
    return {0, allocated, std::max<int64_t>(0, SaturatingSub(reserved, allocated))};
  return {reserved, allocated, available_.Get(row, 0)};
}

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

MemoryProfile MemoryProfile::Compute(AnalysisContext& context, const AnalysisParams& params) {
  const Trace& trace = context.trace();
  const StatTable& stats = context.allocation_stats();
  const Grouping& grouping = context.Get<Grouping>();
  const Scope scope = ScopeOf(context, params);
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
    CheckStop();
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
        Profile(trace, stats, sorted[a].first, std::move(sorted[a].second), context.xprof(), scope);
  });
  std::erase_if(profile.allocators, [](const AllocatorProfile& a) { return a.begin == a.end; });
  return profile;
}

std::string_view OpOf(AnalysisContext& context, const MemorySnapshot& snapshot) {
  if (snapshot.op_in_trace) return context.trace().names().strings.View(StringId(snapshot.op));
  const StatTable& stats = context.allocation_stats();
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
    for (size_t i = begin; i < end; ++i) best = s[i].in_use > s[best].in_use ? i : best;
    sampled.push_back(best);
    begin = end;
  }
  return sampled;
}

}  // namespace stepscope
