#include "model/analysis/grouping/enclosing_events.h"

#include <algorithm>

#include "model/analysis/grouping/frame_roles.h"
#include "model/analysis/intervals/ranges.h"

namespace stepscope {
namespace {

// A barrier launches a kernel or two itself.
constexpr size_t kSeveral = 8;

// Times of a thread, sorted.
struct ThreadTimes {
  std::vector<Ps> launches;     // of the program
  std::vector<Ps> op_launches;  // those right inside an op
  Ranges marks;                 // of steps, by begin
};

size_t CountIn(const std::vector<Ps>& times, TimeRange range) {
  const auto first = std::lower_bound(times.begin(), times.end(), range.begin);
  return static_cast<size_t>(std::lower_bound(first, times.end(), range.end) - first);
}

TimeRange RangeOf(const Lane& lane, uint32_t i) { return {lane.start[i], lane.end(i)}; }

class ThreadEvents {
 public:
  ThreadEvents(const Trace& trace, const Track& thread, const EnclosedLaunches& asked)
      : trace_(trace), lanes_(trace.set.LanesOf(thread)), asked_(asked) {
    FindMarks();
    if (!HasOthers()) return;
    FindTuning();
    FindLaunches();
  }

  std::vector<uint32_t> Enclosing() const {
    std::vector<uint32_t> rows;
    for (const Lane& lane : lanes_) {
      for (uint32_t i = 0; i < lane.size(); ++i) {
        const uint32_t meta = lane.meta[i];
        if (asked_.namers[meta] != Namer::kNobody && Encloses(meta, RangeOf(lane, i)))
          rows.push_back(lane.first_row + i);
      }
    }
    return rows;
  }

 private:
  // Whether a mark inside is not all that is asked for.
  bool HasOthers() const {
    return std::any_of(asked_.namers.begin(), asked_.namers.end(),
                       [](Namer n) { return n != Namer::kNobody && n != Namer::kEvent; });
  }

  void FindMarks() {
    for (const Lane& lane : lanes_) {
      for (uint32_t i = 0; i < lane.size(); ++i) {
        if (asked_.markers[lane.meta[i]] != 0) times_.marks.push_back(RangeOf(lane, i));
      }
    }
    std::sort(times_.marks.begin(), times_.marks.end(), BeginsBefore);
  }

  static bool BeginsBefore(const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; }

  // Whether a mark is inside. One that begins with the event may be around it.
  bool HasMark(TimeRange event) const {
    auto mark = std::lower_bound(times_.marks.begin(), times_.marks.end(), event, BeginsBefore);
    for (; mark != times_.marks.end() && mark->begin < event.end; ++mark) {
      if (mark->end <= event.end) return true;
    }
    return false;
  }

  // When kernels are tuned. A program may call anything tuning, and a step is none.
  void FindTuning() {
    for (const Lane& lane : lanes_) {
      for (uint32_t i = 0; i < lane.size(); ++i) {
        const uint32_t meta = lane.meta[i];
        const bool tunes = asked_.roles[meta] == HostRole::kTune &&
                           asked_.namers[meta] != Namer::kAnnotation && !HasMark(RangeOf(lane, i));
        if (tunes) tuning_.push_back(RangeOf(lane, i));
      }
    }
    tuning_ = UnionOf(std::move(tuning_));
  }

  bool IsTuned(Ps at) const {
    const auto after = std::upper_bound(tuning_.begin(), tuning_.end(), at,
                                        [](Ps t, const TimeRange& r) { return t < r.begin; });
    return after != tuning_.begin() && std::prev(after)->end > at;
  }

  void FindLaunches() {
    const Lane* outer = nullptr;
    for (const Lane& lane : lanes_) {
      if (lane.kind != LaneKind::kNested) break;
      uint32_t op = 0;
      for (uint32_t i = 0; i < lane.size(); ++i) {
        const HostRole role = asked_.roles[lane.meta[i]];
        const bool starts = role == HostRole::kLaunch || role == HostRole::kGraph;
        if (!starts || !asked_.is_launch(lane.first_row + i) || IsTuned(lane.start[i])) continue;
        times_.launches.push_back(lane.start[i]);
        if (outer == nullptr) continue;
        while (op < outer->size() && outer->end(op) <= lane.start[i]) ++op;
        const bool in_op = op < outer->size() && outer->start[op] <= lane.start[i] &&
                           trace_.names().metas[outer->meta[op]].category == EventCategory::kCpuOp;
        if (in_op) times_.op_launches.push_back(lane.start[i]);
      }
      outer = &lane;
    }
    std::sort(times_.launches.begin(), times_.launches.end());
    std::sort(times_.op_launches.begin(), times_.op_launches.end());
  }

  bool Encloses(uint32_t meta, TimeRange event) const {
    if (HasMark(event)) return true;
    const HostRole role = asked_.roles[meta];
    const Namer namer = asked_.namers[meta];
    const bool annotation = namer == Namer::kAnnotation;
    if (namer == Namer::kEvent) return false;
    switch (role) {
      case HostRole::kInput:
        return CountIn(times_.op_launches, event) > 0;
      case HostRole::kCompile:
        return CountIn(namer == Namer::kFunction ? times_.op_launches : times_.launches, event) > 0;
      case HostRole::kTune:
        return annotation && CountIn(times_.launches, event) > 0;
      case HostRole::kGarbage:
      case HostRole::kBarrier:
        return annotation && CountIn(times_.launches, event) >= kSeveral;
      default:  // what is saved may be gathered by kernels
        return false;
    }
  }

  const Trace& trace_;
  const std::span<const Lane> lanes_;
  const EnclosedLaunches& asked_;
  ThreadTimes times_;
  Ranges tuning_;
};

}  // namespace

Namer NamerOf(HostRole role, std::string_view name, EventCategory category) {
  const bool whole = role == HostRole::kGarbage || role == HostRole::kBarrier ||
                     role == HostRole::kSave || role == HostRole::kTune;
  if (!whole && role != HostRole::kInput && role != HostRole::kCompile) return Namer::kNobody;
  if (const auto frame = ParsePythonFrame(name)) {
    const FrameRow* row = FrameRowOf(*frame);
    return row != nullptr && row->function.empty() ? Namer::kLibrary : Namer::kFunction;
  }
  if (category == EventCategory::kUserAnnotation) return Namer::kAnnotation;
  return name.find("::") == name.npos ? Namer::kEvent : Namer::kNobody;  // none of C++
}

std::vector<uint32_t> EnclosingEvents(const Trace& trace, const Track& thread,
                                      const EnclosedLaunches& asked) {
  return ThreadEvents(trace, thread, asked).Enclosing();
}

}  // namespace stepscope
