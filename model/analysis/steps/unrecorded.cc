#include "model/analysis/steps/unrecorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <set>
#include <tuple>

#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/grouping/host_roles.h"
#include "model/analysis/intervals/event_order.h"
#include "model/analysis/intervals/ranges.h"
#include "model/analysis/intervals/step_number.h"
#include "model/analysis/naming/program.h"
#include "model/base/column.h"
#include "model/base/sort_runs.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

constexpr double kLeastBusy = 1;     // percent of the steps
constexpr double kFewOfStep = 20;    // device events in an average step
constexpr double kHardlyBusy = 0.1;  // percent below which the number of events does not matter
constexpr size_t kMostListed = 4;    // names or runs of numbers in a sentence

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
  if (first && last) return false;                           // nothing is beside it
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

// "steps 5 to 8", or "4 of 10 steps" where they have no numbers.
std::string StepsText(const std::vector<Step>& steps, size_t all) {
  std::set<int64_t> numbers;
  for (const Step& step : steps) {
    if (step.number >= 0) numbers.insert(step.number);
  }
  const std::string runs = numbers.size() == steps.size() ? RunsText(numbers) : std::string();
  const bool one = steps.size() == 1;
  if (!runs.empty()) return (one ? "step " : "steps ") + runs;
  return fmt::format("{} of {} steps", steps.size(), all);
}

std::string DevicesText(const Trace& trace, const std::vector<PlaneId>& devices) {
  const std::vector<SharedText> of_planes = DeviceNames(trace);
  std::vector<std::string> names;
  names.reserve(devices.size());
  for (const PlaneId device : devices) names.push_back(of_planes[device.value].str());
  if (names.size() <= kMostListed) return fmt::format("{}", fmt::join(names, ", "));
  const Program program = ProgramOf(trace);
  return fmt::format("{} of {} {}", devices.size(), program.devices, DeviceWord(program));
}

// The steps of which launches have no work.
std::vector<Step> LackingWork(const StepDatabase& db) {
  std::vector<Step> steps;
  for (const Step& step : db.steps) {
    if (step.lost_launches > 0) steps.push_back(step);
  }
  return steps;
}

enum class CallKind : uint8_t { kOther, kLaunch, kBeginCapture, kEndCapture };

CallKind KindOfCall(std::string_view name, EventCategory category) {
  if (name.find("StreamBeginCapture") != name.npos) return CallKind::kBeginCapture;
  if (name.find("StreamEndCapture") != name.npos) return CallKind::kEndCapture;
  const bool may = name.find("LaunchKernel") != name.npos || name.find("GraphLaunch") != name.npos;
  if (!may) return CallKind::kOther;
  const HostRole role = RoleOfHostEvent(name, category);
  const bool launch = role == HostRole::kLaunch || role == HostRole::kGraph;
  return launch ? CallKind::kLaunch : CallKind::kOther;
}

// The calls that started recorded work: by row, and the names among them, by MetaId.
struct Started {
  Column<uint8_t> calls;
  std::vector<uint8_t> names;
};

Started StartedBy(const Trace& trace, const Grouping& grouping) {
  Started started;
  started.calls.Zero(trace.set.rows);
  started.names.resize(trace.names().metas.size());
  const auto mark = [](uint8_t& one) {  // other threads may write the same
    const std::atomic_ref shared(one);
    if (shared.load(std::memory_order_relaxed) == 0) shared.store(1, std::memory_order_relaxed);
  };
  ForParts(grouping.launches.size(), [&](size_t begin, size_t end) {
    RowReader reader(trace.set);
    for (size_t i = begin; i < end; ++i) {
      const uint32_t row = grouping.launches[i].launch_row, meta = reader.Meta(row);
      mark(started.calls[row]);
      mark(started.names[meta]);
    }
  });
  return started;
}

