#include "model/analysis/fleet/fleet_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "model/analysis/tables/in_unit.h"
#include "model/base/statistics.h"

namespace stepscope {
namespace {

using V = ValueType;

constexpr size_t kMostSlowKernels = 10'000;

Value Number(int64_t value) { return value < 0 ? Value() : Value(value); }
Value Share(const std::optional<double>& share) { return share ? Value(100 * *share) : Value(); }

// "0-3, 8": numbers of ranks, ascending.
std::string RanksText(const std::vector<int64_t>& numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t j = i + 1;
    while (j < numbers.size() && numbers[j] == numbers[j - 1] + 1) ++j;
    text += text.empty() ? "" : ", ";
    text += std::to_string(numbers[i]);
    if (j - i > 1) text += "-" + std::to_string(numbers[j - 1]);
    i = j;
  }
  return text;
}

std::string MembersText(const RankJob& job, const CollectiveGroup& group) {
  if (group.from >= 0) return std::to_string(group.from) + " to " + std::to_string(group.to);
  std::vector<int64_t> numbers;
  for (const uint32_t rank : group.members) numbers.push_back(job.ranks[rank].number);
  return RanksText(numbers);
}

// By how much the step would be shorter without it.
Value SavedMs(const WhatIf& what_if, const std::optional<double>& share) {
  return share ? Value(InMs(*share * (what_if.step - what_if.ideal))) : Value();
}

std::string SlowestText(const FleetAnswers& answers) {
  std::vector<int64_t> numbers;
  for (const uint32_t rank : answers.what_if.slowest)
    numbers.push_back(answers.job.ranks[rank].number);
  std::sort(numbers.begin(), numbers.end());
  return "ranks " + RanksText(numbers);
}

}  // namespace

FleetAnswers AnswersOf(const FleetRun& run) {
  FleetAnswers answers;
  answers.job = PutTogether(run.facts);
  answers.kernels = CompareKernels(run.facts);
  answers.links = CompareLinks(run.facts, answers.job);
  answers.what_if = AskWhatIf(run.facts, answers.job);
  return answers;
}

ResultTable FleetRankTable(const Fleet& fleet, const FleetRun& run, const FleetAnswers& answers) {
  ResultTable t{
      "ranks",
      "Ranks",
      {{"rank", "Rank", Unit::kNone, V::kInt, "", true},
       {"host", "Host", Unit::kNone, V::kString, ""},
       {"coordinates", "Coordinates", Unit::kNone, V::kString, "of the file's name"},
       {"step_ms_median", "Step", Unit::kMs, V::kReal, "median of the steps that count", true},
       {"busy_ms_median", "Busy", Unit::kMs, V::kReal, "compute and copies of a step"},
       {"late_percent", "Late", Unit::kPercent, V::kReal,
        "steps in which the others waited for it the longest / steps with collectives", true},
       {"late_share_percent", "Waits for it", Unit::kPercent, V::kReal,
        "time by which it was the last, of a step"},
       {"late", "Is late", Unit::kNone, V::kBool, "more than little and chance"},
       {"cause", "Cause", Unit::kNone, V::kString, "what it does longer than the others", true},
       {"cause_event", "Host event", Unit::kNone, V::kString, ""},
       {"kernel_slowdown", "Kernel time / median", Unit::kNone, V::kReal,
        "median times of its kernels / those of the median rank"},
       {"throttled", "Throttled", Unit::kNone, V::kBool,
        "half of its kernel time and more is in kernels that are 10 % slower than on the "
        "median rank"},
       {"peak_bytes", "Memory peak", Unit::kBytes, V::kInt, "the most that its allocators held"},
       {"capacity_bytes", "Memory", Unit::kBytes, V::kInt, ""},
       {"clock_offset_us", "Clock offset", Unit::kUs, V::kReal, "ahead of the first rank's"},
       {"file", "Profile", Unit::kNone, V::kString, "where it lies"}}};
  const RankJob& job = answers.job;
  for (size_t r = 0; r < run.facts.size(); ++r) {
    const RankFacts& facts = run.facts[r];
    const RankSpeed& speed = answers.kernels.ranks[r];
    const RankLateness& late = job.lateness.ranks[r];
    const std::optional<Ps> step = MedianOfSteps(facts.steps, &RankStep::total);
    const std::optional<Ps> busy = MedianOfSteps(facts.steps, &RankStep::busy);
    const bool several = run.facts.size() > 1;
    const std::optional<double> share = several ? ShareOfStep(job, r) : std::nullopt;
    const bool known = several && job.lateness.steps > 0 && job.clocks[r].aligned;
    const double percent =
        known ? 100 * static_cast<double>(late.steps) / static_cast<double>(job.lateness.steps) : 0;
    const bool joined = job.clocks[r].aligned && job.clocks[r].component == 0;
    t.AddRow({facts.rank.number, facts.rank.host_name, facts.rank.coordinates,
              step ? Value(InMs(*step)) : Value(), busy ? Value(InMs(*busy)) : Value(),
              known ? Value(percent) : Value(), share ? Value(*share) : Value(),
              known ? Value(late.steps > 0 && IsToBlame(job, r)) : Value(),
              TextOf(job.causes.ranks[r]), job.causes.ranks[r].event,
              speed.known ? Value(speed.slowdown) : Value(),
              speed.known ? Value(speed.throttled) : Value(), Number(facts.peak_bytes),
              Number(facts.capacity_bytes), joined ? Value(InUs(job.clocks[r].offset)) : Value(),
              fleet.files[run.files[r]].path});
  }
  return t;
}

