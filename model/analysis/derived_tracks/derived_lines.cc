#include "model/analysis/derived_tracks/derived_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/analysis/definitions.h"
#include "model/analysis/derived_tracks/derived_annotations.h"
#include "model/analysis/intervals/lane_merge.h"
#include "model/analysis/steps/steps.h"
#include "model/capabilities.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

// XProf's ids of derived lines: 0xdeadbeef as int32 for Steps, then one for each further line.
// The ids of streams begin 290 above it, six a stream.
constexpr int64_t kFirstDerivedId = -559038737;
constexpr int64_t kFirstStreamId = kFirstDerivedId + 290;
constexpr int64_t kIdsPerStream = 6;

// Sums of the launches of one group for one device, ps.
struct LaunchInfo {
  TimeRange span{kMaxPs, kMinPs};
  uint64_t count = 0;
  Ps sum = 0, longest = 0;
  uint32_t first = 0, last = 0;  // rows
  void Add(uint32_t row, Ps begin, Ps end) {
    if (count == 0) first = row;
    span = {std::min(span.begin, begin), std::max(span.end, end)};
    ++count;
    sum += end - begin;
    longest = std::max(longest, end - begin);
    last = row;
  }
};
using LaunchesByGroup = std::map<int32_t, LaunchInfo>;

// The calls that launched the device events of each plane. A call that launched several events
// counts once.
std::vector<LaunchesByGroup> OwnLaunches(const Trace& trace, const Grouping& grouping) {
  std::vector<LaunchesByGroup> planes(trace.planes.size());
  RowReader device(trace.set), host(trace.set);
  for (const LaunchLink& link : grouping.launches) {
    uint32_t plane = trace.set.tracks[device.TrackOf(link.device_row)].plane.value;
    int32_t group = grouping.group[link.launch_row];
    if (plane >= planes.size() || group < 0) continue;
    LaunchInfo& info = planes[plane][group];
    if (info.count > 0 && info.last == link.launch_row) continue;
    info.Add(link.launch_row, host.Start(link.launch_row), host.End(link.launch_row));
  }
  return planes;
}

// The launches by XProf's rule: host events with a group, a correlation id and a device id below
// the number of GPUs, unless their name starts with "cu".
std::vector<LaunchesByGroup> XprofLaunches(const Trace& trace, const StatTable& stats,
                                           const Grouping& grouping) {
  std::vector<LaunchesByGroup> planes(trace.planes.size());
  for (uint32_t h = 0; h < trace.hosts.size(); ++h) {
    std::vector<uint32_t> gpus;
    for (uint32_t p = 0; p < trace.planes.size(); ++p) {
      const Plane& plane = trace.planes[p];
      if (plane.host.value == h && plane.kind == PlaneKind::kGpu) gpus.push_back(p);
    }
    std::sort(gpus.begin(), gpus.end(),
              [&](uint32_t a, uint32_t b) { return trace.planes[a].id < trace.planes[b].id; });
    for (const Plane& plane : trace.planes) {
      if (plane.host.value != h || !IsHostCpu(trace, plane)) continue;
      for (const Lane* lane : PlaneLanes(trace, plane)) {
        ForColumn(stats.Int(IntStat::kDeviceId), {lane->first_row, lane->size()},
                  [&](uint32_t row, int64_t device) {
                    uint32_t i = row - lane->first_row;
                    bool known = device >= 0 && device < static_cast<int64_t>(gpus.size());
                    if (!known || grouping.group[row] < 0 ||
                        !stats.Int(IntStat::kCorrelationId).Find(EventRow(row)) ||
                        trace.names().Name(MetaId(lane->meta[i])).starts_with("cu"))
                      return;
                    planes[gpus[static_cast<size_t>(device)]][grouping.group[row]].Add(
                        row, lane->start[i], lane->end(i));
                  });
      }
    }
  }
  return planes;
}

// Builds the derived lines of one GPU plane or TPU core.
class PlaneDeriver {
 public:
  PlaneDeriver(AnalysisContext& context, uint32_t plane)
      : trace_(context.trace()),
        stats_(context.stats()),
        order_(context.Get<EventOrder>()),
        grouping_(context.Get<Grouping>()),
        steps_(context.Get<StepDatabase>()),
        xprof_(context.xprof()),
        traits_(CapabilitiesOf(trace_)),
        plane_id_(plane),
        names_(PlaneId(plane)) {}