// By MetaId. Calls of a name that is in no launch link start nothing.
std::vector<CallKind> KindsOfCalls(const NameTable& names, const std::vector<uint8_t>& starts) {
  std::vector<CallKind> kinds(names.metas.size());
  for (size_t m = 0; m < kinds.size(); ++m) {
    const CallKind kind =
        KindOfCall(names.strings.View(names.metas[m].name), names.metas[m].category);
    kinds[m] = kind == CallKind::kLaunch && starts[m] == 0 ? CallKind::kOther : kind;
  }
  return kinds;
}

// When the thread captures a graph: from each call that begins a capture to the next that ends one.
Ranges CapturesOf(const Trace& trace, const Track& thread, const std::vector<CallKind>& kinds) {
  std::vector<std::pair<Ps, bool>> calls;  // time; whether it begins
  for (const Lane& lane : trace.set.LanesOf(thread)) {
    for (uint32_t i = 0; i < lane.size(); ++i) {
      const CallKind kind = kinds[lane.meta[i]];
      if (kind == CallKind::kBeginCapture || kind == CallKind::kEndCapture)
        calls.emplace_back(lane.start[i], kind == CallKind::kBeginCapture);
    }
  }
  std::sort(calls.begin(), calls.end());
  Ranges captures;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].second)
      captures.push_back({calls[i].first, i + 1 < calls.size() ? calls[i + 1].first : kMaxPs});
  }
  return UnionOf(std::move(captures));
}

bool IsCapturing(const Ranges& captures, Ps at) {
  const auto after = std::upper_bound(captures.begin(), captures.end(), at,
                                      [](Ps t, const TimeRange& r) { return t < r.begin; });
  return after != captures.begin() && std::prev(after)->end > at;
}

// StepCounter adds up launches step by step. Each thread has one, and all add to the same sums.
class StepCounter {
 public:
  explicit StepCounter(std::vector<StepLaunches>* counts) : counts_(*counts) {}
  ~StepCounter() { Flush(); }
  StepCounter(const StepCounter&) = delete;
  StepCounter& operator=(const StepCounter&) = delete;

  void Add(int32_t step, bool lost) {
    if (step != step_) Flush();
    step_ = step;
    ++of_step_.all;
    of_step_.lost += lost ? 1 : 0;
  }

 private:
  void Flush() {
    if (step_ < 0) return;
    StepLaunches& sum = counts_[static_cast<size_t>(step_)];
    std::atomic_ref(sum.all).fetch_add(of_step_.all, std::memory_order_relaxed);
    std::atomic_ref(sum.lost).fetch_add(of_step_.lost, std::memory_order_relaxed);
    of_step_ = {};
  }

  std::vector<StepLaunches>& counts_;
  int32_t step_ = -1;
  StepLaunches of_step_;
};

