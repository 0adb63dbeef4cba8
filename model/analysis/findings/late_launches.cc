#include "model/analysis/findings/late_launches.h"

#include <algorithm>

#include "model/analysis/kernels/kernel_stats.h"

namespace stepscope {

void LateTimes::Add(const LateTimes& other) {
  launch += other.launch;
  sync += other.sync;
  after_short += other.after_short;
  after_sync += other.after_sync;
  for (size_t d = 0; d < after_copy.size(); ++d) after_copy[d] += other.after_copy[d];
}

LateLaunches::LateLaunches(const Trace& trace, const Grouping& grouping, const StepDatabase& db,
                           std::span<const double> weights, PlaneId device)
    : trace_(trace), grouping_(grouping), weights_(weights), windows_(StepWindowsOf(db, device)) {
  for (const DeviceIdle& idle : db.idle_parts) {
    if (idle.device == device) parts_ = &idle.parts;
  }
}

LateTimes LateLaunches::Take() {
  if (parts_ != nullptr) Divide({last_.range.end, kMaxPs});
  return times_;
}

// Whether the call that launched the copy returns when the copy is done.
bool LateLaunches::Blocks(const Event& copy) const {
  if (copy.work != Work::kCopy) return false;
  const EventRow launch = grouping_.LaunchOf(copy.row);
  return launch.valid() &&
         SaturatingAdd(trace_.set.Start(launch), trace_.set.Duration(launch)) >= copy.range.end;
}

double LateLaunches::WeightAt(Ps time) {
  while (window_ < windows_.size() && windows_[window_].span.end <= time) ++window_;
  const bool inside = window_ < windows_.size() && windows_[window_].span.Contains(time);
  return inside ? weights_[windows_[window_].step] : 0;
}

// Divides one idle interval; `last_` ran before it. After a part of another class a launch is
// late because of that part, except after ops and Python: a longer kernel would have hidden
// those.
void LateLaunches::Divide(TimeRange gap) {
  while (part_ < parts_->size() && (*parts_)[part_].range.begin < gap.begin) ++part_;
  if (part_ == parts_->size() || (*parts_)[part_].range.begin >= gap.end) return;
  double* copy = Blocks(last_) ? &times_.after_copy[static_cast<size_t>(last_.direction)] : nullptr;
  bool is_short = last_.work == Work::kKernel && last_.range.length() < kShortKernel;
  bool synced = false;
  for (; part_ < parts_->size() && (*parts_)[part_].range.begin < gap.end; ++part_) {
    const IdleInterval& part = (*parts_)[part_];
    const double time = static_cast<double>(part.range.length()) * WeightAt(part.range.begin);
    const bool launch = part.loss == StepTimeClass::kLaunch,
               sync = part.loss == StepTimeClass::kSync;
    if (!launch && !sync) {
      copy = nullptr, synced = false;
      is_short =
          is_short && (part.loss == StepTimeClass::kHost || part.loss == StepTimeClass::kUnknown);
      continue;
    }
    (launch ? times_.launch : times_.sync) += time;
    if (copy != nullptr) *copy += time;
    if (launch && synced) times_.after_sync += time;
    if (launch && is_short && copy == nullptr) times_.after_short += time;
    synced = synced || sync;
    is_short = is_short && !sync;
  }
}

}  // namespace stepscope
