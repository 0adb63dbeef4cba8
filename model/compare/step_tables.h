// The tables `contributions`, `steps` and `classes`: what the change is made of, how the step times
// changed, and the classes of time that they are divided into.
// What runs on the devices of both profiles (`ops`, `kernels`, `copies`, `collectives`), and why
// devices are idle (`idle_causes`). Pure.
#pragma once

#include <cmath>

#include "model/compare/compare_table.h"
#include "model/compare/compared_profile.h"
#include "model/compare/contributions.h"
#include "model/compare/significance.h"
#include "model/compare/step_items.h"

namespace stepscope::compare {

struct StepChange {  // ms
  StepSummary a, b;
  RankTest test;                    // compares the counted steps' times
  double drift_a = 0, drift_b = 0;  // DriftOf()
  bool found = false;               // both profiles have steps; if not, each whole recording is one
  double largest_row = 0;           // size of the largest change of a contribution
  double delta() const { return b.median - a.median; }
  double mean_delta() const { return b.mean - a.mean; }
  std::optional<double> percent() const { return ChangePercent(a.median, b.median); }
  // The divisor of shares. It is 0 where a row may have thousands of percent of next to nothing: if
  // the mean changed by less than a fifth of the largest row's change, or, where the change may be
  // chance, by less than half a percent or less than half of that row's change.
  double divisor() const {
    const double mean = std::abs(mean_delta());
    const bool clear = mean > 0.005 * a.mean && mean >= largest_row / 2;
    if (mean < largest_row / 5) return 0;
    return clear || test.significance != Significance::kNone ? mean_delta() : 0;
  }
};
StepChange ChangeOfSteps(const ComparedSteps& a, const ComparedSteps& b);

// By how many percent the second half of the steps is slower than the first; 0 if that may be
// chance, or with fewer than 16 steps.
double DriftOf(const ComparedSteps& steps);

// The rows are shares of `change`, the change of the mean step in ms; 0: they have no share.
ResultTable ContributionTable(const Contributions& found, double change);
ResultTable StepTimeTable(const ComparedSteps& a, const ComparedSteps& b);
// The means of the classes sum to the mean step. Classes that neither profile has are left out.
ResultTable ClassTable(const ComparedSteps& a, const ComparedSteps& b);

// Rows with the largest change come first. A table without rows is
// left out. O(n log n) for n items. AddWorkTables returns whether there is a table of kernels.
bool AddWorkTables(const StepItems& a, const StepItems& b, AnalysisResult* to);
void AddIdleTable(const StepItems& a, const StepItems& b, AnalysisResult* to);

}  // namespace stepscope::compare
