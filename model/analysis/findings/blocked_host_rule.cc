// The rule `blocked-host`: the time that launching threads stand in calls that block, by the op
// that makes them, whatever the device does meanwhile.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/analysis/findings/finding_context.h"
#include "model/analysis/grouping/host_roles.h"
#include "model/analysis/intervals/ranges.h"
#include "model/analysis/steps/cause_name.h"
#include "model/analysis/tables/in_unit.h"
#include "model/base/digits.h"
#include "model/lookup.h"

namespace stepscope {
namespace {

constexpr Ps kLeastCopy = 100 * kPsPerUs;  // a call that only queues a copy returns sooner
constexpr size_t kMostCalls = 1 << 16;     // whose op is looked up

enum class Blocks : uint8_t { kUnknown, kNever, kIfLong, kAlways };

// Whether events of a name block their thread. A name is looked at when it is first asked for.
class BlockingNames {
 public:
  explicit BlockingNames(const Trace& trace)
      : names_(trace.names()), blocks_(names_.metas.size()) {}
  Blocks Of(uint32_t meta) {
    Blocks& known = blocks_[meta];
    if (known == Blocks::kUnknown) known = Find(meta);
    return known;
  }

 private:
  Blocks Find(uint32_t meta) const {
    const EventMeta& m = names_.metas[meta];
    const HostRole role = RoleOfHostEvent(names_.strings.View(m.name), m.category);
    if (role == HostRole::kSync || role == HostRole::kEvent) return Blocks::kAlways;
    return role == HostRole::kCopy ? Blocks::kIfLong : Blocks::kNever;
  }
  const NameTable& names_;
  std::vector<Blocks> blocks_;
};

struct Call {
  TimeRange range;
  EventRow row;
};

// The calls that block on a thread, outermost ones.
std::vector<Call> CallsOn(const Trace& trace, const Track& thread, BlockingNames* names) {
  std::vector<Call> calls;
  for (const Lane& lane : trace.set.LanesOf(thread)) {
    for (uint32_t i = 0; i < lane.size(); ++i) {
      const Blocks kind = names->Of(lane.meta[i]);
      if (kind == Blocks::kNever || lane.dur[i] <= 0) continue;
      if (kind == Blocks::kIfLong && lane.dur[i] < kLeastCopy) continue;
      calls.push_back({{lane.start[i], lane.end(i)}, EventRow(lane.first_row + i)});
    }
  }
  std::sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) {
    return a.range.begin != b.range.begin ? a.range.begin < b.range.begin
                                          : a.range.end > b.range.end;
  });
  Ps end = kMinPs;
  std::erase_if(calls, [&](const Call& call) {
    const bool inside = call.range.end <= end;
    end = std::max(end, call.range.end);
    return inside;
  });
  return calls;
}

// "cudaMemcpyAsync in aten::to": the call, and the innermost op or function around it.
std::string NameOfCall(const Trace& trace, EventRow call) {
  IdleCause cause;
  cause.event = trace.set.Meta(call);
  const NameTable& names = trace.names();
  EventRow at = Parent(trace.set, call);
  for (int depth = 0; at.valid() && depth < 64; ++depth, at = Parent(trace.set, at)) {
    const MetaId meta = trace.set.Meta(at);
    const HostRole role = RoleOfHostEvent(names.Name(meta), names.metas[meta.value].category);
    if (role != HostRole::kWork && role != HostRole::kInput) continue;
    cause.inside = meta;
    break;
  }
  return CauseName(trace, cause);
}

struct BlockedTime {
  // An average step, mean over devices, spends this in such calls; with the device idle; with the
  // device idle for want of the host, so that neither work in its queue nor work that was not
  // recorded holds it.
  double blocked_ms = 0, idle_ms = 0, saved_ms = 0;
  std::map<std::string, double> by_call;  // ps, in all steps
  std::vector<double> idle_of_step;       // ms, mean over devices
  std::vector<PlaneId> devices;
  std::vector<EventRow> rows;
  uint64_t calls = 0;
};

// The part of a range that lies in `ranges`, ps. O(log ranges + touched ranges).
Ps InRanges(TimeRange range, const Ranges& ranges) {
  auto at = std::upper_bound(ranges.begin(), ranges.end(), range.begin,
                             [](Ps t, const TimeRange& r) { return t < r.end; });
  Ps sum = 0;
  for (; at != ranges.end() && at->begin < range.end; ++at)
    sum += std::min(at->end, range.end) - std::max(at->begin, range.begin);
  return sum;
}

// Adds the part of one step that its device is idle in. `parts`: by time, of all steps of the
// trace, whose numbers are not those of the steps that were asked for.
double IdleIn(const FindingContext& input, const DeviceStep& step,
              const std::vector<IdleInterval>& parts, const Ranges& calls, BlockedTime* sum) {
  auto at =
      std::lower_bound(parts.begin(), parts.end(), step.span.begin,
                       [](const IdleInterval& part, Ps begin) { return part.range.begin < begin; });
  double all = 0;
  for (; at != parts.end() && at->range.begin < step.span.end; ++at) {
    const double ms = InMs(InRanges(at->range, calls));
    const bool host = at->loss != StepTimeClass::kQueued && at->loss != StepTimeClass::kUnknown;
    sum->saved_ms += host ? input.WeightOf(step.step) * ms : 0;
    all += ms;
  }
  return all;
}

