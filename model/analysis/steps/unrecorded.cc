#include "model/analysis/steps/unrecorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "model/analysis/intervals/step_number.h"
#include "model/analysis/naming/program.h"
#include "model/analysis/steps/step_table.h"

namespace stepscope {
namespace {

constexpr double kLeastBusy = 1;   // percent of the steps
constexpr double kFewOfStep = 20;  // device events in an average step
constexpr size_t kMostListed = 4;  // names or runs of numbers in a sentence

using StepName = std::pair<uint32_t, std::string_view>;  // host, label without its number

StepName NameOf(const Step& step) {
  const std::string_view label = step.label;
  return {step.host.value, label.substr(0, label.size() - LastDigits(label).size())};
}

// Indices of the marked steps by host, then begin.
std::vector<size_t> MarkedByTime(std::span<const Step> plan) {
  std::vector<size_t> order;
  for (size_t s = 0; s < plan.size(); ++s) {
    if (!plan[s].span.empty()) order.push_back(s);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::tuple(plan[a].host.value, plan[a].span.begin) <
           std::tuple(plan[b].host.value, plan[b].span.begin);
  });
  return order;
}

// Whether the recording may have cut the step: it is the first or the last of its host, and the one
// beside it is recorded. `at` is its place in `order`.
bool MayBeCut(std::span<const Step> plan, const std::vector<size_t>& order, size_t at,
              const std::vector<bool>& unrecorded) {
  const auto is_end = [&](size_t beside) {
    return beside >= order.size() || plan[order[beside]].host != plan[order[at]].host;
  };
  const auto is_recorded = [&](size_t beside) {
    return is_end(beside) || !unrecorded[order[beside]];
  };
  const bool first = is_end(at - 1), last = is_end(at + 1);  // at - 1 wraps for 0
  return (first && is_recorded(at + 1)) || (last && is_recorded(at - 1));
}

// "5 to 8 and 11"
std::string RunsText(const std::set<int64_t>& numbers) {
  std::vector<std::string> runs;
  for (auto it = numbers.begin(); it != numbers.end();) {
    const int64_t first = *it;
    int64_t last = first;
    for (++it; it != numbers.end() && *it == last + 1; ++it) last = *it;
    runs.push_back(first == last ? fmt::format("{}", first) : fmt::format("{} to {}", first, last));
  }
  if (runs.size() > kMostListed) return {};
  if (runs.size() == 1) return runs.front();
  return fmt::format("{} and {}", fmt::join(runs.begin(), runs.end() - 1, ", "), runs.back());
}

std::string StepsText(const StepDatabase& db) {
  const std::vector<Step>& steps = db.unrecorded_steps;
  std::set<int64_t> numbers;
  for (const Step& step : steps) {
    if (step.number >= 0) numbers.insert(step.number);
  }
  const std::string runs = numbers.size() == steps.size() ? RunsText(numbers) : std::string();
  const bool one = steps.size() == 1;
  if (!runs.empty()) return (one ? "step " : "steps ") + runs;
  return fmt::format("{} of {} steps", steps.size(), steps.size() + db.steps.size());
}

std::string DevicesText(const Trace& trace, const std::vector<PlaneId>& devices) {
  const std::vector<SharedText> of_planes = DeviceNames(trace);
  std::vector<std::string> names;
  for (const PlaneId device : devices) names.push_back(of_planes[device.value].str());
  if (names.size() <= kMostListed) return fmt::format("{}", fmt::join(names, ", "));
  const Program program = ProgramOf(trace);
  return fmt::format("{} of {} {}", devices.size(), program.devices, DeviceWord(program));
}

struct StepWork {
  double events = 0, busy = 0;  // of an average step on a device; busy in percent
};

StepWork WorkOf(const StepDatabase& db) {
  double events = 0, busy = 0, total = 0;
  for (const DeviceStep& d : db.device_steps) {
    events += d.events;
    busy += d.times.total - static_cast<double>(d.idle);
    total += d.times.total;
  }
  const auto n = static_cast<double>(std::max<size_t>(1, db.device_steps.size()));
  return {events / n, total > 0 ? 100 * busy / total : 0};
}

}  // namespace

std::vector<bool> UnrecordedSteps(std::span<const Step> plan, const std::vector<bool>& has_work) {
  std::set<StepName> working;
  for (size_t s = 0; s < plan.size(); ++s) {
    if (has_work[s]) working.insert(NameOf(plan[s]));
  }
  std::vector<bool> unrecorded(plan.size());
  for (size_t s = 0; s < plan.size(); ++s)
    unrecorded[s] = !has_work[s] && !plan[s].span.empty() && working.contains(NameOf(plan[s]));
  std::vector<bool> sure = unrecorded;
  const std::vector<size_t> order = MarkedByTime(plan);
  for (size_t i = 0; i < order.size(); ++i)
    sure[order[i]] = unrecorded[order[i]] && !MayBeCut(plan, order, i, unrecorded);
  return sure;
}

std::vector<bool> FollowUnrecorded(std::span<const Step> plan,
                                   const std::vector<bool>& unrecorded) {
  std::vector<bool> follows(plan.size());
  const std::vector<size_t> order = MarkedByTime(plan);
  for (size_t i = 1; i < order.size(); ++i) {
    const size_t before = order[i - 1];
    follows[order[i]] = unrecorded[before] && plan[before].host == plan[order[i]].host;
  }
  return follows;
}

bool HardlyAnyWork(const StepDatabase& db) {
  if (db.device_steps.empty()) return false;
  const StepWork work = WorkOf(db);
  return work.busy < kLeastBusy && work.events < kFewOfStep;
}

std::string UnrecordedText(const Trace& trace, const StepDatabase& db) {
  std::vector<std::string> lacks;
  if (const size_t n = db.unrecorded_devices.size(); n > 0)
    lacks.push_back(DevicesText(trace, db.unrecorded_devices) + (n == 1 ? " has" : " have") +
                    " no event");
  if (const size_t n = db.unrecorded_steps.size(); n > 0)
    lacks.push_back(StepsText(db) + (n == 1 ? " has" : " have") + " no event of a device");
  return fmt::format("{}", fmt::join(lacks, ", and "));
}

std::string HardlyAnyWorkText(const StepDatabase& db, const std::string& devices) {
  const StepWork work = WorkOf(db);
  const bool several = devices.ends_with("s");
  return fmt::format("{} {} {:.3g} event{} in a step of {:.3g} ms and work{} {:.2g} % of it",
                     devices, several ? "have" : "has", work.events, work.events == 1 ? "" : "s",
                     Summarize(db.steps, &StepBreakdown::total).median, several ? "" : "s",
                     work.busy);
}

}  // namespace stepscope
