// Random queries of the table events, whose conditions it may answer itself. Tests and the fuzz
// target compare their results with those of the same query over a subquery with a LIMIT, which
// SQLite passes no conditions to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/trace.h"
#include "sql/database.h"
#include "tests/support/table_rows.h"

namespace stepscope::test {

class RandomSql {
 public:
  // `next(n)` returns a number below n.
  RandomSql(const Trace& trace, std::function<uint32_t(uint32_t)> next)
      : trace_(trace), next_(std::move(next)) {}

  struct Query {
    std::string sql;
    bool ordered = false;  // whether the order of all rows is given
    // The same query, whose conditions SQLite checks alone.
    std::string plain() const {
      constexpr std::string_view kTable = " events ";
      std::string text = sql;
      for (const std::string_view before : {"FROM", "JOIN"}) {
        const size_t at = text.find(std::string(before) + std::string(kTable));
        if (at == std::string::npos) continue;
        text.replace(at + before.size(), kTable.size(),
                     " (SELECT rowid AS rowid, * FROM events LIMIT -1) ");
      }
      return text;
    }
  };
  Query Make() {
    switch (next_(5)) {
      case 0:
        return Grouped();
      case 1:
        return Joined();
      default:
        return Listed();
    }
  }

 private:
  std::string Pick(const std::vector<const char*>& words) {
    return words[next_(static_cast<uint32_t>(words.size()))];
  }
  uint32_t Row() { return next_(std::max(trace_.set.rows, 1u)); }
  static std::string Quoted(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) {
      if (c == '\0') break;
      quoted += c;
      if (c == '\'') quoted += c;
    }
    return quoted + "'";
  }
  std::string_view Name() { return trace_.names().Name(trace_.set.Meta(EventRow(Row()))); }
  std::string Pattern(bool like) {
    const std::string name(Name());
    if (name.empty()) return "'%'";
    const size_t from = next_(static_cast<uint32_t>(name.size()));
    const std::string part = name.substr(from, 1 + next_(6));
    const std::string any = like ? "%" : "*";
    return Quoted((next_(2) == 0 ? any : "") + part + (next_(3) != 0 ? any : ""));
  }
  // A value for a column of numbers: mostly one that occurs.
  std::string Number(const std::string& column) {
    const uint32_t row = Row();
    int64_t value = row;
    if (column == "begin_ps") value = trace_.set.Start(EventRow(row));
    if (column == "track_id") value = next_(static_cast<uint32_t>(trace_.set.tracks.size() + 1));
    if (column == "step") value = static_cast<int64_t>(next_(20)) - 2;
    const std::string text = std::to_string(value);
    switch (next_(10)) {
      case 0:
        return text + ".5";
      case 1:
        return text + ".0";
      case 2:
        return "'" + text + "'";
      case 3:
        return Pick({"NULL", "1e300", "-1e300", "9223372036854775807", "-9223372036854775808",
                     "9223372036854775808.0", "x'00'", "'x'", "-1", "0"});
      default:
        return text;
    }
  }
  std::string Condition(const std::string& table) {
    if (next_(3) == 0) return NameCondition(table + "name");
    const std::string column =
        Pick({"id", "rowid", "begin_ps", "track_id", "step", "dur_ps", "depth", "instant"});
    const std::string place = table + column;
    switch (next_(8)) {
      case 0:
        return place + " BETWEEN " + Number(column) + " AND " + Number(column);
      case 1:
        return place + " IN (" + Number(column) + ", " + Number(column) + ")";
      case 2:
        return place + Pick({" IS NULL", " IS NOT NULL"});
      default:
        return place + " " + Pick({"=", "<", "<=", ">", ">=", "<>", "IS"}) + " " + Number(column);
    }
  }
  std::string NameCondition(const std::string& place) {
    switch (next_(7)) {
      case 0:
        return place + " LIKE " + Pattern(true);
      case 1:
        return place + " GLOB " + Pattern(false);
      case 2:
        return place + " = " + Quoted(Name()) + " COLLATE NOCASE";
      case 3:
        return place + " IN (" + Quoted(Name()) + ", " + Quoted(Name()) + ")";
      case 4:
        return place + " = " + Pick({"NULL", "5", "x'61'", "''", "'nothing of the kind'"});
      case 5:
        return place + Pick({" < ", " >= ", " <> "}) + Quoted(Name());
      default:
        return place + " = " + Quoted(Name());
    }
  }
  std::string Conditions(const std::string& table) {
    std::string text = Condition(table);
    for (uint32_t n = next_(3); n > 0; --n) {
      const std::string joint = Pick({" AND ", " AND ", " AND ", " OR ", " AND NOT "});
      text = "(" + text + ")" + joint + "(" + Condition(table) + ")";
    }
    return text;
  }
  Query Listed() {
    const std::string order = Pick({"", "id", "id DESC", "name", "name, id", "step", "track_id",
                                    "begin_ps, id", "name DESC, id", "rowid"});
    Query query;
    query.sql = "SELECT id, begin_ps, self_ps, name, track_id, parent_id, step FROM events WHERE " +
                Conditions("");
    if (!order.empty()) query.sql += " ORDER BY " + order;
    // SQL promises no order without ORDER BY: OR and IN are read one part after another.
    query.ordered = order.find("id") != std::string::npos;
    query.ordered &= order != "track_id";
    if (query.ordered && next_(2) == 0) query.sql += " LIMIT " + std::to_string(1 + next_(50));
    return query;
  }
  Query Grouped() {
    const std::string by = Pick({"name", "step", "track_id", "id % 7", "name, track_id"});
    return {"SELECT " + by + ", count(*), sum(dur_ps), sum(self_ps), min(id), max(begin_ps) FROM " +
                "events WHERE " + Conditions("") + " GROUP BY " + by + " ORDER BY " + by,
            true};
  }
  Query Joined() {
    const std::string on = Pick({"a.parent_id = b.id", "a.launch_id = b.id", "a.id = b.parent_id",
                                 "b.name = a.name AND b.track_id = a.track_id AND b.id < a.id",
                                 "b.begin_ps BETWEEN a.begin_ps AND a.begin_ps + a.dur_ps"});
    const std::string kind = Pick({"JOIN", "LEFT JOIN"}), first = std::to_string(Row());
    return {"SELECT a.id, b.id, b.name FROM events a " + kind + " events b ON " + on +
                " WHERE a.id BETWEEN " + first + " AND " + first + " + 20 AND (" +
                Conditions("a.") + ") ORDER BY 1, 2",
            true};
  }

