#include "model/compare/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/analysis/naming/short_label.h"
#include "model/base/demangle.h"
#include "model/compare/compare_table.h"

namespace stepscope::compare {
namespace {

constexpr size_t kMostNamed = 3;
constexpr double kWorthNaming = 5;          // percent of the change that a named row must reach
constexpr double kWorthDrift = 1;           // percent of the median step
constexpr double kSameProgram = 100.0 / 3;  // percent of device time that one program shares

// Percent of the change that the rows explain together. The change is not 0.
double Explained(const Contributions& found, double change) {
  double sum = 0;
  for (const Contribution& c : found.rows) sum += MsOf(c.delta());
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
  const std::optional<double> of_a = ChangePercent(change.a.median, change.b.median);
  const std::string percent = of_a ? fmt::format(" ({})", PercentText(*of_a)) : "";
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
  return fmt::format("{} drifts: the second half of its steps is {:.1f} % {} than the first.",
                     which, std::abs(percent), percent > 0 ? "slower" : "faster");
}

std::string CauseSentences(const StepChange& change, const Contributions& found) {
  const double mean = change.mean_delta(), whole = change.divisor();
  if (found.rows.empty()) return mean == 0 ? "" : "No item changed by more than it scatters.";
  std::string text = fmt::format("The mean step changes by {}: ", Signed(mean));
  size_t named = 0;
  for (const Contribution& c : found.rows) {
    const double share = whole != 0 ? 100 * MsOf(c.delta()) / whole : 100;
    if (named == kMostNamed || (named > 0 && std::abs(share) < kWorthNaming)) break;
    text += named++ == 0 ? "" : "; ";
    text += fmt::format("{} {}, {} per step", NameOf(c), IdOf(c.change), Signed(MsOf(c.delta())));
    if (whole != 0) text += fmt::format(" ({:.0f} %)", share);
  }
  text += ".";
  if (whole != 0) {
    const size_t rows = found.rows.size();
    const std::string who =
        rows == 1 ? " That explains" : fmt::format(" All {} rows together explain", rows);
    text += fmt::format("{} {:.1f} %.", who, Explained(found, mean));
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
  if (found.shared_percent >= kSameProgram) return {};
  return fmt::format(
      "A and B are hardly the same program: they share {:.0f} % of their work and {:.0f} % of the "
      "names in it.",
      found.shared_percent, found.shared_names_percent);
}

Finding::Grade GradeOf(const StepChange& change) {
  if (change.test.significance == Significance::kNone) return Finding::Grade::kInfo;
  return change.delta() > 0 ? Finding::Grade::kWarning : Finding::Grade::kGood;
}

}  // namespace

std::string PercentText(double percent) {
  const double size = std::abs(percent);
  if (size < 1) return fmt::format("{:+.2g} %", percent);
  return fmt::format("{:+.{}f} %", percent, size >= 10 ? 0 : 1);
}

void AddProperties(const StepChange& change, const Contributions& found, const ComparedSteps& a,
                   const ComparedSteps& b, AnalysisResult* to) {
  const auto add = [&](const char* id, const char* label, Value value, Unit unit = Unit::kNone,
                       const char* how = "") {
    to->properties.push_back({id, label, std::move(value), unit, how});
  };
  const double mean = change.mean_delta();
  add("step_ms_a", "Step time of A", change.a.median, Unit::kMs, "median of the steps that count");
  add("step_ms_b", "Step time of B", change.b.median, Unit::kMs, "median of the steps that count");
  add("delta_ms", "Change", change.delta(), Unit::kMs, "B - A");
  const std::optional<double> percent = ChangePercent(change.a.median, change.b.median);
  add("delta_percent", "Change in percent", percent ? Value(*percent) : Value(), Unit::kPercent,
      "(B - A) / A; none if they differ by more than ten times A");
  add("mean_delta_ms", "Change of the mean", mean, Unit::kMs, "what contributions are parts of");
  add("explained_percent", "Explained",
      change.divisor() != 0 ? Value(Explained(found, mean)) : Value(), Unit::kPercent,
      "sum of the contributions that are listed / change of the mean step");
  add("noise_ms", "Not listed", MsOf(found.noise), Unit::kMs,
      "sum of the changes that are not listed: tiny, or within 4 standard errors and small");
  add("significance", "Significance", SharedText(IdOf(change.test.significance)), Unit::kNone,
      "by two tests over the step times, which may depend on each other: weak p < 0.05, strong p < "
      "0.01");
  add("p_value", "p", change.test.larger_p(), Unit::kNone, "two-sided, the larger of both tests");
  const auto bound = [&](double ms) { return change.test.bounded ? Value(ms) : Value(); };
  add("delta_low_ms", "Change at least", bound(change.test.low), Unit::kMs,
      "95 % interval of the shift, Hodges and Lehmann; none with too few steps");
  add("delta_high_ms", "Change at most", bound(change.test.high), Unit::kMs,
      "95 % interval of the shift, Hodges and Lehmann; none with too few steps");
  add("steps_a", "Steps of A", static_cast<int64_t>(a.counted.size()), Unit::kCount,
      "that count: neither cut nor warm-up");
  add("steps_b", "Steps of B", static_cast<int64_t>(b.counted.size()), Unit::kCount,
      "that count: neither cut nor warm-up");
  add("shared_percent", "Shared work", found.shared_percent, Unit::kPercent,
      "of the device time of both, by name or op; little in two different programs");
  add("shared_names_percent", "Names in common", found.shared_names_percent, Unit::kPercent,
      "names of kernels, or of ops on a CPU, that both have / that either has; numbers in names do "
      "not count");
  if (!a.outliers.empty()) add("outliers_a", "Outliers of A", SharedText(OutlierText(a)));
  if (!b.outliers.empty()) add("outliers_b", "Outliers of B", SharedText(OutlierText(b)));
}

void AddSummary(const StepChange& change, const Contributions& found,
                const std::vector<ProfileDifference>& differences, AnalysisResult* to) {
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

void AddSummaryProperty(AnalysisResult* to) {
  std::string text;
  for (const Finding& finding : to->findings) {
    for (const std::string& part : {finding.text, finding.next_step}) {
      if (!part.empty()) text += (text.empty() ? "" : " ") + part;
    }
  }
  to->properties.insert(to->properties.begin(),
                        {"summary", "Summary", SharedText(text), Unit::kNone, ""});
}

}  // namespace stepscope::compare
