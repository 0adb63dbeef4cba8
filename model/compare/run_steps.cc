#include "model/compare/run_steps.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/analysis/scope.h"
#include "model/analysis/step_table.h"

namespace stepscope {
namespace {

constexpr size_t kFewSteps = 5;  // of fewer none is an outlier; and at most one in so many is
constexpr double kDeviations = 5, kShare = 0.2;
constexpr double kMadToSigma = 1.4826;  // of a normal distribution

double Ms(double ps) { return ps / static_cast<double>(kPsPerMs); }

double MedianOf(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::vector<const Step*> OutliersOf(const RunSteps& run) {
  std::vector<const Step*> outliers;
  if (run.times.size() < kFewSteps) return outliers;
  const double median = run.summary.median;
  std::vector<double> distances;
  for (const double ms : run.times) distances.push_back(std::abs(ms - median));
  const double least = std::max(kDeviations * kMadToSigma * MedianOf(distances), kShare * median);
  for (size_t i = 0; i < run.times.size(); ++i) {
    if (distances[i] > least) outliers.push_back(run.counted[i]);
  }
  if (outliers.size() * kFewSteps > run.times.size()) outliers.clear();
  return outliers;
}

}  // namespace

RunSteps ChooseSteps(AnalysisContext& context, const AnalysisParams& params, std::stop_token stop) {
  RunSteps run;
  run.db = SelectSteps(context, ScopeOf(context, params, stop), stop);
  run.found = !run.db->steps.empty();
  if (!run.found) {
    run.db = std::make_shared<const StepDatabase>(
        WholeSpan(context.trace(), context.stats(stop), context.grouping(stop), stop));
  }
  run.counted = CountedSteps(run.db->steps);
  run.summary = Summarize(run.db->steps, &StepBreakdown::total);
  for (const Step* step : run.counted) run.times.push_back(Ms(step->times.total));
  run.outliers = OutliersOf(run);
  run.typical.assign(run.db->steps.size(), false);
  const auto index = [&](const Step* step) {
    return static_cast<size_t>(step - run.db->steps.data());
  };
  for (const Step* step : run.counted) run.typical[index(step)] = true;
  for (const Step* step : run.outliers) run.typical[index(step)] = false;
  size_t count = 0;
  for (const Step* step : run.counted) {
    if (!run.typical[index(step)]) continue;
    run.typical_mean += Ms(step->times.total);
    ++count;
  }
  if (count > 0) run.typical_mean /= static_cast<double>(count);
  return run;
}

}  // namespace stepscope
