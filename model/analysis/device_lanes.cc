#include "model/analysis/device_lanes.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "model/analysis/derived_names.h"
#include "model/analysis/device_launches.h"
#include "model/analysis/lane_merge.h"
#include "model/analysis/memory_profile.h"
#include "model/analysis/quirks.h"
#include "model/analysis/ranges.h"
#include "model/analysis/step_series.h"
#include "model/analysis/verdict.h"
#include "model/base/task.h"
#include "model/capabilities.h"
#include "model/trace_builder.h"

namespace stepscope {
namespace {

double Us(Ps ps) { return static_cast<double>(ps) / static_cast<double>(kPsPerUs); }

const char* TextOf(LossClass c) {
  switch (c) {
    case LossClass::kBetweenSteps:
      return "between steps";
    case LossClass::kUnknown:
      return "not recorded";
    default:
      return IdOf(c);
  }
}

// When at least one event is open.
Ranges BusyRanges(const Trace& trace, const Plane& plane, const std::vector<uint8_t>& classes) {
  Ranges busy;
  ForEachByStart(WorkLanes(trace, plane), [&](const Lane& lane, uint32_t i) {
    if (classes[lane.meta[i]] != 0 && lane.dur[i] > 0)
      MergeInto(&busy, {lane.start[i], lane.end(i)});
  });
  return busy;
}

// Of few intervals exact, else the mean over windows of equal length.
StepSeries UtilisationOf(const Ranges& busy) {
  StepSeries series;
  if (2 * busy.size() <= kMostUtilisationPoints) {
    for (const TimeRange& r : busy) series.Put(r.begin, 100), series.Put(r.end, 0);
    return series;
  }
  const Ps first = busy.front().begin, last = busy.back().end;
  constexpr auto kWindows = static_cast<Ps>(kMostUtilisationPoints - 1);
  const Ps width = SaturatingSub(last, first) / kWindows + 1;
  auto range = busy.begin();
  for (Ps at = first; at < last; at += width) {
    const Ps end = std::min(at + width, last);
    Ps open = 0;
    for (; range != busy.end() && range->begin < end; ++range) {
      open += std::min(range->end, end) - std::max(range->begin, at);
      if (range->end > end) break;
    }
    series.Add(at, 100 * static_cast<double>(open) / static_cast<double>(end - at));
  }
  series.Add(last, 0);
  return series;
}

// What is launched, from the call's begin, and has not begun.
StepSeries QueueOf(const LaunchReader::ByStream& streams) {
  std::vector<Ps> in, out;
  for (const auto& [track, launches] : streams) {
    for (const DeviceLaunch& l : launches) in.push_back(l.begin), out.push_back(l.begun());
  }
  std::sort(in.begin(), in.end());
  std::sort(out.begin(), out.end());
  StepSeries series;
  series.Reserve(2 * in.size());
  for (size_t i = 0, o = 0; o < out.size();) {
    const Ps at = i < in.size() ? std::min(in[i], out[o]) : out[o];
    while (i < in.size() && in[i] == at) ++i;
    while (o < out.size() && out[o] == at) ++o;
    series.Add(at, static_cast<double>(i - o));
  }
  return series;
}

// Of each launch when its event begins; 0 when the device is done.
StepSeries DelaysOf(const LaunchReader::ByStream& streams, Ps done) {
  std::vector<std::pair<Ps, Ps>> all;
  for (const auto& [track, launches] : streams) {
    for (const DeviceLaunch& l : launches) all.emplace_back(l.start, l.delay());
  }
  std::sort(all.begin(), all.end());
  StepSeries series;
  series.Reserve(all.size());
  for (const auto& [start, delay] : all) series.Put(start, Us(delay));
  if (!all.empty()) series.Put(std::max(done, all.back().first), 0);
  return series;
}

StepSeries InUse(const AllocatorProfile& allocator) {
  StepSeries series;
  for (const MemorySnapshot& s : allocator.snapshots)
    series.Add(s.time, static_cast<double>(s.in_use()));
  return series;
}

// The device of an allocator: "GPU_0_bfc", "GPU 0", or its number alone. -1: none.
int DeviceOf(std::string_view allocator) {
  if (allocator.starts_with("GPU_") || allocator.starts_with("GPU ")) allocator.remove_prefix(4);
  int device = -1;
  const char* end = allocator.data() + allocator.size();
  const auto read = std::from_chars(allocator.data(), end, device);
  const bool whole = read.ec == std::errc() && (read.ptr == end || *read.ptr == '_');
  return whole ? device : -1;
}

// The lanes of one GPU.
class GpuLanes {
 public:
  GpuLanes(const Trace& trace, PlaneId device) : trace_(trace), device_(device), names_(device) {}

