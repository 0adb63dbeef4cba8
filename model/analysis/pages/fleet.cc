// The analysis `fleet` (docs/fleet.md): what follows from the facts of many ranks. A page
// is of one run, and has the summaries of all. O(n log n) in the collectives of all runs, once.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/fleet/fleet_result.h"
#include "model/analysis/fleet/slow_parts.h"
#include "model/analysis/fleet/what_if.h"
#include "model/analysis/tables/schema.h"
#include "model/base/digits.h"
#include "model/base/statistics.h"

namespace stepscope {
namespace {

constexpr const char* kNoFleet =
    "This is one profile. stepscope-fleet PATH... -o DIR makes a fleet of many, and `stepscope "
    "DIR` "
    "opens it.";
constexpr size_t kMostFleetSteps = 4'000'000;  // rows of the table of steps

constexpr size_t kMostSlowKernels = 10'000;

// The answers that follow from the facts of a run's ranks.
struct FleetAnswers {
  RankJob job;
  KernelSpeeds kernels;
  std::vector<Link> links;
  WhatIf what_if;
};

FleetAnswers AnswersOf(const FleetRun& run) {
  FleetAnswers answers;
  answers.job = PutTogether(run.facts);
  answers.kernels = CompareKernels(run.facts);
  answers.links = CompareLinks(run.facts, answers.job);
  answers.what_if = AskWhatIf(run.facts, answers.job);
  return answers;
}

// A value of at least 0; -1: unknown.
std::optional<int64_t> Known(int64_t value) {
  return value < 0 ? std::nullopt : std::optional(value);
}

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

// What the rows of the table of ranks share. A row is a rank's facts, by its index.
struct RankTableFacts {
  const Fleet& fleet;
  const FleetRun& run;
  const FleetAnswers& answers;

