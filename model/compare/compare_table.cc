#include "model/compare/compare_table.h"

namespace stepscope::compare {

void CompareTable::AddValues(const std::string& what, const std::string& label, Unit unit,
                             const std::string& how) {
  AddReal("a_" + what, "A " + label, unit, how);
  AddReal("b_" + what, "B " + label, unit, how);
  AddReal("delta_" + what, "Δ " + label, unit, "B - A", true);
  AddReal("delta_percent", "Δ", Unit::kPercent,
          "(B - A) / A; none if they differ by more than ten times A");
}

void CompareTable::AddCounts(const std::string& how) {
  AddReal("a_count", "A count", Unit::kCount, how);
  AddReal("b_count", "B count", Unit::kCount, how);
}

void CompareTable::Append(double a, double b, std::vector<Value>* row) {
  row->emplace_back(a);
  row->emplace_back(b);
  row->emplace_back(b - a);
  const std::optional<double> percent = ChangePercent(a, b);
  row->push_back(percent ? Value(*percent) : Value());
}

void CompareTable::AddRow(std::vector<Value> row, EventRows a, EventRows b) {
  table_.AddRow(std::move(row));
  table_.links.push_back(LinkTo(std::move(a)));
  table_.links_b.push_back(LinkTo(std::move(b)));
}

void CompareTable::AddAmounts(std::vector<Value> row, const Amount& a, const Amount& b) {
  Append(a.value, b.value, &row);
  row.emplace_back(a.count);
  row.emplace_back(b.count);
  AddRow(std::move(row), a.rows, b.rows);
}

void CompareTable::Finish(AnalysisResult* to) { to->tables.push_back(std::move(table_)); }

}  // namespace stepscope::compare
