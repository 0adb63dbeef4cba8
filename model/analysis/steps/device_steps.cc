#include "model/analysis/steps/steps.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/intervals/ranges.h"
#include "model/analysis/steps/device_classes.h"
#include "model/analysis/steps/device_windows.h"
#include "model/analysis/steps/host_intervals.h"
#include "model/analysis/steps/idle_causes.h"
#include "model/analysis/steps/unrecorded.h"
#include "model/base/statistics.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

constexpr size_t kMaxDevices = 250;
constexpr size_t kMostIdleParts = 262'144;  // on all devices together; 40 bytes each

Ps Overlap(std::span<const IdleGap> gaps, const Ranges& b) {
  Ranges a;
  for (const IdleGap& gap : gaps) a.push_back({gap.begin, gap.end});
  return Overlap(a, b);
}

class Divider {
 public:
  Divider(AnalysisContext& context, StepPlan plan)
      : trace_(context.trace()),
        stats_(context.stats()),
        grouping_(context.Get<Grouping>()),
        context_(context),
        plan_(std::move(plan)),
        class_(context.Get<DeviceClasses>().of_meta) {}
  void Run(StepDatabase* db);

 private:
  int32_t StepOf(uint32_t row, Ps start) const {
    return plan_.StepOf(trace_, grouping_, row, start);
  }
  struct RestEvent {
    TimeRange range;
    uint32_t row;
  };
  Ps Outstanding(const DividedDevice& device, const std::vector<RestEvent>& rest) const;
  void ExtendLast(DividedDevice* device) const;
  void FindWindows(DividedDevice* device) const;
  std::vector<bool> MarkIncomplete();
  void FindUnrecorded(StepDatabase* db);
  void LeaveOutIdle(StepDatabase* db);
  bool BehindUnrecorded(const DeviceWindow& w, Ps begin) const;
  void PlaceWindows(DividedDevice* device) const;
  void WaitsOfCollectives();
  void SumGaps(const std::vector<IdleGap>& gaps, uint8_t device);
  DeviceStep Finish(const DeviceWindow& w, uint8_t device) const;
  std::vector<std::vector<DeviceStep>> FinishAll() const;  // by device, then window
  double ShareInGraphs() const;
  void FindDevices();
  void DivideDevice(uint8_t number);
  std::vector<int64_t> KeepSteps(StepDatabase* db);
  static void KeepIdle(const std::vector<int64_t>& kept_at, DividedDevice* device,
                       StepDatabase* db);

  const Trace& trace_;
  const StatTable& stats_;
  const Grouping& grouping_;
  AnalysisContext& context_;
  StepPlan plan_;
  const std::vector<uint8_t>& class_;
  std::vector<DividedDevice> devices_;
  std::vector<uint8_t> device_of_plane_;  // by PlaneId: device + 1; 0: none
  std::vector<Ps> first_marker_;          // by host
  std::vector<bool> follows_unrecorded_;  // by step of the plan
  std::vector<StepLaunches> launches_;    // by step of the plan; empty: not counted
  std::optional<HostIntervals> host_;
  const HostActivity* activity_ = nullptr;
  std::optional<IdleExplainer> explainer_;
};

// When the device is done with what was launched before all steps. `rest` are the events of no
// step. Those whose launch is not recorded count if they begin before the first step does.
Ps Divider::Outstanding(const DividedDevice& device, const std::vector<RestEvent>& rest) const {
  const Ps first_marker = first_marker_[trace_.planes[device.plane].host.value];
  Ps first = kMaxPs, done = kMinPs;
  for (const DeviceWindow& w : device.windows) first = std::min(first, w.first);
  for (const RestEvent& event : rest) {
    const EventRow launch = grouping_.LaunchOf(event.row);
    const bool before =
        launch.valid() ? trace_.set.Start(launch) < first_marker : event.range.begin < first;
    if (before) done = std::max(done, event.range.end);
  }
  return done;
}

