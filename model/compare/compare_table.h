// CompareTable: builds a table about profiles A and B whose rows link to the events of both. A
// compared quantity has four columns: A, B, B - A and the change in percent.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/analysis/tables/result_table.h"
#include "model/event_rows.h"

namespace stepscope::compare {

inline double MsOf(double ps) { return ps / static_cast<double>(kPsPerMs); }
// The nearest integer within 2^62, so that differences do not overflow; 0 for what is no number.
inline int64_t Rounded(double value) {
  constexpr double kMost = 4.611686018427388e18;
  return std::isnan(value) ? 0 : std::llround(std::clamp(value, -kMost, kMost));
}
inline Ps PsOfMs(double ms) { return Rounded(ms * static_cast<double>(kPsPerMs)); }

// The part that one profile has of a thing that both may have: a time or a size, how often, and
// events.
struct Amount {
  double value = 0, count = 0;
  EventRows rows;
};

// The things of A and B, joined by their keys.
template <typename Key, typename Of = Amount>
using BothSides = std::map<Key, std::pair<Of, Of>>;

// O(n log n).
template <typename Key>
BothSides<Key> Join(const std::map<Key, Amount>& a, const std::map<Key, Amount>& b) {
  BothSides<Key> both;
  for (const auto& [key, amount] : a) both[key].first = amount;
  for (const auto& [key, amount] : b) both[key].second = amount;
  return both;
}

// The entries, those with the largest change first; equal ones by key. `change` maps what A and B
// have to a number. O(n log n).
template <typename Both, typename Change>
std::vector<const typename Both::value_type*> LargestChangeFirst(const Both& both, Change change) {
  std::vector<const typename Both::value_type*> order;
  order.reserve(both.size());
  for (const auto& entry : both) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(), [&](const auto* x, const auto* y) {
    return std::abs(change(x->second)) > std::abs(change(y->second));
  });
  return order;
}

using Amounts = std::pair<Amount, Amount>;  // A's and B's
using Side = Amount Amounts::*;
inline double ChangeOfValue(const Amounts& of) { return of.second.value - of.first.value; }

// The change from A to B in percent. Unknown where A is 0, or so small that B differs from it by
// more than ten times A: thousands of percent of next to nothing say less than the change itself.
inline std::optional<double> ChangePercent(double a, double b) {
  if (a == 0 || !(std::abs(b - a) <= 10 * std::abs(a))) return std::nullopt;
  return 100 * (b - a) / std::abs(a);
}

class CompareTable {
 public:
  CompareTable(std::string id, std::string title) {
    table_.id = std::move(id);
    table_.title = std::move(title);
  }

  void AddColumn(std::string id, std::string label, Unit unit, ValueType type, std::string how = {},
                 bool key = false) {
    table_.AddColumn({std::move(id), std::move(label), unit, type, std::move(how), key});
  }
  void AddText(std::string id, std::string label, std::string how = {}, bool key = false) {
    AddColumn(std::move(id), std::move(label), Unit::kNone, ValueType::kString, std::move(how),
              key);
  }
  void AddReal(std::string id, std::string label, Unit unit, std::string how = {},
               bool key = false) {
    AddColumn(std::move(id), std::move(label), unit, ValueType::kReal, std::move(how), key);
  }
  // Adds the columns a_<what>, b_<what>, delta_<what> and delta_percent.
  void AddValues(const std::string& what, const std::string& label, Unit unit,
                 const std::string& how = {});

  // Adds the columns a_count and b_count.
  void AddCounts(const std::string& how = {});

  // Appends the four cells of AddValues(); the percentage is ChangePercent().
  static void Append(double a, double b, std::vector<Value>* row);
  static Value Text(const std::string& text) { return SharedText(text); }

  // Adds a row that links to the events `a` of A and `b` of B.
  void AddRow(std::vector<Value> row, EventRows a = {}, EventRows b = {});
  // Appends the cells of AddValues() and AddCounts() to `row`, and adds it with both links.
  void AddAmounts(std::vector<Value> row, const Amount& a, const Amount& b);
  ResultTable& table() { return table_; }
  // Moves the table to the end of the result's tables. Call it last.
  void Finish(AnalysisResult* to);

 private:
  ResultTable table_;
};

}  // namespace stepscope::compare
