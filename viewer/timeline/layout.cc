#include "viewer/timeline/layout.h"

#include <algorithm>

#include "viewer/core/track_path.h"

namespace stepscope {
namespace {

uint32_t SliceLanes(std::span<const Lane> lanes) {
  size_t n = lanes.size();
  while (n > 0 && lanes[n - 1].kind == LaneKind::kInstant) --n;
  return static_cast<uint32_t>(n);
}

bool Contains(const LayoutInput& input, uint32_t run, const std::string& path) {
  if (run >= input.collapsed.size() || input.collapsed[run] == nullptr) return false;
  return input.collapsed[run]->contains(path);
}

// What is drawn of the track when Python frames are hidden, or null.
const WithoutPython* RestOf(const LayoutInput& input, uint32_t run, uint32_t set, TrackId track) {
  if (set != 0 || run >= input.without_python.size()) return nullptr;
  const WithoutPython* rest = input.without_python[run].get();
  return rest != nullptr && rest->track[track.value].valid() ? rest : nullptr;
}

std::span<const Lane> DrawnLanes(const TrackSet& set, const LayoutItem& item) {
  if (item.rest == nullptr) return set.LanesOf(set.tracks[item.track.value]).first(item.lanes);
  return item.rest->set.LanesOf(item.rest->set.tracks[item.rest->track[item.track.value].value]);
}

bool HasEvents(const Track& track) { return track.events > 0 || !track.counters.empty(); }

}  // namespace

std::set<std::string> FoldedAtFirst(const Trace& trace) {
  constexpr uint64_t kFew = 3, kTimesAsMany = 100;
  std::vector<uint64_t> events;
  for (const Plane& plane : trace.planes) {
    uint64_t& sum = events.emplace_back(0);
    for (TrackId id : plane.tracks) {
      const Track& track = trace.set.tracks[id.value];
      sum += track.events + (track.counters.empty() ? 0 : kFew + 1);
    }
  }
  const uint64_t most = events.empty() ? 0 : *std::max_element(events.begin(), events.end());
  std::set<std::string> folded;
  for (uint32_t p = 0; p < events.size(); ++p) {
    const bool few = events[p] <= kFew && events[p] * kTimesAsMany < most;
    if (few && trace.planes[p].kind != PlaneKind::kGpu) folded.insert(PlanePath(trace, PlaneId(p)));
  }
  return folded;
}

const Lane* LaneAt(const TrackSet& set, const LayoutItem& item, uint32_t depth) {
  const std::span<const Lane> lanes = DrawnLanes(set, item);
  if (depth < lanes.size() && lanes[depth].depth == depth) return &lanes[depth];
  const auto found =
      std::find_if(lanes.begin(), lanes.end(), [depth](const Lane& l) { return l.depth == depth; });
  return found == lanes.end() ? nullptr : &*found;
}

EventRow RowAt(const LayoutItem& item, const Lane& lane, uint32_t i) {
  const uint32_t row = lane.first_row + i;
  const bool own = item.rest == nullptr || lane.kind == LaneKind::kInstant;
  return own ? EventRow(row) : item.rest->set.source[row];
}

std::optional<uint32_t> DepthOf(const TrackSet& set, const LayoutItem& item, EventRow row) {
  const Lane* lane = &set.lanes[set.LaneOf(row).value];
  if (lane->kind == LaneKind::kInstant) return 0;
  if (item.rest != nullptr) {
    const EventRow drawn = item.rest->row[row.value];
    if (!drawn.valid()) return std::nullopt;
    lane = &item.rest->set.lanes[item.rest->set.LaneOf(drawn).value];
  }
  return std::min<uint32_t>(lane->depth, std::max(1u, item.rows) - 1);
}

std::span<const Lane> InstantLanes(const TrackSet& set, const LayoutItem& item) {
  return set.LanesOf(set.tracks[item.track.value]).subspan(item.lanes);
}

void Layout::Build(const LayoutInput& input) {
  items_.clear();
  sizes_ = input.sizes;
  height_ = 0;
  for (uint32_t run = 0; run < input.runs.size(); ++run) {
    if (input.runs[run].trace) AddRun(input, run);
  }
  derived_.clear();
  BuildIndex(input);
}

void Layout::Push(LayoutItem item, float gap) {
  item.y = height_;
  height_ += static_cast<double>(item.height + gap);
  items_.push_back(item);
}

void Layout::AddRun(const LayoutInput& input, uint32_t run) {
  const TimelineRun& r = input.runs[run];
  const Trace& trace = *r.trace;
  if (input.runs.size() > 1) {
    LayoutItem item{.kind = ItemKind::kRunHeading, .run = run, .height = sizes_.heading};
    Push(item, 1);
  }
  derived_.assign(r.sets(), {});
  for (uint32_t set = 1; set < r.sets(); ++set) {
    auto& by_plane = derived_[set];
    by_plane.resize(trace.planes.size() + 1);
    const auto& tracks = r.Set(set).tracks;
    for (uint32_t t = 0; t < tracks.size(); ++t) {
      const uint32_t plane = tracks[t].plane.value;
      by_plane[std::min<size_t>(plane, trace.planes.size())].push_back(TrackId(t));
    }
  }
  const bool show_host = trace.hosts.size() > 1;
  const std::string_view only = run < input.hosts.size() ? input.hosts[run] : std::string_view();
  HostId host;
  for (uint32_t p = 0; p < trace.planes.size(); ++p) {
    const Plane& plane = trace.planes[p];
    if (!only.empty() && trace.HostName(plane.host) != only) continue;
    const size_t before = items_.size();
    const double y = height_;
    if (show_host && plane.host != host) {
      Push({.kind = ItemKind::kHostHeading,
            .run = run,
            .host = plane.host,
            .height = sizes_.heading},
           1);
    }
    const size_t heading = items_.size();
    AddPlane(input, run, PlaneId(p));
    if (items_.size() == heading) {  // the plane has nothing to show
      items_.resize(before);
      height_ = y;
    } else {
      host = plane.host;
    }
  }
  AddPlane(input, run, PlaneId());
}

void Layout::AddPlane(const LayoutInput& input, uint32_t run, PlaneId plane) {
  const TimelineRun& r = input.runs[run];
  const Trace& trace = *r.trace;
  const auto own = plane.valid() ? std::span<const TrackId>(trace.planes[plane.value].tracks)
                                 : std::span<const TrackId>();
  const auto derived = [&](uint32_t set) -> std::span<const TrackId> {
    const auto& by_plane = derived_[set];
    return by_plane[std::min<size_t>(plane.value, by_plane.size() - 1)];
  };
  bool any = std::any_of(own.begin(), own.end(),
                         [&](TrackId t) { return HasEvents(trace.set.tracks[t.value]); });
  for (uint32_t set = 1; set < r.sets(); ++set) any = any || !derived(set).empty();
  if (!any) return;

  LayoutItem heading{
      .kind = ItemKind::kPlaneHeading, .run = run, .plane = plane, .height = sizes_.heading};
  heading.host = plane.valid() ? trace.planes[plane.value].host : HostId();
  heading.collapsible = true;
  heading.collapsed = Contains(input, run, PlanePath(trace, plane));
  Push(heading, 3);
  if (heading.collapsed) return;
  for (uint32_t set = 1; set < r.sets(); ++set) {
    for (TrackId t : derived(set)) AddTrack(input, run, set, t);
  }
  for (TrackId t : own) AddTrack(input, run, 0, t);
  height_ += 3;
}

void Layout::AddTrack(const LayoutInput& input, uint32_t run, uint32_t set, TrackId track) {
  const TimelineRun& r = input.runs[run];
  const TrackSet& s = r.Set(set);
  const Track& t = s.tracks[track.value];
  if (!HasEvents(t)) return;
  LayoutItem item{
      .kind = ItemKind::kTrack, .run = run, .set = set, .plane = t.plane, .track = track};
  item.host = t.plane.valid() && t.plane.value < r.trace->planes.size()
                  ? r.trace->planes[t.plane.value].host
                  : HostId();
  if (t.events == 0 && !t.counters.empty()) {
    item.kind = ItemKind::kCounter;
    item.height = sizes_.counter;
    Push(item, sizes_.track_gap);
    return;
  }
  item.lanes = SliceLanes(s.LanesOf(t));
  item.rest = RestOf(input, run, set, track);
  const auto lanes = static_cast<uint32_t>(DrawnLanes(s, item).size());
  // Frames and nothing else: no row is left.
  if (lanes == 0 && item.lanes == t.lane_count && t.counters.empty()) return;
  item.rows = std::max<uint32_t>(1, lanes);  // instants lie on the first
  item.collapsible = item.rows > 1;
  item.collapsed = item.collapsible && Contains(input, run, TrackPath(*r.trace, s, track));
  if (item.collapsed) item.rows = 1;
  item.height = sizes_.row * static_cast<float>(item.rows);
  Push(item, item.rows > 1 ? 2 * sizes_.track_gap : sizes_.track_gap);
  if (t.counters.empty()) return;
  item.kind = ItemKind::kCounter;
  item.height = sizes_.counter;
  item.collapsible = false;
  Push(item, sizes_.track_gap);
}

size_t Layout::At(double y) const {
  if (y < 0 || y >= height_) return items_.size();
  const auto after =
      std::upper_bound(items_.begin(), items_.end(), y,
                       [](double value, const LayoutItem& item) { return value < item.y; });
  return after == items_.begin() ? items_.size() : static_cast<size_t>(after - items_.begin()) - 1;
}

std::pair<size_t, size_t> Layout::Visible(double top, double bottom) const {
  if (items_.empty() || bottom <= 0 || top >= height_) return {0, 0};
  const size_t first = At(std::max(top, 0.0));
  const auto last =
      std::lower_bound(items_.begin(), items_.end(), bottom,
                       [](const LayoutItem& item, double value) { return item.y < value; });
  return {std::min(first, items_.size()), static_cast<size_t>(last - items_.begin())};
}

size_t Layout::Find(uint32_t run, uint32_t set, TrackId track) const {
  if (run >= index_.size() || set >= index_[run].size()) return npos;
  const auto& tracks = index_[run][set];
  return track.value < tracks.size() && tracks[track.value] > 0 ? tracks[track.value] - 1 : npos;
}

void Layout::BuildIndex(const LayoutInput& input) {
  index_.assign(input.runs.size(), {});
  for (uint32_t run = 0; run < input.runs.size(); ++run) {
    if (!input.runs[run].trace) continue;
    index_[run].resize(input.runs[run].sets());
    for (uint32_t set = 0; set < input.runs[run].sets(); ++set) {
      index_[run][set].assign(input.runs[run].Set(set).tracks.size(), 0);
    }
  }
  for (uint32_t i = 0; i < items_.size(); ++i) {
    const LayoutItem& item = items_[i];
    if (item.kind != ItemKind::kTrack && item.kind != ItemKind::kCounter) continue;
    uint32_t& slot = index_[item.run][item.set][item.track.value];
    if (slot == 0) slot = i + 1;  // a track's counters follow its slices
  }
}

}  // namespace stepscope
