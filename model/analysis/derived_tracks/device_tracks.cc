#include "model/analysis/derived_tracks/device_tracks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "model/analysis/definitions.h"
#include "model/analysis/derived_tracks/busy_time.h"
#include "model/analysis/derived_tracks/derived_lines.h"
#include "model/analysis/derived_tracks/derived_names.h"
#include "model/analysis/devices/device_launches.h"
#include "model/analysis/intervals/held_value_series.h"
#include "model/analysis/intervals/ranges.h"
#include "model/analysis/memory/memory_profile.h"
#include "model/analysis/naming/time_classes.h"
#include "model/analysis/steps/cause_name.h"
#include "model/analysis/steps/steps.h"
#include "model/analysis/tables/in_unit.h"
#include "model/base/sort_runs.h"
#include "model/capabilities.h"
#include "model/jobs/job.h"
#include "model/trace_builder.h"

namespace stepscope {
namespace {

const char* TextOf(StepTimeClass c) {
  switch (c) {
    case StepTimeClass::kBetweenSteps:
      return "between steps";
    case StepTimeClass::kUnknown:
      return "not recorded";
    default:
      return IdOf(c);
  }
}

HeldValueSeries ExactShare(const Ranges& busy) {
  HeldValueSeries series;
  for (const TimeRange& r : busy) series.Put(r.begin, 100), series.Put(r.end, 0);
  return series;
}

// The mean over windows of equal length.
HeldValueSeries ShareOfWindows(const Ranges& busy, TimeRange span) {
  HeldValueSeries series;
  constexpr auto kWindows = static_cast<Ps>(kMostUtilisationPoints - 1);
  const Ps width = SaturatingSub(span.end, span.begin) / kWindows + 1;
  auto range = busy.begin();
  for (Ps at = span.begin; at < span.end; at += width) {
    const Ps end = std::min(at + width, span.end);
    Ps open = 0;
    for (; range != busy.end() && range->begin < end; ++range) {
      open += std::min(range->end, end) - std::max(range->begin, at);
      if (range->end > end) break;
    }
    series.Add(at, 100 * static_cast<double>(open) / static_cast<double>(end - at));
  }
  series.Add(span.end, 0);
  return series;
}

// Returns what value_of makes of each launch, in ascending order. The launches of a stream come in
// order of the calls, which is nearly that of begins.
template <typename ValueOf>
auto InOrder(const LaunchReader::ByStream& streams, const ValueOf& value_of) {
  std::vector<decltype(value_of(DeviceLaunch()))> values;
  size_t size = 0;
  for (const auto& [track, launches] : streams) size += launches.size();
  values.reserve(size);
  for (const auto& [track, launches] : streams)
    std::transform(launches.begin(), launches.end(), std::back_inserter(values), value_of);
  SortRuns(values.begin(), values.end(), std::less<>());
  return values;
}

// The number of events that are launched, from the call's begin, and have not begun.
HeldValueSeries QueueOf(const LaunchReader::ByStream& streams) {
  const std::vector<Ps> in = InOrder(streams, [](const DeviceLaunch& l) { return l.begin; });
  const std::vector<Ps> out = InOrder(streams, [](const DeviceLaunch& l) { return l.begun(); });
  HeldValueSeries series;
  series.Reserve(2 * in.size());
  for (size_t i = 0, o = 0; o < out.size();) {
    const Ps at = i < in.size() ? std::min(in[i], out[o]) : out[o];
    while (i < in.size() && in[i] == at) ++i;
    while (o < out.size() && out[o] == at) ++o;
    series.Add(at, static_cast<double>(i - o));
  }
  return series;
}

// The delay of each launch in us, from the begin of its event on; 0 when the device is done.
HeldValueSeries DelaysOf(const LaunchReader::ByStream& streams, Ps done) {
  const auto all =
      InOrder(streams, [](const DeviceLaunch& l) { return std::pair(l.start, l.delay()); });
  HeldValueSeries series;
  series.Reserve(all.size());
  for (const auto& [start, delay] : all) series.Put(start, InUs(delay));
  if (!all.empty()) series.Put(std::max(done, all.back().first), 0);
  return series;
}

HeldValueSeries InUse(const AllocatorProfile& allocator) {
  HeldValueSeries series;
  for (const MemorySnapshot& s : allocator.snapshots)
    series.Add(s.time, static_cast<double>(s.in_use));
  return series;
}

// The number of an allocator's device: "GPU_0_bfc", "GPU 0", or the number alone. -1: none.
int DeviceOf(std::string_view allocator) {
  if (allocator.starts_with("GPU_") || allocator.starts_with("GPU ")) allocator.remove_prefix(4);
  int device = -1;
  const char* end = allocator.data() + allocator.size();
  const auto read = std::from_chars(allocator.data(), end, device);
  const bool whole = read.ec == std::errc() && (read.ptr == end || *read.ptr == '_');
  return whole ? device : -1;
}

// Builds the derived tracks of one device.
class OneDevice {
 public:
  OneDevice(const Trace& trace, PlaneId device) : trace_(trace), device_(device), names_(device) {}