// Finds the begin and end of each step's device events, and what the step issued.
void Divider::FindWindows(DividedDevice* device) const {
  const NameTable& names = trace_.names();
  std::vector<RestEvent> rest;
  device->window_of_step.assign(plan_.steps.size(), -1);
  for (const Lane* lane : device->lanes) {
    for (uint32_t i = 0; i < lane->size(); ++i) {
      auto c = static_cast<TimeClass>(class_[lane->meta[i]]);
      if (c == TimeClass::kUnknown || lane->dur[i] <= 0) continue;
      device->has_events = true;
      int32_t step = StepOf(lane->first_row + i, lane->start[i]);
      if (step < 0) {
        rest.push_back({{lane->start[i], lane->end(i)}, lane->first_row + i});
        continue;
      }
      int32_t& index = device->window_of_step[static_cast<size_t>(step)];
      if (index < 0) {
        index = static_cast<int32_t>(device->windows.size());
        device->windows.emplace_back();
        device->windows.back().step = step;
      }
      DeviceWindow& w = device->windows[static_cast<size_t>(index)];
      Ps end = lane->end(i);
      device->work = SaturatingAdd(device->work, lane->dur[i]);
      if (lane->start[i] < w.first) {
        w.first = lane->start[i];
        w.first_row = lane->first_row + i;
      }
      w.last = std::max(w.last, end);
      ++w.events;
      if (c == TimeClass::kHostToDevice) w.h2d += lane->dur[i];
      if (c == TimeClass::kDeviceToHost) w.d2h += lane->dur[i];
      if (c == TimeClass::kCollectives) {
        w.collectives.push_back(
            {lane->start[i], end, names.strings.View(names.metas[lane->meta[i]].name)});
      }
    }
  }
  device->outstanding = Outstanding(*device, rest);
}

// Marks the steps that lack the work of launches, so that they do not count. Returns, by step,
// whether it does; one that may have been cut keeps no numbers, because nothing is said of it.
std::vector<bool> Divider::MarkIncomplete() {
  std::vector<bool> incomplete = IncompleteSteps(launches_);
  const std::vector<bool> sure = WithoutCut(plan_.steps, incomplete);
  for (size_t s = 0; s < plan_.steps.size(); ++s) {
    Step& step = plan_.steps[s];
    step.partial = step.partial || incomplete[s];
    if (!sure[s]) continue;
    step.launches = launches_[s].all;
    step.lost_launches = launches_[s].lost;
  }
  return incomplete;
}

// Finds steps and devices without events, and the steps that follow such steps. Steps tile the time
// only where all of it was recorded.
void Divider::FindUnrecorded(StepDatabase* db) {
  std::vector<bool> has_work(plan_.steps.size());
  db->unrecorded_steps.clear();
  db->unrecorded_devices.clear();
  for (const DividedDevice& device : devices_) {
    if (!device.has_events) db->unrecorded_devices.push_back(PlaneId(device.plane));
    for (const DeviceWindow& w : device.windows) has_work[static_cast<size_t>(w.step)] = true;
  }
  // A program that uses one of eight GPUs was recorded whole. Where most devices work, those
  // without an event are more likely to lack theirs.
  if (db->unrecorded_devices.size() * 2 >= devices_.size()) db->unrecorded_devices.clear();
  follows_unrecorded_.assign(plan_.steps.size(), false);
  if (!plan_.tile) return;
  const std::vector<bool> unrecorded = UnrecordedSteps(plan_.steps, has_work);
  std::vector<bool> lacking = MarkIncomplete();
  for (size_t s = 0; s < lacking.size(); ++s) lacking[s] = lacking[s] || unrecorded[s];
  follows_unrecorded_ = FollowUnrecorded(plan_.steps, lacking);
  for (size_t s = 0; s < plan_.steps.size(); ++s) {
    if (unrecorded[s]) db->unrecorded_steps.push_back(plan_.steps[s]);
  }
}

// Leaves out devices that hardly work beside the busiest one: averages over devices would call the
// program idle.
void Divider::LeaveOutIdle(StepDatabase* db) {
  constexpr Ps kNegligible = 100;  // the busiest device's work, divided by this
  db->idle_devices.clear();
  if (!plan_.tile) return;
  Ps most = 0;
  for (const DividedDevice& device : devices_) most = std::max(most, device.work);
  for (DividedDevice& device : devices_) {
    if (device.work <= 0 || device.work >= most / kNegligible) continue;
    db->idle_devices.push_back(PlaneId(device.plane));
    device.windows.clear();
    std::fill(device.window_of_step.begin(), device.window_of_step.end(), -1);
  }
}

