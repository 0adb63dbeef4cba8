// CompareTable: a table of what two runs have, with a link to the events of each. Columns of values
// come as a, b, b - a and the change in percent.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/compare/compare.h"

namespace stepscope {

inline double MsOf(double ps) { return ps / static_cast<double>(kPsPerMs); }

class CompareTable {
 public:
  CompareTable(std::string id, std::string title) {
    table_.id = std::move(id);
    table_.title = std::move(title);
  }

  void AddColumn(std::string id, std::string label, Unit unit, ValueType type, std::string how = {},
                 bool key = false) {
    table_.columns.push_back({std::move(id), std::move(label), unit, type, std::move(how), key});
  }
  void AddText(std::string id, std::string label, std::string how = {}, bool key = false) {
    AddColumn(std::move(id), std::move(label), Unit::kNone, ValueType::kString, std::move(how),
              key);
  }
  void AddReal(std::string id, std::string label, Unit unit, std::string how = {},
               bool key = false) {
    AddColumn(std::move(id), std::move(label), unit, ValueType::kReal, std::move(how), key);
  }
  // a_<what>, b_<what>, delta_<what>, delta_percent
  void AddValues(const std::string& what, const std::string& label, Unit unit,
                 const std::string& how = {});

  // Of AddValues(). What a run does not have is 0 and has no percentage.
  static void Append(double a, double b, std::vector<Value>* row);
  static Value Text(const std::string& text) { return SharedText(text); }

  void AddRow(std::vector<Value> row, const std::vector<EventRow>& a = {},
              const std::vector<EventRow>& b = {});
  bool empty() const { return table_.rows.empty(); }
  ResultTable& table() { return table_; }
  // Moves it to the end of the result's tables.
  void Finish(CompareResult* to);

 private:
  ResultTable table_;
  std::vector<RowLink> links_b_;
};

}  // namespace stepscope
