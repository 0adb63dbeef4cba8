#include "model/analysis/steps/host_intervals.h"

#include <algorithm>
#include <tuple>

#include "model/analysis/intervals/event_order.h"
#include "model/jobs/job.h"
#include "model/lookup.h"

namespace stepscope {

size_t HostIntervals::device_count() const {
  uint8_t most = 0;
  for (const uint8_t device : device_of_plane_) most = std::max(most, device);
  return most;
}

void HostIntervals::FindLaunchDevices() {
  launch_device_.assign(trace_.set.rows, 0);
  RowReader reader(trace_.set);
  for (const LaunchLink& link : grouping_.launches) {
    uint32_t plane = trace_.set.tracks[reader.TrackOf(link.device_row)].plane.value;
    if (plane < device_of_plane_.size()) launch_device_[link.launch_row] = device_of_plane_[plane];
  }
}

// By MetaId; 1: waits for input, 2: launches (an executor; its launches tell for which device).
// Where steps tile the time nobody asks for launches.
std::vector<uint8_t> HostIntervals::Roles() const {
  const NameTable& names = trace_.names();
  std::vector<uint8_t> roles(names.metas.size(), 0);
  for (size_t m = 0; m < roles.size(); ++m) {
    const EventMeta& meta = names.metas[m];
    std::string_view name = names.strings.View(meta.name);
    if (name.starts_with("IteratorGetNext") || name.starts_with("enumerate(DataLoader)")) {
      roles[m] = 1;
    } else if (!plan_.tile && (name == "ExecutorState::Process" ||
                               name.find("Executable::Execute") != std::string_view::npos ||
                               (name.find("PjRt") != std::string_view::npos &&
                                name.find("Execute") != std::string_view::npos))) {
      roles[m] = 2;
    }
  }
  return roles;
}

void HostIntervals::ReadThread(const Track& track, std::vector<HostInterval>* out) const {
  struct Executor {
    Ps begin = 0, end = kMinPs;
    int32_t step = kAnyStep;
    uint64_t mask[4] = {};
  } open;
  auto close = [&] {
    if (open.end == kMinPs) return;
    bool any = open.mask[0] | open.mask[1] | open.mask[2] | open.mask[3];
    for (size_t d = 0; d < device_count(); ++d) {
      if (!any || (open.mask[d / 64] >> (d % 64) & 1)) {
        out->push_back({open.step, static_cast<uint8_t>(d), open.begin, open.end});
      }
    }
    open = Executor{};
  };
  const auto& stages = stats_.Text(StringStat::kIplStageName);
  const auto launched_for = [this](uint32_t row) -> uint32_t {
    return launch_device_.empty() ? 0 : launch_device_[row];
  };
  std::vector<const Lane*> lanes;
  for (const Lane& lane : trace_.set.LanesOf(track)) {
    if (lane.kind != LaneKind::kInstant) lanes.push_back(&lane);
  }
  // Longer events come first where several start together, so that an executor is open before its
  // launches.
  std::vector<std::tuple<Ps, Ps, uint32_t, uint32_t>> events;  // start, -dur, row, meta
  for (const Lane* lane : lanes) {
    auto middle = static_cast<ptrdiff_t>(events.size());
    for (uint32_t i = 0; i < lane->size(); ++i) {
      uint32_t row = lane->first_row + i, meta = lane->meta[i];
      if (role_[meta] || launched_for(row))
        events.push_back({lane->start[i], -lane->dur[i], row, meta});
    }
    auto at = events.begin() + middle;  // each lane is sorted already
    if (middle > 0 && at != events.end() && *at < *(at - 1))
      std::inplace_merge(events.begin(), at, events.end());
    if (stages.empty()) continue;
    ForColumn(stages, {lane->first_row, lane->size()}, [&](uint32_t row, StringId) {
      bool root = true;
      for (EventRow p = Parent(trace_.set, EventRow(row)); p.valid() && root;
           p = Parent(trace_.set, p)) {
        root = !stages.Find(p);
      }
      uint32_t i = row - lane->first_row;
      if (root) {
        out->push_back(
            {plan_.by_time() ? kAnyStep : plan_.StepOf(trace_, grouping_, row, lane->start[i]),
             kInputDevice, lane->start[i], lane->end(i)});
      }
    });
  }
  for (const auto& [start, minus_dur, row, meta] : events) {
    int32_t step = plan_.by_time() ? kAnyStep : plan_.StepOf(trace_, grouping_, row, start);
    if (!plan_.by_time() && step < 0) continue;
    Ps end = start - minus_dur;
    if (start >= open.end) close();
    if (role_[meta] == 1) {
      out->push_back({step, kInputDevice, start, end});
    } else if (role_[meta] == 2 && open.end == kMinPs) {
      open.begin = start;
      open.end = end;
      open.step = step;
    }
    if (!launched_for(row)) continue;
    const size_t d = launched_for(row) - 1u;
    if (open.end != kMinPs && end <= open.end) {
      open.mask[d / 64] |= uint64_t{1} << (d % 64);
    } else {
      out->push_back({step, static_cast<uint8_t>(d), start, end});
    }
  }
  close();
}

void HostIntervals::Read() {
  if (!plan_.tile) FindLaunchDevices();
  role_ = Roles();
  std::vector<const Track*> threads;
  for (const Track& t : trace_.set.tracks) {
    if (t.plane.value < trace_.planes.size() && IsHostThreads(trace_.planes[t.plane.value]) &&
        !t.derived_in_file) {
      threads.push_back(&t);
    }
  }
  std::vector<std::vector<HostInterval>> parts(threads.size());
  ParallelFor(threads.size(), [&](size_t i) { ReadThread(*threads[i], &parts[i]); });
  for (const auto& part : parts) host_.insert(host_.end(), part.begin(), part.end());
  std::sort(host_.begin(), host_.end(), [](const HostInterval& a, const HostInterval& b) {
    return std::tie(a.step, a.device, a.begin) < std::tie(b.step, b.device, b.begin);
  });
  MergeTouching();
}

// Merges once for all callers: where steps are known by time alone, each asks for all intervals.
void HostIntervals::MergeTouching() {
  size_t kept = 0;
  for (const HostInterval& h : host_) {
    const bool first = kept == 0 || host_[kept - 1].step != h.step ||
                       host_[kept - 1].device != h.device || h.begin > host_[kept - 1].end;
    if (first) {
      host_[kept++] = h;
    } else {
      host_[kept - 1].end = std::max(host_[kept - 1].end, h.end);
    }
  }
  host_.resize(kept);
}

std::span<const HostIntervals::HostInterval> HostIntervals::Of(int32_t step, uint8_t device) const {
  if (plan_.by_time()) step = kAnyStep;
  const auto of = std::make_pair(step, device);
  const auto first = std::partition_point(host_.begin(), host_.end(), [&](const HostInterval& h) {
    return std::make_pair(h.step, h.device) < of;
  });
  const auto last = std::partition_point(first, host_.end(), [&](const HostInterval& h) {
    return std::make_pair(h.step, h.device) == of;
  });
  return {first, last};
}

namespace {

// The intervals that touch the range, out of intervals that are sorted by
// begin and do not touch each other.
template <typename Interval>
Ranges Touching(std::span<const Interval> intervals, TimeRange within) {
  auto it = std::ranges::lower_bound(intervals, within.begin, {}, &Interval::end);
  Ranges touching;
  for (; it != intervals.end() && it->begin <= within.end; ++it)
    touching.push_back({it->begin, it->end});
  return touching;
}

}  // namespace

Ranges HostIntervals::InputWaits(int32_t step, TimeRange within) const {
  return Touching(Of(step, kInputDevice), within);
}

Ranges HostIntervals::Launching(int32_t step, uint8_t device, TimeRange within) const {
  return Touching(Of(step, device), within);
}

Ps HostIntervals::InputWaited(int32_t step, TimeRange span, TimeRange marker) const {
  const std::span<const HostInterval> waits = Of(step, kInputDevice);
  const auto sum = [&](TimeRange range, TimeRange but) {
    auto it = std::ranges::lower_bound(waits, range.begin, {}, &HostInterval::begin);
    Ps time = 0;
    for (; it != waits.end() && range.Contains(it->begin); ++it) {
      if (!but.Contains(it->begin)) time += TimeRange{it->begin, it->end}.length();
    }
    return time;
  };
  if (plan_.by_time()) return sum(span, {}) + sum(marker, span);
  Ps all = 0;
  for (const HostInterval& wait : waits) all += TimeRange{wait.begin, wait.end}.length();
  return all;
}

}  // namespace stepscope
