#include "model/first_view.h"

#include <algorithm>
#include <queue>
#include <vector>

namespace stepscope {
namespace {

constexpr uint64_t kStrayShare = 1000;  // at most one event in so many is stray
constexpr uint64_t kMinEvents = 20;     // among fewer, none is stray
constexpr double kMaxStretch = 20;      // how much longer than the dense part the full span may be
constexpr Ps kLeastView = kPsPerUs;     // for a single instant
constexpr double kDeviceStretch = 5;    // how much longer than the devices' part the view may be
constexpr Ps kMarginPart = 20;          // of the devices' part, on either side

// The `count` least keys over all lanes, ascending, where key(lane, k) ascends with k in each lane.
template <typename Key>
std::vector<Ps> LeastKeys(std::span<const Lane* const> lanes, size_t count, const Key& key) {
  struct Head {
    Ps value;
    uint32_t lane, index;
    bool operator>(const Head& o) const { return value > o.value; }
  };
  std::vector<Head> heads;
  heads.reserve(lanes.size());
  for (uint32_t i = 0; i < lanes.size(); ++i) heads.push_back({key(*lanes[i], 0u), i, 0});
  std::priority_queue<Head, std::vector<Head>, std::greater<Head>> heap(std::greater<Head>(),
                                                                        std::move(heads));
  std::vector<Ps> out;
  out.reserve(count);
  while (out.size() < count && !heap.empty()) {
    Head head = heap.top();
    heap.pop();
    out.push_back(head.value);
    if (++head.index >= lanes[head.lane]->size()) continue;
    head.value = key(*lanes[head.lane], head.index);
    heap.push(head);
  }
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

// Trims k events by their begin from the left and the rest of the stray by their end from the
// right: the shortest range is where the events are densest. Ends ascend in a lane as begins do,
// and a clipped, endless event is stray too. Of at least one event, no lane without any.
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

// What has no length and lies on the end of a half-open range is outside of it.
Ps EndWithInstants(std::span<const Lane* const> lanes, Ps end) {
  const bool instant = std::any_of(lanes.begin(), lanes.end(), [end](const Lane* lane) {
    const uint32_t last = static_cast<uint32_t>(lane->size()) - 1;
    return lane->start[last] == end && lane->end(last) == end;
  });
  return instant ? SaturatingAdd(end, 1) : end;
}

size_t StraysAmong(uint64_t events) {
  if (events < kMinEvents) return 0;
  return static_cast<size_t>(std::max<uint64_t>(1, events / kStrayShare));
}

bool IsDevice(PlaneKind kind) {
  return kind == PlaneKind::kGpu || kind == PlaneKind::kTpu || kind == PlaneKind::kTpuSparseCore;
}

// The lanes that say when a device works: its streams, or whatever it has besides steps and lines
// that span what others do.
std::vector<const Lane*> DeviceLanes(std::span<const Plane> planes, const TrackSet& set) {
  std::vector<const Lane*> streams, others;
  for (const Track& track : set.tracks) {
    const uint32_t plane = track.plane.value;
    if (plane >= planes.size() || !IsDevice(planes[plane].kind)) continue;
    if (track.kind == TrackKind::kSteps || track.derived_in_file || track.lane_count == 0) continue;
    const Lane& outermost = set.LanesOf(track).front();
    if (outermost.size() == 0 || outermost.kind == LaneKind::kInstant) continue;
    const bool stream = track.kind == TrackKind::kStream || track.kind == TrackKind::kXlaOps;
    (stream ? streams : others).push_back(&outermost);
  }
  return streams.empty() ? others : streams;
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
  // The last end is outside a half-open range, which is right for drawing; one more ps counts
  // instants on it as inside.
  return {dense, events - CountInside(lanes, {dense.begin, SaturatingAdd(dense.end, 1)})};
}

TimeRange FindDeviceView(std::span<const Plane> planes, const TrackSet& set, TimeRange dense) {
  const std::vector<const Lane*> lanes = DeviceLanes(planes, set);
  if (lanes.empty() || dense.empty()) return dense;
  const TimeRange busy = Densest(lanes, StraysAmong(CountAll(lanes)));
  if (Length(dense.begin, dense.end) <= kDeviceStretch * Length(busy.begin, busy.end)) return dense;
  const Ps margin = busy.length() / kMarginPart;
  const TimeRange view{std::max(dense.begin, SaturatingSub(busy.begin, margin)),
                       std::min(dense.end, SaturatingAdd(busy.end, margin))};
  return view.empty() ? dense : view;
}

TimeRange DenseView(const Trace& trace) { return FindDenseView(trace.set.lanes, trace.span).range; }

}  // namespace stepscope
