// XProf's steps, exactly as XProf 2.24.2 computes them (xprof/convert/xplane_to_step_events.cc;
// docs/rules.md#steps), and steps of profiles without devices by our definitions, which follow the
// same rules but drop no step and need no marks.
#include <algorithm>
#include <map>

#include "model/analysis/definitions.h"
#include "model/analysis/intervals/lane_merge.h"
#include "model/analysis/steps/steps.h"
#include "model/capabilities.h"
#include "model/jobs/job.h"
#include "model/lookup.h"

namespace stepscope {
namespace {

struct Boundary {
  Ps time;
  bool is_start;
  uint8_t event_class;
  // Ends before starts, then higher classes first.
  bool operator<(const Boundary& o) const {
    if (time != o.time) return time < o.time;
    if (is_start != o.is_start) return o.is_start;
    return event_class > o.event_class;
  }
};

struct GroupTimes {
  TimeRange marker;
  bool marked = false;
  bool elsewhere = false;  // marked in a process that is neither device nor host
  bool instants = false;   // events without duration take part
  ClassUnion times;
  std::vector<Boundary> boundaries;  // only of groups with instants
  ClassTimes inside{}, whole{};      // exclusive; inside the marker, and in all
  Ps covered = 0;                    // inside the marker, of any class
};

// XProf's way from boundaries to intervals (xprof/utils/event_span.cc). An event without duration
// ends before it starts: if nothing of its class is open, the class stays current with a count of 0
// until the next event of the class ends.
void TrackBoundaries(GroupTimes* g) {
  std::sort(g->boundaries.begin(), g->boundaries.end());
  std::array<int64_t, kTimeClasses> count{};
  size_t current = 0;
  for (size_t i = 0; i + 1 < g->boundaries.size(); ++i) {
    const Boundary& b = g->boundaries[i];
    size_t c = b.event_class;
    if (b.is_start) {
      current = std::max(current, c);
      ++count[c];
    } else if (--count[c] == 0 && c == current) {
      do {
        --current;
      } while (current > 0 && count[current] <= 0);
    }
    Ps end = g->boundaries[i + 1].time;
    g->whole[current] += end - b.time;
    Ps inside = std::min(end, g->marker.end) - std::max(b.time, g->marker.begin);
    if (g->marked && inside > 0 && current > 0) {
      g->inside[current] += inside;
      g->covered += inside;
    }
  }
}

// Fills the exclusive times from the unions, or from the boundaries where there are instants.
void Resolve(GroupTimes* g) {
  if (g->instants) {
    TrackBoundaries(g);
    return;
  }
  for (size_t c = 1; c < kTimeClasses; ++c) {
    g->inside[c] = g->times.InsideExclusive(static_cast<TimeClass>(c));
    g->whole[c] = g->times.WholeExclusive(static_cast<TimeClass>(c));
  }
  g->covered = g->times.Inside();
}

void TakeLongest(TimeRange span, GroupTimes* g) {
  if (!g->marked || span.length() > g->marker.length()) g->marker = span;
  g->marked = true;
}

StepBreakdown Breakdown(const GroupTimes& g) {
  auto time = [&](TimeClass c) { return static_cast<double>(At(g.inside, c)); };
  StepBreakdown b;
  b.compute = time(TimeClass::kCompute16) + time(TimeClass::kCompute32);
  b.device_to_device = time(TimeClass::kDeviceToDevice);
  b.collectives = time(TimeClass::kCollectives);
  b.host_compute = time(TimeClass::kHostCompute);
  b.launch = time(TimeClass::kKernelLaunch);
  b.input = time(TimeClass::kInputWait) + time(TimeClass::kHostToDevice);
  b.host_to_device = time(TimeClass::kHostToDevice);
  b.output = time(TimeClass::kDeviceToHost);
  b.total = static_cast<double>(g.marker.length());
  b.other = b.total - static_cast<double>(g.covered);
  return b;
}

class Steps {
 public:
  Steps(const Trace& trace, const StatTable& stats, const Grouping& grouping,
        const XprofDefinitions& xprof)
      : trace_(trace),
        stats_(stats),
        grouping_(grouping),
        xprof_(xprof),
        pytorch_(CapabilitiesOf(trace).pytorch_events),
        groups_(grouping.groups.size()) {}

  StepDatabase Run(bool own_host);

 private:
  void AddGpus(uint32_t host);
  void MarkPlane(const Plane& plane);
  void ClassifyRows(const Plane& plane);
  void AddHostThreads(uint32_t host);
  void ClassifyHostRows(const Track& track);
  bool IsRootInputStage(EventRow row) const;
  void Unite(std::span<const Lane* const> lanes);
  uint8_t HostRowClass(const EventMeta& meta) const;
  void MarkElsewhere();
  void MarkImplicit();
  void ExtendMarkers(uint32_t host);