ResultTable FleetKernelTable(const FleetAnswers& answers) {
  ResultTable t{
      "kernels",
      "Slower kernels",
      {{"rank", "Rank", Unit::kNone, V::kInt, "", true},
       {"kernel", "Kernel", Unit::kNone, V::kString, "", true},
       {"ratio", "Times the others", Unit::kNone, V::kReal,
        "median time here / median of the ranks' medians; from 1.1 on, where three ranks and more "
        "run it",
        true},
       {"median_us", "Median", Unit::kUs, V::kReal, "of one run here"},
       {"others_us", "Others", Unit::kUs, V::kReal, "median of the ranks' medians"},
       {"count", "Count", Unit::kCount, V::kInt, ""},
       {"lost_ms", "Lost", Unit::kMs, V::kReal, "(median - others) * count"}}};
  for (const SlowKernel& k : answers.kernels.slow) {
    if (t.size() == kMostSlowKernels) break;
    t.AddRow({answers.job.ranks[k.rank].number, k.name, k.Ratio(), InUs(k.median), InUs(k.others),
              k.count,
              InMs(static_cast<double>(k.median - k.others) * static_cast<double>(k.count))});
  }
  return t;
}

ResultTable FleetLinkTable(const FleetAnswers& answers) {
  ResultTable t{"links",
                "Links",
                {{"group", "Group", Unit::kNone, V::kString, "the process group"},
                 {"ranks", "Ranks", Unit::kNone, V::kString, "its members, or the two ends", true},
                 {"name", "Collective", Unit::kNone, V::kString, "", true},
                 {"bytes", "Bytes", Unit::kBytes, V::kInt, "of one"},
                 {"participants", "Participants", Unit::kCount, V::kInt, ""},
                 {"count", "Count", Unit::kCount, V::kInt, ""},
                 {"transfer_us", "Transfer", Unit::kUs, V::kReal,
                  "median of the shortest durations, which have no waiting in them", true},
                 {"others_us", "Others", Unit::kUs, V::kReal,
                  "median over three and more groups with equal collectives"},
                 {"ratio", "Times the others", Unit::kNone, V::kReal, "transfer / others", true},
                 {"bus_gbps", "Bus GB/s", Unit::kNone, V::kReal, "as on the page of ranks"},
                 {"slow", "Slow", Unit::kNone, V::kBool, "1.25 times the others and more"}}};
  const CollectiveCalls& calls = answers.job.calls;
  for (const Link& link : answers.links) {
    const CollectiveCalls::Name& name = calls.names[link.name];
    Value bus;
    if (link.bytes > 0 && link.transfer > 0) {
      bus = 1000 * static_cast<double>(link.bytes) / static_cast<double>(link.transfer) *
            BusFactor(name.kind, link.participants);
    }
    const bool compared = link.others > 0;
    t.AddRow({calls.groups[link.group].name, MembersText(answers.job, calls.groups[link.group]),
              name.text, Number(link.bytes), static_cast<int64_t>(link.participants),
              static_cast<int64_t>(link.count), InUs(link.transfer),
              compared ? Value(InUs(link.others)) : Value(),
              compared ? Value(link.Ratio()) : Value(), bus,
              compared ? Value(link.slow) : Value()});
  }
  return t;
}

