#include "model/compare/step_tables.h"

#include <span>

#include "model/analysis/steps/loss_tables.h"
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

// One class of time in the mean step, in ms.
struct ClassChange {
  StepTimeClass of;
  Amount a, b;
  RankTest test;
};

std::optional<double> UsPerCall(double busy, double count) {
  if (count <= 0 || busy <= 0) return std::nullopt;
  return busy / count / static_cast<double>(kPsPerUs);
}

const Schema<Contribution, double>& ContributionSchema() {
  using C = Contribution;
  static const Schema<C, double> schema =
      Schema<C, double>(
          "contributions", "What the change is made of",
          {{"rank", "#", Unit::kNone, [](const C&, double, size_t i) { return i + 1; }},
           {"kind", "Kind", Unit::kNone, [](const C& c) { return IdOf(c.kind); }},
           {"name", "What", Unit::kNone, &C::name, "* stands for numbers that differ", kKeyColumn},
           {"change", "Change", Unit::kNone, [](const C& c) { return IdOf(c.change); },
            "from A to B", kKeyColumn},
           {"a_ms_per_step", "A", Unit::kMs, [](const C& c) { return MsOf(c.a); },
            "part of an average step"},
           {"b_ms_per_step", "B", Unit::kMs, [](const C& c) { return MsOf(c.b); },
            "part of an average step"},
           {"delta_ms_per_step", "Δ", Unit::kMs, &C::delta_ms, "B - A", kKeyColumn},
           {"share_of_change", "Share", Unit::kPercent, &C::share_of,
            "of the change of the mean step", kKeyColumn},
           {"class", "Class", Unit::kNone, [](const C& c) { return IdOf(c.loss); },
            "of the step's time"},
           {"a_count", "A count", Unit::kCount, &C::count_a, "of an average step"},
           {"b_count", "B count", Unit::kCount, &C::count_b, "of an average step"},
           {"a_us_per_call", "A per call", Unit::kUs,
            [](const C& c) { return UsPerCall(c.busy_a, c.count_a); }, "whole durations of events"},
           {"b_us_per_call", "B per call", Unit::kUs,
            [](const C& c) { return UsPerCall(c.busy_b, c.count_b); }, "whole durations of events"},
           {"matched_as", "Name in A", Unit::kNone, &C::matched_as, "where it differs"},
           {"matched_by", "Matched by", Unit::kNone, &C::matched_by,
            "what both names have in common"},
           {"items", "Items", Unit::kCount, &C::items, "that the row stands for"},
           {"stands_out", "Certain", Unit::kNone, StandsOut,
            "more than 4 standard errors, which allow for steps that depend on the one before; "
            "fewer than 3 steps tell none"}},
          [](const C& c, double) { return LinkTo(c.rows_a); })
          .WithReadable("class", [](const C& c, double) { return SharedText(LabelOf(c.loss)); });
  return schema;
}

const Schema<AmountChange>& StepTimeSchema() {
  using R = AmountChange;
  static const Schema<R> schema(
      "steps", "Step times",
      Concat<Schema<R>::Field>(
          {{KeyField(0, "what", "What", "of the steps that count")},
           ValueFields<R>("ms", "", Unit::kNone, "ms, or a number of steps")}));
  return schema;
}

const Schema<ClassChange>& ClassSchema() {
  using C = ClassChange;
  static const Schema<C> schema =
      Schema<C>(
          "classes", "What a step goes into",
          Concat<Schema<C>::Field>(
              {{{"class", "Class", Unit::kNone, [](const C& c) { return IdOf(c.of); }}},
               ValueFields<C>("ms_per_step", "per step", Unit::kMs, "of the mean step that counts"),
               {{"significance", "Significance", Unit::kNone,
                 [](const C& c) { return IdOf(c.test.significance); },
                 "of the difference between the steps' times"},
                {"p_value", "p", Unit::kNone, [](const C& c) { return c.test.larger_p(); },
                 "the larger of the tests over the steps"}}}))
          .WithReadable("class",
                        [](const C& c, const NoFacts&) { return SharedText(LabelOf(c.of)); });
  return schema;
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

ResultTable ContributionTable(const Contributions& found, double change) {
  ResultTable table = ContributionSchema().Make(found.rows, change);
  for (const Contribution& c : found.rows) table.links_b.push_back(LinkTo(c.rows_b));
  return table;
}

ResultTable StepTimeTable(const ComparedSteps& a, const ComparedSteps& b) {
  const EventRows of_a = MarkersOf(a), of_b = MarkersOf(b);
  const StepSummary &x = a.summary, &y = b.summary;
  const auto row = [](const char* what, auto in_a, auto in_b) {
    return AmountChange{{SharedText(what)},
                        "",
                        {static_cast<double>(in_a), 0, {}},
                        {static_cast<double>(in_b), 0, {}}};
  };
  AmountChanges rows = {row("median", x.median, y.median),
                        row("mean", x.mean, y.mean),
                        row("deviation", x.deviation, y.deviation),
                        row("minimum", x.min, y.min),
                        row("maximum", x.max, y.max),
                        row("steps", x.count, y.count),
                        row("outliers", a.outliers.size(), b.outliers.size())};
  for (size_t i = 0; i < 2; ++i) rows[i].a.rows = of_a, rows[i].b.rows = of_b;
  return MakeCompared(StepTimeSchema(), rows);
}

ResultTable ClassTable(const ComparedSteps& a, const ComparedSteps& b) {
  std::vector<ClassChange> rows;
  for (size_t c = 0; c < kStepTimeClasses; ++c) {
    const std::vector<double> x = TimesOf(a, c), y = TimesOf(b, c);
    const double mean_x = MeanOf(x), mean_y = MeanOf(y);
    if (mean_x == 0 && mean_y == 0) continue;
    rows.push_back(
        {static_cast<StepTimeClass>(c), {mean_x, 0, {}}, {mean_y, 0, {}}, TestShift(x, y)});
  }
  return MakeCompared(ClassSchema(), rows);
}

}  // namespace stepscope::compare