  const Trace& trace_;
  const StatTable& stats_;
  const Grouping& grouping_;
  const XprofDefinitions& xprof_;
  const bool pytorch_;
  std::vector<GroupTimes> groups_;
  std::vector<uint8_t> class_;       // by row; 0: does not take part
  std::vector<uint8_t> host_class_;  // by MetaId, filled when asked for
  bool own_ = false;
  bool inferred_ = false;
};

// XProf's Steps line: consecutive events of one group, by start, become one event.
void Steps::MarkPlane(const Plane& plane) {
  int32_t current = Grouping::kNone;
  TimeRange span;
  auto close = [&] {
    if (current >= 0) TakeLongest(span, &groups_[static_cast<size_t>(current)]);
  };
  ForEachByStart(PlaneLanes(trace_, plane), [&](const Lane& lane, uint32_t i) {
    int32_t group = grouping_.group[lane.first_row + i];
    if (group < 0) return;
    if (group != current) {
      close();
      current = group;
      span = {lane.start[i], lane.end(i)};
    }
    span.end = std::max(span.end, lane.end(i));
  });
  close();
}

void Steps::ClassifyRows(const Plane& plane) {
  const NameTable& names = trace_.names();
  std::vector<uint8_t> by_meta(names.metas.size(), 0xff);
  const auto& correlation = stats_.Int(IntStat::kCorrelationId);
  const auto& shapes = stats_.Text(StringStat::kShape);
  for (const Lane* lane : PlaneLanes(trace_, plane)) {
    RowRange range{lane->first_row, lane->size()};
    ForColumn(correlation, range, [&](uint32_t row, int64_t id) {
      if (id < 0) return;
      uint32_t meta = lane->meta[row - lane->first_row];
      if (by_meta[meta] == 0xff) {
        std::string_view name = names.strings.View(names.metas[meta].name);
        by_meta[meta] = static_cast<uint8_t>(
            xprof_.device_classes_of_xprof ? XprofDeviceClass(name)
                                           : OwnDeviceClass(name, names.metas[meta].category));
      }
      class_[row] = by_meta[meta];
    });
    ForColumn(shapes, range, [&](uint32_t row, StringId shape) {
      std::string_view text = stats_.strings->View(shape);
      auto c = static_cast<TimeClass>(class_[row]);
      if (text.empty() || (c != TimeClass::kCompute16 && c != TimeClass::kCompute32)) return;
      bool half = text.find("half") != std::string_view::npos;
      class_[row] = static_cast<uint8_t>(half ? TimeClass::kCompute16 : TimeClass::kCompute32);
    });
  }
}

void Steps::Unite(std::span<const Lane* const> lanes) {
  // By our definitions an event without duration takes no time.
  for (size_t l = 0; l < lanes.size() && xprof_.instants_stay_open; ++l) {
    const Lane& lane = *lanes[l];
    for (uint32_t i = 0; i < lane.size(); ++i) {
      int32_t group = grouping_.group[lane.first_row + i];
      if (lane.dur[i] == 0 && group >= 0 && class_[lane.first_row + i]) {
        groups_[static_cast<size_t>(group)].instants = true;
      }
    }
  }
  ForEachByStart(lanes, [&](const Lane& lane, uint32_t i) {
    uint32_t row = lane.first_row + i;
    int32_t group = grouping_.group[row];
    if (group < 0 || !class_[row]) return;
    GroupTimes& g = groups_[static_cast<size_t>(group)];
    if (g.instants) {
      g.boundaries.push_back({lane.start[i], true, class_[row]});
      g.boundaries.push_back({lane.end(i), false, class_[row]});
    } else {
      g.times.Add(lane.start[i], lane.end(i), static_cast<TimeClass>(class_[row]),
                  g.marked ? g.marker : TimeRange{});
    }
  });
}

void Steps::AddGpus(uint32_t host) {
  std::vector<const Lane*> lanes;
  for (const Plane& plane : trace_.planes) {
    if (plane.kind != PlaneKind::kGpu || plane.host.value != host) continue;
    MarkPlane(plane);
    ClassifyRows(plane);
    std::vector<const Lane*> own = PlaneLanes(trace_, plane);
    lanes.insert(lanes.end(), own.begin(), own.end());
  }
  Unite(lanes);
}

bool Steps::IsRootInputStage(EventRow row) const {
  const auto& stages = stats_.Text(StringStat::kIplStageName);
  for (EventRow p = Parent(trace_.set, row); p.valid(); p = Parent(trace_.set, p)) {
    if (stages.Find(p)) return false;
  }
  return true;
}

// By MetaId: a TimeClass, or one of these.
constexpr uint8_t kMarker = 0xfe, kSkip = 0xfd, kAsk = 0xff;

uint8_t Steps::HostRowClass(const EventMeta& meta) const {
  std::string_view name = trace_.names().strings.View(meta.name);
  if (pytorch_) {
    if (meta.category == EventCategory::kStep) return kMarker;
    if (name.starts_with("enumerate(DataLoader)"))
      return static_cast<uint8_t>(TimeClass::kInputWait);
    return meta.category == EventCategory::kCpuOp ? static_cast<uint8_t>(TimeClass::kHostCompute)
                                                  : kSkip;
  }
  if (IsExplicitMarker(name)) return kMarker;
  return IsWrapper(name) ? kSkip : static_cast<uint8_t>(HostClass(name));
}

// Steps without marks: each implicit root with enough events below it begins one, which ends where
// the next begins. The root may return at once and leave its work to other threads.
void Steps::MarkImplicit() {
  for (const GroupTimes& g : groups_) {
    if (g.marked) return;
  }
  std::vector<uint32_t> events(groups_.size());
  std::vector<Ps> last(groups_.size(), kMinPs);
  for (const Lane& lane : trace_.set.lanes) {
    for (uint32_t i = 0; i < lane.size(); ++i) {
      int32_t group = grouping_.group[lane.first_row + i];
      if (group < 0) continue;
      ++events[static_cast<size_t>(group)];
      last[static_cast<size_t>(group)] = std::max(last[static_cast<size_t>(group)], lane.end(i));
    }
  }
  std::map<uint32_t, std::vector<size_t>> by_host;
  std::map<uint32_t, uint32_t> most;
  for (size_t i = 0; i < groups_.size(); ++i) {
    const EventGroup& g = grouping_.groups[i];
    if (!g.implicit || !g.root.valid()) continue;
    by_host[g.host.value].push_back(i);
    most[g.host.value] = std::max(most[g.host.value], events[i]);
  }
  auto begin = [&](size_t i) { return trace_.set.Start(grouping_.groups[i].root); };
  for (auto& entry : by_host) {
    std::vector<size_t>& groups = entry.second;
    uint32_t least = most[entry.first] / 4;
    std::erase_if(groups, [&](size_t i) { return events[i] < least; });
    std::sort(groups.begin(), groups.end(),
              [&](size_t a, size_t b) { return begin(a) < begin(b); });
    for (size_t k = 0; k < groups.size(); ++k) {
      Ps end = k + 1 < groups.size() ? begin(groups[k + 1]) : last[groups[k]];
      TakeLongest({begin(groups[k]), end}, &groups_[groups[k]]);
      inferred_ = true;
    }
  }
}

// A trace.json may have the steps in a process of their own, such as "Step:TRAIN", and nothing of
// what they did.
void Steps::MarkElsewhere() {
  for (size_t i = 0; i < groups_.size(); ++i) {
    const EventGroup& group = grouping_.groups[i];
    if (group.implicit || !group.root.valid()) continue;
    const Track& track = trace_.set.tracks[trace_.set.TrackOf(group.root).value];
    if (track.plane.value >= trace_.planes.size() ||
        trace_.planes[track.plane.value].kind != PlaneKind::kOther)
      continue;
    const Ps begin = trace_.set.Start(group.root);
    TakeLongest({begin, begin + trace_.set.Duration(group.root)}, &groups_[i]);
    groups_[i].elsewhere = true;
  }
}

// Lets each step last until the next one begins: what the host does between
// two markers belongs to the first.
void Steps::ExtendMarkers(uint32_t host) {
  std::vector<size_t> marked;
  for (size_t i = 0; i < groups_.size(); ++i) {
    const bool here = groups_[i].marked && !groups_[i].elsewhere;
    if (here && grouping_.groups[i].host.value == host) marked.push_back(i);
  }
  std::sort(marked.begin(), marked.end(),
            [&](size_t a, size_t b) { return groups_[a].marker.begin < groups_[b].marker.begin; });
  for (size_t k = 0; k + 1 < marked.size(); ++k) {
    const Ps next = groups_[marked[k + 1]].marker.begin;
    if (next > groups_[marked[k]].marker.begin) groups_[marked[k]].marker.end = next;
  }
}

void Steps::ClassifyHostRows(const Track& track) {
  const NameTable& names = trace_.names();
  for (const Lane& lane : trace_.set.LanesOf(track)) {
    for (uint32_t i = 0; i < lane.size(); ++i) {
      uint32_t row = lane.first_row + i;
      int32_t group = grouping_.group[row];
      if (group < 0) continue;
      uint8_t& c = host_class_[lane.meta[i]];
      if (c == kAsk) c = HostRowClass(names.metas[lane.meta[i]]);
      const EventGroup& g = grouping_.groups[static_cast<size_t>(group)];
      bool named = !g.implicit && g.root.value == row;
      if (c == kMarker || named) {
        TakeLongest({lane.start[i], lane.end(i)}, &groups_[static_cast<size_t>(group)]);
      } else if (c != kSkip) {
        class_[row] = c;
      }
    }
    ForColumn(stats_.Text(StringStat::kIplStageName), {lane.first_row, lane.size()},
              [&](uint32_t row, StringId) {
                bool compute = class_[row] == static_cast<uint8_t>(TimeClass::kHostCompute);
                if (compute && IsRootInputStage(EventRow(row))) {
                  class_[row] = static_cast<uint8_t>(TimeClass::kInputWait);
                }
              });
  }
}

void Steps::AddHostThreads(uint32_t host) {
  std::vector<const Lane*> lanes;
  for (const Plane& plane : trace_.planes) {
    if (plane.host.value != host || !HoldsHostEvents(trace_, plane)) continue;
    for (TrackId t : plane.tracks) {
      const Track& track = trace_.set.tracks[t.value];
      if (track.derived_in_file) continue;
      ClassifyHostRows(track);
      for (const Lane& lane : trace_.set.LanesOf(track)) lanes.push_back(&lane);
    }
  }
  if (own_) {
    MarkImplicit();
    if (!xprof_.steps_begin_at_markers) ExtendMarkers(host);
  }
  Unite(lanes);
}

StepDatabase Steps::Run(bool own_host) {
  own_ = own_host;
  StepDatabase db;
  db.kind = KindOf(trace_);
  class_.assign(trace_.set.rows, 0);
  host_class_.assign(trace_.names().metas.size(), kAsk);
  bool gpu = !own_ && db.kind == DeviceKind::kGpu;
  if (own_) MarkElsewhere();
  for (uint32_t host = 0; host < trace_.hosts.size(); ++host) {
    CheckStop();
    if (gpu) {
      AddGpus(host);
    } else {
      AddHostThreads(host);
    }
  }
  for (GroupTimes& g : groups_) Resolve(&g);
  std::vector<std::vector<Step>> by_host(trace_.hosts.size());
  for (size_t i = 0; i < groups_.size(); ++i) {
    const GroupTimes& g = groups_[i];
    const EventGroup& group = grouping_.groups[i];
    db.compute16 += static_cast<double>(At(g.whole, TimeClass::kCompute16));
    db.compute32 += static_cast<double>(At(g.whole, TimeClass::kCompute32));
    // Whether the class is ever the highest one open.
    auto seen = [&](TimeClass c) { return At(g.whole, c) > 0; };
    bool worked = gpu ? seen(TimeClass::kCompute16) || seen(TimeClass::kCompute32)
                      : g.elsewhere || seen(TimeClass::kHostCompute);
    if (!g.marked || g.marker.length() <= 0 || !worked) continue;
    Step step;
    step.group = static_cast<int32_t>(i);
    step.host = group.host;
    const bool numbered = gpu && xprof_.gpu_steps_numbered;
    step.label = numbered || group.implicit ? std::to_string(group.id) : group.name;
    step.span = g.marker;
    step.inferred = inferred_;
    step.times = Breakdown(g);
    step.compute16 = static_cast<double>(At(g.whole, TimeClass::kCompute16));
    step.compute32 = static_cast<double>(At(g.whole, TimeClass::kCompute32));
    if (group.root.valid()) step.rows.push_back(group.root);
    if (group.host.value < by_host.size()) by_host[group.host.value].push_back(std::move(step));
  }
  for (std::vector<Step>& steps : by_host) {
    if (xprof_.edge_steps_dropped && steps.size() > 5) {
      steps.erase(steps.begin());
      steps.pop_back();
      db.dropped += 2;
    }
    db.steps.insert(db.steps.end(), std::make_move_iterator(steps.begin()),
                    std::make_move_iterator(steps.end()));
  }
  db.inferred = inferred_;
  db.confidence = inferred_ ? 0.8 : 1;
  db.how = !own_       ? "XProf's definition: groups of events under a marked root."
           : inferred_ ? "No marks: each run of a function is taken as a step."
                       : "From the marks in the profile.";
  return db;
}

}  // namespace

StepDatabase XprofSteps(const Trace& trace, const StatTable& stats, const Grouping& grouping,
                        const XprofDefinitions& xprof) {
  return Steps(trace, stats, grouping, xprof).Run(false);
}

StepDatabase HostSteps(const Trace& trace, const StatTable& stats, const Grouping& grouping,
                       const XprofDefinitions& xprof) {
  XprofDefinitions own;
  own.steps_begin_at_markers = xprof.steps_begin_at_markers;
  return Steps(trace, stats, grouping, own).Run(true);
}

}  // namespace stepscope