ResultTable WhatIfTable(const FleetAnswers& answers) {
  ResultTable t{"what_if",
                "What if",
                {{"what", "What", Unit::kNone, V::kString, "", true},
                 {"share_percent", "Share", Unit::kPercent, V::kReal,
                  "(T - T without it) / (T - T without stragglers); shares overlap", true},
                 {"saved_ms_per_step", "Saved", Unit::kMs, V::kReal,
                  "by how much a step would be shorter", true},
                 {"detail", "Which", Unit::kNone, V::kString, "", true}}};
  const WhatIf& w = answers.what_if;
  if (w.step <= 0) return t;
  t.AddRow(
      {"all stragglers", w.slowest_ranks ? Value(100.0) : Value(), InMs(w.step - w.ideal), ""});
  t.AddRow({"slowest 3 % of ranks", Share(w.slowest_ranks), SavedMs(w, w.slowest_ranks),
            SlowestText(answers)});
  if (w.stage >= 0) {
    t.AddRow({"pipeline stage", Share(w.stage_share), SavedMs(w, w.stage_share),
              "pp " + std::to_string(w.stage)});
  }
  t.AddRow({"uneven input", Share(w.uneven_input), SavedMs(w, w.uneven_input),
            "compute that differs from step to step"});
  t.AddRow({"network", Share(w.network), SavedMs(w, w.network),
            "transfers above the median of equal ones"});
  return t;
}

namespace {

// The median over ranks of their medians; nothing where no rank has steps.
std::vector<Ps> MediansOf(const FleetRun& run, Ps RankStep::*field) {
  std::vector<Ps> medians;
  for (const RankFacts& facts : run.facts) {
    if (const auto median = MedianOfSteps(facts.steps, field)) medians.push_back(*median);
  }
  return medians;
}

Value Ms(const std::optional<double>& ms) { return ms ? Value(*ms) : Value(); }

}  // namespace

RunSummary SummaryOf(const FleetRun& run, const FleetAnswers& answers) {
  RunSummary s;
  std::vector<Ps> steps = MediansOf(run, &RankStep::total), busy = MediansOf(run, &RankStep::busy);
  if (!steps.empty()) s.slowest_step_ms = InMs(*std::max_element(steps.begin(), steps.end()));
  if (!steps.empty()) s.step_ms = InMs(Median(steps));
  if (!busy.empty()) s.busy_ms = InMs(Median(busy));
  if (answers.what_if.step > 0) s.slowdown = answers.what_if.Slowdown();
  for (size_t r = 0; r < run.facts.size() && run.facts.size() > 1; ++r)
    s.late_ranks += answers.job.lateness.ranks[r].steps > 0 && IsToBlame(answers.job, r);
  for (const RankSpeed& speed : answers.kernels.ranks) s.throttled_ranks += speed.throttled;
  for (const Link& link : answers.links) s.slow_links += link.slow;
  return s;
}

ResultTable FleetRunTable(const Fleet& fleet, std::span<const RunSummary> summaries,
                          const FleetRun& shown) {
  ResultTable t{
      "runs",
      "Runs",
      {{"run", "Run", Unit::kNone, V::kString, "", true},
       {"shown", "Shown", Unit::kNone, V::kBool, "the other tables are of this run"},
       {"begin_unix_ns", "Begin", Unit::kNs, V::kInt, "Unix time"},
       {"ranks", "Ranks", Unit::kCount, V::kInt, ""},
       {"step_ms_median", "Step", Unit::kMs, V::kReal, "median of the ranks' medians", true},
       {"step_ms_max", "Slowest", Unit::kMs, V::kReal, "the largest of them"},
       {"busy_ms_median", "Busy", Unit::kMs, V::kReal, "the same of compute and copies", true},
       {"slowdown_percent", "Slowdown", Unit::kPercent, V::kReal,
        "by how much a step is longer than without stragglers", true},
       {"late_ranks", "Late ranks", Unit::kCount, V::kInt, "", true},
       {"throttled_ranks", "Throttled", Unit::kCount, V::kInt, ""},
       {"slow_links", "Slow links", Unit::kCount, V::kInt, ""}}};
  for (size_t i = 0; i < fleet.runs.size(); ++i) {
    const FleetRun& run = fleet.runs[i];
    const RunSummary& s = summaries[i];
    t.AddRow({run.name, &run == &shown,
              run.origin_unix_ns != 0 ? Value(run.origin_unix_ns) : Value(),
              static_cast<int64_t>(run.facts.size()), Ms(s.step_ms), Ms(s.slowest_step_ms),
              Ms(s.busy_ms), s.slowdown ? Value(100 * (*s.slowdown - 1)) : Value(), s.late_ranks,
              s.throttled_ranks, s.slow_links});
  }
  return t;
}

ResultTable FleetFileTable(const Fleet& fleet) {
  ResultTable t{"failed",
                "Profiles without facts",
                {{"file", "Profile", Unit::kNone, V::kString, "", true},
                 {"error", "Error", Unit::kNone, V::kString, "", true}}};
  for (const FleetFile& file : fleet.files) {
    if (!file.error.empty()) t.AddRow({file.path, file.error});
  }
  return t;
}

}  // namespace stepscope