  std::shared_ptr<const TrackSet> Derive(const LaunchesByGroup& launches) {
    if (trace_.planes[plane_id_].kind == PlaneKind::kTpu) {
      AddCore();
      return Take("Derived TPU lines");
    }
    if (xprof_.step_line_of_groups && traits_.read_by_xprof) {
      AddXprofSteps();
    } else {
      AddOwnSteps();
    }
    AddLaunches(launches);
    if (traits_.kernel_annotations) AddStreams();
    return Take("Derived GPU lines");
  }

 private:
  std::shared_ptr<const TrackSet> Take(const char* name) {
    if (tracks_.empty()) return nullptr;
    return std::make_shared<const TrackSet>(
        TraceBuilder::BuildSet(name, names_.table(), std::move(tracks_), std::move(sources_)));
  }
  void AddTrack(std::string_view name, TrackKind kind, int64_t id, NestedSpanBuilder line);
  void AddXprofSteps();
  void AddOwnSteps();
  void AddLaunches(const LaunchesByGroup& launches);
  void AddStreams();
  void AddCore();

  const Trace& trace_;
  const StatTable& stats_;
  const EventOrder& order_;
  const Grouping& grouping_;
  const StepDatabase& steps_;
  const XprofDefinitions& xprof_;
  const Capabilities traits_;
  const uint32_t plane_id_;
  DerivedNames names_;
  std::vector<TrackData> tracks_;
  std::vector<std::vector<EventRow>> sources_;
};

void PlaneDeriver::AddTrack(std::string_view name, TrackKind kind, int64_t id,
                            NestedSpanBuilder line) {
  if (line.empty()) return;
  TrackData data;
  data.track.plane = PlaneId(plane_id_);
  data.track.name = names_.Intern(name);
  data.track.kind = kind;
  data.track.id = id;
  data.track.display_id = static_cast<int64_t>(tracks_.size()) + 1;
  data.track.file_order = static_cast<uint32_t>(tracks_.size());
  data.slices = line.TakeEvents();
  tracks_.push_back(std::move(data));
  sources_.push_back(line.TakeSources());
}

// XProf joins consecutive events of a group on all streams into one event.
void PlaneDeriver::AddXprofSteps() {
  NestedSpanBuilder line;
  ForEachByStart(PlaneLanes(trace_, trace_.planes[plane_id_]), [&](const Lane& lane, uint32_t i) {
    uint32_t row = lane.first_row + i;
    int32_t group = grouping_.group[row];
    if (group < 0) return;
    const EventGroup& g = grouping_.groups[static_cast<size_t>(group)];
    uint32_t meta = names_.Meta(std::to_string(g.id), g.implicit ? std::string() : g.name,
                                EventCategory::kStep);
    line.Add({&meta, 1}, {lane.start[i], lane.end(i), group, {}, EventRow(row)});
  });
  AddTrack("Steps", TrackKind::kSteps, kFirstDerivedId, std::move(line));
}

// Adds the device's steps of the step table.
void PlaneDeriver::AddOwnSteps() {
  NestedSpanBuilder line;
  int32_t number = 0;
  for (const DeviceStep& d : steps_.device_steps) {
    if (d.device.value != plane_id_) continue;
    const Step& step = steps_.steps[d.step];
    std::string display = step.label;
    if (step.inferred) display += " (inferred)";
    if (step.partial) display += " (partial)";
    uint32_t meta = names_.Meta(step.label, display, EventCategory::kStep);
    line.Add({&meta, 1}, {d.span.begin,
                          d.span.end,
                          number++,
                          {},
                          step.rows.empty() ? EventRow() : step.rows.front()});
  }
  AddTrack("Steps", TrackKind::kSteps, kFirstDerivedId, std::move(line));
}

void PlaneDeriver::AddLaunches(const LaunchesByGroup& launches) {
  NestedSpanBuilder line;
  for (const auto& [group, info] : launches) {
    std::string name = "Launch Stats for " + grouping_.groups[static_cast<size_t>(group)].name;
    std::string display = fmt::format(
        "{}: {} launches, {} on average, {} the longest", name, info.count,
        FormatDuration(info.sum / static_cast<Ps>(info.count), 3), FormatDuration(info.longest, 3));
    uint32_t meta = names_.Meta(name, display);
    line.Add({&meta, 1}, {info.span.begin, info.span.end, group, {}, EventRow(info.first)});
  }
  AddTrack("Launch Stats", TrackKind::kLaunchStats, kFirstDerivedId + 1, std::move(line));
}

