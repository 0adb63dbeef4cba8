#include "model/compare/contribution_table.h"

#include "model/analysis/steps/losses.h"
#include "model/base/demangle.h"

namespace stepscope::compare {
namespace {

constexpr double kMicrosecond = static_cast<double>(kPsPerUs);

Value PerCall(double busy, double count) {
  return count > 0 && busy > 0 ? Value(busy / count / kMicrosecond) : Value();
}

void AddColumns(CompareTable* t) {
  t->AddColumn("rank", "#", Unit::kNone, ValueType::kInt);
  t->AddText("kind", "Kind");
  t->AddText("name", "What", "* stands for numbers that differ", true);
  t->AddText("change", "Change", "from A to B", true);
  t->AddReal("a_ms_per_step", "A", Unit::kMs, "part of an average step");
  t->AddReal("b_ms_per_step", "B", Unit::kMs, "part of an average step");
  t->AddReal("delta_ms_per_step", "Δ", Unit::kMs, "B - A", true);
  t->AddReal("share_of_change", "Share", Unit::kPercent, "of the change of the mean step", true);
  t->AddText("class", "Class", "of the step's time");
  t->AddCounts("of an average step");
  t->AddReal("a_us_per_call", "A per call", Unit::kUs, "whole durations of events");
  t->AddReal("b_us_per_call", "B per call", Unit::kUs, "whole durations of events");
  t->AddText("matched_as", "Name in A", "where it differs");
  t->AddText("matched_by", "Matched by", "what both names have in common");
  t->AddColumn("items", "Items", Unit::kCount, ValueType::kInt, "that the row stands for");
  t->AddColumn("stands_out", "Certain", Unit::kNone, ValueType::kBool,
               "more than 4 standard errors, which allow for steps that depend on the one before; "
               "fewer than 3 steps tell none");
}

}  // namespace

void AddContributionTable(const Contributions& found, double change, AnalysisResult* to) {
  CompareTable t("contributions", "What the change is made of");
  AddColumns(&t);
  int64_t rank = 0;
  t.table().readable_column = t.table().Column("class");
  for (const Contribution& c : found.rows) {
    t.AddRow({++rank, SharedText(IdOf(c.kind)), CompareTable::Text(c.name),
              SharedText(IdOf(c.change)), MsOf(c.a), MsOf(c.b), MsOf(c.delta()),
              change != 0 ? Value(100 * MsOf(c.delta()) / change) : Value(),
              SharedText(IdOf(c.loss)), c.count_a, c.count_b, PerCall(c.busy_a, c.count_a),
              PerCall(c.busy_b, c.count_b), CompareTable::Text(c.matched_as),
              SharedText(c.matched_by), static_cast<int64_t>(c.items), StandsOut(c)},
             c.rows_a, c.rows_b);
    t.table().readable.emplace_back(SharedText(LabelOf(c.loss)));
  }
  t.Finish(to);
}

}  // namespace stepscope::compare