// Whether the work that begins the window waited behind work that was not recorded: long after its
// launch, and for a share of the step that a verdict would name.
bool Divider::BehindUnrecorded(const DeviceWindow& w, Ps begin) const {
  constexpr double kNamed = 0.1;  // the share from which a verdict names a loss
  const EventRow launch = grouping_.LaunchOf(w.first_row);
  if (!plan_.tile || !launch.valid()) return false;
  const Ps call = trace_.set.Duration(launch);
  const Ps returned = SaturatingAdd(trace_.set.Start(launch), call);
  const Ps waited = SaturatingSub(w.first, std::max(begin, returned));
  return waited > SaturatingMul(call, IdleExplainer::kSoon) &&
         static_cast<double>(waited) > kNamed * static_cast<double>(w.last - begin);
}

// Places the steps on the device's time: each from the end of the last device event of the step
// before to the end of its own. The first begins with its marker, or when the device is done with
// earlier work; so does a step that follows unrecorded ones.
void Divider::PlaceWindows(DividedDevice* device) const {
  auto marker = [&](const DeviceWindow& w) {
    return plan_.steps[static_cast<size_t>(w.step)].span;
  };
  std::sort(device->windows.begin(), device->windows.end(),
            [&](const DeviceWindow& a, const DeviceWindow& b) {
              auto key = [&](const DeviceWindow& w) {
                return std::make_tuple(marker(w).empty() ? w.first : marker(w).begin, w.step);
              };
              return key(a) < key(b);
            });
  Ps before = kMinPs;
  std::vector<DeviceWindow> kept;
  for (DeviceWindow& w : device->windows) {
    const Ps begin = marker(w).empty() ? w.first : marker(w).begin;
    const bool first = before == kMinPs;
    if (first || follows_unrecorded_[static_cast<size_t>(w.step)]) {
      const Ps done = first && plan_.tile ? device->outstanding : before;
      before = std::max(begin, done);
      w.cut = done > begin || BehindUnrecorded(w, before);
      if (w.cut && done <= begin) before = w.first;
    } else if (!plan_.tile && !marker(w).empty()) {
      before = std::max(before, begin);
    }
    w.span = {before, w.last};
    std::sort(w.collectives.begin(), w.collectives.end(),
              [](const DeviceWindow::Collective& a, const DeviceWindow::Collective& b) {
                return a.begin < b.begin;
              });
    if (w.span.empty()) continue;  // it ended before the step before did
    before = w.last;
    kept.push_back(std::move(w));
  }
  device->windows = std::move(kept);
  if (plan_.tile) ExtendLast(device);
  std::fill(device->window_of_step.begin(), device->window_of_step.end(), -1);
  for (size_t i = 0; i < device->windows.size(); ++i) {
    device->window_of_step[static_cast<size_t>(device->windows[i].step)] = static_cast<int32_t>(i);
  }
}

// Lets the last step end with its marker if the host waits for the device inside it.
void Divider::ExtendLast(DividedDevice* device) const {
  if (device->windows.empty()) return;
  DeviceWindow& w = device->windows.back();
  const TimeRange marker = plan_.steps[static_cast<size_t>(w.step)].span;
  const Track* thread = explainer_->MainThread(trace_.planes[device->plane].host);
  if (thread == nullptr || marker.end <= w.last || marker.begin >= w.last) return;
  for (const HostPiece& piece : activity_->During(*thread, {&marker, 1})) {
    const bool waits = piece.state == HostState::kSync && piece.begin < w.last;
    if (waits && piece.end >= w.last) w.span.end = marker.end;
  }
}

void Divider::WaitsOfCollectives() {
  for (size_t s = 0; s < plan_.steps.size(); ++s) {
    std::vector<DeviceWindow*> sides;
    for (DividedDevice& d : devices_) {
      bool same_host = trace_.planes[d.plane].host == plan_.steps[s].host;
      if (same_host && d.window_of_step[s] >= 0)
        sides.push_back(&d.windows[static_cast<size_t>(d.window_of_step[s])]);
    }
    FindCollectiveWaits(sides);
  }
}