// Counts the launches of a thread.
void CountOnThread(const Trace& trace, const Grouping& grouping, const StepPlan& plan,
                   const Track& thread, const std::vector<CallKind>& kinds, const Started& started,
                   std::vector<StepLaunches>* counts) {
  const bool captures =
      std::find(kinds.begin(), kinds.end(), CallKind::kBeginCapture) != kinds.end();
  const Ranges capturing = captures ? CapturesOf(trace, thread, kinds) : Ranges();
  StepCounter counter(counts);
  for (const Lane& lane : trace.set.LanesOf(thread)) {
    for (uint32_t i = 0; i < lane.size(); ++i) {
      if (kinds[lane.meta[i]] != CallKind::kLaunch || IsCapturing(capturing, lane.start[i]))
        continue;
      const uint32_t row = lane.first_row + i;
      const int32_t step = plan.StepOf(trace, grouping, row, lane.start[i]);
      if (step >= 0) counter.Add(step, started.calls[row] == 0);
    }
  }
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
    unrecorded[s] = !has_work[s] && !plan[s].inferred && !plan[s].span.empty() &&
                    working.contains(NameOf(plan[s]));
  return WithoutCut(plan, unrecorded);
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

std::vector<StepLaunches> CountLaunches(const Trace& trace, const Grouping& grouping,
                                        const StepPlan& plan) {
  std::vector<StepLaunches> counts(plan.steps.size());
  if (plan.by_time() || grouping.launches.empty()) return counts;
  const Started started = StartedBy(trace, grouping);
  const std::vector<CallKind> kinds = KindsOfCalls(trace.names(), started.names);
  std::vector<const Track*> threads;
  for (uint32_t h = 0; h < trace.hosts.size(); ++h) {
    const std::vector<const Track*> of_host = HostThreadsOf(trace, HostId(h));
    threads.insert(threads.end(), of_host.begin(), of_host.end());
  }
  const std::vector<uint32_t> by_size =
      LargestFirst(threads.size(), [&](uint32_t thread) { return threads[thread]->events; });
  ParallelFor(threads.size(), [&](size_t i) {
    CountOnThread(trace, grouping, plan, *threads[by_size[i]], kinds, started, &counts);
  });
  return counts;
}

std::vector<bool> IncompleteSteps(std::span<const StepLaunches> launches) {
  constexpr uint32_t kShare = 10;
  std::vector<bool> incomplete(launches.size());
  for (size_t s = 0; s < launches.size(); ++s) {
    const uint64_t lost = launches[s].lost;
    incomplete[s] = lost > 0 && lost * kShare >= launches[s].all;
  }
  return incomplete;
}

std::vector<bool> WithoutCut(std::span<const Step> plan, const std::vector<bool>& steps) {
  std::vector<bool> sure = steps;
  const std::vector<size_t> order = MarkedByTime(plan);
  for (size_t i = 0; i < order.size(); ++i)
    sure[order[i]] = steps[order[i]] && !MayBeCut(plan, order, i, steps);
  return sure;
}

bool AllIncomplete(const StepDatabase& db) {
  return !db.steps.empty() && std::all_of(db.steps.begin(), db.steps.end(),
                                          [](const Step& step) { return step.lost_launches > 0; });
}

std::string LostLaunchesText(const StepDatabase& db) {
  uint64_t all = 0, lost = 0;
  for (const Step& step : db.steps) {
    if (step.lost_launches == 0) continue;
    all += step.launches, lost += step.lost_launches;
  }
  return fmt::format("{} of {} launches have no kernel", lost, all);
}

bool HardlyAnyWork(const StepDatabase& db) {
  if (db.device_steps.empty()) return false;
  const StepWork work = WorkOf(db);
  return work.busy < kLeastBusy && (work.events < kFewOfStep || work.busy < kHardlyBusy);
}

std::string UnrecordedText(const Trace& trace, const StepDatabase& db) {
  std::vector<std::string> lacks;
  if (const size_t n = db.unrecorded_devices.size(); n > 0)
    lacks.push_back(DevicesText(trace, db.unrecorded_devices) + (n == 1 ? " has" : " have") +
                    " no event");
  if (const size_t n = db.unrecorded_steps.size(); n > 0)
    lacks.push_back(StepsText(db.unrecorded_steps, n + db.steps.size()) +
                    (n == 1 ? " has" : " have") + " no event of a device");
  if (const std::vector<Step> steps = LackingWork(db); !steps.empty()) {
    lacks.push_back(StepsText(steps, db.unrecorded_steps.size() + db.steps.size()) +
                    (steps.size() == 1 ? " lacks" : " lack") + " work: " + LostLaunchesText(db));
  }
  return fmt::format("{}", fmt::join(lacks, ", and "));
}

std::string IdleDevicesText(const Trace& trace, const StepDatabase& db) {
  const size_t n = db.idle_devices.size();
  if (n == 0) return {};
  return " " + DevicesText(trace, db.idle_devices) + (n == 1 ? " does" : " do") +
         " under 1 % of the work of the busiest one and " + (n == 1 ? "is" : "are") + " left out.";
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
