#include "model/analysis/steps/critical_path.h"

#include <algorithm>
#include <optional>

#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/naming/collectives.h"
#include "model/analysis/steps/device_classes.h"
#include "model/lookup.h"

namespace stepscope {
namespace {

struct Found {
  EventRow row;
  Ps begin = 0, end = 0;
};

Found At(const Lane& lane, size_t i) {
  return {EventRow(lane.first_row + static_cast<uint32_t>(i)), lane.start[i], lane.end(i)};
}

// The number of events of a lane that begin before a time.
size_t Before(const Lane& lane, Ps t) {
  return static_cast<size_t>(std::lower_bound(lane.start.begin(), lane.start.end(), t) -
                             lane.start.begin());
}

// Nested events shorter than span / kShort belong to the event around them.
constexpr Ps kShort = 5000;
constexpr size_t kMostGuesses = 1000;  // each guess looks at all threads of a host
constexpr Ps kAlike = 20;  // GPUs whose work differs by less than one part in 20 work alike

// Walks from the end of the span to its begin.
class Walk {
 public:
  Walk(const Trace& trace, const FlowIndex& flows, TimeRange span) : trace_(trace), flows_(flows) {
    path_.span = span;
    least_ = span.length() / kShort;
    FindDevice();
  }

  CriticalPath Run() {
    if (!path_.device.valid()) return path_;
    at_ = path_.span.end;
    std::optional<Found> event = LastBefore(at_, true);
    while (event && !Full()) event = FromDevice(*event);
    std::reverse(path_.parts.begin(), path_.parts.end());
    return std::move(path_);
  }

 private:
  using Lanes = std::vector<const Lane*>;

  bool Full() {
    CheckStop();
    if (path_.parts.size() >= kMostPathParts) path_.whole = false;
    return !path_.whole || at_ <= path_.span.begin;
  }

  void FindDevice() {
    Ps most = 0;
    for (uint32_t p = 0; p < trace_.planes.size(); ++p) {
      if (trace_.planes[p].kind != PlaneKind::kGpu) continue;
      gpus_.push_back(WorkLanes(trace_, trace_.planes[p]));
      Ps busy = 0;
      for (const Lane* lane : gpus_.back()) {
        const size_t last = Before(*lane, path_.span.end);
        for (size_t i = Before(*lane, path_.span.begin); i < last; ++i) busy += lane->dur[i];
      }
      if (busy <= most + most / kAlike) continue;
      most = busy;
      path_.device = PlaneId(p);
      gpu_ = gpus_.size() - 1;
    }
  }

  // The event of the device that ends last, no later than `t`. With `open` an event that still runs
  // at `t` counts too, as if it ended then.
  std::optional<Found> LastBefore(Ps t, bool open) const {
    std::optional<Found> best;
    for (const Lane* lane : gpus_[gpu_]) {
      size_t i = Before(*lane, t);
      if (i > 0 && !open && lane->end(i - 1) > t) --i;
      if (i == 0) continue;
      const Found found = At(*lane, i - 1);
      if (!best || std::min(found.end, t) > std::min(best->end, t)) best = found;
    }
    return best;
  }

  // Adds the part of `row` from `begin` to where the path has got to;
  // the path goes on before `begin`.
  void Add(PathPart::Kind kind, EventRow row, Ps begin) {
    const TimeRange range{std::max(begin, path_.span.begin), at_};
    at_ = std::min(at_, begin);
    if (range.empty()) return;
    path_.times[static_cast<size_t>(kind)] += range.length();
    path_.parts.push_back({kind, row, range});
  }

  EventRow LaunchOf(EventRow row) const {
    for (const FlowArrow& arrow : flows_.To(row)) {
      if (arrow.kind == FlowKind::kLaunch) return EventRow(arrow.from);
    }
    return {};
  }

  // The participant of the same collective on another device that
  // begins last, if later than this one.
  std::optional<Found> LastParticipant(const Found& event) {
    const MetaId meta = trace_.set.Meta(event.row);
    const std::string_view name = trace_.set.names->DisplayName(meta);
    if (!IsCollective(name)) return std::nullopt;
    std::optional<Found> last;
    const size_t own = gpu_;
    for (size_t g = 0; g < gpus_.size(); ++g) {
      if (g == own) continue;
      for (const Lane* lane : gpus_[g]) {
        const size_t i = Before(*lane, at_);
        if (i == 0 || trace_.set.names->DisplayName(MetaId(lane->meta[i - 1])) != name) continue;
        const Found found = At(*lane, i - 1);
        if (found.begin <= (last ? last->begin : event.begin)) continue;
        last = found;
        gpu_ = g;
      }
    }
    return last;
  }

  // Adds work of the device, and what happened on the host until its launch if the device waited
  // for that. Returns the work that it waited for; nothing where the path ends.
  std::optional<Found> FromDevice(const Found& event) {
    at_ = std::min(at_, event.end);
    if (const std::optional<Found> other = LastParticipant(event)) {
      Add(PathPart::Kind::kDevice, event.row, other->begin);
      return FromDevice(*other);
    }
    Add(PathPart::Kind::kDevice, event.row, event.begin);
    if (at_ <= path_.span.begin) return std::nullopt;
    const std::optional<Found> before = LastBefore(event.begin, false);
    const EventRow launch = LaunchOf(event.row);
    if (before && (!launch.valid() || WasQueued(launch, event, before->end))) return before;
    if (!launch.valid()) return std::nullopt;
    // The call itself, and the time until the event began.
    Add(PathPart::Kind::kLaunch, launch, trace_.set.Start(launch));
    return FromHost(trace_.set.TrackOf(launch));
  }