  const Trace& trace_;
  std::function<uint32_t(uint32_t)> next_;
};

// Describes how the answers to a query and to the plain one differ; empty if they do not. Answers
// that take too long are not compared.
inline std::string DifferenceOf(SqlDatabase& database, const RandomSql::Query& query,
                                double seconds) {
  const SqlLimits limits{.seconds = seconds, .rows = 0};
  const Result<SqlTableResult> first = RunForTable(database, {query.sql, {}, limits}),
                               second = RunForTable(database, {query.plain(), {}, limits});
  for (const auto* result : {&first, &second}) {
    if (!result->ok() && result->status().code() == ErrorCode::kLimit) return "";
  }
  if (first.ok() != second.ok()) return "one of them fails";
  if (!first.ok())
    return first.status().message() == second.status().message() ? "" : "other errors";
  std::vector<std::string> texts[2];
  for (const auto& [result, lines] :
       {std::pair(&first, &texts[0]), std::pair(&second, &texts[1])}) {
    for (const std::vector<Value>& row : test::RowsOf((*result)->table)) {
      std::string& line = lines->emplace_back();
      for (const Value& cell : row) (line += RawValue(cell)) += '\x1f';
    }
    if (!query.ordered) std::sort(lines->begin(), lines->end());
  }
  if (texts[0] == texts[1]) return "";
  return std::to_string(texts[0].size()) + " and " + std::to_string(texts[1].size()) + " rows";
}

}  // namespace stepscope::test
