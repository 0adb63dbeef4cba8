// The analysis `fleet` (docs/fleet.md): what follows from the facts of many ranks. A page
// is of one run, and has the summaries of all. O(n log n) in the collectives of all runs, once.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/fleet/fleet.h"
#include "model/analysis/fleet/fleet_tables.h"
#include "model/analysis/ranks/rank_finding.h"
#include "model/analysis/ranks/rank_step_table.h"

namespace stepscope {
namespace {

constexpr const char* kNoFleet =
    "This is one profile. stepscope-fleet PATH... -o DIR makes a fleet of many, and `stepscope "
    "DIR` "
    "opens it.";
constexpr size_t kMostFleetSteps = 4'000'000;  // rows of the table of steps

void AddWhatIf(const FleetAnswers& answers, AnalysisResult* result) {
  const WhatIf& w = answers.what_if;
  if (w.step <= 0) return;
  const auto add = [&](const char* id, const char* label, Value value, Unit unit, const char* how) {
    result->properties.push_back({id, label, std::move(value), unit, how});
  };
  const auto ms = [](double ps) { return Value(ps / static_cast<double>(kPsPerMs)); };
  add("slowdown_percent", "Slowdown", 100 * (w.Slowdown() - 1), Unit::kPercent,
      "by how much a step is longer than without stragglers");
  add("step_ms", "Step", ms(w.step), Unit::kMs, "mean, simulated with the recorded times");
  add("ideal_step_ms", "Without stragglers", ms(w.ideal), Unit::kMs,
      "mean, simulated with ideal times");
}

template <typename T, typename Is>
int64_t Count(const std::vector<T>& all, Is is) {
  return std::count_if(all.begin(), all.end(), is);
}

void AddCounts(const FleetAnswers& answers, const Fleet& fleet, AnalysisResult* result) {
  const auto add = [&](const char* id, const char* label, int64_t value, const char* how) {
    result->properties.push_back({id, label, Value(value), Unit::kCount, how});
  };
  add("throttled_ranks", "Throttled ranks",
      Count(answers.kernels.ranks, [](const RankSpeed& r) { return r.throttled; }),
      "most of their kernels are slower than on the median rank");
  add("slow_links", "Slow links", Count(answers.links, [](const Link& l) { return l.slow; }),
      "their transfers take 1.25 times those of equal groups and more");
  add("failed", "Profiles without facts",
      Count(fleet.files, [](const FleetFile& f) { return !f.error.empty(); }), "");
}

// Sentences beside that of the slowest rank.
void AddSentences(const FleetAnswers& answers, AnalysisResult* result) {
  const auto say = [&](std::string text, std::string next) {
    Finding finding;
    finding.grade = Finding::Grade::kWarning;
    finding.panel = "fleet";
    finding.text = std::move(text);
    finding.next_step = std::move(next);
    result->findings.push_back(std::move(finding));
  };
  for (size_t r = 0; r < answers.kernels.ranks.size() && result->findings.size() < 8; ++r) {
    const RankSpeed& speed = answers.kernels.ranks[r];
    if (!speed.throttled) continue;
    say(fmt::format("Rank {} runs its kernels {:.0f} % slower than the median rank.",
                    answers.job.ranks[r].number, 100 * (speed.slowdown - 1)),
        "Look at its GPU's clocks and temperature: it may be throttled.");
  }
  for (const Link& link : answers.links) {
    if (!link.slow || result->findings.size() >= 8) break;
    const ResultTable one = FleetLinkTable({answers.job, {}, {link}, {}});
    say(fmt::format("{} of ranks {} takes {:.2f} times as long as that of equal groups.",
                    answers.job.calls.names[link.name].text, one.ShownText(0, 1), link.Ratio()),
        "Look at the links between these ranks.");
  }
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
  const std::vector<RunSummary> summaries = SummariesOfAll(context.trace(), run, answers);
  CheckStop();
  if (run.facts.size() > 1) AddRankProperties(answers.job, &result);
  AddWhatIf(answers, &result);
  AddCounts(answers, *fleet, &result);
  if (run.facts.size() > 1) result.findings.push_back(FindingOf(answers.job));
  AddSentences(answers, &result);
  result.tables.push_back(FleetRankTable(*fleet, run, answers));
  result.tables.push_back(WhatIfTable(answers));
  result.tables.push_back(FleetKernelTable(answers));
  result.tables.push_back(FleetLinkTable(answers));
  result.tables.push_back(FleetRunTable(*fleet, summaries, run));
  result.tables.push_back(FleetFileTable(*fleet));
  result.tables.push_back(RankStepTable(answers.job, false, kMostFleetSteps));
  result.tables.back().id = "steps";
  return result;
}

}  // namespace stepscope
