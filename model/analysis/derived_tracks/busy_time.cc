#include "model/analysis/derived_tracks/busy_time.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "model/analysis/intervals/lane_merge.h"
#include "model/analysis/naming/core_op.h"
#include "model/analysis/naming/time_classes.h"
#include "model/analysis/steps/device_classes.h"

namespace stepscope {

const char* IdOf(WorkPart part) {
  static constexpr const char* kIds[] = {"compute", "collectives", "copies", ""};
  return kIds[static_cast<size_t>(part)];
}

WorkPart WorkPartOf(std::string_view counter) {
  size_t part = 0;
  while (part < static_cast<size_t>(WorkPart::kCount) &&
         counter != IdOf(static_cast<WorkPart>(part)))
    ++part;
  return static_cast<WorkPart>(part);
}

WorkPart WorkPartOf(TimeClass c) {
  switch (c) {
    case TimeClass::kCollectives:
      return WorkPart::kCollectives;
    case TimeClass::kHostToDevice:
    case TimeClass::kDeviceToHost:
    case TimeClass::kDeviceToDevice:
      return WorkPart::kCopies;
    default:
      return WorkPart::kCompute;
  }
}

WorkPart WorkPartOf(std::string_view name, EventCategory category) {
  return WorkPartOf(OwnDeviceClass(name, category));
}

namespace {

// Returns the parts of `a` outside of `b`. O(n)
Ranges Without(const Ranges& a, const Ranges& b) {
  Ranges rest;
  auto cut = b.begin();
  for (TimeRange r : a) {
    while (cut != b.end() && cut->end <= r.begin) ++cut;
    for (auto at = cut; at != b.end() && at->begin < r.end; ++at) {
      if (at->begin > r.begin) rest.push_back({r.begin, at->begin});
      r.begin = std::min(at->end, r.end);
    }
    if (r.begin < r.end) rest.push_back(r);
  }
  return rest;
}

WorkPart PartOf(CoreWork work) {
  switch (work) {
    case CoreWork::kCompute:
      return WorkPart::kCompute;
    case CoreWork::kCollective:
      return WorkPart::kCollectives;
    default:
      return WorkPart::kCopies;
  }
}

// Gives each moment to the innermost op that is open. Ops come by their begin.
class InnermostOps {
 public:
  explicit InnermostOps(BusyTime* busy) : busy_(*busy) {}

  void Begin(TimeRange op, WorkPart part) {
    CloseUntil(op.begin);
    Give(op.begin);
    open_.push_back({op.end, part});
    at_ = std::max(at_, op.begin);
  }
  void CloseUntil(Ps time) {
    while (!open_.empty() && open_.back().first <= time) {
      Give(open_.back().first);
      open_.pop_back();
    }
  }

 private:
  void Give(Ps until) {
    if (open_.empty() || until <= at_) return;
    const TimeRange range{std::exchange(at_, until), until};
    MergeInto(&busy_.all, range);
    MergeInto(&busy_.parts[static_cast<size_t>(open_.back().second)], range);
  }

  BusyTime& busy_;
  std::vector<std::pair<Ps, WorkPart>> open_;  // by their ends, the innermost last
  Ps at_ = kMinPs;
};

}  // namespace

BusyTime BusyTimeOf(const Trace& trace, const Plane& plane, const std::vector<uint8_t>& classes) {
  BusyTime busy;
  ForEachByStart(WorkLanes(trace, plane), [&](const Lane& lane, uint32_t i) {
    const uint8_t c = classes[lane.meta[i]];
    if (c == 0 || lane.dur[i] <= 0) return;
    const TimeRange range{lane.start[i], lane.end(i)};
    MergeInto(&busy.all, range);
    MergeInto(&busy.parts[static_cast<size_t>(WorkPartOf(static_cast<TimeClass>(c)))], range);
  });
  Ranges before;
  for (Ranges& part : busy.parts) {
    if (part.empty()) continue;
    Ranges own = Without(part, before);
    before = before.empty() ? std::move(part) : Union(before, part);
    part = std::move(own);
  }
  return busy;
}

BusyTime BusyTimeOf(const Trace& trace, const StatTable& stats, const TpuCore& core) {
  BusyTime busy;
  InnermostOps ops(&busy);
  for (const CoreOp& op : core.ops) {
    const TimeRange range = core.Session(op.begin, op.end());
    if (range.end > range.begin) ops.Begin(range, PartOf(WorkOf(trace, stats, op)));
  }
  ops.CloseUntil(kMaxPs);
  return busy;
}

}  // namespace stepscope
