// The rule `warm-up`: gaps of the first steps that do not come again, such as modules that are
// loaded when they are first needed, tuning at a first call, and memory that is asked for once.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "model/analysis/findings/finding_context.h"
#include "model/analysis/steps/cause_name.h"
#include "model/analysis/tables/in_unit.h"

namespace stepscope {
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
  found.title = fmt::format(
      "Gaps of the first {} steps that do not come again in the other {} take {}{}.", host.first(),
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
