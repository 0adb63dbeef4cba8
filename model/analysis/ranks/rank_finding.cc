#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "model/analysis/ranks/ranks.h"
#include "model/analysis/steps/losses.h"
#include "model/analysis/tables/schema.h"
#include "model/base/digits.h"

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
  std::string text =
      fmt::format("Rank {} is the last in {} of the steps, by {} a step", job.ranks[r].number,
                  PercentText(percent, 0), FormatDuration(rank.sum / steps, 3));
  if (const std::optional<double> share = ShareOfStep(job, r))
    text += " (" + PercentText(*share, 1) + " of it)";
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

std::string CauseTextOf(const LateCause& cause) {
  if (!cause.known) return {};
  return WordsOf(cause) + (cause.event.empty() ? "" : " (" + cause.event + ")");
}

Finding FindingOf(const RankJob& job, std::optional<size_t> slowest) {
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

// 100 (largest - smallest) / median of the ranks' medians (docs/rules.md#ranks); nothing for
// fewer than two ranks.
std::optional<double> SpreadPercent(const RankJob& job, Ps RankStep::*field) {
  std::vector<double> medians;
  for (const std::vector<RankStep>& steps : job.steps) {
    const std::optional<Ps> median = MedianOfSteps(steps, field);
    if (median) medians.push_back(InMs(*median));
  }
  std::sort(medians.begin(), medians.end());
  if (medians.size() < 2) return {};
  const double middle = medians[(medians.size() - 1) / 2];
  if (middle <= 0) return {};
  return 100 * (medians.back() - medians.front()) / middle;
}

}  // namespace

RankSummary Summarize(const RankJob& job) {
  RankSummary s;
  const std::optional<size_t> slowest = SlowestRank(job);
  if (slowest) {
    s.slowest = job.ranks[*slowest].number;
    s.wait_percent = ShareOfStep(job, *slowest);
    s.cause = CauseTextOf(job.causes.ranks[*slowest]);
  }
  s.ranks = job.ranks.size();
  s.step_spread = SpreadPercent(job, &RankStep::total);
  s.busy_spread = SpreadPercent(job, &RankStep::busy);
  for (const LateCollective& c : job.lateness.collectives) s.collectives += c.several;
  s.missing = job.lateness.missing;
  s.finding = FindingOf(job, slowest);
  return s;
}

std::vector<Finding> CutFindings(const Ranks& ranks) {
  constexpr size_t kMost = 4;
  std::vector<Finding> findings;
  for (const RankRow& rank : ranks.ranks) {
    if (!rank.cut || findings.size() == kMost) continue;
    const std::string where =
        rank.last_step ? fmt::format("after step {}: its later steps are missing.", *rank.last_step)
                       : std::string("off: what it recorded last is missing.");
    Finding& f = findings.emplace_back();
    f.grade = Finding::Grade::kWarning;
    f.text = fmt::format("The file of rank {} is cut {}", rank.number, where);
    f.panel = "ranks";
  }
  return findings;
}

std::vector<Property> PropertiesOf(const RankSummary& summary) {
  using S = RankSummary;
  using Field = Schema<S, S>::Field;
  static const Schema<S, S> schema(
      "ranks", "Ranks",
      {{"slowest_rank", "Slowest rank", Unit::kNone, &S::slowest,
        "the one that most steps wait for: by 1 % of a step and more often than by chance, or by "
        "10 %"},
       Field("slowest_wait_percent", "Waits for it", Unit::kPercent, &S::wait_percent,
             "by how much it is the last, of a step")
           .When([](const S& s) { return s.slowest.has_value(); }),
       Field("slowest_cause", "Cause", Unit::kNone, &S::cause).When([](const S& s) {
         return !s.cause.empty();
       }),
       {"ranks", "Ranks", Unit::kCount, &S::ranks},
       {"step_spread_percent", "Spread of step times", Unit::kPercent, &S::step_spread,
        "(largest - smallest) / median of the ranks' median step times"},
       {"busy_spread_percent", "Spread of busy times", Unit::kPercent, &S::busy_spread,
        "the same of compute and copies: what ranks themselves do in a step"},
       {"collectives", "Collectives of several ranks", Unit::kCount, &S::collectives},
       {"missing", "Collectives that lack a participant", Unit::kCount, &S::missing}});
  return schema.Properties(summary, summary);
}

void NameLateRank(AnalysisContext& context, const AnalysisParams& params, Verdict* verdict) {
  // Shares of the time in collectives that is waiting for one rank.
  constexpr double kLeads = 0.5, kIsNamed = 0.2;
  const bool collectives =
      verdict->leads == StepPart::kCollectives && verdict->recorded == Verdict::Recorded::kAll;
  if (!collectives || context.trace().hosts.size() < 2) return;
  const std::shared_ptr<const Ranks> found = context.Get<Ranks>(params);
  const RankSummary& ranks = found->summary;
  if (!ranks.slowest || !ranks.wait_percent) return;
  // The rank itself does not wait.
  const auto n = static_cast<double>(ranks.ranks);
  const double waited = *ranks.wait_percent * (n - 1) / n / verdict->percent;
  if (waited < kIsNamed) return;
  verdict->late_rank = {*ranks.slowest, *ranks.wait_percent,     waited,
                        ranks.cause,    ranks.finding.next_step, waited >= kLeads};
}

}  // namespace stepscope