// Adds the steps of one device. `calls`: the union of what blocks on the threads that launch its
// work.
void AddDevice(const FindingContext& input, const DeviceIdle& idle, const Ranges& calls,
               BlockedTime* sum) {
  double all = 0;
  for (const DeviceStep& d : input.db().device_steps) {
    if (d.device != idle.device) continue;
    sum->blocked_ms += input.WeightOf(d.step) * InMs(InRanges(d.span, calls));
    const double ms = IdleIn(input, d, idle.parts, calls, sum);
    sum->idle_ms += input.WeightOf(d.step) * ms;
    sum->idle_of_step[d.step] += ms / input.DevicesOf(d.step);
    all += ms;
  }
  if (all > 0) sum->devices.push_back(idle.device);
}

// The calls of all threads that launch the device's work. Each call is named once.
Ranges CallsOf(const FindingContext& input, const std::vector<const Track*>& threads,
               BlockingNames* names, BlockedTime* sum) {
  Ranges ranges;
  for (const Track* thread : threads) {
    for (const Call& call : CallsOn(input.trace(), *thread, names)) {
      ranges.push_back(call.range);
      if (++sum->calls > kMostCalls) continue;
      sum->by_call[NameOfCall(input.trace(), call.row)] += static_cast<double>(call.range.length());
      if (sum->rows.size() < FindingContext::kMostEvents) sum->rows.push_back(call.row);
    }
  }
  return UnionOf(std::move(ranges));
}

BlockedTime BlockedTimeOf(const FindingContext& input) {
  BlockedTime sum;
  sum.idle_of_step.resize(input.db().steps.size());
  BlockingNames names(input.trace());
  const ThreadsOfDevices threads = LaunchThreads(input);
  for (const DeviceIdle& idle : input.db().idle_parts) {
    const auto of_device = threads.find(idle.device);
    CheckStop();
    if (of_device == threads.end()) continue;
    AddDevice(input, idle, CallsOf(input, of_device->second, &names, &sum), &sum);
  }
  return sum;
}

// The three calls with the most time: "cudaMemcpyAsync in aten::to 81 %, ...".
std::string LargestCalls(const BlockedTime& sum) {
  std::vector<std::pair<std::string, double>> calls(sum.by_call.begin(), sum.by_call.end());
  std::stable_sort(calls.begin(), calls.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  double all = 0;
  for (const auto& [name, ps] : calls) all += ps;
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(calls.size(), 3); ++i) {
    const double percent = 100 * calls[i].second / all;
    if (i > 0 && percent < 5) break;
    text += (i > 0 ? ", " : "") + calls[i].first + " " + PercentText(percent);
  }
  return text;
}

std::string TitleOf(const FindingContext& input, const BlockedTime& sum) {
  std::string title = fmt::format(
      "The host is blocked for {} of {}, and the device is idle for {} of that: {}",
      MsText(sum.blocked_ms), input.EveryStep(), MsText(sum.idle_ms), LargestCalls(sum));
  if (sum.saved_ms < sum.idle_ms / 2)
    title += "; meanwhile the device waits for queued work, or for what was not recorded";
  return title + ".";
}

}  // namespace

void FindBlockedHost(const FindingContext& input, double threshold, std::vector<RuleFinding>* out) {
  if (input.db().idle_parts.empty()) return;
  const BlockedTime sum = BlockedTimeOf(input);
  if (sum.idle_ms <= 0 || input.PercentOfStep(sum.idle_ms) < threshold) return;
  RuleFinding found;
  found.title = TitleOf(input, sum);
  found.measured = input.PercentOfStep(sum.idle_ms);
  found.saving_ms = sum.saved_ms;
  found.assumption =
      "The host launches the next work instead of waiting. Time in which the device has work in "
      "its queue, or in which nothing says why it is idle, is not saved." +
      SharedWith("sync and launch-bound") + " " + input.Uncertainty();
  const bool said_by_sync = input.LossMs(StepTimeClass::kSync) >= sum.saved_ms / 2;
  if (sum.saved_ms < sum.idle_ms / 2) found.remedy = input.Remedy("blocked-host.queued");
  if (said_by_sync) found.most = FindingSeverity::kNote;
  found.devices = sum.devices;
  for (const uint32_t s : input.AllSteps()) {
    const double total = InMs(input.db().steps[s].times.total);
    if (total > 0 && 100 * sum.idle_of_step[s] / total >= threshold) found.steps.push_back(s);
  }
  found.link.total = sum.calls;
  found.link.rows = EventRows(sum.rows);
  out->push_back(std::move(found));
}

}  // namespace stepscope