  void AddIdle(std::span<const IdleInterval> parts);
  void AddCounter(std::string_view name, DerivedTrackKind kind, std::string_view series_name,
                  HeldValueSeries series);
  // Percent: exact if all of it has few intervals.
  void AddUtilisation(const BusyTime& busy);
  std::shared_ptr<const TrackSet> Take() {
    if (tracks_.empty()) return nullptr;
    return std::make_shared<const TrackSet>(TraceBuilder::BuildSet(
        "Device lanes", names_.table(), std::move(tracks_), std::move(sources_)));
  }

 private:
  TrackData Data(std::string_view name, TrackKind kind, DerivedTrackKind derived);
  uint32_t MetaOf(const IdleInterval& part);

  const Trace& trace_;
  const PlaneId device_;
  DerivedNames names_;
  std::map<std::tuple<StepTimeClass, uint32_t, uint32_t>, uint32_t> metas_;
  std::vector<TrackData> tracks_;
  std::vector<std::vector<EventRow>> sources_;
};

TrackData OneDevice::Data(std::string_view name, TrackKind kind, DerivedTrackKind derived) {
  TrackData data;
  data.track.plane = device_;
  data.track.name = names_.Intern(name);
  data.track.kind = kind;
  data.track.id = static_cast<int64_t>(derived);
  data.track.file_order = static_cast<uint32_t>(tracks_.size());
  return data;
}

// The meta of a class and cause: "launch · cudaLaunchKernel in aten::mm".
uint32_t OneDevice::MetaOf(const IdleInterval& part) {
  const auto key = std::tuple(part.loss, part.event.value, part.inside.value);
  const auto [it, added] = metas_.try_emplace(key, 0);
  if (!added) return it->second;
  const bool open =
      part.loss == StepTimeClass::kUnknown && part.event.valid();  // what the host did is known
  std::string text = open ? "not explained" : TextOf(part.loss);
  if (part.event.valid()) {
    IdleCause cause;
    cause.event = part.event;
    cause.inside = part.inside;
    text += " \u00b7 " + CauseName(trace_, cause);
  }
  return it->second = names_.Meta(IdOf(part.loss), text, EventCategory::kOverhead);
}

void OneDevice::AddIdle(std::span<const IdleInterval> parts) {
  if (parts.empty()) return;
  TrackData data = Data("Idle", TrackKind::kDerived, DerivedTrackKind::kIdle);
  std::vector<EventRow> rows;
  for (const IdleInterval& part : parts) {
    data.slices.Add(part.range.begin, part.range.length(), MetaOf(part), Lane::kNoRef);
    rows.push_back(part.row);
  }
  tracks_.push_back(std::move(data));
  sources_.push_back(std::move(rows));
}

void OneDevice::AddCounter(std::string_view name, DerivedTrackKind kind,
                           std::string_view series_name, HeldValueSeries series) {
  if (series.empty()) return;
  TrackData data = Data(name, TrackKind::kCounter, kind);
  data.track.counters.push_back(series.Take(names_.Intern(series_name), kMostCounterPoints));
  tracks_.push_back(std::move(data));
  sources_.emplace_back();
}

void OneDevice::AddUtilisation(const BusyTime& busy) {
  size_t most = busy.all.size();
  for (const Ranges& part : busy.parts) most = std::max(most, part.size());
  const bool exact = 2 * most <= kMostUtilisationPoints;
  const TimeRange span{busy.all.front().begin, busy.all.back().end};
  TrackData data = Data("Utilisation", TrackKind::kCounter, DerivedTrackKind::kUtilisation);
  const auto add = [&](std::string_view name, const Ranges& ranges) {
    if (ranges.empty()) return;
    HeldValueSeries series = exact ? ExactShare(ranges) : ShareOfWindows(ranges, span);
    data.track.counters.push_back(series.Take(names_.Intern(name), kMostUtilisationPoints));
  };
  add("percent", busy.all);
  for (size_t p = 0; p < busy.parts.size(); ++p) add(IdOf(static_cast<WorkPart>(p)), busy.parts[p]);
  tracks_.push_back(std::move(data));
  sources_.emplace_back();
}

class DeviceTracksBuilder {
 public:
  DeviceTracksBuilder(AnalysisContext& context)
      : trace_(context.trace()),
        steps_(context.Get<StepDatabase>()),
        events_(context, {}),
        classes_(context.Get<DeviceClasses>().of_meta),
        launches_(trace_) {
    // PyTorch's allocator is a counter of the file already, and XProf's memory times are offsets
    // in a line.
    if (!CapabilitiesOf(trace_).pytorch_events && !context.xprof().memory_times_without_line_start)
      memory_ = context.Get<MemoryProfile>(AnalysisParams());
  }

