// Sums the parts of a device's idle time, each with what the host did then: by gap, by class and by
// cause. idle_causes.h finds the parts and gives them in order of time. Times are ps. Values
// without locks: one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
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
  void Add(StepTimeClass loss, const HostPiece& piece, TimeRange range) {
    parts_.push_back({loss, piece.meta, piece.inside, piece.row, range});
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
  void Add(const HostPiece& piece);
  Ps Of(const IdleCause& cause) const;

 private:
  static uint64_t KeyOf(uint32_t meta, uint32_t inside) { return uint64_t{meta} << 32 | inside; }
  std::vector<Ps> alone_;  // by MetaId: without an op around it
  std::unordered_map<uint64_t, Ps> inside_;
};

// Sums the parts by window, class and cause.
class CauseSums {
 public:
  // `markers` are the steps of the host by begin; host work outside them is between steps. `gap`
  // gets the parts, too; it may be null. All arguments must outlive this.
  CauseSums(std::span<const TimeRange> markers, size_t metas, std::vector<StepClassTimes>* losses,
            GapParts* gap)
      : markers_(markers), all_(metas), losses_(losses), gap_(gap) {}

  // Windows must not fall. `queued`: the work after the gap was launched before the gap. O(log
  // markers + log causes).
  void Add(uint32_t window, const HostPiece& piece, bool queued);
  // Gives the largest causes of each window and class; the rest of the class is one cause without a
  // name. Those with less than a fifth of the class there are chosen by their time in all windows,
  // so that steps that hardly differ name the same ones. O(causes log causes).
  void Flush(PlaneId device, std::vector<IdleCause>* out);

 private:
  size_t FirstMarker(Ps t) const;
  void AddPart(uint32_t window, StepTimeClass loss, const HostPiece& piece, TimeRange range);
  IdleCause& CauseOf(uint32_t window, StepTimeClass loss, const HostPiece& piece);
  void CloseWindow();
  void FlushWindow(std::span<IdleCause> causes, std::vector<IdleCause>* out) const;

  std::span<const TimeRange> markers_;
  TimesOfCauses all_;
  std::vector<StepClassTimes>* losses_;
  GapParts* gap_;
  using Key = std::tuple<StepTimeClass, uint32_t, uint32_t>;
  uint32_t window_ = 0;
  std::map<Key, IdleCause> sums_;                    // of the window
  std::pair<const Key, IdleCause>* last_ = nullptr;  // the next part is mostly the same cause
  std::vector<IdleCause> closed_;                    // of the windows before, by window
};

}  // namespace stepscope
