// Reading memory events into snapshots, and what was live at one of them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "model/analysis/column_cursor.h"
#include "model/analysis/grouping.h"
#include "model/analysis/memory.h"
#include "model/base/task.h"

namespace stepscope {
namespace {

constexpr size_t At(IntStat s) { return static_cast<size_t>(s); }

struct RawSnapshot {
  MemorySnapshot snapshot;
  uint64_t file_order;
  int64_t lifetime_peak;
};

// Which allocator an event belongs to.
struct AllocatorKey {
  HostId host;
  std::string id;
  auto operator<=>(const AllocatorKey&) const = default;
};

using Snapshots = std::map<AllocatorKey, std::vector<RawSnapshot>>;

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

// Reads the memory events of one track.
class Collector {
 public:
  Collector(const Trace& trace, const StatTable& stats, const Grouping& grouping,
            const std::vector<Activity>& activities, bool xprof)
      : trace_(trace), stats_(stats), grouping_(grouping), activities_(activities), xprof_(xprof) {
    for (size_t s = 0; s < stats.ints.size(); ++s) ints_.emplace_back(stats.ints[s]);
    for (size_t s = 0; s < stats.texts.size(); ++s) texts_.emplace_back(stats.texts[s]);
  }

  Snapshots Collect(const Track& track, const Plane& plane) {
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

  // Where the snapshots of the event's allocator go. Nearly all events name it.
  std::vector<RawSnapshot>& SnapshotsOf(uint32_t row, Activity activity, HostId host) {
    const StringId name =
        texts_[static_cast<size_t>(StringStat::kAllocatorName)].Get(row, StringId());
    if (!name.valid()) return allocators_[{host, AllocatorId(row, activity)}];
    std::vector<RawSnapshot>*& known = by_name_[name.value];
    if (!known) known = &allocators_[{host, std::string(stats_.strings->View(name))}];
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
    s.time = xprof_ ? SaturatingSub(lane.start[i], track.line_start) : lane.start[i];
    s.stack = Int(IntStat::kBytesReserved, row);
    s.heap = Int(IntStat::kBytesAllocated, row);
    s.free = Int(IntStat::kBytesAvailable, row);
    s.address = Int(IntStat::kAddress, row);
    const int64_t bytes = Int(IntStat::kBytes, row);
    s.bytes = Int(IntStat::kAllocationBytes, row, bytes < 0 ? -bytes : bytes);
    s.op = texts_[static_cast<size_t>(StringStat::kTfOp)].Get(row, StringId(0)).value;
    s.allocation = activity == Activity::kAllocation;
    if (activity == Activity::kKineto) {  // the caching allocator reserves from the device and
                                          // allocates from that
      s.allocation = bytes > 0;
      s.free = std::max<int64_t>(0, s.stack - s.heap);
      s.stack = 0;
    }
    if (const EventGroup* group = grouping_.GroupOf(EventRow(row)))
      s.step = static_cast<int32_t>(group->id);
    SnapshotsOf(row, activity, plane.host)
        .push_back({s, lane.SourceOffset(i), Int(IntStat::kPeakBytesInUse, row)});
  }

  const Trace& trace_;
  const StatTable& stats_;
  const Grouping& grouping_;
  const std::vector<Activity>& activities_;
  bool xprof_;
  std::vector<ColumnCursor<int64_t>> ints_;
  std::vector<ColumnCursor<StringId>> texts_;
  Snapshots allocators_;
  std::unordered_map<uint32_t, std::vector<RawSnapshot>*> by_name_;  // by StringId
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

// Events of one allocator mostly come from one thread, in order.
template <typename Less>
void SortUnlessSorted(std::vector<RawSnapshot>* raw, Less less) {
  if (!std::is_sorted(raw->begin(), raw->end(), less))
    std::stable_sort(raw->begin(), raw->end(), less);
}

AllocatorProfile Profile(const AllocatorKey& key, std::vector<RawSnapshot> raw, bool xprof) {
  AllocatorProfile p;
  p.host = key.host;
  p.id = key.id;
  SortUnlessSorted(
      &raw, [](const RawSnapshot& a, const RawSnapshot& b) { return a.file_order < b.file_order; });
  if (xprof) p.lifetime_peak = raw.back().lifetime_peak;
  // In file order the latest of equal maxima wins in XProf; by default the earliest in time does.
  uint32_t peak_row = raw[0].snapshot.row;
  int64_t best = INT64_MIN;
  if (xprof) {
    for (const RawSnapshot& r : raw) {
      if (r.snapshot.in_use() >= best) best = r.snapshot.in_use(), peak_row = r.snapshot.row;
    }
  }
  SortUnlessSorted(&raw, [](const RawSnapshot& a, const RawSnapshot& b) {
    return a.snapshot.time < b.snapshot.time;
  });
  p.snapshots.reserve(raw.size());
  for (const RawSnapshot& r : raw) p.snapshots.push_back(r.snapshot);
  for (size_t i = 0; i < p.snapshots.size(); ++i) {
    const MemorySnapshot& s = p.snapshots[i];
    if (xprof ? s.row == peak_row : s.in_use() > best) p.peak = i, best = s.in_use();
    if (!xprof) p.lifetime_peak = std::max({p.lifetime_peak, raw[i].lifetime_peak, s.in_use()});
  }
  const MemorySnapshot& peak = p.snapshots[p.peak];
  p.capacity = peak.in_use() + peak.free;
  FillSteps(&p.snapshots);
  return p;
}

// Text and sizes of an allocation event.
LiveAllocation DescribeAllocation(const StatTable& stats, uint32_t row) {
  const auto text = [&](StringStat s) {
    return std::string(
        stats.strings->View(stats.Text(s).Find(EventRow(row)).value_or(StringId(0))));
  };
  LiveAllocation a;
  a.op = text(StringStat::kTfOp);
  a.region = text(StringStat::kRegionType);
  a.shape = text(StringStat::kTensorShape);
  const std::optional<int64_t> type = stats.Int(IntStat::kDataType).Find(EventRow(row));
  if (type) a.type = DataTypeName(*type);
  const int64_t bytes = stats.Int(IntStat::kBytes).Find(EventRow(row)).value_or(0);
  a.allocated = stats.Int(IntStat::kAllocationBytes).Find(EventRow(row)).value_or(bytes);
  a.requested = stats.Int(IntStat::kRequestedBytes).Find(EventRow(row)).value_or(bytes);
  a.rows = {row};
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
  std::vector<std::pair<const Plane*, const Track*>> tracks;
  for (const Plane& plane : trace.planes) {
    if (plane.kind != PlaneKind::kHostThreads && trace.format == TraceFormat::kXSpace) continue;
    if (!params.host.empty() && trace.HostName(plane.host) != params.host) continue;
    for (TrackId id : plane.tracks) {
      const Track& track = trace.set.tracks[id.value];
      if (!track.derived_in_file) tracks.emplace_back(&plane, &track);
    }
  }
  const std::vector<Activity> activities = Activities(trace);
  std::vector<Snapshots> found(tracks.size());
  ParallelFor(tracks.size(), [&](size_t t) {
    if (stop.stop_requested()) return;
    Collector collector(trace, stats, grouping, activities, context.xprof());
    found[t] = collector.Collect(*tracks[t].second, *tracks[t].first);
  });
  Snapshots all;
  for (Snapshots& of_track : found) {
    for (auto& [key, raw] : of_track) {
      auto& into = all[key];
      if (into.empty()) {
        into = std::move(raw);
      } else {
        into.insert(into.end(), raw.begin(), raw.end());
      }
    }
    Snapshots().swap(of_track);
  }
  std::vector<std::pair<AllocatorKey, std::vector<RawSnapshot>>> sorted;
  for (auto& [key, raw] : all) sorted.emplace_back(key, std::move(raw));
  MemoryProfile profile;
  profile.allocators.resize(sorted.size());
  ParallelFor(sorted.size(), [&](size_t a) {
    profile.allocators[a] = Profile(sorted[a].first, std::move(sorted[a].second), context.xprof());
  });
  return profile;
}

std::vector<LiveAllocation> ActiveAt(AnalysisContext& context, const AllocatorProfile& allocator,
                                     size_t index) {
  const StatTable& stats = context.stats();
  const bool xprof = context.xprof();
  const MemorySnapshot& at = allocator.snapshots[index];
  int32_t step = at.step;
  size_t end = index + 1;
  if (xprof) {  // the step of the last snapshot with as much in use; events at the same time count
    for (const MemorySnapshot& s : allocator.snapshots)
      step = s.in_use() == at.in_use() ? s.step : step;
    while (end < allocator.snapshots.size() && allocator.snapshots[end].time <= at.time) ++end;
  }
  std::unordered_map<int64_t, uint32_t> open;  // address -> allocation event
  int64_t unexplained = at.heap, unmatched = 0;
  for (size_t i = 0; i < end; ++i) {
    const MemorySnapshot& s = allocator.snapshots[i];
    if (xprof && s.step != step) continue;
    if (s.allocation) {
      open[s.address] = s.row;
      unexplained -= s.bytes;
    } else {
      if (open.erase(s.address) == 0) unmatched += s.bytes;
      unexplained += s.bytes;
    }
  }
  std::vector<LiveAllocation> live;
  for (const auto& [address, row] : open) live.push_back(DescribeAllocation(stats, row));
  if (xprof) {
    unexplained -= unmatched;
  } else {
    unexplained = at.heap;
    for (const LiveAllocation& a : live) unexplained -= a.allocated;
  }
  const char* label =
      xprof ? "unused preallocated device memory" : "allocated before the recording began";
  if (unexplained > 0)
    live.push_back(
        {label, "persist/dynamic", "INVALID", "unknown", unexplained, unexplained, 1, {}});
  if (at.stack > 0)
    live.push_back({"stack", "stack", "INVALID", "unknown", at.stack, at.stack, 1, {}});
  MergeEqual(&live);
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
  const size_t n = s.size();
  const size_t width = n <= boxes ? 1 : n / boxes;
  const size_t narrow =
      n <= boxes ? n : boxes * (width + 1) - n;  // boxes of `width`, then boxes one wider
  for (size_t begin = 0, box = 0; begin < n; ++box) {
    const size_t end = std::min(n, begin + width + (box >= narrow ? 1 : 0));
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
