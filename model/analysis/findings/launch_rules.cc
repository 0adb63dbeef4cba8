// The rules about a host that does not launch fast enough: `launch-bound`, `short-kernels`,
// `host-threads` and `compiled-launches`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "model/analysis/devices/device_launches.h"
#include "model/analysis/findings/idle_loss.h"
#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/grouping/host_roles.h"
#include "model/analysis/kernels/kernel_stats.h"
#include "model/analysis/naming/program.h"
#include "model/analysis/naming/short_label.h"
#include "model/analysis/tables/in_unit.h"
#include "model/base/ascii.h"
#include "model/base/digits.h"
#include "model/lookup.h"

namespace stepscope {
namespace {

constexpr double kShortUs = InUs(kShortKernel);

std::string DurationOfUs(double us) {
  return FormatDuration(static_cast<Ps>(std::llround(us * static_cast<double>(kPsPerUs))), 3);
}

// Delay and queue of the stream with the most launches: "; median launch delay 2.1 us; on average
// 0.3 kernels queued".
std::string DelayText(const FindingContext& input) {
  if (input.AllKernels().empty()) return {};
  const auto delays = input.context().Get<LaunchDelays>(input.params());
  const auto busiest = std::max_element(
      delays->streams.begin(), delays->streams.end(),
      [](const StreamDelays& a, const StreamDelays& b) { return a.launches < b.launches; });
  if (busiest == delays->streams.end()) return {};
  std::string text;
  if (busiest->median_us > 0) text = "; median launch delay " + DurationOfUs(busiest->median_us);
  return text + fmt::format("; on average {:.1f} kernels queued", busiest->queue_mean);
}

struct ShortKernels {
  double count = 0, all = 0, us = 0;
  std::map<std::string, double> by_op;  // number of short kernels
  std::vector<EventRow> rows;
};

ShortKernels CountShort(std::span<const KernelGroup> kernels) {
  ShortKernels found;
  for (const KernelGroup& kernel : kernels) {
    const double count = static_cast<double>(kernel.occurrences);
    found.all += count;
    if (kernel.occurrences > 0 && kernel.average_us() >= kShortUs) continue;
    found.count += count;
    found.us += InUs(kernel.total);
    const std::string_view op = kernel.op_name;
    found.by_op[op.empty() ? InSentence(kernel.shown()) : OpKind(op)] += count;
    AppendEvents(kernel.rows, &found.rows);
  }
  return found;
}

// The three ops with the most short kernels.
std::string OpsToFuse(const ShortKernels& kernels) {
  std::vector<std::pair<std::string, double>> ops(kernels.by_op.begin(), kernels.by_op.end());
  std::stable_sort(ops.begin(), ops.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(ops.size(), 3); ++i) {
    text +=
        (i > 0 ? ", " : "") + ops[i].first + " " + PercentText(100 * ops[i].second / kernels.count);
  }
  return text;
}

// The time in which threads of a host prepare input or run callbacks.
Ranges BusyThreads(const FindingContext& input, HostId host) {
  static constexpr std::array<std::string_view, 4> kNames = {"Iterator::", "HostCallback",
                                                             "EagerPyFunc", "PyFunc"};
  const Trace& trace = input.trace();
  const NameTable& names = trace.names();
  std::vector<bool> wanted(names.metas.size());
  bool any = false;
  for (size_t m = 0; m < wanted.size(); ++m) {
    wanted[m] = BeginsWithAny(names.strings.View(names.metas[m].name), kNames);
    any = any || wanted[m];
  }
  Ranges busy;
  if (!any) return busy;
  for (const Track* thread : HostThreadsOf(trace, host)) {
    for (const Lane& lane : trace.set.LanesOf(*thread)) {
      for (uint32_t i = 0; i < lane.size(); ++i) {
        if (wanted[lane.meta[i]] && lane.dur[i] > 0) busy.push_back({lane.start[i], lane.end(i)});
      }
    }
  }
  return UnionOf(std::move(busy));
}

// Idle time for want of launches, and all time, while such threads work (in) and do not (out).
struct Contention {
  double idle_in = 0, all_in = 0, idle_out = 0, all_out = 0;  // ps
  Ps longest = 0;
  RowLink link;
  std::vector<PlaneId> devices;
  std::vector<double> idle_of_step;  // the step's part of idle_in, all devices

