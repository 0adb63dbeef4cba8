// The rules that compare steps: `outlier-steps`, which are much longer than the median one, and
// `warm-up`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "model/analysis/findings/finding_context.h"
#include "model/analysis/findings/idle_loss.h"
#include "model/analysis/steps/cause_name.h"
#include "model/analysis/tables/in_unit.h"
#include "model/base/digits.h"
#include "model/base/statistics.h"

namespace stepscope {
namespace {

constexpr size_t kLeastComparedSteps = 4;

// The steps of one host that count.
struct HostSteps {
  std::vector<uint32_t> all, outliers;
  double median = 0, least = 0;  // ps; a step of at least `least` is an outlier
};

HostSteps Split(const FindingContext& input, HostId host, double threshold) {
  HostSteps steps;
  std::vector<double> times, off;
  for (const uint32_t s : input.steps()) {
    const Step& step = input.db().steps[s];
    if (step.host != host) continue;
    steps.all.push_back(s);
    times.push_back(step.times.total);
  }
  steps.median = Median(times);
  for (const double t : times) off.push_back(std::abs(t - steps.median));
  // Times that vary anyway have no outliers: an outlier is five median deviations longer.
  steps.least = steps.median + std::max(steps.median * threshold / 100, 5 * Median(off));
  for (const uint32_t s : steps.all) {
    if (input.db().steps[s].times.total >= steps.least) steps.outliers.push_back(s);
  }
  return steps;
}

const char* NameOf(StepTimeClass c) {
  static constexpr std::array<const char*, kStepTimeClasses> kNames = {
      "compute",
      "copying to the device",
      "copying to the host",
      "copying on devices",
      "waiting for participants of collectives",
      "time in collectives",
      "waiting for input",
      "time in blocking calls",
      "compilation",
      "kernel launch",
      "waiting for queued work",
      "host work",
      "work between steps",
      "idle time without a recorded cause"};
  return kNames[static_cast<size_t>(c)];
}

// The class with the largest excess over the median of the other steps, and the excess.
std::pair<StepTimeClass, double> Difference(const FindingContext& input, const HostSteps& steps) {
  std::pair<StepTimeClass, double> most{StepTimeClass::kUnknown, 0};
  for (size_t c = 0; c < kStepTimeClasses; ++c) {
    std::vector<double> usual;
    double more = 0;
    for (const uint32_t s : steps.all) usual.push_back(input.db().steps[s].class_times[c]);
    const double median = Median(usual);
    for (const uint32_t s : steps.outliers) more += input.db().steps[s].class_times[c] - median;
    more /= static_cast<double>(steps.outliers.size());
    if (more > most.second) most = {static_cast<StepTimeClass>(c), more};
  }
  return most;
}

void FindOfHost(const FindingContext& input, HostId host, double threshold,
                std::vector<RuleFinding>* out) {
  const HostSteps steps = Split(input, host, threshold);
  if (steps.outliers.empty() || steps.all.size() < kLeastComparedSteps || steps.median <= 0) return;
  double excess = 0, longest = 0;
  for (const uint32_t s : steps.outliers) {
    excess += input.db().steps[s].times.total - steps.median;
    longest = std::max(longest, input.db().steps[s].times.total);
  }
  const auto [loss, more] = Difference(input, steps);
  const double ms = static_cast<double>(kPsPerMs);
  const size_t n = steps.outliers.size();
  RuleFinding found;
  found.title = fmt::format("{} of {} steps {}: {}{}, median {}", n, steps.all.size(),
                            n == 1 ? "is an outlier" : "are outliers", n == 1 ? "" : "up to ",
                            MsText(longest / ms), MsText(steps.median / ms));
  if (more > 0) {
    found.title += fmt::format("; {}{} is extra {}", MsText(more / ms), n == 1 ? "" : " of each",
                               NameOf(loss));
  }
  if (more > 0 && IsIdle(loss)) {
    const IdleLoss causes = SumIdle(
        input,
        [&, c = loss](const IdleCause& cause) {
          return cause.loss == c &&
                 std::binary_search(steps.outliers.begin(), steps.outliers.end(), cause.step);
        },
        threshold);
    if (!causes.cause.empty()) found.title += ", most of it in " + causes.cause;
    found.link.rows = causes.link.rows;
    found.link.total = causes.link.total;
  }
  if (found.link.rows.empty()) {  // then the steps' markers
    std::vector<EventRow> rows;
    for (const uint32_t s : steps.outliers) {
      const Step& step = input.db().steps[s];
      if (!step.rows.empty() && rows.size() < FindingContext::kMostEvents)
        rows.push_back(step.rows.front());
    }
    found.link = LinkTo(EventRows(std::move(rows)));
  }
  found.title += ".";
  found.measured = 100 * (longest / steps.median - 1);
  found.saving_ms = excess / ms / static_cast<double>(steps.all.size());
  found.assumption = fmt::format(
      "All steps are as long as the median one; the saving is spread over all {} steps. It may be "
      "in other findings as well.",
      steps.all.size());
  found.devices = input.Devices();
  std::erase_if(found.devices,
                [&](PlaneId d) { return input.trace().planes[d.value].host != host; });
  found.steps = steps.outliers;
  found.link.range = input.db().steps[steps.outliers.front()].span;
  out->push_back(std::move(found));
}

}  // namespace

void FindOutlierSteps(const FindingContext& input, double threshold,
                      std::vector<RuleFinding>* out) {
  for (uint32_t h = 0; h < input.trace().hosts.size(); ++h)
    FindOfHost(input, HostId(h), threshold, out);
}

// The rule `warm-up`: gaps of the first steps that do not come again, such as modules that are
// loaded when they are first needed, tuning at a first call, and memory that is asked for once.

namespace {

constexpr uint32_t kMostFirst = 3;        // steps at most that a program warms up in
constexpr Ps kLeastGap = 100 * kPsPerUs;  // shorter gaps are no warm-up
constexpr Ps kTimes = 5;                  // by how much they exceed the gaps of later steps
constexpr double kNamedPercent = 10;

using CauseKey = std::tuple<StepTimeClass, uint32_t, uint32_t>;
CauseKey KeyOf(const IdleInterval& gap) { return {gap.loss, gap.event.value, gap.inside.value}; }

// A host's steps by the begin of the recording: the first third of them, at most three, and the
// others.
struct FirstSteps {
  uint32_t begin = 0, end = 0;  // indices into StepDatabase::steps
  uint32_t first() const { return std::min(kMostFirst, (end - begin) / 3); }
  bool IsFirst(uint32_t step) const { return step >= begin && step - begin < first(); }
  bool Has(uint32_t step) const { return step >= begin && step < end; }
};

std::vector<FirstSteps> StepsByHost(const StepDatabase& db) {
  std::vector<FirstSteps> hosts;
  for (uint32_t s = 0; s < db.steps.size(); ++s) {
    if (s == 0 || db.steps[s].host != db.steps[s - 1].host) hosts.push_back({s, s});
    hosts.back().end = s + 1;
  }
  return hosts;
}

// The begin of each device's first step: what it waits for before its first work is no gap.
std::map<uint32_t, Ps> FirstBegins(const StepDatabase& db) {
  std::map<uint32_t, Ps> begins;
  for (const DeviceStep& d : db.device_steps) {
    const auto [it, fresh] = begins.try_emplace(d.device.value, d.span.begin);
    if (!fresh) it->second = std::min(it->second, d.span.begin);
  }
  return begins;
}

// The gaps of the host's first steps whose cause has no gap of a fifth of their length later on.
std::vector<const IdleInterval*> GapsThatComeOnce(const StepDatabase& db, const FirstSteps& host) {
  const std::map<uint32_t, Ps> begins = FirstBegins(db);
  std::map<CauseKey, Ps> later;  // the longest gap
  for (const IdleInterval& gap : db.idle.longest) {
    if (!host.Has(gap.step) || host.IsFirst(gap.step)) continue;
    Ps& longest = later[KeyOf(gap)];
    longest = std::max(longest, gap.range.length());
  }
  std::vector<const IdleInterval*> once;
  for (const IdleInterval& gap : db.idle.longest) {
    if (!host.IsFirst(gap.step) || !gap.event.valid() || gap.range.length() < kLeastGap) continue;
    const auto begin = begins.find(gap.device.value);
    if (begin != begins.end() && gap.range.begin <= begin->second) continue;
    const auto again = later.find(KeyOf(gap));
    if (again == later.end() || again->second <= gap.range.length() / kTimes) once.push_back(&gap);
  }
  return once;
}

// The gaps of one host: times in ms, as mean over devices.
struct Sums {
  double all = 0, counted = 0;
  std::map<std::string, double> by_cause;
};

// "XlaCompile 80 %, cudaMalloc 20 %"
std::string CausesText(const Sums& sums) {
  std::vector<std::pair<double, std::string>> sorted;
  for (const auto& [name, ms] : sums.by_cause) sorted.emplace_back(100 * ms / sums.all, name);
  std::sort(sorted.rbegin(), sorted.rend());
  std::string text;
  for (const auto& [percent, name] : sorted) {
    if (percent < kNamedPercent) break;
    text += (text.empty() ? ": " : ", ") + name + " " + PercentText(percent);
  }
  return text;
}

void FindOfHost(const FindingContext& input, const FirstSteps& host, double threshold,
                std::vector<RuleFinding>* out) {
  const StepDatabase& db = input.db();
  const CauseNames names(input.trace(), db);
  Sums sums;
  RuleFinding found;
  std::vector<EventRow> rows;
  for (const IdleInterval* gap : GapsThatComeOnce(db, host)) {
    const double ms = InMs(gap->range.length()) / input.DevicesOf(gap->step);
    IdleCause cause;
    cause.loss = gap->loss;
    cause.event = gap->event;
    cause.inside = gap->inside;
    sums.all += ms;
    sums.counted += input.Counts(gap->step) ? ms : 0;
    sums.by_cause[names.Of(cause)] += ms;
    found.steps.push_back(gap->step);
    if (gap->device.valid()) found.devices.push_back(gap->device);
    if (gap->row.valid() && rows.size() < FindingContext::kMostEvents) rows.push_back(gap->row);
    if (gap->range.length() > found.link.range.length()) found.link.range = gap->range;
    ++found.link.total;
  }
  double total = 0;
  for (uint32_t s = host.begin; s < host.end; ++s) total += InMs(db.steps[s].times.total);
  found.measured = total > 0 ? 100 * sums.all / total : 0;
  if (sums.all <= 0 || found.measured < threshold) return;
  found.title =
      fmt::format("Gaps of the first {} that do not come again in the other {} take {}{}.",
                  host.first() == 1 ? "step" : fmt::format("{} steps", host.first()),
                  host.end - host.begin - host.first(), MsText(sums.all), CausesText(sums));
  found.saving_ms = sums.counted / static_cast<double>(input.steps().size());
  found.assumption =
      "A program that has warmed up has none of them; saved is what lies in steps that count." +
      SharedWith("compile, outlier-steps or the rule of the gap's class") + " " +
      input.Uncertainty();
  std::sort(found.steps.begin(), found.steps.end());
  found.steps.erase(std::unique(found.steps.begin(), found.steps.end()), found.steps.end());
  std::sort(found.devices.begin(), found.devices.end(), [&](PlaneId a, PlaneId b) {
    return input.NameOf(a) != input.NameOf(b) ? input.NameOf(a) < input.NameOf(b) : a < b;
  });
  found.devices.erase(std::unique(found.devices.begin(), found.devices.end()), found.devices.end());
  const RowLink range = found.link;
  found.link = LinkTo(EventRows(std::move(rows)));
  found.link.range = range.range;
  found.link.total = range.total;
  out->push_back(std::move(found));
}

}  // namespace

void FindWarmUp(const FindingContext& input, double threshold, std::vector<RuleFinding>* out) {
  for (const FirstSteps& host : StepsByHost(input.db())) {
    if (host.first() > 0) FindOfHost(input, host, threshold, out);
  }
}

}  // namespace stepscope
