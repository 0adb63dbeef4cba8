#include "model/first_view.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "model/base/sort_runs.h"

namespace stepscope {
namespace {

constexpr uint64_t kStrayShare = 1000;  // at most one event in so many is stray
constexpr uint64_t kFewestEvents = 20;  // among fewer events none is stray
constexpr double kMaxStretch = 20;      // how many times the dense part the full span may be long
constexpr Ps kLeastView = kPsPerUs;     // the view of a single instant
// Shares of the devices' part: the margin around it, and how much of the host's time may stay. What
// the host does before the first kernel is a part of the first step, so more of that may stay.
constexpr double kMargin = 0.02, kMostBefore = 0.25, kMostAfter = 0.05;
// A step that began before its first kernel stays whole, unless that is longer ago than this.
constexpr double kMostStepBefore = 4;

// The `count` least keys of all lanes, ascending. Within each lane key(lane, k) must ascend with k.
template <typename Key>
std::vector<Ps> LeastKeys(std::span<const Lane* const> lanes, size_t count, const Key& key) {
  struct Head {
    Ps value;
    uint32_t lane, index;
    bool operator<(const Head& o) const { return value < o.value; }
  };
  std::vector<Head> heads;
  heads.reserve(lanes.size());
  for (uint32_t i = 0; i < lanes.size(); ++i) heads.push_back({key(*lanes[i], 0u), i, 0});
  std::vector<Ps> out;
  out.reserve(count);
  HeapMerge(std::move(heads), [&](Head& head) {
    out.push_back(head.value);
    if (out.size() >= count) return MergeStep::kStop;
    if (++head.index >= lanes[head.lane]->size()) return MergeStep::kEnd;
    head.value = key(*lanes[head.lane], head.index);
    return MergeStep::kMore;
  });
  return out;
}

double Length(Ps begin, Ps end) { return static_cast<double>(end) - static_cast<double>(begin); }

uint64_t CountInside(std::span<const Lane* const> lanes, TimeRange range) {
  uint64_t inside = 0;
  for (const Lane* lane : lanes) {
    const auto [first, last] = EventsTouching(lane->view(), range);
    inside += last - first;
  }
  return inside;
}

uint64_t CountAll(std::span<const Lane* const> lanes) {
  uint64_t events = 0;
  for (const Lane* lane : lanes) events += lane->size();
  return events;
}

// The shortest range that leaves out `stray` events: k of them on the left, by their begins, and
// the rest on the right, by their ends, for the best k. Within a lane ends ascend as begins do. An
// event that was clipped at the end of time may be stray too. Every lane must have an event.
TimeRange Densest(std::span<const Lane* const> lanes, size_t stray) {
  const std::vector<Ps> begins =
      LeastKeys(lanes, stray + 1, [](const Lane& lane, uint32_t k) { return lane.start[k]; });
  const std::vector<Ps> ends = LeastKeys(lanes, stray + 1, [](const Lane& lane, uint32_t k) {
    return ~lane.end(lane.size() - 1 - k);  // ~ turns the order around without overflow
  });
  size_t best = 0;
  const auto length = [&](size_t k) { return Length(begins[k], ~ends[stray - k]); };
  for (size_t k = 1; k <= stray; ++k) {
    if (length(k) < length(best)) best = k;
  }
  const Ps begin = begins[best];
  return {begin, std::max(~ends[stray - best], SaturatingAdd(begin, kLeastView))};
}

// An instant on the end of a half-open range lies outside of it.
Ps EndWithInstants(std::span<const Lane* const> lanes, Ps end) {
  const bool instant = std::any_of(lanes.begin(), lanes.end(), [end](const Lane* lane) {
    const uint32_t last = static_cast<uint32_t>(lane->size()) - 1;
    return lane->start[last] == end && lane->end(last) == end;
  });
  return instant ? SaturatingAdd(end, 1) : end;
}

size_t StraysAmong(uint64_t events) {
  if (events < kFewestEvents) return 0;
  return static_cast<size_t>(std::max<uint64_t>(1, events / kStrayShare));
}

bool HasStreams(PlaneKind kind) {
  return kind == PlaneKind::kGpu || kind == PlaneKind::kTpu || kind == PlaneKind::kTpuSparseCore;
}

// The lanes that tell when a device works: its streams. A device without streams has all lanes but
// those of steps and of lines that only summarise others.
std::vector<const Lane*> DeviceLanes(std::span<const Plane> planes, const TrackSet& set) {
  std::vector<const Lane*> streams, others;
  for (const Track& track : set.tracks) {
    const uint32_t plane = track.plane.value;
    if (plane >= planes.size() || !HasStreams(planes[plane].kind)) continue;
    if (track.kind == TrackKind::kSteps || track.derived_in_file || track.lane_count == 0) continue;
    const Lane& outermost = set.LanesOf(track).front();
    if (outermost.size() == 0 || outermost.kind == LaneKind::kInstant) continue;
    const bool stream = track.kind == TrackKind::kStream || track.kind == TrackKind::kXlaOps;
    (stream ? streams : others).push_back(&outermost);
  }
  return streams.empty() ? others : streams;
}

// The begin of the step in which the first device event lies, by the marks on the host; else `t`.
Ps StepBegin(std::span<const Plane> planes, const TrackSet& set, Ps t) {
  Ps begin = t;
  for (const Lane& lane : set.lanes) {
    const uint32_t plane = set.tracks[lane.track.value].plane.value;
    if (plane >= planes.size() || planes[plane].kind != PlaneKind::kHostThreads) continue;
    const auto after = std::upper_bound(lane.start.begin(), lane.start.end(), t);
    if (after == lane.start.begin()) continue;
    const auto i = static_cast<uint32_t>(after - lane.start.begin() - 1);
    const uint32_t meta = lane.meta[i];
    if (lane.end(i) <= t || meta >= set.names->metas.size()) continue;
    if (set.names->metas[meta].category == EventCategory::kStep)
      begin = std::min(begin, lane.start[i]);
  }
  return begin;
}

}  // namespace

FirstView FindDenseView(std::span<const Lane> all_lanes, TimeRange full) {
  std::vector<const Lane*> lanes;
  for (const Lane& lane : all_lanes) {
    if (lane.size() > 0) lanes.push_back(&lane);
  }
  const uint64_t events = CountAll(lanes);
  if (events == 0) return {full, 0};
  const Ps end = EndWithInstants(lanes, full.end);
  const FirstView all{{full.begin, std::max(end, SaturatingAdd(full.begin, kLeastView))}, 0};
  const size_t stray = StraysAmong(events);
  if (stray == 0) return all;
  const TimeRange dense = Densest(lanes, stray);
  if (Length(full.begin, full.end) <= kMaxStretch * Length(dense.begin, dense.end)) return all;
  // An instant on the last end lies outside the half-open range; 1 ps more takes it in.
  return {dense, events - CountInside(lanes, {dense.begin, SaturatingAdd(dense.end, 1)})};
}

TimeRange FindDeviceView(std::span<const Plane> planes, const TrackSet& set, TimeRange dense) {
  const std::vector<const Lane*> lanes = DeviceLanes(planes, set);
  if (lanes.empty() || dense.empty()) return dense;
  const TimeRange busy = Densest(lanes, StraysAmong(CountAll(lanes)));
  const double length = Length(busy.begin, busy.end);
  const auto margin = static_cast<Ps>(length * kMargin);
  TimeRange view = dense;
  if (Length(dense.begin, busy.begin) > length * kMostBefore) {
    const Ps step = StepBegin(planes, set, busy.begin);
    const bool near = Length(step, busy.begin) <= length * kMostStepBefore;
    view.begin = std::max(dense.begin, SaturatingSub(near ? step : busy.begin, margin));
  }
  if (Length(busy.end, dense.end) > length * kMostAfter)
    view.end = std::min(dense.end, SaturatingAdd(busy.end, margin));
  return view.empty() ? dense : view;
}

uint64_t SetViews(Trace* trace) {
  trace->span = SpanOf(trace->set.tracks);
  const FirstView dense = FindDenseView(trace->set.lanes, trace->span);
  trace->dense_view = dense.range;
  trace->first_view = FindDeviceView(trace->planes, trace->set, dense.range);
  return dense.stray;
}

TimeRange SpanOf(std::span<const Track> tracks) {
  TimeRange span;
  bool any = false;
  const auto extend = [&](TimeRange r) {
    span = any ? TimeRange{std::min(span.begin, r.begin), std::max(span.end, r.end)} : r;
    any = true;
  };
  for (const Track& t : tracks) {
    if (t.events > 0) extend(t.span);
  }
  if (any) return span;
  for (const Track& t : tracks) {  // there are counters only
    for (const CounterSeries& c : t.counters) {
      if (!c.time.empty()) extend({c.time.front(), c.time.back()});
    }
  }
  return span;
}

}  // namespace stepscope
