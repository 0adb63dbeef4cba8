#include "model/analysis/ranks/rank_finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "model/analysis/ranks/rank_tables.h"
#include "model/analysis/steps/losses.h"

namespace stepscope {
namespace {

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
std::string LastText(const RankJob& job, size_t r) {
  const RankLateness& rank = job.lateness.ranks[r];
  const auto steps = static_cast<Ps>(job.lateness.steps);
  const double percent = 100 * static_cast<double>(rank.steps) / static_cast<double>(steps);
  std::string text = fmt::format("Rank {} is the last in {:.0f} % of the steps, by {} a step",
                                 job.ranks[r].number, percent, FormatDuration(rank.sum / steps, 3));
  if (const std::optional<double> share = ShareOfStep(job, r))
    text += fmt::format(" ({:.1f} % of it)", *share);
  return text;
}

// Says of the rank that most steps wait for why it is not called late.
void SayLast(const RankJob& job, Finding* finding) {
  const std::optional<size_t> last = MostAwaited(job);
  finding->grade = Finding::Grade::kGood;
  if (!last) {
    finding->text = "No rank is late to collectives.";
    return;
  }
  const double share = ShareOfStep(job, *last).value_or(0);
  if (share < kLeastShareOfStep) {
    finding->text = "No rank is late to collectives by much. " + LastText(job, *last) + ".";
    return;
  }
  finding->grade = Finding::Grade::kInfo;
  finding->text =
      LastText(job, *last) + fmt::format(". In {} step{} that may be chance.", job.lateness.steps,
                                         job.lateness.steps == 1 ? "" : "s");
}

Finding NobodyLate(const RankJob& job, Finding finding) {
  constexpr Ps kPoor = 100 * kPsPerUs;  // from here on clocks drift, or ranks are of several jobs
  Ps residual = 0;
  for (const RankClock& clock : job.clocks) residual = std::max(residual, clock.residual);
  if (job.lateness.steps == 0) {
    finding.text =
        "No collective could be paired between ranks: their clocks are not aligned, and who waits "
        "for whom is not known.";
  } else if (residual > kPoor) {
    finding.text = fmt::format(
        "No rank is later to collectives than the clocks are uncertain: ends differ by {}.",
        FormatDuration(residual, 3));
  } else {
    SayLast(job, &finding);
  }
  return finding;
}

}  // namespace

std::string CauseTextOf(const LateCause& cause) {
  if (!cause.known) return {};
  return WordsOf(cause) + (cause.event.empty() ? "" : " (" + cause.event + ")");
}

Finding FindingOf(const RankJob& job) {
  const std::optional<size_t> slowest = SlowestRank(job);
  Finding finding;
  finding.panel = "ranks";
  if (!slowest) return NobodyLate(job, std::move(finding));
  const size_t r = *slowest;
  const double share = ShareOfStep(job, r).value_or(0);
  const LateCause& cause = job.causes.ranks[r];
  finding.grade = share >= 10  ? Finding::Grade::kBad
                  : share >= 3 ? Finding::Grade::kWarning
                               : Finding::Grade::kInfo;
  finding.text = LastText(job, r);
  if (cause.known) finding.text += "; the cause is " + CauseTextOf(cause);
  finding.text += ".";
  if (cause.known) finding.next_step = RemedyOf(cause);
  return finding;
}

void AddRankProperties(const RankJob& job, AnalysisResult* result) {
  const std::optional<size_t> slowest = SlowestRank(job);
  const auto add = [&](const char* id, const char* label, Value value, Unit unit,
                       const char* how = "") {
    result->properties.push_back({id, label, std::move(value), unit, how});
  };
  const auto count = [](size_t n) { return Value(static_cast<int64_t>(n)); };
  add("slowest_rank", "Slowest rank", slowest ? Value(job.ranks[*slowest].number) : Value(),
      Unit::kNone,
      "the one that most steps wait for: by 1 % of a step and more often than by chance, or by "
      "10 %");
  if (slowest) {
    const std::optional<double> share = ShareOfStep(job, *slowest);
    add("slowest_wait_percent", "Waits for it", share ? Value(*share) : Value(), Unit::kPercent,
        "by how much it is the last, of a step");
    if (const std::string cause = CauseTextOf(job.causes.ranks[*slowest]); !cause.empty())
      add("slowest_cause", "Cause", SharedText(cause), Unit::kNone);
  }
  add("ranks", "Ranks", count(job.ranks.size()), Unit::kCount);
  add("step_spread_percent", "Spread of step times", SpreadPercent(job, &RankStep::total),
      Unit::kPercent, "(largest - smallest) / median of the ranks' median step times");
  add("busy_spread_percent", "Spread of busy times", SpreadPercent(job, &RankStep::busy),
      Unit::kPercent, "the same of compute and copies: what ranks themselves do in a step");
  const auto several =
      std::count_if(job.lateness.collectives.begin(), job.lateness.collectives.end(),
                    [](const LateCollective& c) { return c.several; });
  add("collectives", "Collectives of several ranks", count(static_cast<size_t>(several)),
      Unit::kCount);
  add("missing", "Collectives that lack a participant", count(job.lateness.missing), Unit::kCount);
}

}  // namespace stepscope
