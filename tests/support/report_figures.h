// The figures of a report by page, table and property, for tests that compare them with each other.
// Figures that are not there are 0 or empty.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/analysis/analysis.h"

namespace stepscope::test {

inline double NumberOf(const Value& v) {
  if (const auto* i = std::get_if<int64_t>(&v)) return static_cast<double>(*i);
  const auto* d = std::get_if<double>(&v);
  return d != nullptr ? *d : 0;
}

// A table of a page, or one without rows.
class Rows {
 public:
  Rows(const AnalysisResult& page, const char* table) : table_(page.Table(table)) {}
  size_t size() const { return table_ != nullptr ? table_->size() : 0; }
  Value CellAt(size_t row, const char* column) const {
    const int c = table_->Column(column);
    return c < 0 ? Value() : table_->columns[static_cast<size_t>(c)].values.Own(row);
  }
  double Number(size_t row, const char* column) const { return NumberOf(CellAt(row, column)); }
  std::string Text(size_t row, const char* column) const { return RawValue(CellAt(row, column)); }
  bool Is(size_t row, const char* column) const { return CellAt(row, column) == Value(true); }
  double Sum(const char* column) const {
    double sum = 0;
    for (size_t r = 0; r < size(); ++r) sum += Number(r, column);
    return sum;
  }
  // The value of the row whose text in `key` is `of`; 0: there is none.
  double Of(const char* key, const std::string& of, const char* column) const {
    for (size_t r = 0; r < size(); ++r) {
      if (Text(r, key) == of) return Number(r, column);
    }
    return 0;
  }

 private:
  const ResultTable* table_;
};

// The pages of one report, and as "compare" the comparison of the profile with itself.
struct Report {
  explicit Report(AnalysisContext& context) {
    for (const AnalysisDesc& analysis : Analyses()) pages[analysis.id] = context.Get(analysis.id);
    pages["compare"] = std::make_shared<const AnalysisResult>(
        Comparison().compare(context, context, CompareParams()));
  }
  const AnalysisResult& Page(const char* page) const { return *pages.at(page); }
  Rows Table(const char* page, const char* table) const { return {Page(page), table}; }
  double Number(const char* page, const char* property) const {
    const Property* p = Page(page).Find(property);
    return p != nullptr ? NumberOf(p->value) : 0;
  }
  std::string Text(const char* page, const char* property) const {
    const Property* p = Page(page).Find(property);
    return p != nullptr ? RawValue(p->value) : std::string();
  }
  bool HasSteps() const { return Table("overview", "steps").size() > 0; }
  bool OnCpu() const { return Text("overview", "device_type") == "CPU"; }
  double Loss(const char* id) const {
    return Table("overview", "losses").Of("class", id, "percent");
  }
  std::map<std::string, std::shared_ptr<const AnalysisResult>> pages;
};

// The steps that averages are of: all if none counts.
inline std::vector<size_t> Counted(const Rows& steps) {
  std::vector<size_t> counted, all;
  for (size_t r = 0; r < steps.size(); ++r) {
    all.push_back(r);
    if (!steps.Is(r, "partial") && !steps.Is(r, "warmup")) counted.push_back(r);
  }
  return counted.empty() ? all : counted;
}

inline double MeanOf(const Rows& table, const std::vector<size_t>& rows, const char* column) {
  double sum = 0;
  for (const size_t r : rows) sum += table.Number(r, column);
  return rows.empty() ? 0 : sum / static_cast<double>(rows.size());
}

}  // namespace stepscope::test
