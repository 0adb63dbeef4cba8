#include "model/compare/step_tables.h"

#include <span>

#include "model/analysis/steps/losses.h"
#include "model/analysis/steps/verdict.h"

namespace stepscope::compare {
namespace {

EventRows MarkersOf(const ComparedSteps& steps) {
  std::vector<EventRow> rows;
  for (const Step* step : steps.counted)
    rows.insert(rows.end(), step->rows.begin(), step->rows.end());
  return EventRows(std::move(rows));
}

// The time of one class in each counted step, in ms.
std::vector<double> TimesOf(const ComparedSteps& steps, size_t loss) {
  std::vector<double> times;
  for (const Step* step : steps.counted) times.push_back(MsOf(ClassTimesOf(*step)[loss]));
  return times;
}

double MeanOf(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

}  // namespace

StepChange ChangeOfSteps(const ComparedSteps& a, const ComparedSteps& b) {
  return {a.summary,  b.summary,  TestShift(a.times, b.times),
          DriftOf(a), DriftOf(b), a.found && b.found};
}

double DriftOf(const ComparedSteps& steps) {
  constexpr size_t kFewest = 16;
  const std::span<const double> times(steps.times);
  if (times.size() < kFewest || steps.summary.median <= 0) return 0;
  const RankTest test = TestShift(times.first(times.size() / 2), times.last(times.size() / 2));
  if (test.significance != Significance::kStrong || !test.bounded) return 0;
  return 100 * (test.low + test.high) / 2 / steps.summary.median;
}

void AddStepTable(const ComparedSteps& a, const ComparedSteps& b, AnalysisResult* to) {
  CompareTable t("steps", "Step times");
  t.AddText("what", "What", "of the steps that count");
  t.AddValues("ms", "", Unit::kNone, "ms, or a number of steps");
  const auto add = [&](const char* what, double x, double y, bool link = false) {
    std::vector<Value> row{SharedText(what)};
    CompareTable::Append(x, y, &row);
    if (link) {
      t.AddRow(std::move(row), MarkersOf(a), MarkersOf(b));
    } else {
      t.AddRow(std::move(row));
    }
  };
  const StepSummary &x = a.summary, &y = b.summary;
  add("median", x.median, y.median, true);
  add("mean", x.mean, y.mean, true);
  add("deviation", x.deviation, y.deviation);
  add("minimum", x.min, y.min);
  add("maximum", x.max, y.max);
  add("steps", static_cast<double>(x.count), static_cast<double>(y.count));
  add("outliers", static_cast<double>(a.outliers.size()), static_cast<double>(b.outliers.size()));
  t.Finish(to);
}

void AddClassTable(const ComparedSteps& a, const ComparedSteps& b, AnalysisResult* to) {
  CompareTable t("classes", "What a step goes into");
  t.AddText("class", "Class");
  t.AddValues("ms_per_step", "per step", Unit::kMs, "of the mean step that counts");
  t.AddText("significance", "Significance", "of the difference between the steps' times");
  t.AddReal("p_value", "p", Unit::kNone, "the larger of the tests over the steps");
  for (size_t c = 0; c < kStepTimeClasses; ++c) {
    const std::vector<double> x = TimesOf(a, c), y = TimesOf(b, c);
    const double mean_x = MeanOf(x), mean_y = MeanOf(y);
    if (mean_x == 0 && mean_y == 0) continue;
    const RankTest test = TestShift(x, y);
    std::vector<Value> row{SharedText(IdOf(static_cast<StepTimeClass>(c)))};
    CompareTable::Append(mean_x, mean_y, &row);
    row.emplace_back(SharedText(IdOf(test.significance)));
    row.emplace_back(test.larger_p());
    t.AddRow(std::move(row));
    t.table().readable_column = 0;
    t.table().readable.emplace_back(SharedText(LabelOf(static_cast<StepTimeClass>(c))));
  }
  t.Finish(to);
}

}  // namespace stepscope::compare
