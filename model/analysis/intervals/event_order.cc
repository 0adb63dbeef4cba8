#include "model/analysis/intervals/event_order.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "model/base/sort_runs.h"
#include "model/capabilities.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

constexpr uint32_t kAfterAll = 0xffffffffu;

// The next event of a lane. Sorted by start, longer first, then as in the file. The start is here,
// because it mostly tells.
struct Head {
  Ps start = 0;
  const Lane* lane = nullptr;
  uint32_t index = 0;
  bool operator<(const Head& o) const {
    if (start != o.start) return start < o.start;
    const Ps mine = lane->dur[index], other = o.lane->dur[o.index];
    return mine != other ? mine > other : IsEarlierInFile(o);
  }

 private:
  bool IsEarlierInFile(const Head& o) const {
    const uint64_t mine = lane->SourceOffset(index), other = o.lane->SourceOffset(o.index);
    return mine != other ? mine < other : lane < o.lane;
  }
};

void MergeLanes(std::span<const Lane> lanes, uint32_t* out) {
  std::vector<Head> heads;
  for (const Lane& lane : lanes) {
    if (lane.size() > 0) heads.push_back({lane.start[0], &lane});
  }
  HeapMergeRuns(std::move(heads), [&out](Head& head, const Head* next) {
    const Lane& lane = *head.lane;
    const uint32_t size = lane.size(), first_row = lane.first_row;
    do {
      *out++ = first_row + head.index;
      if (++head.index == size) return MergeStep::kEnd;
      head.start = lane.start[head.index];
    } while (next == nullptr || head.start < next->start || !(*next < head));
    return MergeStep::kMore;
  });
}

void SortAsInFile(const TrackSet& set, RowRange range, uint32_t* rows) {
  std::vector<std::pair<uint64_t, uint32_t>> keys(range.count);
  RowReader reader(set);
  bool sorted = true;
  for (uint32_t i = 0; i < range.count; ++i) {
    keys[i] = {reader.Offset(rows[i]), rows[i]};
    sorted = sorted && (i == 0 || keys[i - 1].first <= keys[i].first);
  }
  if (sorted) return;
  std::stable_sort(keys.begin(), keys.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (uint32_t i = 0; i < range.count; ++i) rows[i] = keys[i].second;
}

std::vector<bool> PlanesWithRegions(const Trace& trace) {
  std::vector<bool> start(trace.planes.size()), stop(trace.planes.size());
  for (const EventMeta& meta : trace.names().metas) {
    if (meta.plane.value >= trace.planes.size()) continue;
    std::string_view name = trace.names().strings.View(meta.name);
    if (name == "ThreadpoolListener::StartRegion") start[meta.plane.value] = true;
    if (name == "ThreadpoolListener::StopRegion") stop[meta.plane.value] = true;
  }
  for (size_t i = 0; i < start.size(); ++i) start[i] = start[i] && stop[i];
  return start;
}

}  // namespace

RowRange RowsOf(const TrackSet& set, const Track& track) {
  RowRange range;
  std::span<const Lane> lanes = set.LanesOf(track);
  if (lanes.empty()) return range;
  range.first = lanes.front().first_row;
  range.count = lanes.back().first_row + lanes.back().size() - range.first;
  return range;
}

bool IsHostCpu(const Trace& trace, const Plane& plane) {
  return trace.names().strings.View(plane.name) == "/host:CPU";
}

bool IsHostThreads(const Plane& plane) { return plane.kind == PlaneKind::kHostThreads; }

bool HoldsHostEvents(const Trace& trace, const Plane& plane) {
  return CapabilitiesOf(trace).planes_tell_hosts ? IsHostCpu(trace, plane) : IsHostThreads(plane);
}

std::vector<uint32_t> LargestFirst(const TrackSet& set, std::vector<uint32_t> tracks) {
  SortRuns(tracks.begin(), tracks.end(),
           [&](uint32_t a, uint32_t b) { return set.tracks[a].events > set.tracks[b].events; });
  return tracks;
}

EventOrder BuildEventOrder(const Trace& trace, bool as_in_file) {
  const TrackSet& set = trace.set;
  EventOrder order;
  order.tracks.resize(set.tracks.size());
  std::iota(order.tracks.begin(), order.tracks.end(), 0u);
  auto key = [&](uint32_t t) {
    const Track& track = set.tracks[t];
    const Plane* plane =
        track.plane.value < trace.planes.size() ? &trace.planes[track.plane.value] : nullptr;
    return std::make_tuple(plane ? plane->host.value : kAfterAll,
                           plane ? plane->file_order : kAfterAll, track.plane.value,
                           track.file_order);
  };
  SortRuns(order.tracks.begin(), order.tracks.end(),
           [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  order.row.Zero(set.rows);
  std::vector<bool> regions = PlanesWithRegions(trace);
  const std::vector<uint32_t> by_size = LargestFirst(set, order.tracks);
  ParallelFor(by_size.size(), [&](size_t i) {
    CheckStop();
    const Track& track = set.tracks[by_size[i]];
    RowRange range = RowsOf(set, track);
    if (!range.count) return;
    uint32_t* rows = order.row.data() + range.first;
    if (track.lane_count == 1) {
      std::iota(rows, rows + range.count, range.first);
    } else {
      MergeLanes(set.LanesOf(track), rows);
    }
    bool plane_sorts = track.plane.value < regions.size() && regions[track.plane.value];
    if (as_in_file && !plane_sorts) SortAsInFile(set, range, rows);
  });
  return order;
}

}  // namespace stepscope
