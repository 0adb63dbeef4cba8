// The analysis `ranks` (docs/rules.md#ranks): which rank of a job the others wait for, and why.
// O(n log n) in collectives, O(n) in device events; memory is bounded by the rows listed.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <utility>

#include "model/analysis/analysis.h"
#include "model/analysis/ranks/host_clocks.h"
#include "model/analysis/ranks/rank_step_table.h"
#include "model/analysis/ranks/rank_tables.h"
#include "model/analysis/steps/loss_tables.h"

namespace stepscope {
namespace {

constexpr const char* kOneRank =
    "This profile is of one rank. Open what all ranks of the job wrote together: a folder with "
    "several ranks' traces (rank0.json.gz, rank1.json.gz, ...; PyTorch's own names do), or a run "
    "directory with the files of several hosts.";

// Percent of a step that ranks wait for one: less is not said to be late, more always is.
constexpr double kLeastShare = 1, kMuchShare = 10;

RankFacts Gather(AnalysisContext& context, const AnalysisParams& params, std::stop_token stop) {
  RankFacts f;
  AnalysisParams whole;  // participants are paired wherever they begin
  whole.hosts = params.hosts;
  PairedRanks paired = PairRanks(context, whole, stop);
  f.ranks = std::move(paired.ranks);
  f.steps = std::move(paired.steps);
  f.calls = std::move(paired.calls);
  f.clocks = std::move(paired.clocks);
  f.causes.ranks.resize(f.ranks.size());
  f.lateness.ranks.resize(f.ranks.size());
  if (f.ranks.size() < 2 || stop.stop_requested()) return f;
  const StepDatabase& db = context.steps(stop);
  f.recording = RecordingOf(f.calls, f.steps, f.clocks);
  const Scope scope(context.trace(), params, db);
  KeepScope(scope, f.ranks, &f.calls);
  f.steps = StepsOfRanks(f.ranks, db, scope);
  f.lateness = FindLateness(f.calls, f.clocks, f.recording);
  f.listed = ListedCollectives(f.calls, f.lateness);
  f.causes = FindLateCauses(context, f.ranks, f.steps, f.calls, f.lateness, f.listed, stop);
  return f;
}

// The time that the others wait for a rank, in percent of a step; nothing if no step is known.
std::optional<double> ShareOfStep(const RankFacts& f, size_t rank) {
  const Value step = MedianOfSteps(f.steps[rank], &RankStep::total);
  const double* ms = std::get_if<double>(&step);
  if (ms == nullptr || *ms <= 0 || f.lateness.steps == 0) return std::nullopt;
  const double late = static_cast<double>(f.lateness.ranks[rank].sum) /
                      static_cast<double>(f.lateness.steps) / static_cast<double>(kPsPerMs);
  return 100 * late / *ms;
}

// In each step some rank is the last. A rank is to blame if that costs much, or if it costs
// something and the rank is last more often than two standard deviations above chance
// (docs/rules.md#ranks).
bool IsToBlame(const RankFacts& f, size_t rank) {
  const std::optional<double> share = ShareOfStep(f, rank);
  if (!share || *share >= kMuchShare) return true;
  const auto n = static_cast<double>(f.lateness.steps);
  const double p = 1 / static_cast<double>(f.ranks.size());
  const double chance = n * p + 2 * std::sqrt(n * p * (1 - p));
  return *share >= kLeastShare && static_cast<double>(f.lateness.ranks[rank].steps) > chance;
}

// The rank for which the most steps wait; null if none waits for any.
const RankLateness* MostAwaited(const RankFacts& f) {
  const auto key = [](const RankLateness& r) { return std::make_pair(r.steps, r.sum); };
  const auto it = std::max_element(
      f.lateness.ranks.begin(), f.lateness.ranks.end(),
      [&](const RankLateness& a, const RankLateness& b) { return key(a) < key(b); });
  return it == f.lateness.ranks.end() || it->steps == 0 ? nullptr : &*it;
}

size_t PlaceOf(const RankFacts& f, const RankLateness* rank) {
  return static_cast<size_t>(rank - f.lateness.ranks.data());
}

// The same if that is neither little nor chance, else null.
const RankLateness* Slowest(const RankFacts& f) {
  const RankLateness* rank = MostAwaited(f);
  return rank != nullptr && IsToBlame(f, PlaceOf(f, rank)) ? rank : nullptr;
}

const char* RemedyOf(const LateCause& cause) {
  switch (cause.loss) {
    case StepTimeClass::kInput:
      return "Look at its input: slower storage, a larger shard, fewer loader processes.";
    case StepTimeClass::kCompute:
      return "Look at its kernels beside another rank's: a throttled device, or more work (longer "
             "sequences, an uneven split).";
    case StepTimeClass::kHostToDevice:
      return "Look at its copies: pageable memory, or a slower link.";
    default:
      return "Look at its host: other programs on it, garbage collection, logging, checkpoints.";
  }
}

// The cause in words, as in "waiting for input".
std::string WordsOf(const LateCause& cause) {
  if (cause.loss == StepTimeClass::kHostToDevice) return "copies";
  std::string words = LabelOf(cause.loss);
  if (!words.empty()) words[0] = static_cast<char>(std::tolower(words[0]));
  return words;
}

// "Rank 2 is the last in 67 % of the steps, by 3.00 ms a step (4.2 % of it)"
std::string LastText(const RankFacts& f, const RankLateness& rank) {
  const size_t r = PlaceOf(f, &rank);
  const auto steps = static_cast<Ps>(f.lateness.steps);
  const double percent = 100 * static_cast<double>(rank.steps) / static_cast<double>(steps);
  std::string text = fmt::format("Rank {} is the last in {:.0f} % of the steps, by {} a step",
                                 f.ranks[r].number, percent, FormatDuration(rank.sum / steps, 3));
  if (const std::optional<double> share = ShareOfStep(f, r))
    text += fmt::format(" ({:.1f} % of it)", *share);
  return text;
}

// Says of the rank that most steps wait for why it is not called late.
void SayLast(const RankFacts& f, Finding* finding) {
  const RankLateness* last = MostAwaited(f);
  finding->grade = Finding::Grade::kGood;
  if (last == nullptr) {
    finding->text = "No rank is late to collectives.";
    return;
  }
  const double share = ShareOfStep(f, PlaceOf(f, last)).value_or(0);
  if (share < kLeastShare) {
    finding->text = "No rank is late to collectives by much. " + LastText(f, *last) + ".";
    return;
  }
  finding->grade = Finding::Grade::kInfo;
  finding->text =
      LastText(f, *last) + fmt::format(". In {} step{} that may be chance.", f.lateness.steps,
                                       f.lateness.steps == 1 ? "" : "s");
}

Finding NobodyLate(const RankFacts& f, Finding finding) {
  constexpr Ps kPoor = 100 * kPsPerUs;  // from here on clocks drift, or ranks are of several jobs
  Ps residual = 0;
  for (const RankClock& clock : f.clocks) residual = std::max(residual, clock.residual);
  if (f.lateness.steps == 0) {
    finding.text =
        "No collective could be paired between ranks: their clocks are not aligned, and who waits "
        "for whom is not known.";
  } else if (residual > kPoor) {
    finding.text = fmt::format(
        "No rank is later to collectives than the clocks are uncertain: ends differ by {}.",
        FormatDuration(residual, 3));
  } else {
    SayLast(f, &finding);
  }
  return finding;
}

// What keeps a rank, with the host's event: "waiting for input (DataLoader)". Empty if unknown.
std::string CauseText(const LateCause& cause) {
  if (!cause.known) return {};
  return WordsOf(cause) + (cause.event.empty() ? "" : " (" + cause.event + ")");
}

Finding FindingOf(const RankFacts& f, const RankLateness* slowest) {
  Finding finding;
  finding.panel = "ranks";
  if (slowest == nullptr) return NobodyLate(f, std::move(finding));
  const size_t r = PlaceOf(f, slowest);
  const double share = ShareOfStep(f, r).value_or(0);
  const LateCause& cause = f.causes.ranks[r];
  finding.grade = share >= 10  ? Finding::Grade::kBad
                  : share >= 3 ? Finding::Grade::kWarning
                               : Finding::Grade::kInfo;
  finding.text = LastText(f, *slowest);
  if (cause.known) finding.text += "; the cause is " + CauseText(cause);
  finding.text += ".";
  if (cause.known) finding.next_step = RemedyOf(cause);
  return finding;
}

void AddProperties(const RankFacts& f, const RankLateness* slowest, AnalysisResult* result) {
  const auto add = [&](const char* id, const char* label, Value value, Unit unit,
                       const char* how = "") {
    result->properties.push_back({id, label, std::move(value), unit, how});
  };
  const auto count = [](size_t n) { return Value(static_cast<int64_t>(n)); };
  add("slowest_rank", "Slowest rank",
      slowest == nullptr ? Value() : Value(f.ranks[PlaceOf(f, slowest)].number), Unit::kNone,
      "the one that most steps wait for: by 1 % of a step and more often than by chance, or by "
      "10 %");
  if (slowest != nullptr) {
    const std::optional<double> share = ShareOfStep(f, PlaceOf(f, slowest));
    add("slowest_wait_percent", "Waits for it", share ? Value(*share) : Value(), Unit::kPercent,
        "by how much it is the last, of a step");
    if (const std::string cause = CauseText(f.causes.ranks[PlaceOf(f, slowest)]); !cause.empty())
      add("slowest_cause", "Cause", SharedText(cause), Unit::kNone);
  }
  add("ranks", "Ranks", count(f.ranks.size()), Unit::kCount);
  add("step_spread_percent", "Spread of step times", SpreadPercent(f, &RankStep::total),
      Unit::kPercent, "(largest - smallest) / median of the ranks' median step times");
  add("busy_spread_percent", "Spread of busy times", SpreadPercent(f, &RankStep::busy),
      Unit::kPercent, "the same of compute and copies: what ranks themselves do in a step");
  const auto several = std::count_if(f.lateness.collectives.begin(), f.lateness.collectives.end(),
                                     [](const LateCollective& c) { return c.several; });
  add("collectives", "Collectives of several ranks", count(static_cast<size_t>(several)),
      Unit::kCount);
  add("missing", "Collectives that lack a participant", count(f.lateness.missing), Unit::kCount);
}

}  // namespace

AnalysisResult RunRanks(AnalysisContext& context, const AnalysisParams& params,
                        std::stop_token stop) {
  AnalysisResult result;
  result.panel = "ranks";
  const RankFacts facts = Gather(context, params, stop);
  if (stop.stop_requested()) return result;
  if (facts.ranks.size() < 2) {
    result.empty_reason = kOneRank;
    return result;
  }
  const RankLateness* slowest = Slowest(facts);
  AddProperties(facts, slowest, &result);
  result.tables.push_back(RankTable(context.trace(), facts));
  result.tables.push_back(CollectiveTable(context, facts, stop));
  result.tables.push_back(RankStepTable(facts));
  result.findings.push_back(FindingOf(facts, slowest));
  return result;
}

}  // namespace stepscope