  // Whether the event was queued by the time the device was done with what came
  // before. A call that returns only after its event began (a blocking copy) queues it
  // when it begins, others when they end.
  bool WasQueued(EventRow launch, const Found& event, Ps before) const {
    const Ps end = End(launch);
    return (end > event.begin ? trace_.set.Start(launch) : end) <= before;
  }

  Ps End(EventRow row) const {
    return SaturatingAdd(trace_.set.Start(row), trace_.set.Duration(row));
  }

  // The innermost event of a thread just before `t`. Nested events shorter than `least_` belong to
  // the event around them.
  struct Leaf {
    Found event;
    Ps from = 0;  // the end of what is inside it, or its begin: from here on it was the innermost
    bool open = false;  // it is open at `t`; else it ended before
  };
  std::optional<Leaf> LeafBefore(const Track& thread, Ps t) const {
    std::optional<Leaf> leaf;
    for (const Lane& lane : trace_.set.LanesOf(thread)) {
      if (lane.kind != LaneKind::kNested) continue;
      size_t i = Before(lane, t);
      while (leaf && i > 0 && lane.start[i - 1] >= leaf->event.begin && lane.dur[i - 1] < least_)
        --i;
      if (i == 0) {
        if (lane.depth == 0) return std::nullopt;
        break;
      }
      const Found found = At(lane, i - 1);
      if (leaf && found.end <= leaf->event.begin) break;  // inside another event
      if (found.end >= t) {
        leaf = Leaf{found, found.begin, true};
      } else if (lane.depth == 0) {
        return Leaf{found, found.begin, false};
      } else {
        leaf->from = std::max(leaf->from, found.end);
        break;
      }
    }
    return leaf;
  }

  bool Blocks(const Found& event) const {
    const MetaId meta = trace_.set.Meta(event.row);
    const NameTable& names = *trace_.set.names;
    const HostRole role =
        RoleOfHostEvent(names.DisplayName(meta), names.metas[meta.value].category);
    return role == HostRole::kSync || role == HostRole::kEvent;
  }

  // Which thread the path goes on with when `own` did nothing since `idle`: the one where an arrow
  // leads from to the last part or to an event around it, else the busiest one of the host since
  // then. Invalid if there is none.
  TrackId ThreadBefore(TrackId own, Ps idle) {
    if (path_.parts.empty() || path_.parts.size() == hopped_) return {};
    hopped_ = path_.parts.size();
    for (EventRow row = path_.parts.back().row; row.valid(); row = Parent(trace_.set, row)) {
      for (const FlowArrow& arrow : flows_.To(row)) {
        const EventRow from(arrow.from);
        if (arrow.kind == FlowKind::kLaunch || trace_.set.Start(from) >= at_) continue;
        at_ = std::min(at_, End(from));
        return trace_.set.TrackOf(from);
      }
    }
    return ++guesses_ < kMostGuesses ? BusiestThread(own, {idle, at_}) : TrackId();
  }

  TrackId BusiestThread(TrackId own, TimeRange range) const {
    const PlaneId plane = trace_.set.tracks[own.value].plane;
    if (!plane.valid()) return {};
    TrackId best;
    Ps most = 0;
    for (const Track* thread : HostThreadsOf(trace_, trace_.planes[plane.value].host)) {
      Ps busy = 0;
      for (const Lane& lane : trace_.set.LanesOf(*thread)) {
        if (lane.kind == LaneKind::kNested && lane.depth == 0)
          busy = lane.mip.BusyIn(lane.view(), range);
      }
      if (busy <= most) continue;
      most = busy;
      best = TrackId(static_cast<uint32_t>(thread - trace_.set.tracks.data()));
    }
    return best;
  }

  bool Launches(EventRow row) const {
    const auto arrows = flows_.From(row);
    return !arrows.empty() && arrows.front().kind == FlowKind::kLaunch;
  }

  // Goes back along a thread to a call that waited for the device;
  // returns the event that it waited for.
  std::optional<Found> FromHost(TrackId id) {
    while (!Full()) {
      const std::optional<Leaf> leaf = LeafBefore(trace_.set.tracks[id.value], at_);
      if (!leaf || !leaf->open) {  // the thread did nothing, or nothing of it was recorded
        const Ps idle = leaf ? std::max(leaf->event.end, path_.span.begin) : path_.span.begin;
        const TrackId other = ThreadBefore(id, idle);
        if (other.valid()) {
          id = other;
        } else if (leaf) {
          at_ = leaf->event.end;
        } else {
          return std::nullopt;
        }
        continue;
      }
      const bool blocks = Blocks(leaf->event);
      if (blocks) {
        const std::optional<Found> waited = LastBefore(at_, false);
        if (waited && waited->end > leaf->event.begin) {
          Add(PathPart::Kind::kSync, leaf->event.row, waited->end);
          return waited;
        }
      }
      const bool launches = !blocks && Launches(leaf->event.row);
      Add(blocks     ? PathPart::Kind::kSync
          : launches ? PathPart::Kind::kLaunch
                     : PathPart::Kind::kHost,
          leaf->event.row, leaf->from);
    }
    return std::nullopt;
  }

  const Trace& trace_;
  const FlowIndex& flows_;
  std::vector<Lanes> gpus_;
  size_t gpu_ = 0;  // index in gpus_ of the device that the path is on
  CriticalPath path_;
  size_t guesses_ = 0;
  size_t hopped_ = 0;  // number of parts when the path last went to another thread
  Ps least_ = 0;       // shorter nested events belong to the event around them
  Ps at_ = 0;          // where the path has got to, ps
};

}  // namespace

CriticalPath FindCriticalPath(const Trace& trace, const FlowIndex& flows, TimeRange span) {
  return Walk(trace, flows, span).Run();
}

}  // namespace stepscope