// Adds up the gaps of each window of the device: those in which its step waits for input, and those
// in which the host launches.
void Divider::SumGaps(const std::vector<IdleGap>& gaps, uint8_t device) {
  for (DeviceWindow& w : devices_[device].windows) {
    const std::span<const IdleGap> of_window(gaps.data() + w.first_gap, w.gap_count);
    const Ranges input = host_->InputWaits(w.step, w.span);
    const Ranges launch = host_->Launching(w.step, device, w.span);
    w.input_wait = Overlap(of_window, input);
    w.launching = Overlap(of_window, Union(input, launch)) - w.input_wait;
  }
}

DeviceStep Divider::Finish(const DeviceWindow& w, uint8_t device) const {
  const DividedDevice& of = devices_[device];
  DeviceStep d;
  d.step = static_cast<uint32_t>(w.step);
  d.device = PlaneId(devices_[device].plane);
  d.span = w.span;
  d.events = w.events;
  d.idle = w.idle;
  d.input_wait = w.input_wait;
  d.host_input_wait = host_->InputWaited(w.step, w.span, plan_.steps[d.step].span);
  d.h2d = w.h2d;
  d.d2h = w.d2h;
  d.h2d_hidden = w.h2d_hidden;
  d.d2h_hidden = w.d2h_hidden;
  d.collective_wait = w.collective_wait;
  d.waits = w.waits;
  auto only = [&](TimeClass c) { return static_cast<double>(w.TimeOf(c)); };
  StepBreakdown& t = d.times;
  d.compute16 = only(TimeClass::kCompute16);
  d.compute32 = only(TimeClass::kCompute32);
  t.compute = d.compute16 + d.compute32;
  t.device_to_device = only(TimeClass::kDeviceToDevice);
  t.collectives = only(TimeClass::kCollectives);
  t.launch = static_cast<double>(w.launching);
  t.host_to_device = only(TimeClass::kHostToDevice);
  t.input = static_cast<double>(d.input_wait) + t.host_to_device;
  t.output = only(TimeClass::kDeviceToHost);
  t.other = static_cast<double>(d.idle - d.input_wait - w.launching);
  t.total = static_cast<double>(w.span.length());
  d.class_times = of.losses[static_cast<size_t>(&w - of.windows.data())];
  At(d.class_times, StepTimeClass::kCompute) =
      w.TimeOf(TimeClass::kCompute16) + w.TimeOf(TimeClass::kCompute32);
  At(d.class_times, StepTimeClass::kHostToDevice) = w.TimeOf(TimeClass::kHostToDevice);
  At(d.class_times, StepTimeClass::kDeviceToHost) = w.TimeOf(TimeClass::kDeviceToHost);
  At(d.class_times, StepTimeClass::kDeviceToDevice) = w.TimeOf(TimeClass::kDeviceToDevice);
  At(d.class_times, StepTimeClass::kCollective) = w.TimeOf(TimeClass::kCollectives);
  SplitCollectives(of, w, &d.class_times);
  return d;
}

std::vector<std::vector<DeviceStep>> Divider::FinishAll() const {
  std::vector<std::vector<DeviceStep>> finished(devices_.size());
  ParallelFor(devices_.size(), [&](size_t d) {
    finished[d].reserve(devices_[d].windows.size());
    for (const DeviceWindow& w : devices_[d].windows)
      finished[d].push_back(Finish(w, static_cast<uint8_t>(d)));
  });
  return finished;
}

void AddTimes(const StepBreakdown& from, double factor, StepBreakdown* to) {
  constexpr double StepBreakdown::*kFields[] = {
      &StepBreakdown::compute,      &StepBreakdown::device_to_device, &StepBreakdown::collectives,
      &StepBreakdown::host_compute, &StepBreakdown::launch,           &StepBreakdown::input,
      &StepBreakdown::output,       &StepBreakdown::compile,          &StepBreakdown::other,
      &StepBreakdown::total,        &StepBreakdown::host_to_device};
  for (auto field : kFields) to->*field += from.*field * factor;
}

// Gives the step the mean of its times on its devices, and their span; there is at least one
// device.
void Average(std::span<const DeviceStep> devices, Step* step) {
  const double count = static_cast<double>(devices.size());
  step->times = {};
  step->span = devices[0].span;
  for (const DeviceStep& d : devices) {
    for (size_t c = 0; c < kStepTimeClasses; ++c)
      step->class_times[c] += static_cast<double>(d.class_times[c]) / count;
    AddTimes(d.times, 1.0 / count, &step->times);
    step->span.begin = std::min(step->span.begin, d.span.begin);
    step->span.end = std::max(step->span.end, d.span.end);
    step->compute16 += d.compute16;
    step->compute32 += d.compute32;
  }
}

