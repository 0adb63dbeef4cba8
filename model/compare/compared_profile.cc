#include "model/compare/compared_profile.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/analysis/steps/scope.h"
#include "model/analysis/tables/in_unit.h"
#include "model/base/statistics.h"

namespace stepscope::compare {
namespace {

constexpr size_t kFewest = 5;  // fewer steps have no outliers; at most one in so many is one
constexpr double kDeviations = 5, kShare = 0.2;
constexpr double kMadToSigma = 1.4826;  // standard deviation / MAD of a normal distribution

std::vector<const Step*> OutliersOf(const ComparedSteps& steps) {
  std::vector<const Step*> outliers;
  if (steps.times.size() < kFewest) return outliers;
  const double median = steps.summary.median;
  std::vector<double> distances;
  for (const double ms : steps.times) distances.push_back(std::abs(ms - median));
  const double least = std::max(kDeviations * kMadToSigma * Median(distances), kShare * median);
  for (size_t i = 0; i < steps.times.size(); ++i) {
    if (distances[i] > least) outliers.push_back(steps.counted[i]);
  }
  if (outliers.size() * kFewest > steps.times.size()) outliers.clear();
  return outliers;
}

}  // namespace

ComparedSteps ChooseSteps(AnalysisContext& context, const AnalysisParams& params) {
  ComparedSteps steps;
  steps.db = SelectSteps(context, ScopeOf(context, params));
  steps.found = !steps.db->steps.empty();
  if (!steps.found) {
    steps.db = std::make_shared<const StepDatabase>(WholeSpan(context));
  }
  steps.counted = CountedSteps(steps.db->steps);
  steps.summary = Summarize(steps.db->steps, &StepBreakdown::total);
  for (const Step* step : steps.counted) steps.times.push_back(InMs(step->times.total));
  steps.outliers = OutliersOf(steps);
  steps.typical.assign(steps.db->steps.size(), false);
  const auto index = [&](const Step* step) {
    return static_cast<size_t>(step - steps.db->steps.data());
  };
  for (const Step* step : steps.counted) steps.typical[index(step)] = true;
  for (const Step* step : steps.outliers) steps.typical[index(step)] = false;
  size_t count = 0;
  for (const Step* step : steps.counted) {
    if (!steps.typical[index(step)]) continue;
    steps.typical_mean += InMs(step->times.total);
    ++count;
  }
  if (count > 0) steps.typical_mean /= static_cast<double>(count);
  return steps;
}

}  // namespace stepscope::compare
