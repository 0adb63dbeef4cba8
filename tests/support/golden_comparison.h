// Compares our results with XProf's answers, value by value, and prints those that differ. One
// thread.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/tables/result_table.h"
#include "tests/support/table_rows.h"

namespace stepscope::test {

using Json = nlohmann::json;
using Keys = std::vector<const char*>;

inline Json ToJson(const Value& value) {
  return std::visit(
      [](const auto& v) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::monostate>) {
          return nullptr;
        } else if constexpr (std::is_same_v<std::decay_t<decltype(v)>, SharedText>) {
          return v.str();
        } else {
          return v;
        }
      },
      value);
}

inline Json RowsOf(const AnalysisResult& result, std::string_view table) {
  Json rows = Json::array();
  const ResultTable* t = result.Table(table);
  REQUIRE(t);
  for (const auto& row : test::RowsOf(*t)) {
    Json object;
    for (size_t c = 0; c < t->columns.size(); ++c) object[t->columns[c].id] = ToJson(row[c]);
    rows.push_back(std::move(object));
  }
  return rows;
}

// How far numbers may differ: by `absolute` or by `relative`, whichever allows more.
struct Tolerance {
  double absolute = 1e-9, relative = 1e-6;
};

class Comparison {
 public:
  // At its end adds the number of compared values to *compared.
  Comparison(std::string what, size_t* compared) : what_(std::move(what)), compared_(compared) {}
  ~Comparison() {
    MESSAGE(what_ << ": " << bad_ << " of " << total_ << " values differ");
    CHECK(bad_ == 0);
    *compared_ += total_;
  }
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;

  void Equal(const std::string& where, const Json& ours, const Json& theirs,
             Tolerance tolerance = {}) {
    bool equal = ours == theirs;
    if (!equal && ours.is_number() && theirs.is_number()) {
      const double a = ours.get<double>(), b = theirs.get<double>();
      equal = std::abs(a - b) <=
              std::max(tolerance.absolute, tolerance.relative * std::max(std::abs(a), std::abs(b)));
    }
    Count(equal, where, ours, theirs);
  }

  // Compares rows by key: both sides must have the same keys, each once, and equal fields. `cut`:
  // XProf shows only its first rows.
  template <typename Key, typename Tol>
  void Rows(const Json& ours, const Json& theirs, Key key, const Keys& fields, bool cut, Tol tol) {
    std::map<std::string, const Json*> a, b;
    for (const Json& row : ours) {
      const bool added = a.emplace(key(row), &row).second;
      Count(added, "a row comes twice: " + key(row), {}, {});
    }
    for (const Json& row : theirs) b.emplace(key(row), &row);
    for (const auto& [k, row] : a) {
      if (!cut) Count(b.contains(k), "XProf does not have the row " + k, {}, {});
    }
    for (const auto& [k, row] : b) {
      const auto it = a.find(k);
      Count(it != a.end(), "the row is missing: " + k, {}, {});
      if (it == a.end()) continue;
      for (const char* f : fields) {
        Equal(k + " " + f, it->second->value(f, Json()), row->value(f, Json()), tol(*row, f));
      }
    }
  }
  template <typename Key>
  void Rows(const Json& ours, const Json& theirs, Key key, const Keys& fields, bool cut = false) {
    Rows(ours, theirs, key, fields, cut, [](const Json&, const char*) { return Tolerance{}; });
  }

 private:
  void Count(bool equal, const std::string& where, const Json& ours, const Json& theirs) {
    ++total_;
    if (equal) return;
    if (++bad_ <= 5)
      MESSAGE(what_ << ": " << where << ": ours " << ours.dump() << ", XProf " << theirs.dump());
  }
  std::string what_;
  size_t* compared_;
  size_t total_ = 0, bad_ = 0;
};

}  // namespace stepscope::test