// Marks steps that the recording cut. Goes host by host: one host may
// have more devices than another.
void MarkPartial(StepDatabase* db, const std::vector<uint32_t>& events) {
  std::vector<Step>& steps = db->steps;
  for (size_t first = 0, end = 0; first < steps.size(); first = end) {
    while (end < steps.size() && steps[end].host == steps[first].host) ++end;
    if (end - first < 3) continue;
    const double median = Median(std::vector<double>(events.begin() + static_cast<ptrdiff_t>(first),
                                                     events.begin() + static_cast<ptrdiff_t>(end)));
    for (const size_t s : {first, end - 1}) {
      if (events[s] < 0.6 * median) steps[s].partial = true;
    }
  }
}

// The share of device events that say that they are nodes of a graph, whether or not its launch was
// recorded.
double Divider::ShareInGraphs() const {
  const auto& graphs = stats_.Int(IntStat::kCudaGraphExecId);
  if (graphs.empty()) return 0;
  size_t all = 0, of_graphs = 0;
  for (const DividedDevice& device : devices_) {
    for (const Lane* lane : device.lanes) {
      all += lane->size();
      graphs.ForRange(lane->first_row, lane->first_row + lane->size(),
                      [&](uint32_t, int64_t id) { of_graphs += id != 0; });
    }
  }
  return all > 0 ? static_cast<double>(of_graphs) / static_cast<double>(all) : 0;
}

// Lists the devices, and when the first step of each host begins.
void Divider::FindDevices() {
  device_of_plane_.assign(trace_.planes.size(), 0);
  for (uint32_t p = 0; p < trace_.planes.size(); ++p) {
    if (trace_.planes[p].kind != PlaneKind::kGpu || devices_.size() >= kMaxDevices) continue;
    DividedDevice d;
    d.plane = p;
    d.lanes = WorkLanes(trace_, trace_.planes[p]);
    d.parts.device = PlaneId(p);
    devices_.push_back(std::move(d));
    device_of_plane_[p] = static_cast<uint8_t>(devices_.size());
  }
  for (DividedDevice& d : devices_)
    d.parts.most = std::min(d.parts.most, kMostIdleParts / devices_.size());
  first_marker_.assign(trace_.hosts.size(), kMaxPs);
  for (const Step& step : plan_.steps) {
    Ps& first = first_marker_[step.host.value];
    if (!step.span.empty()) first = std::min(first, step.span.begin);
  }
  if (plan_.by_launch) std::fill(first_marker_.begin(), first_marker_.end(), plan_.boundaries[0]);
}

// Says where the time of one device's windows went.
void Divider::DivideDevice(uint8_t number) {
  DividedDevice* const device = &devices_[number];
  const auto step_of = [this](uint32_t row, Ps start) { return StepOf(row, start); };
  device->losses.assign(device->windows.size(), {});
  if (!plan_.tile) {
    std::vector<IdleGap> gaps;
    FillWindows(
        class_, step_of, [&]() -> IdleGap& { return gaps.emplace_back(); }, device);
    SumGaps(gaps, number);
    return;
  }
  IdleExplainer::Stream stream(*explainer_, trace_.planes[device->plane].host,
                               PlaneId(device->plane), &device->losses, &device->causes,
                               &device->idle, &device->parts);
  FillWindows(
      class_, step_of, [&]() -> IdleGap& { return stream.Next(); }, device);
  stream.Finish();
  device->parts.Finish();
}

