// Sums the parts of a device's idle time, each with what the host did then: by gap, by class and by
// cause. idle_causes.h finds the parts and gives them in order of time. Times are ps. Values
// without locks: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/steps/losses.h"

namespace stepscope {

inline constexpr size_t kCausesOfClass =
    5;  // listed for each step, device and class; the rest is one more

struct IdleGap {
  static constexpr uint32_t kNone = 0xffffffffu;
  uint32_t window = 0;        // index into the caller's windows
  uint32_t next_row = kNone;  // the device event that ends it
  Ps begin = 0, end = 0;
  Ps since = kMaxPs;  // when the device became idle, where that is before `begin`
};

// The parts of one gap, in order of time. Gives intervals, each with the class that most of it has
// and that class's largest cause.
class GapParts {
 public:
  void Add(StepTimeClass loss, const HostPiece& piece, Ps begin, Ps end) {
    Part& part = parts_.emplace_back();
    part.loss = loss;
    part.meta = piece.meta, part.inside = piece.inside, part.row = piece.row;
    part.range.begin = begin, part.range.end = end;
  }
  // The whole gap as one interval. O(parts log parts).
  IdleInterval Whole(const IdleGap& gap, PlaneId device) const;
  // Adds the gap cut where its class changes. O(parts log parts).
  void Cut(const IdleGap& gap, PlaneId device, DeviceIdle* out) const;
  void Clear() { parts_.clear(); }

 private:
  struct Part {
    StepTimeClass loss = StepTimeClass::kUnknown;
    uint32_t meta = HostPiece::kNone, inside = HostPiece::kNone, row = HostPiece::kNone;
    TimeRange range;
    auto cause() const { return std::tie(meta, inside); }
  };
  using Parts = std::span<const Part>;
  static IdleInterval IntervalOf(Parts parts, uint32_t window, PlaneId device, TimeRange range);
  static Part Largest(Parts parts);
  static Part LargestOf(Parts parts, StepTimeClass loss);

  std::vector<Part> parts_;
};

// The time of each cause in all windows of a device.
class TimesOfCauses {
 public:
  explicit TimesOfCauses(size_t metas) : alone_(metas) {}
  void Add(const IdleCause& cause);
  Ps Of(const IdleCause& cause) const;

 private:
  static uint64_t KeyOf(uint32_t meta, uint32_t inside) { return uint64_t{meta} << 32 | inside; }
  std::vector<Ps> alone_;  // by MetaId: without an op around it
  std::unordered_map<uint64_t, Ps> inside_;
};

// A cause with the key by which the causes of a class are ordered.
struct RankedCause {
  StepTimeClass loss = StepTimeClass::kUnknown;
  Ps large = 0, small = 0;  // falling, each 0 for the other kind
  const IdleCause* cause = nullptr;
  auto key() const { return std::tie(loss, large, small, cause->event, cause->inside); }
};

// Sums the parts of one device by window, class and cause.
class CauseSums {
 public:
  // `markers` are the steps of the host by begin; host work outside them is between steps. `gap`
  // gets the parts, too; `losses` and `gap` may be null. All arguments must outlive this. Causes
  // are added to `out`, which is not read before Finish().
  CauseSums(std::span<const TimeRange> markers, size_t metas, std::vector<StepClassTimes>* losses,
            GapParts* gap, PlaneId device, std::vector<IdleCause>* out);

  // Windows must not fall. `queued`: the work after the gap was launched before the gap.
  // O(log markers).
  void Add(uint32_t window, const HostPiece& piece, bool queued);
  // Leaves the largest causes of each window and class; the rest of the class is one cause without
  // a name. Those with less than a fifth of the class there are chosen by their time in all
  // windows, so that steps that hardly differ name the same ones. O(causes log causes).
  void Finish();

 private:
  static constexpr uint32_t kFree = 0xffffffffu;
  static constexpr size_t kFewSlots = 64;  // the number of slots is a power of two

  using Key = std::tuple<StepTimeClass, MetaId, MetaId>;  // event and what it is inside
  static Key KeyOf(const IdleCause& cause) { return {cause.loss, cause.event, cause.inside}; }
  bool IsOfWindow(uint32_t slot) const { return slot >= window_begin_ && slot < out_.size(); }
  size_t FirstMarker(Ps t) const;
  void AddPart(uint32_t window, StepTimeClass loss, const HostPiece& piece, Ps begin, Ps end);
  IdleCause& CauseOf(uint32_t window, StepTimeClass loss, const HostPiece& piece);
  uint32_t& SlotOf(const Key& key);
  void DoubleSlots();
  // Ranks the causes [first, end) of one window and moves those that stay to `to`, which is not
  // behind `first`. Returns their end.
  size_t RankWindow(size_t first, size_t end, size_t to);

  std::span<const TimeRange> markers_;
  TimesOfCauses all_;
  std::vector<StepClassTimes>* losses_;
  GapParts* gap_;
  const PlaneId device_;
  std::vector<IdleCause>& out_;
  const size_t begin_;   // of the causes added here
  uint32_t window_ = 0;  // the last one
  size_t window_begin_;  // of its causes
  // Places in out_ by a hash of the cause. Those that are not of the last window are free.
  std::vector<uint32_t> slots_;
  std::vector<IdleCause> unranked_;  // those that RankWindow is at
  std::vector<RankedCause> ranked_;
};

}  // namespace stepscope