// Compute streams come first, then streams with more events.
void PlaneDeriver::AddStreams() {
  std::vector<const Track*> streams;
  for (TrackId t : trace_.planes[plane_id_].tracks) {
    const Track& track = trace_.set.tracks[t.value];
    if (!track.derived_in_file && track.events > 0) streams.push_back(&track);
  }
  auto key = [&](const Track* t) {
    std::string_view name = trace_.names().strings.View(t->name);
    return std::make_tuple(name.find("Compute") == std::string_view::npos, ~t->events,
                           t->file_order);
  };
  std::sort(streams.begin(), streams.end(),
            [&](const Track* a, const Track* b) { return key(a) < key(b); });
  Annotator annotator(trace_, stats_, order_, grouping_, &names_);
  for (size_t s = 0; s < streams.size(); ++s) {
    AnnotationLines lines;
    annotator.Annotate(*streams[s], &lines);
    int64_t id = kFirstStreamId + static_cast<int64_t>(s) * kIdsPerStream;
    std::string from = fmt::format(" - from #{}", streams[s]->id);
    AddTrack("Framework Name Scope" + from, TrackKind::kNameScope, id, std::move(lines.scopes));
    AddTrack("Framework Ops" + from, TrackKind::kFrameworkOps, id + 1, std::move(lines.ops));
    AddTrack("XLA Modules" + from, TrackKind::kXlaModules, id + 2, std::move(lines.modules));
    AddTrack("XLA Ops" + from, TrackKind::kXlaOps, id + 3, std::move(lines.xla_ops));
    AddTrack("Source code" + from, TrackKind::kSource, id + 5, std::move(lines.source));
  }
}

// Adds what the file lacks: it has a core's steps, modules and XLA ops.
void PlaneDeriver::AddCore() {
  Annotator annotator(trace_, stats_, order_, grouping_, &names_);
  AnnotationLines lines;
  annotator.AnnotateCore(trace_.planes[plane_id_], &lines);
  AddTrack("Framework Name Scope", TrackKind::kNameScope, kFirstDerivedId + 2,
           std::move(lines.scopes));
  AddTrack("Framework Ops", TrackKind::kFrameworkOps, kFirstDerivedId + 3, std::move(lines.ops));
  AddTrack("Source code", TrackKind::kSource, kFirstDerivedId + 7, std::move(lines.source));
}

bool IsDerivedInFile(const Trace& trace, const Plane& plane) {
  return std::any_of(plane.tracks.begin(), plane.tracks.end(),
                     [&](TrackId t) { return trace.set.tracks[t.value].derived_in_file; });
}

}  // namespace

std::vector<std::shared_ptr<const TrackSet>> BuildDerivedLines(AnalysisContext& context) {
  const Trace& trace = context.trace();
  const Capabilities traits = CapabilitiesOf(trace);
  std::vector<uint32_t> devices;
  for (uint32_t p = 0; p < trace.planes.size(); ++p) {
    const Plane& plane = trace.planes[p];
    const bool device = plane.kind == PlaneKind::kGpu ||
                        (plane.kind == PlaneKind::kTpu && traits.kernel_annotations);
    if (device && !IsDerivedInFile(trace, plane)) devices.push_back(p);
  }
  if (devices.empty()) return {};
  const Grouping& grouping = context.Get<Grouping>();
  context.Get<StepDatabase>();
  const bool by_device_id = context.xprof().launches_with_device_id && traits.read_by_xprof;
  std::vector<LaunchesByGroup> launches =
      by_device_id ? XprofLaunches(trace, context.stats(), grouping) : OwnLaunches(trace, grouping);
  std::vector<std::shared_ptr<const TrackSet>> sets(devices.size());
  ParallelFor(devices.size(), [&](size_t i) {
    { sets[i] = PlaneDeriver(context, devices[i]).Derive(launches[devices[i]]); }
  });
  std::erase(sets, nullptr);
  return sets;
}

}  // namespace stepscope