// Moves the steps that have windows into the database. Returns, by step of the plan, its index
// there; -1: it has no window.
std::vector<int64_t> Divider::KeepSteps(StepDatabase* db) {
  std::vector<uint32_t> events;
  std::vector<Step>& steps = plan_.steps;  // kept steps move to the front
  size_t kept = 0;
  std::vector<int64_t> kept_at(steps.size(), -1);
  size_t windows = 0;
  for (const DividedDevice& device : devices_) windows += device.windows.size();
  db->device_steps.reserve(windows);
  std::vector<DeviceStep> mine;
  const std::vector<std::vector<DeviceStep>> finished = FinishAll();
  for (size_t s = 0; s < steps.size(); ++s) {
    mine.clear();
    for (size_t d = 0; d < devices_.size(); ++d) {
      int32_t w = devices_[d].window_of_step.empty() ? -1 : devices_[d].window_of_step[s];
      if (w >= 0) mine.push_back(finished[d][static_cast<size_t>(w)]);
    }
    if (mine.empty()) continue;
    Step step = std::move(steps[s]);
    kept_at[s] = static_cast<int64_t>(kept);
    uint32_t count = 0;
    for (DeviceStep& d : mine) {
      count = std::max(count, d.events);
      d.step = static_cast<uint32_t>(kept);
    }
    Average(mine, &step);
    db->device_steps.insert(db->device_steps.end(), mine.begin(), mine.end());
    events.push_back(count);
    steps[kept++] = std::move(step);
  }
  steps.resize(kept);
  db->steps = std::move(steps);
  MarkPartial(db, events);
  return kept_at;
}

// Moves the device's idle intervals and their causes into the database, with its numbers of steps.
void Divider::KeepIdle(const std::vector<int64_t>& kept_at, DividedDevice* device,
                       StepDatabase* db) {
  const auto step_of = [&](uint32_t window) {
    return kept_at[static_cast<size_t>(device->windows[window].step)];
  };
  for (std::vector<IdleInterval>* intervals : {&device->idle.longest, &device->parts.parts}) {
    for (IdleInterval& interval : *intervals)
      interval.step = static_cast<uint32_t>(std::max<int64_t>(step_of(interval.step), 0));
  }
  db->idle.Append(device->idle);
  if (!device->parts.parts.empty()) db->idle_parts.push_back(std::move(device->parts));
  for (const DeviceWindow& w : device->windows) {
    const int64_t step = kept_at[static_cast<size_t>(w.step)];
    if (w.cut && step >= 0) db->steps[static_cast<size_t>(step)].partial = true;
  }
  std::vector<IdleCause> causes = std::move(device->causes);
  std::erase_if(causes, [&](const IdleCause& cause) { return step_of(cause.step) < 0; });
  for (IdleCause& cause : causes) cause.step = static_cast<uint32_t>(step_of(cause.step));
  if (db->causes.empty()) {
    db->causes = std::move(causes);
  } else {
    db->causes.insert(db->causes.end(), causes.begin(), causes.end());
  }
}

void Divider::Run(StepDatabase* db) {
  FindDevices();
  host_.emplace(trace_, stats_, grouping_, plan_, device_of_plane_);
  // The host and the devices are independent of each other.
  constexpr size_t kOfHost = 3;
  ParallelFor(kOfHost + devices_.size(), [&](size_t i) {
    CheckStop();
    if (i == 0) {
      activity_ = &context_.Get<HostActivity>();
      explainer_.emplace(trace_, grouping_, *activity_, plan_.steps, false);
    }
    if (i == 1) host_->Read();
    if (i == 2 && plan_.tile) launches_ = CountLaunches(trace_, grouping_, plan_);
    if (i >= kOfHost) FindWindows(&devices_[i - kOfHost]);
  });
  CheckStop();
  LeaveOutIdle(db);
  db->graph_share = std::max(explainer_->GraphShare(), ShareInGraphs());
  FindUnrecorded(db);
  for (DividedDevice& device : devices_) PlaceWindows(&device);
  WaitsOfCollectives();
  ParallelFor(devices_.size(), [&](size_t i) { DivideDevice(static_cast<uint8_t>(i)); });
  CheckStop();
  const std::vector<int64_t> kept_at = KeepSteps(db);
  for (DividedDevice& device : devices_) {
    if (!device.windows.empty()) KeepIdle(kept_at, &device, db);
  }
  db->idle.Finish();
  if (plan_.tile) MarkFirst(&db->steps);
  for (const Step& step : db->steps) {
    db->compute16 += step.compute16;
    db->compute32 += step.compute32;
  }
}

}  // namespace

void DivideDevices(AnalysisContext& context, StepPlan plan, StepDatabase* db) {
  Divider(context, std::move(plan)).Run(db);
}

}  // namespace stepscope