  double ratio() const {
    return idle_out > 0 && all_in > 0 ? (idle_in / all_in) / (idle_out / all_out) : 1e3;
  }
  // The idle time beyond the usual rate, ps. The usual rate is idle time by working time while such
  // threads do not work, applied to the working time while they do
  // (docs/findings.md#rules).
  double excess() const {
    const double busy_in = all_in - idle_in, busy_out = all_out - idle_out;
    return busy_out > 0 && all_in > 0 ? idle_in - idle_out / busy_out * busy_in : 0;
  }
};

// The part of a range that lies in `busy`, ps. O(log busy + touched ranges).
double InBusy(TimeRange range, const Ranges& busy) {
  auto at = std::upper_bound(busy.begin(), busy.end(), range.begin,
                             [](Ps t, const TimeRange& r) { return t < r.end; });
  Ps sum = 0;
  for (; at != busy.end() && at->begin < range.end; ++at)
    sum += std::min(at->end, range.end) - std::max(at->begin, range.begin);
  return static_cast<double>(sum);
}

// The steps that lose at least the threshold to such threads.
std::vector<uint32_t> StepsOf(const FindingContext& input, const Contention& sums,
                              double threshold) {
  std::vector<uint32_t> steps;
  for (const uint32_t s : input.steps()) {
    const double total = input.db().steps[s].times.total * input.DevicesOf(s);
    if (total > 0 && 100 * sums.idle_of_step[s] / total >= threshold) steps.push_back(s);
  }
  return steps;
}

void AddDevice(const FindingContext& input, PlaneId device, const Ranges& busy, Contention* sums) {
  Ranges spans, idle;
  for (const DeviceStep& d : input.db().device_steps) {
    if (d.device == device && input.Counts(d.step)) spans.push_back(d.span);
  }
  std::vector<EventRow> rows;
  for (const IdleInterval& i : input.db().idle.longest) {
    const bool launch = i.loss == StepTimeClass::kLaunch || i.loss == StepTimeClass::kHost;
    if (i.device != device || !launch || !input.Counts(i.step)) continue;
    idle.push_back(i.range);
    sums->idle_of_step[i.step] += InBusy(i.range, busy);
    if (i.row.valid() && rows.size() < FindingContext::kMostEvents) rows.push_back(i.row);
    if (i.range.length() > sums->link.range.length()) sums->link.range = i.range;
  }
  spans = UnionOf(std::move(spans));
  idle = UnionOf(std::move(idle));
  const double all = static_cast<double>(LengthOf(spans)),
               in = static_cast<double>(Overlap(spans, busy));
  const double lost = static_cast<double>(LengthOf(idle)),
               lost_in = static_cast<double>(Overlap(idle, busy));
  sums->all_in += in, sums->all_out += all - in;
  sums->idle_in += lost_in, sums->idle_out += lost - lost_in;
  if (lost_in <= 0) return;
  sums->devices.push_back(device);
  sums->link.rows.Append(EventRows(std::move(rows)));
  sums->link.total = sums->link.rows.size();
}

}  // namespace

void FindLaunchBound(const FindingContext& input, double threshold, std::vector<RuleFinding>* out) {
  const IdleLoss loss = SumIdle(input, StepTimeClass::kLaunch, threshold);
  if (loss.percent < threshold) return;
  const std::string title = input.Waits() + " " + MsText(loss.ms) + " of " + input.EveryStep() +
                            " for kernels to be launched" + InCause(loss) + DelayText(input) + ".";
  out->push_back(
      FindingOfLoss(input, loss, title,
                    "Launches are always ahead of the device: fewer and larger kernels, or "
                    "graphs of them."));
}

void FindShortKernels(const FindingContext& input, double threshold,
                      std::vector<RuleFinding>* out) {
  const ShortKernels kernels = CountShort(input.Kernels());
  const double percent = kernels.all > 0 ? 100 * kernels.count / kernels.all : 0;
  const double steps = input.DeviceSteps();
  const LateTimes late = input.Late();
  const double lost =
      late.launch > 0 ? input.LossMs(StepTimeClass::kLaunch) * late.after_short / late.launch : 0;
  const double own = kernels.us / 1000 / steps;
  // Short kernels that cost little time are no finding.
  if (percent < threshold || input.PercentOfStep(lost + own) < 5) return;
  RuleFinding found;
  found.title = fmt::format(
      "{:.0f} of {:.0f} kernels{} are shorter than a launch ({:.0f} \u00b5s), {:.1f} "
      "\u00b5s on average; most belong to {}.",
      kernels.count / steps, kernels.all / steps, input.InEachStep(), kShortUs,
      kernels.us / kernels.count, OpsToFuse(kernels));
  found.measured = percent;
  found.saving_ms = lost;
  found.assumption =
      "Fused kernels are long enough for the next launch: no launch is waited for right after "
      "one." +
      SharedWith("launch-bound") + " " + input.Uncertainty();
  found.devices = input.Devices();
  found.steps = input.AllSteps();
  found.link.rows = EventRows(kernels.rows);
  found.link.total = static_cast<uint64_t>(kernels.count);
  out->push_back(std::move(found));
}

void FindHostThreads(const FindingContext& input, double threshold, std::vector<RuleFinding>* out) {
  Contention sums;
  sums.idle_of_step.resize(input.db().steps.size());
  std::map<uint32_t, Ranges> by_host;
  for (const PlaneId device : input.Devices()) {
    const HostId host = input.trace().planes[device.value].host;
    const auto [at, fresh] = by_host.try_emplace(host.value);
    if (fresh) at->second = BusyThreads(input, host);
    if (!at->second.empty()) AddDevice(input, device, at->second, &sums);
  }
  // If such threads always or never work, there is nothing to compare with.
  const double all = sums.all_in + sums.all_out;
  if (all <= 0 || sums.all_out < 0.05 * all || sums.ratio() < 1.5) return;
  const double n =
      static_cast<double>(input.steps().size() * std::max<size_t>(1, sums.devices.size()));
  const double saving = InMs(sums.excess() / n);
  if (input.PercentOfStep(saving) < threshold) return;
  RuleFinding found;
  found.title = fmt::format(
      "While threads of the host prepare input or run callbacks, devices are idle for want of "
      "launches {} of the time, else {}: {} of {}.",
      PercentText(100 * sums.idle_in / sums.all_in, 0),
      PercentText(100 * sums.idle_out / sums.all_out, 0), MsText(saving), input.EveryStep());
  found.measured = input.PercentOfStep(saving);
  found.saving_ms = saving;
  found.assumption =
      "With threads of their own launches are as fast as while no such thread works. That two "
      "things happen together does not prove that one causes the other." +
      SharedWith("launch-bound and host-op") + " " + input.Uncertainty();
  found.devices = sums.devices;
  found.steps = StepsOf(input, sums, threshold);
  found.link = sums.link;
  out->push_back(std::move(found));
}

// The rule `compiled-launches`: compiled code whose kernels wait for their launches. A graph of
// them is launched at once.

namespace {

bool IsCompiled(const Trace& trace, MetaId meta) {
  const std::string_view name = trace.names().Name(meta);
  if (IsCompiledRegion(name) || name.starts_with("XlaLaunch") || name.starts_with("_XlaRun"))
    return true;
  return RoleOfHostEvent(name, trace.names().metas[meta.value].category) == HostRole::kExecutor &&
         !name.starts_with("ExecutorState");
}

bool IsGraphLaunch(const Trace& trace, MetaId meta) {
  const NameTable& names = trace.names();
  return RoleOfHostEvent(names.Name(meta), names.metas[meta.value].category) == HostRole::kGraph;
}

// Whether the first event of the cause is inside compiled code. The launch of a graph is what the
// rule advises.
bool InCompiledCode(const Trace& trace, const IdleCause& cause) {
  EventRow at = cause.rows.front();
  if (at.valid() && IsGraphLaunch(trace, trace.set.Meta(at))) return false;
  for (int depth = 0; at.valid() && depth < 64; ++depth, at = Parent(trace.set, at)) {
    if (IsCompiled(trace, trace.set.Meta(at))) return true;
  }
  return false;
}

}  // namespace

void FindCompiledLaunches(const FindingContext& input, double threshold,
                          std::vector<RuleFinding>* out) {
  if (input.PercentOfStep(input.LossMs(StepTimeClass::kLaunch)) < threshold) return;
  const IdleLoss loss = SumIdle(
      input,
      [&](const IdleCause& cause) {
        return cause.loss == StepTimeClass::kLaunch && InCompiledCode(input.trace(), cause);
      },
      threshold);
  if (loss.percent < threshold) return;
  out->push_back(FindingOfLoss(
      input, loss,
      input.Waits() + " " + MsText(loss.ms) + " of " + input.EveryStep() +
          " for launches inside compiled code" + InCause(loss) + ".",
      "One launch starts all kernels of the compiled code." + SharedWith("launch-bound")));
}

}  // namespace stepscope
