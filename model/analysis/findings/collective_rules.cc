// The rules about GPUs that wait for one another: `allreduce`, `imbalance`, `sequential-gpus`
// and `small-collectives`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "model/analysis/findings/finding_context.h"
#include "model/analysis/findings/idle_loss.h"
#include "model/analysis/intervals/lane_merge.h"
#include "model/analysis/steps/device_classes.h"
#include "model/analysis/tables/in_unit.h"
#include "model/base/digits.h"

namespace stepscope {
namespace {

// --- the bytes that collectives move, where they are recorded (PyTorch) ---

struct Traffic {
  double bytes = 0;  // sent by each participant of a ring
  double seconds = 0;
  int decoded = 0;
};

double BytesOfType(const std::string& dtype) {
  if (dtype == "Double" || dtype == "Long") return 8;
  if (dtype == "Half" || dtype == "BFloat16" || dtype == "Short") return 2;
  if (dtype == "Byte" || dtype == "Char" || dtype == "Bool" || dtype.starts_with("Float8"))
    return 1;
  return 4;
}

double NumberIn(const Stat& stat) {
  if (const auto* i = std::get_if<int64_t>(&stat.value)) return static_cast<double>(*i);
  if (const auto* u = std::get_if<uint64_t>(&stat.value)) return static_cast<double>(*u);
  const auto* d = std::get_if<double>(&stat.value);
  return d != nullptr ? *d : 0;
}

// The bytes that ring all-reduces of n participants send: 2 (n - 1) / n of their size
// (docs/findings.md#rules).
Traffic TrafficOf(const FindingContext& input, const std::vector<EventRow>& rows) {
  constexpr size_t kMostDecoded = 64;
  Traffic traffic;
  const Trace& trace = input.trace();
  if (!trace.source || !trace.kineto) return traffic;
  for (size_t i = 0; i < std::min(rows.size(), kMostDecoded); ++i) {
    const Result<std::vector<Stat>> stats = trace.source->Decode(trace, rows[i]);
    if (!stats.ok()) return traffic;
    double elements = 0, bytes = 4, ranks = 0;
    for (const Stat& stat : stats.value()) {
      if (stat.name == "In msg nelems") elements = NumberIn(stat);
      if (stat.name == "dtype") bytes = BytesOfType(ToText(stat));
      if (stat.name == "Group size") ranks = NumberIn(stat);
    }
    if (elements <= 0 || ranks < 2) continue;
    traffic.bytes += elements * bytes * 2 * (ranks - 1) / ranks;
    traffic.seconds +=
        static_cast<double>(trace.set.Duration(rows[i])) / static_cast<double>(kPsPerS);
    ++traffic.decoded;
  }
  return traffic;
}

std::string TrafficText(const FindingContext& input, const DeviceScan& scan) {
  const Traffic t = TrafficOf(input, scan.collective_rows);
  if (t.decoded == 0 || t.seconds <= 0) return {};
  const double bandwidth = input.thresholds().Of("allreduce-bandwidth");  // 10^9 bytes a second
  return fmt::format("; they move {:.3g} GB/s, and would take {} of the time at {:.0f} GB/s",
                     t.bytes / t.seconds / 1e9,
                     PercentText(100 * t.bytes / (bandwidth * 1e9) / t.seconds), bandwidth);
}

// --- the device that is late ---

struct DeviceMean {
  PlaneId device;
  double steps = 0;
  std::array<double, kStepTimeClasses> ms{};
  double wait() const { return Of(StepTimeClass::kCollectiveWait); }
  double Of(StepTimeClass c) const { return ms[static_cast<size_t>(c)]; }
};

// The devices of one host by name, with means over the steps that count.
std::vector<DeviceMean> MeansOf(const FindingContext& input, HostId host) {
  std::map<uint32_t, DeviceMean> sums;
  for (const DeviceStep& d : input.db().device_steps) {
    if (!input.Counts(d.step) || input.trace().planes[d.device.value].host != host) continue;
    DeviceMean& sum = sums[d.device.value];
    sum.device = d.device;
    ++sum.steps;
    for (size_t c = 0; c < kStepTimeClasses; ++c) sum.ms[c] += InMs(d.class_times[c]);
  }
  std::vector<DeviceMean> means;
  for (auto& [device, sum] : sums) {
    for (double& ms : sum.ms) ms /= sum.steps;
    means.push_back(sum);
  }
  std::sort(means.begin(), means.end(), [&](const DeviceMean& a, const DeviceMean& b) {
    return input.NameOf(a.device) < input.NameOf(b.device);
  });
  return means;
}

// The class in which the late device spends most more time than the others, and how much.
std::pair<StepTimeClass, double> ExcessOf(const std::vector<DeviceMean>& means,
                                          const DeviceMean& late) {
  std::pair<StepTimeClass, double> most{StepTimeClass::kUnknown, 0};
  for (size_t c = 0; c < kStepTimeClasses; ++c) {
    const auto loss = static_cast<StepTimeClass>(c);
    if (loss == StepTimeClass::kCollectiveWait || loss == StepTimeClass::kCollective) continue;
    double others = 0;
    for (const DeviceMean& mean : means) others += &mean == &late ? 0 : mean.ms[c];
    const double excess = late.ms[c] - others / static_cast<double>(means.size() - 1);
    if (excess > most.second) most = {loss, excess};
  }
  return most;
}

const char* DoingOf(StepTimeClass loss) {
  switch (loss) {
    case StepTimeClass::kCompute:
      return "computes";
    case StepTimeClass::kHostToDevice:
    case StepTimeClass::kDeviceToHost:
    case StepTimeClass::kDeviceToDevice:
      return "copies";
    case StepTimeClass::kInput:
      return "waits for input";
    case StepTimeClass::kSync:
      return "waits for a host that blocks";
    case StepTimeClass::kCompile:
      return "waits for compilation";
    case StepTimeClass::kLaunch:
      return "waits for launches";
    case StepTimeClass::kQueued:
      return "waits for work in its queue";
    case StepTimeClass::kHost:
    case StepTimeClass::kBetweenSteps:
      return "waits for work of its host";
    default:
      return "is idle";
  }
}

std::string ExcessText(const FindingContext& input, const std::vector<DeviceMean>& means,
                       const DeviceMean& late, double threshold) {
  const auto [loss, ms] = ExcessOf(means, late);
  if (ms <= 0) return {};
  std::string text = fmt::format("; it {} {} longer than the others", DoingOf(loss), MsText(ms));
  if (!IsIdle(loss) || loss == StepTimeClass::kUnknown) return text;
  const IdleLoss causes = SumIdle(
      input,
      [&, c = loss](const IdleCause& cause) {
        return cause.loss == c && cause.device == late.device;
      },
      threshold);
  return causes.cause.empty() ? text : text + " (" + causes.causes + ")";
}

std::vector<HostId> HostsOf(const FindingContext& input) {
  std::vector<HostId> hosts;
  for (uint32_t h = 0; h < input.trace().hosts.size(); ++h) hosts.emplace_back(h);
  return hosts;
}

void FindLate(const FindingContext& input, HostId host, double threshold,
              std::vector<RuleFinding>* out) {
  const std::vector<DeviceMean> means = MeansOf(input, host);
  if (means.size() < 2) return;
  const auto less = [](const DeviceMean& a, const DeviceMean& b) { return a.wait() < b.wait(); };
  const DeviceMean& late = *std::min_element(means.begin(), means.end(), less);
  const double longest = std::max_element(means.begin(), means.end(), less)->wait();
  const bool clear = longest - late.wait() >= longest / 2;
  // If devices are late in turn, each waits less on average than one of them does in each step.
  const double most = input.LongestWaitMs(host);
  const double step_ms = input.StepMsOf(host);
  const double percent = step_ms > 0 ? 100 * most / step_ms : 0;
  if (percent < threshold) return;
  RuleFinding found;
  found.title =
      clear
          ? fmt::format("{} is late{}: the others wait up to {} of {} for it in collectives{}.",
                        input.NameOf(late.device), input.whole() ? "" : " in every step",
                        MsText(most), input.EveryStep(step_ms),
                        ExcessText(input, means, late, threshold))
          : fmt::format(
                "The {}s take turns at being late: one waits {} of {} for another in collectives.",
                input.program().device, MsText(most), input.EveryStep(step_ms));
  found.measured = percent;
  found.saving_ms = most;
  found.assumption =
      "All devices reach their collectives at the same time; each step is as much shorter as the "
      "device that waits longest in it waits. Devices of other hosts are not compared. " +
      input.Uncertainty();
  found.devices = {late.device};
  if (!clear) {
    found.devices.clear();
    for (const DeviceMean& mean : means) found.devices.push_back(mean.device);
  }
  std::vector<bool> waits(input.db().steps.size());
  for (const DeviceStep& d : input.db().device_steps) {
    const Ps wait = At(d.class_times, StepTimeClass::kCollectiveWait);
    if (d.times.total > 0 && 100 * static_cast<double>(wait) / d.times.total >= threshold)
      waits[d.step] = true;
  }
  for (const uint32_t s : input.AllSteps()) {
    if (waits[s]) found.steps.push_back(s);
  }
  for (const DeviceScan& scan : input.Scans()) {
    if (scan.device == late.device) continue;
    found.link.total += scan.collectives;
    if (found.link.rows.empty()) found.link.rows = EventRows(scan.collective_rows);
  }
  out->push_back(std::move(found));
}

// --- devices that compute in turn ---

struct Turns {
  Ps any = 0, one = 0;  // time in which any device computes, and exactly one
  Ps longest = 0;       // time in which the busiest device computes
  Ranges alone;         // the intervals of `one`
};

Turns TurnsOf(const std::vector<const DeviceScan*>& scans) {
  std::vector<std::pair<Ps, int>> changes;
  Turns turns;
  for (const DeviceScan* scan : scans) {
    turns.longest = std::max(turns.longest, LengthOf(scan->computing));
    for (const TimeRange& r : scan->computing) {
      changes.emplace_back(r.begin, 1);
      changes.emplace_back(r.end, -1);
    }
  }
  std::sort(changes.begin(), changes.end());
  int open = 0;
  for (size_t i = 0; i + 1 < changes.size(); ++i) {
    open += changes[i].second;
    const Ps time = changes[i + 1].first - changes[i].first;
    turns.any += open > 0 ? time : 0;
    turns.one += open == 1 ? time : 0;
    if (open == 1 && time > 0) MergeInto(&turns.alone, {changes[i].first, changes[i + 1].first});
  }
  return turns;
}

// Links to the first kernels of each device that begin while one device alone computes, and to
// the longest such interval.
RowLink KernelsAlone(const FindingContext& input, const std::vector<const DeviceScan*>& scans,
                     const Ranges& alone) {
  const Trace& trace = input.trace();
  const std::vector<uint8_t>& classes = input.context().Get<DeviceClasses>().of_meta;
  RowLink link;
  std::vector<EventRow> rows;
  for (const DeviceScan* scan : scans) {
    const size_t most = rows.size() + FindingContext::kMostEvents / scans.size();
    auto at = alone.begin();
    ForEachByStart(WorkLanes(trace, trace.planes[scan->device.value]),
                   [&](const Lane& lane, uint32_t i) {
                     const auto c = static_cast<TimeClass>(classes[lane.meta[i]]);
                     if (c != TimeClass::kCompute16 && c != TimeClass::kCompute32) return;
                     while (at != alone.end() && at->end <= lane.start[i]) ++at;
                     if (at == alone.end() || lane.start[i] < at->begin) return;
                     ++link.total;
                     if (rows.size() < most) rows.emplace_back(lane.first_row + i);
                   });
  }
  for (const TimeRange& r : alone) {
    if (r.length() > link.range.length()) link.range = r;
  }
  link.rows = EventRows(std::move(rows));
  return link;
}

// Collectives that a backend carries out on the host, which waits for them.
void FindHostCollectives(const FindingContext& input, double threshold,
                         std::vector<RuleFinding>* out) {
  const IdleLoss loss = SumIdle(input, StepTimeClass::kCollective, threshold);
  if (loss.percent < threshold) return;
  RuleFinding found = FindingOfLoss(
      input, loss,
      fmt::format("Exposed collectives take {} of {}, waits for other ranks included{}.",
                  MsText(loss.ms), input.EveryStep(), InCause(loss)),
      "All of it is hidden behind computation.");
  found.remedy =
      "See among the ranks whether one is late; overlap them with the backward pass, make buckets "
      "larger, or send fewer bytes.";
  out->push_back(std::move(found));
}

// Whether waits for late participants are in the time of collectives: they are known only among the
// devices of one host.
const char* WaitsText(const FindingContext& input, const std::vector<PlaneId>& devices) {
  std::map<uint32_t, int> of_host;
  for (const PlaneId device : devices) ++of_host[input.trace().planes[device.value].host.value];
  if (of_host.size() > 1) return "waits for ranks of other hosts included";
  return devices.size() > 1 ? "excluding waits for late participants"
                            : "waits for participants that were not recorded included";
}

// "; mostly they wait for rank 5, which is late"
std::string LateRankText(const FindingContext& input) {
  const std::optional<LateRank>& late = input.verdict().late_rank;
  return late && late->leads
             ? fmt::format("; mostly they wait for rank {}, which is late", late->rank)
             : "";
}

}  // namespace

void FindAllReduce(const FindingContext& input, double threshold, std::vector<RuleFinding>* out) {
  if (input.db().kind == DeviceKind::kCpuOnly) {
    FindHostCollectives(input, threshold, out);
    return;
  }
  const double ms = input.LossMs(StepTimeClass::kCollective);
  if (input.PercentOfStep(ms) < threshold) return;
  RuleFinding found;
  Ps all = 0, hidden = 0;
  double kernels = 0, steps = 0;
  const DeviceScan* most = nullptr;
  for (const DeviceScan& scan : input.Scans()) {
    all += scan.collective_time, hidden += scan.collective_hidden;
    kernels += static_cast<double>(scan.collectives), steps += scan.steps;
    found.link.total += scan.collectives;
    if (scan.collectives > 0) found.devices.push_back(scan.device);
    if (most == nullptr || scan.collectives > most->collectives) most = &scan;
  }
  if (most == nullptr || steps <= 0) return;
  found.title = fmt::format(
      "Exposed collectives take {} of {} ({} of their time overlaps compute), {}{}; {:.{}f} "
      "kernels{}{}.",
      MsText(ms), input.EveryStep(), PercentText(all > 0 ? 100 * InMs(hidden) / InMs(all) : 0),
      WaitsText(input, found.devices), LateRankText(input), kernels / steps, input.whole() ? 0 : 1,
      input.whole() ? " on a device" : " a step", TrafficText(input, *most));
  found.measured = input.PercentOfStep(ms);
  found.saving_ms = ms;
  found.assumption =
      "All of it is hidden behind computation; there must be computation left that does not need "
      "its result. " +
      input.Uncertainty();
  if (input.verdict().late_rank && input.verdict().late_rank->leads) {
    found.remedy = input.verdict().InWords().next_step;
    found.assumption =
        "No rank is late, and all of it is hidden behind computation. " + input.Uncertainty();
  }
  found.link.rows = EventRows(most->collective_rows);
  const auto of = static_cast<size_t>(StepTimeClass::kCollective);
  for (const uint32_t s : input.AllSteps()) {
    const Step& step = input.db().steps[s];
    if (step.times.total > 0 && 100 * step.class_times[of] / step.times.total >= threshold)
      found.steps.push_back(s);
  }
  out->push_back(std::move(found));
}

void FindImbalance(const FindingContext& input, double threshold, std::vector<RuleFinding>* out) {
  for (const HostId host : HostsOf(input)) FindLate(input, host, threshold, out);
}

void FindSequentialGpus(const FindingContext& input, double threshold,
                        std::vector<RuleFinding>* out) {
  for (const HostId host : HostsOf(input)) {
    std::vector<const DeviceScan*> scans;
    uint32_t steps = 0;
    for (const DeviceScan& scan : input.Scans()) {
      if (input.trace().planes[scan.device.value].host != host || scan.computing.empty()) continue;
      scans.push_back(&scan);
      steps = std::max(steps, scan.steps);
    }
    if (scans.size() < 2 || steps == 0) continue;
    const Turns turns = TurnsOf(scans);
    const double percent = turns.any > 0 ? 100 * InMs(turns.one) / InMs(turns.any) : 0;
    const double saving = InMs(turns.any - turns.longest) / steps;
    // Devices that hardly compute are alone by chance.
    const bool busy = input.PercentOfStep(InMs(turns.any) / steps) >= 50;
    if (!busy || percent < threshold || input.PercentOfStep(saving) < 5) continue;
    RuleFinding found;
    found.title = fmt::format(
        "In {} of the time in which any of {} {}s computes, only one does: they take turns.",
        PercentText(percent), scans.size(), input.program().device);
    found.measured = percent;
    found.saving_ms = std::min(saving, input.step_ms());
    found.assumption =
        "The devices compute side by side, and the step is as long as the busiest of them needs." +
        SharedWith("imbalance") + " " + input.Uncertainty();
    for (const DeviceScan* scan : scans) found.devices.push_back(scan->device);
    for (const uint32_t s : input.AllSteps()) {
      if (input.db().steps[s].host == host) found.steps.push_back(s);
    }
    found.link = KernelsAlone(input, scans, turns.alone);
    out->push_back(std::move(found));
  }
}

// The rule `small-collectives`: collectives so short that they take their latency only.

namespace {

// A ring within a machine answers in 10 to 20 us however few bytes it moves (NCCL's tests).
constexpr Ps kLongestLatency = 20 * kPsPerUs;

struct SmallSum {
  double ms = 0, count = 0, broadcasts = 0;  // of an average step, mean over devices
  double broadcast_ms = 0;
  Ps shortest = kMaxPs;
  Ps all = 0, hidden = 0;  // of all collectives
  std::vector<PlaneId> devices;
  RowLink link;
};

SmallSum SmallSumOf(const FindingContext& input) {
  SmallSum sum;
  for (const DeviceScan& scan : input.Scans()) {
    const SmallCollectives& small = scan.small_collectives;
    sum.ms += InMs(small.time), sum.count += small.count;
    sum.broadcasts += small.broadcasts, sum.broadcast_ms += InMs(small.broadcast_time);
    sum.all += scan.collective_time, sum.hidden += scan.collective_hidden;
    if (small.rows.empty()) continue;
    sum.shortest = std::min(sum.shortest, small.shortest);
    sum.devices.push_back(scan.device);
    sum.link.total += small.events;
    if (sum.link.rows.size() + small.rows.size() <= FindingContext::kMostEvents)
      sum.link.rows.Append(EventRows(small.rows));
  }
  return sum;
}

// The buffers that DistributedDataParallel sends before each forward pass.
bool AreBuffers(const FindingContext& input, const SmallSum& sum) {
  return input.program().framework == Framework::kTorch && sum.broadcasts >= sum.count / 2;
}

}  // namespace

void FindSmallCollectives(const FindingContext& input, double threshold,
                          std::vector<RuleFinding>* out) {
  const SmallSum sum = SmallSumOf(input);
  if (sum.count < 2 || sum.all <= 0) return;
  const bool buffers = AreBuffers(input, sum);
  const Ps latency = std::min(sum.shortest, kLongestLatency);
  const double exposed = 1 - static_cast<double>(sum.hidden) / static_cast<double>(sum.all);
  const double saving = exposed * (buffers ? sum.broadcast_ms : (sum.count - 1) * InMs(latency));
  if (input.PercentOfStep(saving) < threshold) return;
  RuleFinding found;
  found.title =
      fmt::format("{:.0f} collectives in {} take under {:.0f} \u00b5s each, {} together{}.",
                  sum.count, input.EveryStep(), InUs(SmallCollectives::kLongest), MsText(sum.ms),
                  buffers ? "; most are broadcasts" : "");
  found.measured = input.PercentOfStep(saving);
  found.saving_ms = saving;
  found.assumption = buffers
                         ? "None of the broadcasts is needed."
                         : fmt::format(
                               "One collective does what they do, and saves the latency of the "
                               "others, {:.3g} \u00b5s each; those that kernels hide save nothing.",
                               InUs(latency));
  found.assumption += SharedWith("allreduce") + " " + input.Uncertainty();
  if (buffers) found.remedy = input.Remedy("small-collectives.buffers");
  found.devices = sum.devices;
  found.steps = input.AllSteps();
  found.link = sum.link;
  out->push_back(std::move(found));
}

}  // namespace stepscope