  void AddIdle(std::span<const IdleInterval> parts);
  void AddCounter(std::string_view name, DeviceLane lane, std::string_view series_name,
                  StepSeries series, size_t most = kMostLanePoints);
  std::shared_ptr<const TrackSet> Take() {
    if (tracks_.empty()) return nullptr;
    return std::make_shared<const TrackSet>(TraceBuilder::BuildSet(
        "GPU lanes", names_.table(), std::move(tracks_), std::move(sources_)));
  }

 private:
  TrackData Data(std::string_view name, TrackKind kind, DeviceLane lane);
  uint32_t MetaOf(const IdleInterval& part);

  const Trace& trace_;
  const PlaneId device_;
  DerivedNames names_;
  std::map<std::tuple<LossClass, uint32_t, uint32_t>, uint32_t> metas_;
  std::vector<TrackData> tracks_;
  std::vector<std::vector<EventRow>> sources_;
};

TrackData GpuLanes::Data(std::string_view name, TrackKind kind, DeviceLane lane) {
  TrackData data;
  data.track.plane = device_;
  data.track.name = names_.Intern(name);
  data.track.kind = kind;
  data.track.id = static_cast<int64_t>(lane);
  data.track.file_order = static_cast<uint32_t>(tracks_.size());
  return data;
}

// "launch · cudaLaunchKernel in aten::mm": class and cause.
uint32_t GpuLanes::MetaOf(const IdleInterval& part) {
  const auto key = std::tuple(part.loss, part.event.value, part.inside.value);
  const auto [it, added] = metas_.try_emplace(key, 0);
  if (!added) return it->second;
  const bool open = part.loss == LossClass::kUnknown && part.event.valid();  // the host is known
  std::string text = open ? "not explained" : TextOf(part.loss);
  if (part.event.valid()) {
    IdleCause cause;
    cause.event = part.event;
    cause.inside = part.inside;
    text += " \u00b7 " + CauseName(trace_, cause);
  }
  return it->second = names_.Meta(IdOf(part.loss), text, EventCategory::kOverhead);
}

void GpuLanes::AddIdle(std::span<const IdleInterval> parts) {
  if (parts.empty()) return;
  TrackData data = Data("Idle", TrackKind::kDerived, DeviceLane::kIdle);
  std::vector<EventRow> rows;
  for (const IdleInterval& part : parts) {
    data.slices.Add(part.range.begin, part.range.length(), MetaOf(part), Lane::kNoRef);
    rows.push_back(part.row);
  }
  tracks_.push_back(std::move(data));
  sources_.push_back(std::move(rows));
}

void GpuLanes::AddCounter(std::string_view name, DeviceLane lane, std::string_view series_name,
                          StepSeries series, size_t most) {
  if (series.empty()) return;
  TrackData data = Data(name, TrackKind::kCounter, lane);
  data.track.counters.push_back(series.Take(names_.Intern(series_name), most));
  tracks_.push_back(std::move(data));
  sources_.emplace_back();
}

// Builds the lanes of all GPUs of a trace.
class LanesBuilder {
 public:
  LanesBuilder(AnalysisContext& context, std::stop_token stop)
      : trace_(context.trace()),
        stop_(std::move(stop)),
        steps_(context.steps(stop_)),
        events_(context, {}, stop_),
        classes_(DeviceClasses(trace_)),
        launches_(trace_) {
    // PyTorch's allocator is a counter of the file already, and XProf's times are not true ones.
    if (!CapabilitiesOf(trace_).pytorch_events &&
        !context.quirks().memory_times_without_line_start && !stop_.stop_requested())
      memory_ = context.memory({}, stop_);
  }

