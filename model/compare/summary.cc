#include "model/base/digits.h"
#include "model/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/analysis/naming/short_label.h"
#include "model/base/demangle.h"

namespace stepscope::compare {
namespace {

constexpr size_t kMostNamed = 3;
constexpr double kWorthNaming = 5;  // percent of the change that a named row must reach
constexpr double kWorthDrift = 1;   // percent of the median step

// Percent of the change that the rows explain together. The change is not 0.
double Explained(const Contributions& found, double change) {
  double sum = 0;
  for (const Contribution& c : found.rows) sum += c.delta_ms();
  return found.rows.empty() ? 0 : 100 * sum / change;
}

std::string OutlierText(const ComparedSteps& steps) {
  std::string text;
  for (const Step* step : steps.outliers) {
    text += text.empty() ? "" : ", ";
    text += fmt::format("{} ({:.3g} ms)", step->label, MsOf(step->times.total));
  }
  return text;
}

std::string TimeText(double ms) { return FormatDuration(PsOfMs(ms), 3); }

std::string Signed(double ms) { return (ms < 0 ? "" : "+") + TimeText(ms); }

// The name of the row in a sentence.
std::string NameOf(const Contribution& c) {
  std::string name = Demangle(c.name);
  name = name.empty() ? c.name : std::string(WithoutParameters(name));
  name = InSentence(name);
  switch (c.kind) {
    case WorkKind::kWait:
      return "waiting for the last participant of " + name;
    case WorkKind::kInput:
      return "waiting for input in " + name;
    case WorkKind::kLaunch:
      return "launching " + name;
    case WorkKind::kIdle:
      return fmt::format("idle time ({}) in {}", IdOf(c.loss), name);
    default:
      return name;
  }
}

// In words, whether the steps differ by more than chance explains.
std::string SignificanceText(const StepChange& change) {
  const size_t fewest = std::min(change.a.count, change.b.count);
  const std::string steps = fmt::format("{} and {} steps", change.a.count, change.b.count);
  if (fewest < kFewestSteps) return fmt::format("; {} are too few to test it", steps);
  const std::string p = fmt::format("p = {:.2g}", change.test.larger_p());
  if (change.test.significance == Significance::kStrong)
    return fmt::format(", significant ({})", p);
  if (change.test.significance == Significance::kWeak)
    return fmt::format(", weakly significant ({})", p);
  const double deviation = std::max(change.a.deviation, change.b.deviation);
  const std::string few = fewest < kFewSteps ? fmt::format(", and {} are few", steps) : "";
  return fmt::format(", not significant: the steps vary by {}{} ({})", TimeText(deviation), few, p);
}

std::string DifferenceSentence(const StepChange& change) {
  const double delta = change.delta();
  if (delta == 0)
    return fmt::format("B's step takes as long as A's: {}.", TimeText(change.a.median));
  const std::optional<double> of_a = change.percent();
  const std::string percent = of_a ? fmt::format(" ({})", SignedPercentText(*of_a)) : "";
  return fmt::format("B's step is {} {}{}{}.", TimeText(std::abs(delta)),
                     delta > 0 ? "longer" : "shorter", percent, SignificanceText(change));
}

std::string MedianSentence(const StepChange& change) {
  return fmt::format("The median step takes {} in B and {} in A ({} and {} steps).",
                     TimeText(change.b.median), TimeText(change.a.median), change.b.count,
                     change.a.count);
}

// A run whose steps get slower while it is recorded tells less about the program.
std::string DriftSentence(const char* which, double percent) {
  if (std::abs(percent) < kWorthDrift) return {};
  return fmt::format("{} drifts: the second half of its steps is {} {} than the first.", which,
                     PercentText(std::abs(percent), 1), percent > 0 ? "slower" : "faster");
}

std::string CauseSentences(const StepChange& change, const Contributions& found) {
  const double mean = change.mean_delta(), whole = change.divisor();
  if (found.rows.empty()) return mean == 0 ? "" : "No item changed by more than it scatters.";
  std::string text = fmt::format("The mean step changes by {}: ", Signed(mean));
  size_t named = 0;
  for (const Contribution& c : found.rows) {
    const double share = c.share_of(whole).value_or(100);
    if (named == kMostNamed || (named > 0 && std::abs(share) < kWorthNaming)) break;
    text += named++ == 0 ? "" : "; ";
    text += fmt::format("{} {}, {} per step", NameOf(c), IdOf(c.change), Signed(c.delta_ms()));
    if (whole != 0) text += " (" + PercentText(share, 0) + ")";
  }
  text += ".";
  if (whole != 0) {
    const size_t rows = found.rows.size();
    const std::string who =
        rows == 1 ? " That explains" : fmt::format(" All {} rows together explain", rows);
    text += who + " " + PercentText(Explained(found, mean), 1) + ".";
  }
  return text;
}

// "NVIDIA V100 -> NVIDIA H100"
std::string DifferenceText(const ProfileDifference& d) {
  return fmt::format("{} {} -> {}", d.what, d.a.empty() ? "none" : d.a, d.b.empty() ? "none" : d.b);
}

std::string ListOf(const std::vector<ProfileDifference>& differences, bool leads) {
  std::string list;
  for (const ProfileDifference& d : differences) {
    if (d.leads == leads) list += (list.empty() ? "" : "; ") + DifferenceText(d);
  }
  return list;
}

std::string SameProgramSentence(const Contributions& found) {
  if (found.same_program()) return {};
  return fmt::format(
      "A and B are hardly the same program: they share {} of their work and {} of the names in it.",
      PercentText(found.shared_percent, 0), PercentText(found.shared_names_percent, 0));
}

Finding::Grade GradeOf(const StepChange& change) {
  if (change.test.significance == Significance::kNone) return Finding::Grade::kInfo;
  return change.delta() > 0 ? Finding::Grade::kWarning : Finding::Grade::kGood;
}

}  // namespace

std::string SignedPercentText(double percent) {
  const double size = std::abs(percent);
  if (size < 1) return fmt::format("{:+.2g} %", percent);
  return fmt::format("{:+.{}f} %", percent, size >= 10 ? 0 : 1);
}

std::vector<Property> PropertiesOf(const StepComparison& comparison) {
  using C = StepComparison;
  const char* median = "median of the steps that count";
  const char* counted = "that count: neither cut nor warm-up";
  const char* interval = "95 % interval of the shift, Hodges and Lehmann; none with too few steps";
  const char* fullest = "of the fullest allocator";
  const auto bound = [](double RankTest::*of) {
    return [of](const C& c) {
      return c.change.test.bounded ? std::optional(c.change.test.*of) : std::nullopt;
    };
  };
  const Schema<C, C> schema(
      "compare", "Comparison",
      {{"step_ms_a", "Step time of A", Unit::kMs, [](const C& c) { return c.change.a.median; },
        median},
       {"step_ms_b", "Step time of B", Unit::kMs, [](const C& c) { return c.change.b.median; },
        median},
       {"delta_ms", "Change", Unit::kMs, [](const C& c) { return c.change.delta(); }, "B - A"},
       {"delta_percent", "Change in percent", Unit::kPercent,
        [](const C& c) { return c.change.percent(); },
        "(B - A) / A; none if they differ by more than ten times A"},
       {"mean_delta_ms", "Change of the mean", Unit::kMs,
        [](const C& c) { return c.change.mean_delta(); }, "what contributions are parts of"},
       {"explained_percent", "Explained", Unit::kPercent,
        [](const C& c) {
          return c.change.divisor() != 0 ? std::optional(Explained(c.found, c.change.mean_delta()))
                                         : std::nullopt;
        },
        "sum of the contributions that are listed / change of the mean step"},
       {"noise_ms", "Not listed", Unit::kMs, [](const C& c) { return MsOf(c.found.noise); },
        "sum of the changes that are not listed: tiny, or within 4 standard errors and small"},
       {"significance", "Significance", Unit::kNone,
        [](const C& c) { return IdOf(c.change.test.significance); },
        "by two tests over the step times, which may depend on each other: weak p < 0.05, strong p "
        "< 0.01"},
       {"p_value", "p", Unit::kNone, [](const C& c) { return c.change.test.larger_p(); },
        "two-sided, the larger of both tests"},
       {"delta_low_ms", "Change at least", Unit::kMs, bound(&RankTest::low), interval},
       {"delta_high_ms", "Change at most", Unit::kMs, bound(&RankTest::high), interval},
       {"steps_a", "Steps of A", Unit::kCount, [](const C& c) { return c.a.counted.size(); },
        counted},
       {"steps_b", "Steps of B", Unit::kCount, [](const C& c) { return c.b.counted.size(); },
        counted},
       {"shared_percent", "Shared work", Unit::kPercent,
        [](const C& c) { return c.found.shared_percent; },
        "of the device time of both, by name or op; little in two different programs"},
       {"shared_names_percent", "Names in common", Unit::kPercent,
        [](const C& c) { return c.found.shared_names_percent; },
        "names of kernels, or of ops on a CPU, that both have / that either has; numbers in names "
        "do not count"},
       Schema<C, C>::Field{"outliers_a", "Outliers of A", Unit::kNone,
                           [](const C& c) { return OutlierText(c.a); }}
           .When([](const C& c) { return !c.a.outliers.empty(); }),
       Schema<C, C>::Field{"outliers_b", "Outliers of B", Unit::kNone,
                           [](const C& c) { return OutlierText(c.b); }}
           .When([](const C& c) { return !c.b.outliers.empty(); }),
       Schema<C, C>::Field{"memory_peak_bytes_a", "Memory peak of A", Unit::kBytes,
                           &C::memory_peak_a, fullest}
           .When([](const C& c) { return c.memory_peak_a.has_value(); }),
       Schema<C, C>::Field{"memory_peak_bytes_b", "Memory peak of B", Unit::kBytes,
                           &C::memory_peak_b, fullest}
           .When([](const C& c) { return c.memory_peak_b.has_value(); })});
  return schema.Properties(comparison, comparison);
}

void AddSummary(const StepComparison& comparison, AnalysisResult* to) {
  const StepChange& change = comparison.change;
  const Contributions& found = comparison.found;
  const std::vector<ProfileDifference>& differences = comparison.differences;
  const auto say = [&](Finding::Grade grade, std::string text) {
    if (!text.empty()) to->findings.push_back({grade, std::move(text), "", ""});
  };
  const auto list = [](const char* what, const std::string& items) {
    return items.empty() ? "" : fmt::format("{}: {}.", what, items);
  };
  using enum Finding::Grade;
  say(kWarning, SameProgramSentence(found));
  say(kWarning, list("The conditions differ", ListOf(differences, true)));
  std::string causes = MedianSentence(change);
  if (const std::string cause = CauseSentences(change, found); !cause.empty())
    causes += " " + cause;
  to->findings.push_back(
      {GradeOf(change), DifferenceSentence(change), std::move(causes), "compare"});
  if (!change.found)
    say(kInfo, "Steps were not found in both: all of a recording stands for one step.");
  say(kInfo, DriftSentence("A", change.drift_a));
  say(kInfo, DriftSentence("B", change.drift_b));
  say(kInfo, list("The runs differ in", ListOf(differences, false)));
  AddSummaryProperty(to);
}

std::string SummaryOf(const AnalysisResult& comparison) {
  std::string text;
  for (const Finding& finding : comparison.findings) {
    for (const std::string& part : {finding.text, finding.next_step}) {
      if (!part.empty()) text += (text.empty() ? "" : " ") + part;
    }
  }
  return text;
}

void AddSummaryProperty(AnalysisResult* to) {
  to->properties.insert(to->properties.begin(),
                        {"summary", "Summary", SharedText(SummaryOf(*to)), Unit::kNone, ""});
}

}  // namespace stepscope::compare
