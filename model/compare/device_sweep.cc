#include "model/compare/step_items.h"

#include <algorithm>
#include <array>
#include <span>

#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/intervals/lane_merge.h"
#include "model/analysis/steps/cause_name.h"
#include "model/analysis/steps/device_classes.h"
#include "model/analysis/steps/idle_causes.h"
#include "model/compare/device_work.h"

namespace stepscope::compare {
namespace {

constexpr uint32_t kNone = DeviceWork::kNone;
constexpr size_t kCollectives = static_cast<size_t>(TimeClass::kCollectives);
constexpr size_t kGapsAtATime = 50'000;
// A queued kernel starts this soon after the one before it. A longer pause has another cause.
constexpr Ps kStarting = 20 * kPsPerUs;

struct Window {
  TimeRange span;
  double weight = 0;  // share of a sample in the mean step; 0: the step is not typical
  StepSample sample;
  std::span<const TimeRange> waits;  // when collectives wait for their last participant
};

// The length of the part that is in one of the ranges, which are sorted and disjoint.
// O(log ranges + ranges in the part).
Ps Overlap(std::span<const TimeRange> ranges, TimeRange part) {
  auto it = std::upper_bound(ranges.begin(), ranges.end(), part.begin,
                             [](Ps t, const TimeRange& r) { return t < r.end; });
  Ps sum = 0;
  for (; it != ranges.end() && it->begin < part.end; ++it)
    sum += std::min(part.end, it->end) - std::max(part.begin, it->begin);
  return sum;
}

// An IdleGap as the sweep sees it.
struct Gap {
  double weight = 0;
  StepSample sample;
  // Event and work before it, work after it
  uint32_t before_row = kNone, before = kNone, next = kNone;
};

// The priority of a class: the highest one that is open gets the time.
// Compute in 16 and in 32 bits is one level.
size_t LevelOf(uint8_t time_class) {
  const auto c = static_cast<TimeClass>(time_class);
  return static_cast<size_t>(c == TimeClass::kCompute16 ? TimeClass::kCompute32 : c);
}

// Goes through the events of one device at a time in order of start, and adds times to items.
class Sweep {
 public:
  Sweep(AnalysisContext& context, ItemTable* table)
      : trace_(context.trace()),
        grouping_(context.Get<Grouping>()),
        work_(context, table),
        explainer_(trace_, grouping_, context.Get<HostActivity>(),
                   MarkedSteps(trace_, context.Get<StepDatabase>().steps), false),
        table_(*table),
        first_of_lane_(trace_.set.lanes.size()) {}

  void Run(PlaneId device, std::vector<Window> windows);

 private:
  struct Open {
    Ps end;
    uint32_t row, work;
    size_t level;
    double from;  // clock_ of its level when it began
    bool operator<(const Open& o) const { return o.end < end; }  // the first to end on top
  };
  void Begin(uint32_t row, uint32_t work, TimeRange range, size_t level);
  void EndUntil(Ps t);
  void MoveTo(Ps t, uint32_t next_row, uint32_t next_work);
  void AddWait(double time, size_t level);
  void AddGap(const Window& window, TimeRange range, uint32_t next_row, uint32_t next_work);
  void ExplainGaps();
  void Place(const Gap& gap, bool is_short, const IdleCause& cause);
  bool HostWaitedFor(const Gap& gap) const;
  const std::string& NameOf(const IdleCause& cause);

  const Trace& trace_;
  const Grouping& grouping_;
  DeviceWork work_;
  const IdleExplainer explainer_;
  ItemTable& table_;
  std::vector<size_t> first_of_lane_;  // by lane, into places_
  std::vector<uint32_t> places_;       // by event of the device's lanes
  std::map<std::pair<uint32_t, uint32_t>, std::string> cause_names_;