  std::vector<std::shared_ptr<const TrackSet>> Build() {
    const std::vector<PlaneId>& devices = events_.devices();
    std::vector<std::shared_ptr<const TrackSet>> sets(devices.size());
    ParallelFor(devices.size(), [&](size_t i) {
      if (!stop_.stop_requested()) sets[i] = BuildOne(devices[i]);
    });
    std::erase(sets, nullptr);
    return sets;
  }

 private:
  std::shared_ptr<const TrackSet> BuildOne(PlaneId device) const {
    GpuLanes lanes(trace_, device);
    for (const DeviceIdle& idle : steps_.idle_parts) {
      if (idle.device == device) lanes.AddIdle(idle.parts);
    }
    const Ranges busy = BusyRanges(trace_, trace_.planes[device.value], classes_);
    if (busy.empty()) return lanes.Take();
    lanes.AddCounter("Utilisation", DeviceLane::kUtilisation, "percent", UtilisationOf(busy),
                     kMostUtilisationPoints);
    if (stop_.stop_requested()) return nullptr;
    LaunchReader reader = launches_;
    const LaunchReader::ByStream launches = reader.Read(events_, device);
    lanes.AddCounter("Queue", DeviceLane::kQueue, "launches", QueueOf(launches));
    lanes.AddCounter("Launch delay", DeviceLane::kLaunchDelay, "us",
                     DelaysOf(launches, busy.back().end));
    if (!stop_.stop_requested()) AddMemory(device, &lanes);
    return lanes.Take();
  }

  void AddMemory(PlaneId device, GpuLanes* lanes) const {
    if (!memory_) return;
    const Plane& plane = trace_.planes[device.value];
    const auto of_plane = [&](const AllocatorProfile& a) {
      return a.host == plane.host && plane.device_ordinal >= 0 &&
             DeviceOf(a.id) == plane.device_ordinal;
    };
    const std::vector<AllocatorProfile>& allocators = memory_->allocators;
    const bool several = std::count_if(allocators.begin(), allocators.end(), of_plane) > 1;
    for (const AllocatorProfile& allocator : allocators) {
      if (!of_plane(allocator)) continue;
      const std::string name = several ? "Memory " + allocator.id : "Memory in use";
      lanes->AddCounter(name, DeviceLane::kMemory, "bytes", InUse(allocator));
    }
  }

  const Trace& trace_;
  const std::stop_token stop_;
  const StepDatabase& steps_;
  const DeviceEvents events_;
  const std::vector<uint8_t> classes_;
  const LaunchReader launches_;
  std::shared_ptr<const MemoryProfile> memory_;  // as the memory page has it; null: no lane
};

}  // namespace

DeviceLane DeviceLaneOf(const Track& track) {
  const bool lane = track.kind == TrackKind::kDerived || track.kind == TrackKind::kCounter;
  const bool known = track.id > 0 && track.id <= static_cast<int64_t>(DeviceLane::kMemory);
  return lane && known ? static_cast<DeviceLane>(track.id) : DeviceLane::kNone;
}

std::vector<std::shared_ptr<const TrackSet>> BuildDeviceLanes(AnalysisContext& context,
                                                              std::stop_token stop) {
  const auto gpu = [](const Plane& plane) { return plane.kind == PlaneKind::kGpu; };
  const Trace& trace = context.trace();
  if (std::none_of(trace.planes.begin(), trace.planes.end(), gpu)) return {};
  return LanesBuilder(context, std::move(stop)).Build();
}

}  // namespace stepscope