  const LateCause& CauseOf(size_t r) const { return answers.job.causes.ranks[r]; }
  bool several() const { return run.facts.size() > 1; }
  // Whether it is known how late the rank is.
  bool KnowsLate(size_t r) const {
    return several() && answers.job.lateness.steps > 0 && answers.job.clocks[r].aligned;
  }
  std::optional<double> LatePercent(size_t r) const {
    const Lateness& all = answers.job.lateness;
    if (!KnowsLate(r)) return std::nullopt;
    return 100 * static_cast<double>(all.ranks[r].steps) / static_cast<double>(all.steps);
  }
  std::optional<double> LateShare(size_t r) const {
    return several() ? ShareOfStep(answers.job, r) : std::nullopt;
  }
  std::optional<bool> IsLate(size_t r) const {
    if (!KnowsLate(r)) return std::nullopt;
    return answers.job.lateness.ranks[r].steps > 0 && IsToBlame(answers.job, r);
  }
  std::optional<Ps> ClockOffset(size_t r) const {
    const RankClock& clock = answers.job.clocks[r];
    if (!clock.aligned || clock.component != 0) return std::nullopt;
    return clock.offset;
  }
};

template <typename T>
std::optional<T> OfSpeed(const RankTableFacts& facts, size_t r, T RankSpeed::*field) {
  const RankSpeed& speed = facts.answers.kernels.ranks[r];
  return speed.known ? std::optional(speed.*field) : std::nullopt;
}

const Schema<RankFacts, RankTableFacts>& RankSchema() {
  using R = RankFacts;
  using F = RankTableFacts;
  static const Schema<R, F> schema(
      "ranks", "Ranks",
      {{"rank", "Rank", Unit::kNone, [](const R& r) { return r.rank.number; }, "", kKeyColumn},
       {"host", "Host", Unit::kNone, [](const R& r) { return r.rank.host_name; }},
       {"coordinates", "Coordinates", Unit::kNone, [](const R& r) { return r.rank.coordinates; },
        "of the file's name"},
       {"step_ms_median", "Step", Unit::kMs,
        [](const R& r) { return MedianOfSteps(r.steps, &RankStep::total); },
        "median of the steps that count", kKeyColumn},
       {"busy_ms_median", "Busy", Unit::kMs,
        [](const R& r) { return MedianOfSteps(r.steps, &RankStep::busy); },
        "compute and copies of a step"},
       {"late_percent", "Late", Unit::kPercent,
        [](const R&, const F& f, size_t i) { return f.LatePercent(i); },
        "steps in which the others waited for it the longest / steps with collectives", kKeyColumn},
       {"late_share_percent", "Waits for it", Unit::kPercent,
        [](const R&, const F& f, size_t i) { return f.LateShare(i); },
        "time by which it was the last, of a step"},
       {"late", "Is late", Unit::kNone, [](const R&, const F& f, size_t i) { return f.IsLate(i); },
        "more than little and chance"},
       {"cause", "Cause", Unit::kNone,
        [](const R&, const F& f, size_t i) { return TextOf(f.CauseOf(i)); },
        "what it does longer than the others", kKeyColumn},
       {"cause_event", "Host event", Unit::kNone,
        [](const R&, const F& f, size_t i) { return f.CauseOf(i).event; }},
       {"kernel_slowdown", "Kernel time / median", Unit::kNone,
        [](const R&, const F& f, size_t i) { return OfSpeed(f, i, &RankSpeed::slowdown); },
        "median times of its kernels / those of the median rank"},
       {"throttled", "Throttled", Unit::kNone,
        [](const R&, const F& f, size_t i) { return OfSpeed(f, i, &RankSpeed::throttled); },
        "half of its kernel time and more is in kernels that are 10 % slower than on the "
        "median rank"},
       {"peak_bytes", "Memory peak", Unit::kBytes, [](const R& r) { return Known(r.peak_bytes); },
        "the most that its allocators held"},
       {"capacity_bytes", "Memory", Unit::kBytes,
        [](const R& r) { return Known(r.capacity_bytes); }},
       {"clock_offset_us", "Clock offset", Unit::kUs,
        [](const R&, const F& f, size_t i) { return f.ClockOffset(i); },
        "ahead of the first rank's"},
       {"file", "Profile", Unit::kNone,
        [](const R&, const F& f, size_t i) { return f.fleet.files[f.run.files[i]].path; },
        "where it lies"}});
  return schema;
}

const Schema<SlowKernel, FleetAnswers>& KernelSchema() {
  using K = SlowKernel;
  using F = FleetAnswers;
  static const Schema<K, F> schema(
      "kernels", "Slower kernels",
      {{"rank", "Rank", Unit::kNone,
        [](const K& k, const F& f) { return f.job.ranks[k.rank].number; }, "", kKeyColumn},
       {"kernel", "Kernel", Unit::kNone, &K::name, "", kKeyColumn},
       {"ratio", "Times the others", Unit::kNone, &K::Ratio,
        "median time here / median of the ranks' medians; from 1.1 on, where three ranks and more "
        "run it",
        kKeyColumn},
       {"median_us", "Median", Unit::kUs, &K::median, "of one run here"},
       {"others_us", "Others", Unit::kUs, &K::others, "median of the ranks' medians"},
       {"count", "Count", Unit::kCount, &K::count},
       {"lost_ms", "Lost", Unit::kMs,
        [](const K& k) {
          return InMs(static_cast<double>(k.median - k.others) * static_cast<double>(k.count));
        },
        "(median - others) * count"}});
  return schema;
}

std::optional<double> BusBandwidth(const Link& link, const FleetAnswers& answers) {
  if (link.bytes <= 0 || link.transfer <= 0) return std::nullopt;
  return 1000 * static_cast<double>(link.bytes) / static_cast<double>(link.transfer) *
         BusFactor(answers.job.calls.names[link.name].kind, link.participants);
}

// A value of a link that is compared with others.
template <typename T>
std::optional<T> Compared(const Link& link, T value) {
  return link.others > 0 ? std::optional(value) : std::nullopt;
}

const Schema<Link, FleetAnswers>& LinkSchema() {
  using L = Link;
  using F = FleetAnswers;
  static const Schema<L, F> schema(
      "links", "Links",
      {{"group", "Group", Unit::kNone,
        [](const L& l, const F& f) { return f.job.calls.groups[l.group].name; },
        "the process group"},
       {"ranks", "Ranks", Unit::kNone,
        [](const L& l, const F& f) { return MembersText(f.job, f.job.calls.groups[l.group]); },
        "its members, or the two ends", kKeyColumn},
       {"name", "Collective", Unit::kNone,
        [](const L& l, const F& f) { return f.job.calls.names[l.name].text; }, "", kKeyColumn},
       {"bytes", "Bytes", Unit::kBytes, [](const L& l) { return Known(l.bytes); }, "of one"},
       {"participants", "Participants", Unit::kCount, &L::participants},
       {"count", "Count", Unit::kCount, &L::count},
       {"transfer_us", "Transfer", Unit::kUs, &L::transfer,
        "median of the shortest durations, which have no waiting in them", kKeyColumn},
       {"others_us", "Others", Unit::kUs, [](const L& l) { return Compared(l, l.others); },
        "median over three and more groups with equal collectives"},
       {"ratio", "Times the others", Unit::kNone, [](const L& l) { return Compared(l, l.Ratio()); },
        "transfer / others", kKeyColumn},
       {"bus_gbps", "Bus GB/s", Unit::kNone, BusBandwidth, "as on the page of ranks"},
       {"slow", "Slow", Unit::kNone, [](const L& l) { return Compared(l, l.slow); },
        "1.25 times the others and more"}});
  return schema;
}

std::string SlowestText(const FleetAnswers& answers) {
  std::vector<int64_t> numbers;
  for (const uint32_t rank : answers.what_if.slowest)
    numbers.push_back(answers.job.ranks[rank].number);
  std::sort(numbers.begin(), numbers.end());
  return "ranks " + RanksText(numbers);
}

// A cause of the slowdown and its share; absent if the slowdown is too small.
struct SlowPart {
  const char* what;
  std::optional<double> share;
  std::optional<double> saved_ms;  // of a step
  std::string detail;
};

std::vector<SlowPart> PartsOf(const FleetAnswers& answers) {
  const WhatIf& w = answers.what_if;
  if (w.step <= 0) return {};
  const auto part = [&](const char* what, const std::optional<double>& share, std::string detail) {
    SlowPart p{what, share, std::nullopt, std::move(detail)};
    if (share) p.saved_ms = InMs(*share * (w.step - w.ideal));
    return p;
  };
  std::vector<SlowPart> parts;
  const auto all = w.slowest_ranks ? std::optional(1.0) : std::nullopt;
  parts.push_back({"all stragglers", all, InMs(w.step - w.ideal), ""});
  parts.push_back(part("slowest 3 % of ranks", w.slowest_ranks, SlowestText(answers)));
  if (w.stage >= 0)
    parts.push_back(part("pipeline stage", w.stage_share, "pp " + std::to_string(w.stage)));
  parts.push_back(part("uneven input", w.uneven_input, "compute that differs from step to step"));
  parts.push_back(part("network", w.network, "transfers above the median of equal ones"));
  return parts;
}

const Schema<SlowPart>& WhatIfSchema() {
  using P = SlowPart;
  static const Schema<P> schema(
      "what_if", "What if",
      {{"what", "What", Unit::kNone, &P::what, "", kKeyColumn},
       {"share_percent", "Share", Unit::kPercent,
        [](const P& p) { return p.share ? std::optional(100 * *p.share) : std::nullopt; },
        "(T - T without it) / (T - T without stragglers); shares overlap", kKeyColumn},
       {"saved_ms_per_step", "Saved", Unit::kMs, &P::saved_ms,
        "by how much a step would be shorter", kKeyColumn},
       {"detail", "Which", Unit::kNone, &P::detail, "", kKeyColumn}});
  return schema;
}

struct RunTableFacts {
  const FleetRun* shown;
  const std::vector<RunSummary>& summaries;  // by run
};

const Schema<FleetRun, RunTableFacts>& RunSchema() {
  using R = FleetRun;
  using F = RunTableFacts;
  const auto of = [](auto field) {
    return [field](const R&, const F& f, size_t i) { return f.summaries[i].*field; };
  };
  static const Schema<R, F> schema(
      "runs", "Runs",
      {{"run", "Run", Unit::kNone, &R::name, "", kKeyColumn},
       {"shown", "Shown", Unit::kNone, [](const R& r, const F& f) { return &r == f.shown; },
        "the other tables are of this run"},
       {"begin_unix_ns", "Begin", Unit::kNs,
        [](const R& r) {
          return r.origin_unix_ns != 0 ? std::optional(r.origin_unix_ns) : std::nullopt;
        },
        "Unix time"},
       {"ranks", "Ranks", Unit::kCount, [](const R& r) { return r.facts.size(); }},
       {"step_ms_median", "Step", Unit::kMs, of(&RunSummary::step_ms),
        "median of the ranks' medians", kKeyColumn},
       {"step_ms_max", "Slowest", Unit::kMs, of(&RunSummary::slowest_step_ms),
        "the largest of them"},
       {"busy_ms_median", "Busy", Unit::kMs, of(&RunSummary::busy_ms),
        "the same of compute and copies", kKeyColumn},
       {"slowdown_percent", "Slowdown", Unit::kPercent,
        [](const R&, const F& f, size_t i) { return f.summaries[i].slowdown_percent(); },
        "by how much a step is longer than without stragglers", kKeyColumn},
       {"late_ranks", "Late ranks", Unit::kCount, of(&RunSummary::late_ranks), "", kKeyColumn},
       {"throttled_ranks", "Throttled", Unit::kCount, of(&RunSummary::throttled_ranks)},
       {"slow_links", "Slow links", Unit::kCount, of(&RunSummary::slow_links)}});
  return schema;
}

ResultTable FileTable(const Fleet& fleet) {
  std::vector<FleetFile> failed;
  std::copy_if(fleet.files.begin(), fleet.files.end(), std::back_inserter(failed),
               [](const FleetFile& file) { return !file.error.empty(); });
  return Schema<FleetFile>("failed", "Profiles without facts",
                           {{"file", "Profile", Unit::kNone, &FleetFile::path, "", kKeyColumn},
                            {"error", "Error", Unit::kNone, &FleetFile::error, "", kKeyColumn}})
      .Make(failed);
}

std::vector<Property> PropertiesOf(const WhatIf& what_if) {
  using W = WhatIf;
  static const Schema<W> schema(
      "fleet", "Fleet",
      {{"slowdown_percent", "Slowdown", Unit::kPercent,
        [](const W& w) { return 100 * (w.Slowdown() - 1); },
        "by how much a step is longer than without stragglers"},
       {"step_ms", "Step", Unit::kMs, [](const W& w) { return InMs(w.step); },
        "mean, simulated with the recorded times"},
       {"ideal_step_ms", "Without stragglers", Unit::kMs, [](const W& w) { return InMs(w.ideal); },
        "mean, simulated with ideal times"}});
  return what_if.step > 0 ? schema.Properties(what_if) : std::vector<Property>();
}

std::vector<Property> PropertiesOf(const RunSummary& run, const Fleet& fleet) {
  using R = RunSummary;
  static const Schema<R, Fleet> schema(
      "fleet", "Fleet",
      {{"throttled_ranks", "Throttled ranks", Unit::kCount, &R::throttled_ranks,
        "most of their kernels are slower than on the median rank"},
       {"slow_links", "Slow links", Unit::kCount, &R::slow_links,
        "their transfers take 1.25 times those of equal groups and more"},
       {"failed", "Profiles without facts", Unit::kCount, [](const R&, const Fleet& f) {
          return std::count_if(f.files.begin(), f.files.end(),
                               [](const FleetFile& file) { return !file.error.empty(); });
        }}});
  return schema.Properties(run, fleet);
}

// Sentences beside that of the slowest rank.
void AddSentences(const FleetAnswers& answers, AnalysisResult* result) {
  constexpr size_t kMost = 8;
  const auto say = [&](std::string text, const char* next) {
    result->findings.push_back({Finding::Grade::kWarning, std::move(text), next, "fleet"});
  };
  const RankJob& job = answers.job;
  for (size_t r = 0; r < answers.kernels.ranks.size() && result->findings.size() < kMost; ++r) {
    const RankSpeed& speed = answers.kernels.ranks[r];
    if (!speed.throttled) continue;
    say(fmt::format("Rank {} runs its kernels {} slower than the median rank.", job.ranks[r].number,
                    PercentText(100 * (speed.slowdown - 1), 0)),
        "Look at its GPU's clocks and temperature: it may be throttled.");
  }
  for (const Link& link : answers.links) {
    if (!link.slow || result->findings.size() >= kMost) break;
    say(fmt::format("{} of ranks {} takes {:.2f} times as long as that of equal groups.",
                    job.calls.names[link.name].text, MembersText(job, job.calls.groups[link.group]),
                    link.Ratio()),
        "Look at the links between these ranks.");
  }
}

// The median over ranks of their medians; nothing where no rank has steps.
std::vector<Ps> MediansOf(const FleetRun& run, Ps RankStep::*field) {
  std::vector<Ps> medians;
  for (const RankFacts& facts : run.facts) {
    if (const auto median = MedianOfSteps(facts.steps, field)) medians.push_back(*median);
  }
  return medians;
}

// Answers in a few numbers.
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

// By run. The other runs are put together too, unless they were before.
std::vector<RunSummary> SummariesOfAll(const Trace& trace, const FleetRun& shown,
                                       const FleetAnswers& answers) {
  const Fleet& fleet = *FleetOf(trace);
  RunSummaries& known = SummariesOf(trace);
  std::vector<RunSummary> all;
  for (size_t i = 0; i < fleet.runs.size(); ++i) {
    CheckStop();
    const FleetRun& run = fleet.runs[i];
    std::optional<RunSummary> summary = known.Find(i);
    if (!summary) summary = SummaryOf(run, &run == &shown ? answers : AnswersOf(run));
    known.Keep(i, *summary);
    all.push_back(*summary);
  }
  return all;
}

// What the panels read of the shown run.
FleetResult ResultOf(const FleetRun& run, const FleetAnswers& answers,
                     std::vector<RunSummary> summaries) {
  FleetResult fleet;
  fleet.runs = std::move(summaries);
  fleet.late_steps = FindLateSteps(answers.job, false, kMostFleetSteps);
  for (size_t r = 0; r < run.facts.size(); ++r) {
    const bool several = run.facts.size() > 1;
    fleet.late_share.push_back(several ? ShareOfStep(answers.job, r) : std::nullopt);
  }
  return fleet;
}

ResultTable StepTable(const LateSteps& late, const RankJob& job) {
  std::vector<int64_t> numbers;
  for (const Rank& rank : job.ranks) numbers.push_back(rank.number);
  ResultTable table = LateStepTable(late, numbers, job.steps);
  table.id = "steps";
  return table;
}

}  // namespace

AnalysisResult RunFleet(AnalysisContext& context, const AnalysisParams&) {
  AnalysisResult result;
  result.panel = "fleet";
  const Fleet* fleet = FleetOf(context.trace());
  if (fleet == nullptr) {
    result.empty_reason = kNoFleet;
    return result;
  }
  const FleetRun& run = fleet->ShownRun();
  const FleetAnswers answers = AnswersOf(run);
  const auto found = std::make_shared<const FleetResult>(
      ResultOf(run, answers, SummariesOfAll(context.trace(), run, answers)));
  CheckStop();
  const auto add = [&](std::vector<Property> more) {
    result.properties.insert(result.properties.end(), more.begin(), more.end());
  };
  if (run.facts.size() > 1) {
    const RankSummary summary = Summarize(answers.job);
    add(PropertiesOf(summary));
    result.findings.push_back(summary.finding);
  }
  add(PropertiesOf(answers.what_if));
  add(PropertiesOf(found->runs[fleet->shown], *fleet));
  AddSentences(answers, &result);
  const std::span slow(answers.kernels.slow);
  result.tables = {
      RankSchema().Make(run.facts, {*fleet, run, answers}),
      WhatIfSchema().Make(PartsOf(answers)),
      KernelSchema().Make(slow.first(std::min(slow.size(), kMostSlowKernels)), answers),
      LinkSchema().Make(answers.links, answers),
      RunSchema().Make(fleet->runs, {&run, found->runs}),
      FileTable(*fleet),
      StepTable(found->late_steps, answers.job)};
  result.SetSource(found);
  return result;
}

}  // namespace stepscope