  std::vector<std::shared_ptr<const TrackSet>> Build() {
    const std::vector<PlaneId>& devices = events_.devices();
    std::vector<std::shared_ptr<const TrackSet>> sets(devices.size());
    ParallelFor(devices.size(), [&](size_t i) { sets[i] = BuildOne(devices[i]); });
    std::erase(sets, nullptr);
    return sets;
  }

 private:
  std::shared_ptr<const TrackSet> BuildOne(PlaneId device) const {
    OneDevice tracks(trace_, device);
    for (const DeviceIdle& idle : steps_.idle_parts) {
      if (idle.device == device) tracks.AddIdle(idle.parts);
    }
    const BusyTime busy = BusyTimeOf(trace_, trace_.planes[device.value], classes_);
    if (busy.all.empty()) return tracks.Take();
    tracks.AddUtilisation(busy);
    CheckStop();
    LaunchReader reader = launches_;
    const LaunchReader::ByStream launches = reader.Read(events_, device);
    tracks.AddCounter("Queue", DerivedTrackKind::kQueue, "launches", QueueOf(launches));
    tracks.AddCounter("Launch delay", DerivedTrackKind::kLaunchDelay, "us",
                      DelaysOf(launches, busy.all.back().end));
    AddMemory(device, &tracks);
    return tracks.Take();
  }

  void AddMemory(PlaneId device, OneDevice* tracks) const {
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
      tracks->AddCounter(name, DerivedTrackKind::kMemory, "bytes", InUse(allocator));
    }
  }

  const Trace& trace_;
  const StepDatabase& steps_;
  const DeviceEvents events_;
  const std::vector<uint8_t>& classes_;
  const LaunchReader launches_;
  std::shared_ptr<const MemoryProfile> memory_;  // as on the memory page; null: no track
};

}  // namespace

DerivedTrackKind DerivedTrackKindOf(const Track& track) {
  const bool derived = track.kind == TrackKind::kDerived || track.kind == TrackKind::kCounter;
  const bool known = track.id > 0 && track.id <= static_cast<int64_t>(DerivedTrackKind::kMemory);
  return derived && known ? static_cast<DerivedTrackKind>(track.id) : DerivedTrackKind::kNone;
}

namespace {

// How busy each core of TPUs is. Why one is idle is not known, and nothing is launched.
void AddCores(AnalysisContext& context, std::vector<std::shared_ptr<const TrackSet>>* sets) {
  const Trace& trace = context.trace();
  const StatTable& stats = context.stats();
  for (uint32_t h = 0; h < trace.hosts.size(); ++h) {
    CheckStop();
    for (const TpuCore& core : CoresOf(trace, stats, HostId(h))) {
      const BusyTime busy = BusyTimeOf(trace, stats, core);
      if (busy.all.empty()) continue;
      OneDevice tracks(trace, core.id);
      tracks.AddUtilisation(busy);
      sets->push_back(tracks.Take());
    }
  }
}

}  // namespace

std::vector<std::shared_ptr<const TrackSet>> BuildDeviceTracks(AnalysisContext& context) {
  const Trace& trace = context.trace();
  const auto any = [&](PlaneKind kind) {
    return std::any_of(trace.planes.begin(), trace.planes.end(),
                       [&](const Plane& plane) { return plane.kind == kind; });
  };
  std::vector<std::shared_ptr<const TrackSet>> sets;
  if (any(PlaneKind::kGpu)) sets = DeviceTracksBuilder(context).Build();
  if (any(PlaneKind::kTpu)) AddCores(context, &sets);
  return sets;
}

DerivedTracks DerivedTracks::Compute(AnalysisContext& context) {
  DerivedTracks tracks{BuildDerivedLines(context)};
  const std::vector<std::shared_ptr<const TrackSet>> devices = BuildDeviceTracks(context);
  tracks.sets.insert(tracks.sets.end(), devices.begin(), devices.end());
  return tracks;
}

}  // namespace stepscope
