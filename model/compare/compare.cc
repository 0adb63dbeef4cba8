#include "model/compare/compare.h"

#include <algorithm>
#include <optional>

#include "model/analysis/steps/scope.h"
#include "model/analysis/steps/verdict.h"
#include "model/compare/page_tables.h"
#include "model/compare/step_tables.h"
#include "model/jobs/job.h"

namespace stepscope::compare {
namespace {

// Shares of the mean step. A change below kLeast is never listed, one above kLarge always is. If
// the profiles differ in their number of devices or steps, only changes above kLarge mean anything.
constexpr double kLeast = 0.0002, kLarge = 0.01;

void Read(ComparedProfile* profile) {
  profile->steps = ChooseSteps(profile->context, profile->params);
  const ComparedSteps& steps = profile->steps;
  if (steps.counted.empty()) return;
  profile->items = CollectItems(profile->context, *steps.db, steps.typical);
  profile->facts = FactsOf(*profile);
  profile->pages = ReadPages(*profile);
}

// Says what the outlier steps add to the mean step, under the class of time that is longest in
// them. Nothing if neither profile has outliers.
std::optional<Contribution> OutlierPart(const ComparedSteps& a, const ComparedSteps& b) {
  if (a.outliers.empty() && b.outliers.empty()) return std::nullopt;
  Contribution c;
  std::array<double, kStepTimeClasses> excess{};
  const auto read = [&](const ComparedSteps& steps, double* effect, double* count,
                        EventRows* rows) {
    *effect = (steps.summary.mean - steps.typical_mean) * static_cast<double>(kPsPerMs);
    *count = static_cast<double>(steps.outliers.size()) / static_cast<double>(steps.counted.size());
    const auto typical = static_cast<double>(steps.counted.size() - steps.outliers.size());
    for (size_t i = 0; i < steps.typical.size(); ++i) {
      const std::array<double, kStepTimeClasses> losses = ClassTimesOf(steps.db->steps[i]);
      for (size_t k = 0; k < kStepTimeClasses && steps.typical[i]; ++k)
        excess[k] -= losses[k] * static_cast<double>(steps.outliers.size()) / typical;
    }
    for (const Step* step : steps.outliers) {
      const std::array<double, kStepTimeClasses> losses = ClassTimesOf(*step);
      for (size_t k = 0; k < kStepTimeClasses; ++k) excess[k] += losses[k];
      c.name += (c.name.empty() ? "outlier steps: " : ", ") + step->label;
      rows->Append(EventRows(step->rows));
    }
  };
  read(a, &c.a, &c.count_a, &c.rows_a);
  const size_t of_a = c.name.size();
  if (of_a > 0 && !b.outliers.empty()) c.name += " (A)";
  read(b, &c.b, &c.count_b, &c.rows_b);
  if (of_a > 0 && !b.outliers.empty()) c.name += " (B)";
  c.busy_a = c.a, c.busy_b = c.b;
  c.loss =
      static_cast<StepTimeClass>(std::max_element(excess.begin(), excess.end()) - excess.begin());
  c.kind = KindOf(c.loss);
  c.change = a.outliers.empty()   ? Change::kAdded
             : b.outliers.empty() ? Change::kRemoved
             : c.delta() >= 0     ? Change::kSlower
                                  : Change::kFaster;
  return c;
}

Contributions Contribute(const ComparedProfile& a, const ComparedProfile& b, bool sizes_differ) {
  const double mean = std::max(a.items.mean, b.items.mean);
  const Floors floors{mean * (sizes_differ ? kLarge : kLeast), mean * kLarge};
  Contributions found = FindContributions(a.items, b.items, floors);
  if (std::optional<Contribution> part = OutlierPart(a.steps, b.steps)) {
    const auto larger = [](const Contribution& x, const Contribution& y) {
      return std::abs(x.delta()) > std::abs(y.delta());
    };
    if (part->delta() != 0)
      found.rows.insert(std::upper_bound(found.rows.begin(), found.rows.end(), *part, larger),
                        *part);
  }
  return found;
}

StepComparison Compute(const ComparedProfile& a, const ComparedProfile& b) {
  StepComparison out;
  out.a = a.steps, out.b = b.steps, out.change = ChangeOfSteps(a.steps, b.steps);
  out.differences = FindDifferences(a, b);
  const bool sizes = std::any_of(out.differences.begin(), out.differences.end(),
                                 [](const ProfileDifference& d) { return d.size; });
  out.found = Contribute(a, b, sizes);
  if (!out.found.rows.empty()) out.change.largest_row = std::abs(out.found.rows.front().delta_ms());
  out.allocations = ChangedAllocations(a.pages, b.pages);
  out.memory_peak_a = MemoryPeakOf(a.pages), out.memory_peak_b = MemoryPeakOf(b.pages);
  return out;
}

std::string EmptyReason(const ComparedProfile& a, const ComparedProfile& b) {
  const bool no_a = a.steps.counted.empty(), no_b = b.steps.counted.empty();
  if (!no_a && !no_b) return {};
  const std::string which = no_a && no_b ? "Neither run has"
                            : no_a       ? "A does not have"
                                         : "B does not have";
  return which + " steps or device events to compare.";
}

}  // namespace

AnalysisResult CompareProfiles(AnalysisContext& a, AnalysisContext& b,
                               const CompareParams& params) {
  if (auto snapshots = CompareSnapshots(a.trace(), b.trace(), params)) return *std::move(snapshots);
  AnalysisResult out;
  out.panel = "compare";
  ComparedProfile profile_a{a, params.a, {}}, profile_b{b, params.b, {}};
  ParallelFor(2, [&](size_t i) { Read(i == 0 ? &profile_a : &profile_b); });
  CheckStop();
  out.empty_reason = EmptyReason(profile_a, profile_b);
  if (!out.empty_reason.empty()) return out;
  auto found = std::make_shared<StepComparison>(Compute(profile_a, profile_b));
  out.properties = PropertiesOf(*found);
  out.tables.push_back(ContributionTable(found->found, found->change.divisor()));
  out.tables.push_back(StepTimeTable(found->a, found->b));
  out.tables.push_back(ClassTable(found->a, found->b));
  found->kernels = AddWorkTables(profile_a.items, profile_b.items, &out);
  AddIdleTable(profile_a.items, profile_b.items, &out);
  AddPageTables(profile_a.pages, profile_b.pages, found->allocations, &out);
  if (!found->differences.empty()) out.tables.push_back(DifferenceTable(found->differences));
  AddSummary(*found, &out);
  out.SetSource<StepComparison>(std::move(found));
  return out;
}

bool HaveSteps(AnalysisContext& a, AnalysisContext& b, const CompareParams& params) {
  const auto has = [&](AnalysisContext& context, const AnalysisParams& part) {
    return !SelectSteps(context, ScopeOf(context, part))->steps.empty();
  };
  return has(a, params.a) && has(b, params.b);
}

const char* PageOf(std::string_view table) {
  struct Row {
    const char* table;
    const char* page;
  };
  static constexpr Row kRows[] = {
      {"kernels", "kernel_stats"},
      {"copies", "kernel_stats"},
      {"collectives", "kernel_stats"},
      {"ops", "op_stats"},
      {"memory", "memory"},
      {"allocations", "memory"},
      {"input_ops", "input_pipeline"},
      {"hlo_ops", "hlo_stats"},
      {"hlo_categories", "hlo_profile"},
      {"memory_at_peak", "memory_snapshot"},
      {"stacks_at_peak", "memory_snapshot"},
      {"memory_at_end", "memory_snapshot"},
      {"stacks_at_end", "memory_snapshot"},
  };
  for (const Row& row : kRows) {
    if (table == row.table) return row.page;
  }
  return "overview";
}

}  // namespace stepscope::compare
