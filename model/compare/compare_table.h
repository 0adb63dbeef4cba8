// Tables about profiles A and B, whose rows link to the events of both. A compared quantity has
// four columns: A, B, B - A and the change in percent.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/analysis/tables/schema.h"
#include "model/event_rows.h"

namespace stepscope::compare {

// The table of what a change of the step time is made of.
inline constexpr const char* kContributionTable = "contributions";

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

// A row: a thing that both profiles may have, and what each has of it.
struct AmountChange {
  std::vector<SharedText> key;  // what names it: an op, or an allocator and a region
  const char* change = "";      // IdOf(Change), or ""
  Amount a, b;
  double delta() const { return b.value - a.value; }
};
using AmountChanges = std::vector<AmountChange>;

// A row for each key of either profile, in the order of keys. `texts` makes the row's key, `change`
// the word for the change from A to B. O(n log n).
template <typename Key, typename Texts, typename Change>
AmountChanges Joined(const std::map<Key, Amount>& a, const std::map<Key, Amount>& b, Texts texts,
                     Change change) {
  std::map<Key, std::pair<Amount, Amount>> both;
  for (const auto& [key, amount] : a) both[key].first = amount;
  for (const auto& [key, amount] : b) both[key].second = amount;
  AmountChanges rows;
  for (auto& [key, of] : both) {
    const char* word = change(of.first, of.second);
    rows.push_back({texts(key), word, std::move(of.first), std::move(of.second)});
  }
  return rows;
}
// Moves the rows with the largest change to the front; equal ones stay in their order.
inline AmountChanges LargestFirst(AmountChanges rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const AmountChange& x, const AmountChange& y) {
    return std::abs(x.delta()) > std::abs(y.delta());
  });
  return rows;
}

// The change from A to B in percent. Unknown where A is 0, or so small that B differs from it by
// more than ten times A: thousands of percent of next to nothing say less than the change itself.
inline std::optional<double> ChangePercent(double a, double b) {
  if (a == 0 || !(std::abs(b - a) <= 10 * std::abs(a))) return std::nullopt;
  return 100 * (b - a) / std::abs(a);
}

template <typename Row, typename Facts = NoFacts>
using Fields = std::vector<typename Schema<Row, Facts>::Field>;

// The fields a_<what>, b_<what>, delta_<what> and delta_percent, of Row::a and Row::b.
template <typename Row>
Fields<Row> ValueFields(const std::string& what, const std::string& label, Unit unit,
                        const char* how = "") {
  return {{("a_" + what).c_str(), ("A " + label).c_str(), unit,
           [](const Row& row) { return row.a.value; }, how},
          {("b_" + what).c_str(), ("B " + label).c_str(), unit,
           [](const Row& row) { return row.b.value; }, how},
          {("delta_" + what).c_str(), ("Δ " + label).c_str(), unit,
           [](const Row& row) { return row.b.value - row.a.value; }, "B - A", kKeyColumn},
          {"delta_percent", "Δ", Unit::kPercent,
           [](const Row& row) { return ChangePercent(row.a.value, row.b.value); },
           "(B - A) / A; none if they differ by more than ten times A"}};
}
// The fields a_count and b_count, of Row::a and Row::b.
template <typename Row>
Fields<Row> CountFields(const char* how = "") {
  return {{"a_count", "A count", Unit::kCount, [](const Row& row) { return row.a.count; }, how},
          {"b_count", "B count", Unit::kCount, [](const Row& row) { return row.b.count; }, how}};
}
// The field that shows AmountChange::key[index].
inline Schema<AmountChange>::Field KeyField(size_t index, const char* id, const char* label,
                                            const char* how = "", ColumnRole role = kPlainColumn) {
  return {id,  label, Unit::kNone, [index](const AmountChange& row) { return row.key[index]; },
          how, role};
}
inline Schema<AmountChange>::Field ChangeField() {
  return {"change", "Change", Unit::kNone, &AmountChange::change, "from A to B", kKeyColumn};
}

// One list of all fields, in this order.
template <typename Field>
std::vector<Field> Concat(std::initializer_list<std::vector<Field>> lists) {
  std::vector<Field> all;
  for (const std::vector<Field>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

// Makes the table; its rows link to the events of Row::a and Row::b.
template <typename Row>
ResultTable MakeCompared(const Schema<Row>& schema, const std::vector<Row>& rows) {
  ResultTable table = schema.Make(rows);
  for (const Row& row : rows) {
    table.links.push_back(LinkTo(row.a.rows));
    table.links_b.push_back(LinkTo(row.b.rows));
  }
  return table;
}

}  // namespace stepscope::compare