  // State of the device that Run is at.
  PlaneId device_;
  std::vector<Window> windows_;
  size_t at_ = 0;  // the first window that is not over
  Ps now_ = 0;
  StepSample sample_;  // the sample that last got time
  std::vector<Open> open_;
  std::array<size_t, kTimeClasses> count_{};
  // For each level the time during which it was the highest open one, weighted and divided by the
  // number of its open events. An event's share is the clock at its end less that at its begin.
  std::array<double, kTimeClasses> clock_{};
  Open last_{};
  std::vector<IdleGap> idle_;
  std::vector<Gap> gaps_;  // by index into idle_
  std::vector<IdleCause> causes_;
};

void Sweep::Run(PlaneId device, std::vector<Window> windows) {
  device_ = device;
  windows_ = std::move(windows);
  at_ = 0;
  now_ = windows_.empty() ? 0 : windows_.front().span.begin;
  last_ = {0, kNone, kNone, 0, 0};
  places_.clear();
  const std::vector<const Lane*> lanes = WorkLanes(trace_, trace_.planes[device.value]);
  const auto index = [&](const Lane& lane) {
    return static_cast<size_t>(&lane - trace_.set.lanes.data());
  };
  for (const Lane* lane : lanes) {
    first_of_lane_[index(*lane)] = places_.size();
    work_.Read(*lane, &places_);
  }
  ForEachByStart(lanes, [&](const Lane& lane, uint32_t i) {
    const uint32_t work = places_[first_of_lane_[index(lane)] + i];
    if (work == kNone) return;
    Begin(lane.first_row + i, work, {lane.start[i], lane.end(i)},
          LevelOf(work_.ClassOf(lane.meta[i])));
  });
  EndUntil(kMaxPs);
  if (!windows_.empty()) MoveTo(windows_.back().span.end, kNone, kNone);
  ExplainGaps();
}

void Sweep::Begin(uint32_t row, uint32_t work, TimeRange range, size_t level) {
  EndUntil(range.begin);
  MoveTo(range.begin, row, work);
  open_.push_back({range.end, row, work, level, clock_[level]});
  std::push_heap(open_.begin(), open_.end());
  ++count_[level];
  while (at_ < windows_.size() && windows_[at_].span.end <= range.begin) ++at_;
  if (at_ == windows_.size() || !windows_[at_].span.Contains(range.begin)) return;
  const double weight = windows_[at_].weight;
  if (weight <= 0) return;
  StepWork& w = table_.work(work);
  StepItem& item = table_.item(w.item);
  const double busy = static_cast<double>(range.length()) * weight;
  w.count += weight;
  w.busy += busy;
  item.count += weight;
  item.busy += busy;
  KeepRow(EventRow(row), table_.rows_of_work(work));
  KeepRow(EventRow(row), table_.rows_of_item(w.item));
  if (item.kind != WorkKind::kCopy) return;
  const int64_t bytes = work_.BytesOf(row);
  if (bytes > 0) w.bytes += static_cast<double>(bytes) * weight, w.sized += busy;
}

void Sweep::EndUntil(Ps t) {
  while (!open_.empty() && open_.front().end <= t) {
    MoveTo(open_.front().end, kNone, kNone);
    std::pop_heap(open_.begin(), open_.end());
    last_ = open_.back();
    open_.pop_back();
    --count_[last_.level];
    const double time = clock_[last_.level] - last_.from;
    if (time <= 0) continue;
    StepWork& w = table_.work(last_.work);
    w.time += time;
    table_.item(w.item).time.Add(sample_, time);
  }
}

void Sweep::MoveTo(Ps t, uint32_t next_row, uint32_t next_work) {
  while (now_ < t) {
    while (at_ < windows_.size() && windows_[at_].span.end <= now_) ++at_;
    if (at_ == windows_.size()) {
      now_ = t;
      return;
    }
    const Window& window = windows_[at_];
    if (now_ < window.span.begin) {
      now_ = std::min(t, window.span.begin);
      continue;
    }
    const TimeRange part{now_, std::min(t, window.span.end)};
    now_ = part.end;
    if (window.weight <= 0) continue;
    sample_ = window.sample;
    if (open_.empty()) {
      AddGap(window, part, next_row, next_work);
      continue;
    }
    size_t level = kTimeClasses - 1;
    while (count_[level] == 0) --level;
    const Ps waited = level == kCollectives ? Overlap(window.waits, part) : 0;
    if (waited > 0) AddWait(static_cast<double>(waited) * window.weight, level);
    clock_[level] += static_cast<double>(part.length() - waited) * window.weight /
                     static_cast<double>(count_[level]);
  }
}

// The wait belongs to the collective that began last: the others wait for it too.
void Sweep::AddWait(double time, size_t level) {
  const Open* last = nullptr;
  for (const Open& open : open_) {
    const bool later = last == nullptr ||
                       trace_.set.Start(EventRow(open.row)) > trace_.set.Start(EventRow(last->row));
    if (open.level == level && later) last = &open;
  }
  if (last == nullptr) return;
  const std::string& name = table_.item(table_.work(last->work).item).name;
  const uint32_t wait =
      table_.Find(WorkKind::kWait, StepTimeClass::kCollectiveWait, std::string(name));
  table_.item(wait).time.Add(sample_, time);
  KeepRow(EventRow(last->row), table_.rows_of_item(wait));
}

void Sweep::AddGap(const Window& window, TimeRange range, uint32_t next_row, uint32_t next_work) {
  if (gaps_.size() >= kGapsAtATime) ExplainGaps();
  idle_.push_back({static_cast<uint32_t>(gaps_.size()),
                   next_row == kNone ? IdleGap::kNone : next_row, range.begin, range.end});
  gaps_.push_back({window.weight, window.sample, last_.row, last_.work, next_work});
}

void Sweep::ExplainGaps() {
  CheckStop();
  causes_.clear();
  explainer_.Explain(trace_.planes[device_.value].host, device_, idle_, nullptr, &causes_, nullptr);
  for (const IdleCause& cause : causes_) {
    const IdleGap& idle = idle_[cause.step];
    Place(gaps_[cause.step], idle.end - idle.begin <= kStarting, cause);
  }
  idle_.clear();
  gaps_.clear();
}

// Whether the gap follows a copy whose call returned only when the copy was done.
// The gap is then a cost of that copy.
bool Sweep::HostWaitedFor(const Gap& gap) const {
  if (gap.before == kNone) return false;
  if (table_.item(table_.work(gap.before).item).kind != WorkKind::kCopy) return false;
  const EventRow call = grouping_.LaunchOf(gap.before_row);
  if (!call.valid()) return false;
  const EventRow copy(gap.before_row);
  const Ps returned = trace_.set.Start(call) + trace_.set.Duration(call);
  return returned >= trace_.set.Start(copy) + trace_.set.Duration(copy);
}

// Naming a cause takes long, and causes repeat.
const std::string& Sweep::NameOf(const IdleCause& cause) {
  std::string& name = cause_names_[{cause.event.value, cause.inside.value}];
  if (name.empty()) name = CauseName(trace_, cause);
  return name;
}

void Sweep::Place(const Gap& gap, bool is_short, const IdleCause& cause) {
  const double time = static_cast<double>(cause.time) * gap.weight;
  const bool launch = cause.loss == StepTimeClass::kLaunch,
             queued = cause.loss == StepTimeClass::kQueued,
             unknown = cause.loss == StepTimeClass::kUnknown;
  if ((launch || unknown || cause.loss == StepTimeClass::kSync) && HostWaitedFor(gap)) {
    table_.item(table_.work(gap.before).item).after.Add(gap.sample, time);
    return;
  }
  if (gap.next != kNone && (launch || (queued && is_short))) {
    table_.item(table_.work(gap.next).item).waits.Add(gap.sample, time);
    return;
  }
  const std::string none = unknown  ? "not recorded"
                           : queued ? "gaps between launched work"
                                    : "several";
  const std::string& name = cause.event.valid() ? NameOf(cause) : none;
  const uint32_t place = table_.Find(KindOf(cause.loss), cause.loss, name);
  StepItem& item = table_.item(place);
  item.time.Add(gap.sample, time);
  item.count += static_cast<double>(cause.count) * gap.weight;
  KeepRows(cause.rows, table_.rows_of_item(place));
}

void NumberSamples(PlaneId device, std::vector<Window>* windows) {
  StepSample sample{device.value, 0, 0};
  for (const Window& window : *windows) sample.steps += window.weight > 0;
  for (Window& window : *windows) {
    window.sample = sample;
    sample.step += window.weight > 0;
  }
}

}  // namespace

size_t SweepDevices(AnalysisContext& context, const StepDatabase& steps,
                    const std::vector<bool>& typical, ItemTable* table) {
  std::vector<size_t> devices(steps.steps.size());  // by step
  for (const DeviceStep& d : steps.device_steps) ++devices[d.step];
  double counted = 0;
  for (size_t s = 0; s < devices.size(); ++s) counted += typical[s] && devices[s] > 0 ? 1 : 0;
  std::map<PlaneId, std::vector<Window>> windows;
  size_t samples = 0;
  for (const DeviceStep& d : steps.device_steps) {
    const bool counts = typical[d.step];
    const double weight = counts ? 1 / counted / static_cast<double>(devices[d.step]) : 0;
    windows[d.device].push_back({d.span, weight, {}, d.waits});
    samples += counts;
  }
  Sweep sweep(context, table);
  for (auto& [device, list] : windows) {
    CheckStop();
    std::sort(list.begin(), list.end(),
              [](const Window& a, const Window& b) { return a.span.begin < b.span.begin; });
    NumberSamples(device, &list);
    sweep.Run(device, std::move(list));
  }
  return samples;
}

}  // namespace stepscope::compare
