#include "model/shift_hosts.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "model/base/column.h"
#include "model/first_view.h"
#include "model/jobs/job.h"
#include "model/trace_facts.h"

namespace stepscope {
namespace {

constexpr const char* kClockStat = "clock_offset_ps";

// TrackSet::storage owns this. Lanes view the other columns in the original.
struct ShiftedStorage {
  std::shared_ptr<const Trace> original;
  std::vector<Column<Ps>> starts;  // by lane
};

uint32_t HostOf(const Trace& trace, const Track& track) {
  const uint32_t plane = track.plane.value;
  return plane < trace.planes.size() ? trace.planes[plane].host.value : HostId().value;
}

// The offsets by host, so small that no event leaves the range of Ps.
std::vector<Ps> Bounded(const Trace& trace, std::span<const Ps> offsets) {
  std::vector<Ps> out(trace.hosts.size());
  std::copy_n(offsets.begin(), std::min(offsets.size(), out.size()), out.begin());
  for (const Track& track : trace.set.tracks) {
    const uint32_t host = HostOf(trace, track);
    if (host >= out.size() || track.events == 0) continue;
    out[host] = std::clamp(out[host], std::min<Ps>(0, SaturatingSub(track.span.end, kMaxPs)),
                           std::max<Ps>(0, SaturatingSub(track.span.begin, kMinPs)));
  }
  return out;
}

class Shifter {
 public:
  Shifter(std::shared_ptr<const Trace> trace, std::span<const Ps> offsets)
      : original_(std::move(trace)), offsets_(Bounded(*original_, offsets)) {}

  std::shared_ptr<const Trace> Run() {
    CopyFacts();
    CopyTracks();
    CopyLanes();
    BuildPyramids(&shifted_->set.lanes, CurrentStopToken());
    CheckStop();  // else pyramids may be missing
    SetViews(shifted_.get());
    return shifted_;
  }

 private:
  Ps OffsetOf(const Track& track) const {
    const uint32_t host = HostOf(*original_, track);
    return host < offsets_.size() ? offsets_[host] : 0;
  }

  void CopyFacts() {
    const Trace& from = *original_;
    Trace& to = *shifted_;
    CopyTraceFacts(from, &to);
    to.flows = from.flows;
    to.counts = from.counts;
    to.source = from.source;
    for (size_t h = 0; h < to.hosts.size(); ++h) {
      Host& host = to.hosts[h];
      if (host.start_unix_ns != 0)
        host.start_unix_ns = SaturatingSub(host.start_unix_ns, offsets_[h] / kPsPerNs);
    }
    for (Plane& plane : to.planes) {
      if (plane.host.value < offsets_.size() && plane.kind != PlaneKind::kEnvironment)
        plane.stats.push_back({kClockStat, offsets_[plane.host.value]});
    }
  }

  void CopyTracks() {
    TrackSet& set = shifted_->set;
    set.rows = original_->set.rows;
    set.source = original_->set.source;
    set.tracks = original_->set.tracks;
    for (Track& track : set.tracks) {
      const Ps offset = OffsetOf(track);
      track.span = {SaturatingSub(track.span.begin, offset), SaturatingSub(track.span.end, offset)};
      track.line_start = SaturatingSub(track.line_start, offset);
      for (CounterSeries& series : track.counters) {
        for (Ps& time : series.time) time = SaturatingSub(time, offset);
      }
    }
  }

  void CopyLanes() {
    const TrackSet& from = original_->set;
    auto storage = std::make_shared<ShiftedStorage>();
    storage->original = original_;
    storage->starts.resize(from.lanes.size());
    std::vector<Lane>& lanes = shifted_->set.lanes;
    lanes.resize(from.lanes.size());
    ParallelFor(lanes.size(), [&](size_t i) {
      const Lane& lane = from.lanes[i];
      lanes[i].track = lane.track;
      lanes[i].kind = lane.kind;
      lanes[i].depth = lane.depth;
      lanes[i].first_row = lane.first_row;
      lanes[i].dur = lane.dur;
      lanes[i].meta = lane.meta;
      lanes[i].ref = lane.ref;
      lanes[i].ref_bases = lane.ref_bases;
      lanes[i].start = Starts(lane, OffsetOf(from.tracks[lane.track.value]), &storage->starts[i]);
    });
    shifted_->set.storage = std::move(storage);
  }

  // A lane of a host that stays shares its begins as well.
  static std::span<const Ps> Starts(const Lane& lane, Ps offset, Column<Ps>* starts) {
    if (offset == 0) return lane.start;
    starts->Resize(lane.size());
    std::transform(lane.start.begin(), lane.start.end(), starts->data(),
                   [offset](Ps start) { return SaturatingSub(start, offset); });
    return starts->span();
  }

  std::shared_ptr<const Trace> original_;
  std::vector<Ps> offsets_;  // by host
  std::shared_ptr<Trace> shifted_ = std::make_shared<Trace>();
};

}  // namespace

std::shared_ptr<const Trace> ShiftHosts(std::shared_ptr<const Trace> trace,
                                        std::span<const Ps> offsets) {
  return Shifter(std::move(trace), offsets).Run();
}

Ps ClockOffsetOf(const Trace& trace, HostId host) {
  for (const Plane& plane : trace.planes) {
    if (plane.host != host || plane.kind == PlaneKind::kEnvironment) continue;
    Ps offset = 0;
    for (const PlaneStat& stat : plane.stats) {
      const int64_t* taken = std::get_if<int64_t>(&stat.value);
      if (taken != nullptr && stat.name == kClockStat) offset = SaturatingAdd(offset, *taken);
    }
    return offset;
  }
  return 0;
}

}  // namespace stepscope
